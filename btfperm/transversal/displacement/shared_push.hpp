// SPDX-License-Identifier: BSD-3-Clause
// shared push: label push (label_push.hpp) by several threads at once
//
// Idea        Each thread has its own queue and pushes as in label_push.hpp. While it changes the
//             mate of a row, it holds the lock of the row, and checks that the row still has the
//             label for which it was chosen. So labels only increase, and the invariants of
//             label_push.hpp hold here, too. After each round, the remaining columns are divided
//             among the threads again; when there are fewer columns, rounds are shorter.
// Paper       ours; the pushes are those of label_push.hpp
// Cost        as label_push.hpp, O((m + nnz) log n), divided by the threads. A round ends after at
//             most about nnz / 6 edges (4096 edges of each thread if that is more). Progress is
//             checked after each nnz / 3 edges; edges of pushes that make a row hopeless are not
//             counted, those of choices that became invalid are. Pushes end (they have stalled)
//             unless a quarter of the active columns, or half of them if at most 64 were active,
//             were matched or dropped since the last check. Workspace: m bytes, one list of columns
// Prefer it   on large matrices with several threads, or on one thread if the labels exceed the
//             cache; otherwise label_push.hpp. On one thread and on smaller matrices it takes
//             1.25 times as long as label_push.hpp in the geometric mean
//             (2026-11-26-serial-shared-field)
// Encodings   label: 0 unmatched row, 254 a distance of 254 or more, 255 hopeless. row_match[i] =
//             -2: row i is locked
// Invariants  those of label_push.hpp whenever no row is locked: the new label of a row is one more
//             than a label that was read before, and labels never decrease
// Races       label[i] is read without the lock of row i: the value may be too low, but then it is
//             still a lower bound. A thread that finds a row locked polls it, because a lock is
//             held for a few stores only, and yields its core if the lock remains
#pragma once

#include <omp.h>

#include <algorithm>
#include <limits>
#include <thread>

#include "backends/cpu/atomics.hpp"
#include "backends/cpu/parallel.hpp"
#include "backends/cpu/prefetch.hpp"
#include "transversal/interface.hpp"

namespace btfperm {

template <class I>
class SharedPush {
 public:
  // `list` holds the unmatched columns that have entries; `spare` has as many places.
  SharedPush(const PatternView<I>& A, Matching<I> M, I* list, I* spare, I n_unmatched, int threads,
             Workspace& workspace, Budget& budget, Counters& counters)
      : A_(A),
        M_(M),
        list_(list),
        spare_(spare),
        active_(n_unmatched),
        checked_(n_unmatched),
        threads_(threads),
        budget_(budget),
        counters_(counters) {
    label_ = workspace.take<std::uint8_t>(A.m);
    done_ = workspace.take<Done>(threads);
  }

  // Pushes until few columns are active, the pushes have stalled or the budget ends. The columns
  // that are unmatched and not active then can never be matched. col_match is not updated.
  void run() {
    bool ended = has_few_left();
    bool look_for_gap = false;
#pragma omp parallel num_threads(threads_)
    {
      const int t = omp_get_thread_num();
      const int team = omp_get_num_threads();
      I* list = list_;
      I* spare = spare_;
      set_labels(t, team);
      while (!ended) {
        const Share<I> part(active_, t, team);
        Ring mine{list + part.first, part.last - part.first, 0, 0, part.last - part.first};
        done_[t] = push_round(mine, team);
        barrier_.wait(team);
        I* place = spare;
        for (int other = 0; other < t; ++other) place += done_[other].left;
        while (mine.active > 0) *place++ = mine.pop();
        std::swap(list, spare);
        if (t == 0) {
          add_round(team);
          look_for_gap = false;
          ended = has_few_left() || has_stalled(look_for_gap) || budget_.stopped();
        }
        barrier_.wait(team);
        if (look_for_gap) close_gap(t, team);
      }
      if (t == 0) list_ = list;
    }
    if (unmatched_rows_ == 0) active_ = 0;
  }

  // The columns that are still active.
  const I* columns() const { return list_; }
  I active() const { return active_; }
  I unmatched_rows() const { return unmatched_rows_; }
  bool has_few_left() const { return active_ <= min_per_thread * threads_; }
  std::uint8_t* labels() { return label_; }  // for another search

