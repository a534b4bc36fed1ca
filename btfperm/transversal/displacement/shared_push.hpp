// SPDX-License-Identifier: BSD-3-Clause
// shared push: label push (label_push.hpp) by several threads at once
//
// Idea        Each thread has a queue of its own and pushes as one thread would; a row changes
//             hands by one atomic exchange, so a column is always either in one queue or the holder
//             of one row. After each round the columns left are dealt out anew.
// Paper       ours; the pushes are those of label_push.hpp
// Cost        as label_push.hpp, divided by the threads while many columns are active. Workspace:
//             m bytes, one list of the active columns
// Prefer it   while some thousand columns are active; rather use label_push.hpp for the rest
// Encodings   label: 0 free row, 255 hopeless
// Races       label[i] is read and written without order, so labels may be too high for a moment:
//             "hopeless" proves nothing here, and whoever was dropped must be searched for again
#pragma once

#include <omp.h>

#include <algorithm>
#include <limits>

#include "backends/cpu/atomics.hpp"
#include "transversal/interface.hpp"

namespace btfperm {

template <class I>
class SharedPush {
 public:
  // `list` holds the free columns that have entries; `spare` has as many places.
  SharedPush(const PatternView<I>& A, Matching<I> M, I* list, I* spare, I n_free, int threads,
             Workspace& workspace, Budget& budget, Counters& counters)
      : A_(A),
        M_(M),
        list_(list),
        spare_(spare),
        active_(n_free),
        threads_(threads),
        budget_(budget),
        counters_(counters) {
    label_ = workspace.take<std::uint8_t>(A.m);
    left_ = workspace.take<I>(threads + 1);
  }

  // Pushes until fewer than `few` columns are active, or progress stalls. Columns that were
  // dropped or are still active are free afterwards; col_match is not touched.
  void run(I few) {
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (I i = 0; i < A_.m; ++i) label_[i] = M_.row_match[i] >= 0;
    const std::int64_t slice = std::max<std::int64_t>(A_.nnz() / 6 / threads_, 4096);
    I checked = active_;
    for (int round = 1; active_ >= few && !budget_.stopped(); ++round) {
      push_round(slice);
      ++counters_.phases;
      if (round % 2 == 0) {
        if (active_ > checked - checked / 4) return;
        checked = active_;
      }
    }
  }

  // The columns still active.
  const I* columns() const { return list_; }
  I active() const { return active_; }
  std::uint8_t* labels() { return label_; }

 private:
  static constexpr std::uint8_t hopeless = 255;

  void push_round(std::int64_t slice) {
    std::int64_t edges = 0;
    std::int64_t pushes = 0;
    const I before = active_;
#pragma omp parallel num_threads(threads_) reduction(+ : edges, pushes)
    {
      const int t = omp_get_thread_num();
      const int team = omp_get_num_threads();
      const I begin = static_cast<I>(static_cast<std::int64_t>(before) * t / team);
      const I end = static_cast<I>(static_cast<std::int64_t>(before) * (t + 1) / team);
      Ring mine{list_ + begin, end - begin, 0, 0, end - begin};
      push(mine, slice, edges, pushes);
      left_[t] = mine.active;
#pragma omp barrier
      I place = 0;
      for (int other = 0; other < t; ++other) place += left_[other];
      for (I k = 0; k < mine.active; ++k) {
        spare_[place + k] = mine.places[mine.head];
        mine.advance(mine.head);
      }
#pragma omp single nowait
      {
        active_ = 0;
        for (int other = 0; other < team; ++other) active_ += left_[other];
      }
    }
    std::swap(list_, spare_);
    counters_.edges += edges;
    counters_.pushes += pushes;
    budget_.spend(edges);
  }

  struct Ring {
    I* places;
    I capacity;
    I head;
    I tail;
    I active;

    void advance(I& place) const {
      if (++place == capacity) place = 0;
    }
    I ahead(I steps) const {
      const I place = head + steps;
      return place < capacity ? place : place - capacity;
    }
  };

  void push(Ring& queue, std::int64_t most, std::int64_t& edges, std::int64_t& pushes) {
    std::int64_t read = 0;
    while (queue.active > 0 && read < most) {
      const I j = queue.places[queue.head];
      prefetch_ahead(queue);
      queue.advance(queue.head);
      unsigned lowest = hopeless;
      unsigned second = hopeless;
      I row = -1;
      I p = A_.indptr[j];
      for (; p < A_.indptr[j + 1] && second > 0; ++p) {
        const I i = A_.indices[p];
        const unsigned l = load(label_[i]);
        if (l < lowest) {
          second = lowest;
          lowest = l;
          row = i;
        } else if (l < second) {
          second = l;
        }
      }
      read += p - A_.indptr[j] + 1;
      if (row < 0) {
        --queue.active;
        continue;
      }
      store(label_[row], static_cast<std::uint8_t>(std::min<unsigned>(second + 1, hopeless)));
      ++pushes;
      const I displaced = std::atomic_ref<I>(M_.row_match[row]).exchange(j);
      if (displaced >= 0) {
        queue.places[queue.tail] = displaced;
        queue.advance(queue.tail);
      } else {
        --queue.active;
      }
    }
    edges += read;
  }

  void prefetch_ahead(const Ring& queue) const {
    if (queue.active <= 16) return;
    __builtin_prefetch(A_.indptr + queue.places[queue.ahead(16)]);
    __builtin_prefetch(A_.indices + A_.indptr[queue.places[queue.ahead(10)]]);
    const I j = queue.places[queue.ahead(5)];
    const I* list = A_.indices + A_.indptr[j];
    const I count = std::min<I>(A_.degree(j), 8);
    for (I k = 0; k < count; ++k) __builtin_prefetch(label_ + list[k]);
  }

  const PatternView<I>& A_;
  Matching<I> M_;
  I* list_;
  I* spare_;
  I active_;
  int threads_;
  std::uint8_t* label_;
  I* left_;  // columns left in the queue of each thread
  Budget& budget_;
  Counters& counters_;
};

}  // namespace btfperm