  // Marks the hopeless rows, as in label_push.hpp.
  void mark_hopeless(std::uint8_t* row_in_cover) const {
    const std::uint8_t least = unmatched_rows_ == 0 ? 0 : hopeless;
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (I i = 0; i < A_.m; ++i) row_in_cover[i] |= label_[i] >= least;
  }

 private:
  static constexpr std::uint8_t hopeless = 255;
  static constexpr std::uint8_t farthest = 254;
  static constexpr I locked = -2;
  static constexpr int patience = 64;  // polls of a locked row before the thread yields
  // Pushes end if at most this number of active columns is left for each thread.
  static constexpr I min_per_thread = 2;
  static constexpr I many = 64;                           // number of columns, see has_stalled
  static constexpr std::int64_t longest_round = 1 << 21;  // maximum number of edges of a thread
  static constexpr std::int64_t batch = 1 << 12;          // edges between two reads of out_of_work_

  // What one thread did in a round.
  struct alignas(64) Done {
    I left;                // number of columns that remain in its queue
    I taken;               // number of unmatched rows that it matched
    std::int64_t edges;    // number of visited edges
    std::int64_t closing;  // number of edges visited in pushes that made their row hopeless
    std::int64_t pushes;
  };

  // The queue of one thread; its length never exceeds the initial length.
  struct Ring {
    I* places;
    I capacity;
    I head;
    I tail;
    I active;

    I ahead(I steps) const {
      const I place = head + steps;
      return place < capacity ? place : place - capacity;
    }
    I pop() {
      const I j = places[head];
      head = ahead(1);
      --active;
      return j;
    }
    void push(I j) {
      places[tail] = j;
      if (++tail == capacity) tail = 0;
      ++active;
    }
  };

  void set_labels(int t, int team) {
    const Share<I> part(A_.m, t, team);
    I unmatched_rows = 0;
    for (I i = part.first; i < part.last; ++i) {
      label_[i] = M_.row_match[i] >= 0;
      unmatched_rows += M_.row_match[i] < 0;
    }
    std::atomic_ref<I>(unmatched_rows_).fetch_add(unmatched_rows, std::memory_order_relaxed);
    barrier_.wait(team);
  }

  // Pushes until the queue of any thread is empty, or this thread has visited `most` edges.
  Done push_round(Ring& queue, int team) {
    Done done{};
    const std::int64_t most = std::clamp<std::int64_t>(A_.nnz() / 6 / team, batch, longest_round);
    do {
      push(queue, batch, done);
    } while (queue.active > 0 && done.edges < most && !load(out_of_work_));
    store(out_of_work_, true);
    done.left = queue.active;
    return done;
  }

  void add_round(int team) {
    active_ = 0;
    std::int64_t edges = 0;
    for (int t = 0; t < team; ++t) {
      active_ += done_[t].left;
      unmatched_rows_ -= done_[t].taken;
      edges += done_[t].edges;
      since_check_ -= done_[t].closing;
      counters_.pushes += done_[t].pushes;
    }
    counters_.edges += edges;
    since_check_ += edges;
    budget_.spend(edges);
    store(out_of_work_, false);
  }

  // Checks the progress (see Cost) if about nnz / 3 edges were visited since the last check.
  // `look_for_gap` is set if there was progress, but fewer than half of the columns were matched or
  // dropped.
  bool has_stalled(bool& look_for_gap) {
    if (unmatched_rows_ == 0) return true;
    if (since_check_ < A_.nnz() / 3) return false;
    since_check_ = 0;
    ++counters_.phases;
    const bool stalled = active_ > (checked_ > many ? checked_ - checked_ / 4 : checked_ / 2);
    look_for_gap = !stalled && active_ > checked_ / 2;
    checked_ = active_;
    return stalled;
  }

  // The row that a column has chosen.
  struct Choice {
    I column;
    I row;                // -1: all rows are hopeless
    std::uint8_t lowest;  // the label of the row
    std::uint8_t label;   // the new label of the row
  };

  // Pushes columns of the queue until at least `most` more edges are visited. The row of a choice
  // is prefetched while the previous choice is carried out.
  void push(Ring& queue, std::int64_t most, Done& done) {
    most += done.edges;
    Choice ready{-1, -1, 0, 0};
    do {
      Choice next{-1, -1, 0, 0};
      if (queue.active > 0) next = choose(queue, done);
      if (ready.row >= 0) make_good(ready, queue, done);
      ready = next;
    } while ((ready.row >= 0 || queue.active > 0) && done.edges < most);
    if (ready.row >= 0) make_good(ready, queue, done);
  }

  Choice choose(Ring& queue, Done& done) const {
    const I j = queue.pop();
    prefetch_ahead(queue);
    unsigned lowest = hopeless;
    unsigned second = hopeless;
    I row = -1;
    I p = A_.indptr[j];
    const I begin = p;
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
    done.edges += p - begin + 1;
    if (row < 0) return {j, -1, hopeless, hopeless};
    prefetch_to_write(M_.row_match + row);
    const bool closes = second == hopeless;  // no path continues from this row
    const unsigned label = closes ? hopeless : std::min<unsigned>(second + 1, farthest);
    return {j, row, static_cast<std::uint8_t>(lowest), static_cast<std::uint8_t>(label)};
  }

  void make_good(const Choice& choice, Ring& queue, Done& done) {
    const I displaced = lock(choice.row);
    if (load(label_[choice.row]) != choice.lowest) {  // another thread has increased the label
      unlock(choice.row, displaced);
      queue.push(choice.column);
      return;
    }
    store(label_[choice.row], choice.label);
    unlock(choice.row, choice.column);
    if (choice.label == hopeless) done.closing += A_.degree(choice.column) + 1;
    ++done.pushes;
    if (displaced >= 0) {
      queue.push(displaced);
    } else {
      ++done.taken;
    }
  }

  // Locks the row. Returns the column that is matched to it, or -1.
  I lock(I row) {
    std::atomic_ref<I> mate(M_.row_match[row]);
    for (int polls = 1;; ++polls) {
      const I held = mate.exchange(locked, std::memory_order_acquire);
      if (held != locked) return held;
      if (polls % patience == 0) {
        std::this_thread::yield();
      } else {
        pause_core();
      }
    }
  }

  void unlock(I row, I mate) {
    std::atomic_ref<I>(M_.row_match[row]).store(mate, std::memory_order_release);
  }

  // Prefetches the starts, lists and labels of the next columns in the queue.
  void prefetch_ahead(const Ring& queue) const {
    if (queue.active < 4) return;
    const I far = std::min<I>(queue.active - 1, 16);
    prefetch(A_.indptr + queue.places[queue.ahead(far)]);
    prefetch(A_.indices + A_.indptr[queue.places[queue.ahead(far * 5 / 8)]]);
    const I j = queue.places[queue.ahead(far * 5 / 16)];
    const I* list = A_.indices + A_.indptr[j];
    const I count = std::min<I>(A_.degree(j), 8);
    for (I k = 0; k < count; ++k) prefetch(label_ + list[k]);
  }

  // Marks the rows above a label that no row has as hopeless. All threads must call this together.
  void close_gap(int t, int team) {
    const Share<I> part(A_.m, t, team);
    I own[256] = {};
    for (I i = part.first; i < part.last; ++i) ++own[label_[i]];
    for (int l = 0; l < 256; ++l) {
      if (own[l] > 0) std::atomic_ref<I>(count_[l]).fetch_add(own[l], std::memory_order_relaxed);
    }
    barrier_.wait(team);
    int gap = 0;
    while (gap < farthest && count_[gap] > 0) ++gap;
    for (I i = part.first; i < part.last; ++i) {
      if (label_[i] > gap) label_[i] = hopeless;
    }
    barrier_.wait(team);
    if (t == 0) std::fill(count_, count_ + 256, I{0});  // for the next call of this function
  }

  const PatternView<I>& A_;
  Matching<I> M_;
  I* list_;
  I* spare_;
  I active_;
  I checked_;  // number of active columns at the last check
  I unmatched_rows_ = 0;
  I count_[256] = {};             // number of rows with each label
  std::int64_t since_check_ = 0;  // number of counted edges since the last check
  bool out_of_work_ = false;      // a thread has ended its round, so all threads must end theirs
  int threads_;
  Barrier barrier_;
  std::uint8_t* label_;
  Done* done_;
  Budget& budget_;
  Counters& counters_;
};

}  // namespace btfperm
