// SPDX-License-Identifier: BSD-3-Clause
// label push: free columns take the row with the lowest label, and displace who held it
//
// Idea        label[i] is a lower bound on the distance from row i to a free row, along alternating
//             paths. The first column of a queue takes its row of lowest label; that row's label
//             becomes one more than the second lowest of the column (where its next holder would
//             have to go on). Whoever held the row goes to the back of the queue. A column whose
//             rows are all hopeless can never be matched and is dropped.
// Paper       ours; it is push-relabel (A. V. Goldberg, R. E. Tarjan, J. ACM 35, 1988) in the
//             double-push form with "second lowest" labels, first-in-first-out, as in K. Kaya,
//             J. Langguth, F. Manne, B. Ucar, "Push-relabel based algorithms for the maximum
//             transversal problem", Computers & OR 40 (2013). New are the byte labels, which keep
//             the whole state in the cache, and that the columns' mates are not kept at all
// Cost        2 to 3 times nnz where it does well. Each slice of nnz / 3 edges must end the search
// of
//             one column and of a quarter of them, or it counts as a stall: so O(nnz log n).
//             Workspace: m labels of one byte (of four when a distance passes 253)
// Encodings   label: 0 free row; Label's largest value = hopeless: no alternating path from here
//             reaches a free row
// Invariants  1. label[i] <= distance of i; 2. label[x] <= label[y] + 1 when the holder of x has y
//             in its list. So a row above a label that no row has (a gap) is hopeless.
#pragma once

#include <algorithm>
#include <limits>

#include "backends/cpu/parallel.hpp"
#include "transversal/interface.hpp"

namespace btfperm {

template <class I>
class LabelPush {
 public:
  // `free` holds the free columns that have entries, and becomes the queue.
  LabelPush(const PatternView<I>& A, Matching<I> M, I* free, I n_free, Workspace& workspace,
            Budget& budget, Counters& counters)
      : A_(A),
        M_(M),
        queue_(free),
        capacity_(n_free),
        active_(n_free),
        workspace_(workspace),
        budget_(budget),
        counters_(counters) {}

  // Pushes until no column is active, or progress stalls. The columns still active are then the
  // first `active()` places of the list handed over; all other free columns are unmatchable.
  // col_match is not kept meanwhile: `rows_to_columns` makes it anew.
  void run() {
    narrow_ = workspace_.take<std::uint8_t>(A_.m);
    for (I i = 0; i < A_.m; ++i) narrow_[i] = M_.row_match[i] >= 0;
    run(narrow_);
  }

  // The same from labels that are there already. When these come from several threads, "hopeless"
  // proves nothing.
  void run(std::uint8_t* label) {
    narrow_ = label;
    free_rows_ = 0;
    for (I i = 0; i < A_.m; ++i) free_rows_ += M_.row_match[i] < 0;
    if (push_until_stalled(narrow_) == Ended::label_too_large) {
      wide_ = workspace_.take<std::uint32_t>(A_.m);
      for (I i = 0; i < A_.m; ++i) {
        wide_[i] = narrow_[i] == hopeless<std::uint8_t> ? hopeless<std::uint32_t> : narrow_[i];
      }
      push_until_stalled(wide_);
    }
    std::rotate(queue_, queue_ + head_, queue_ + capacity_);
  }

  I active() const { return active_; }

  // Marks the hopeless rows: those that the dropped columns can reach. (Entries of the column that
  // holds a hopeless row lie in hopeless rows: it became hopeless for want of another, or by a
  // gap.)
  void mark_hopeless(std::uint8_t* row_in_cover) const {
    if (free_rows_ == 0) {
      std::fill(row_in_cover, row_in_cover + A_.m, std::uint8_t{1});
    } else if (wide_ != nullptr) {
      for (I i = 0; i < A_.m; ++i) row_in_cover[i] |= wide_[i] == hopeless<std::uint32_t>;
    } else {
      for (I i = 0; i < A_.m; ++i) row_in_cover[i] |= narrow_[i] == hopeless<std::uint8_t>;
    }
  }

 private:
  enum class Ended { no_work, stalled, label_too_large };

  template <class Label>
  static constexpr Label hopeless = std::numeric_limits<Label>::max();

  // One look per slice of a third of the entries: stalled when fewer than a quarter of the active
  // columns went; three such slices when so few are active that luck decides.
  template <class Label>
  Ended push_until_stalled(Label* label) {
    constexpr I few = 32;
    const std::int64_t slice = std::max<std::int64_t>(A_.nnz() / 3, 4096);
    int slow_slices = 0;
    while (active_ > 0) {
      const I before = active_;
      for (std::int64_t read = 0; read < slice && active_ > 0;) {
        const std::int64_t edges = push(label, std::min<std::int64_t>(slice - read, 1 << 18));
        if (too_large_) return Ended::label_too_large;
        if (free_rows_ == 0) return drop_all();
        read += edges;
        counters_.edges += edges;
        if (!budget_.spend(edges)) return Ended::stalled;
      }
      ++counters_.phases;
      if (active_ > before / 2) close_gap(label);
      const I gone = before - active_;
      if (gone < std::max<I>(1, before / 4) && (active_ > few || ++slow_slices == 3)) {
        return Ended::stalled;
      }
    }
    return Ended::no_work;
  }

  // No row is free: whoever is active stays unmatched.
  Ended drop_all() {
    active_ = 0;
    return Ended::no_work;
  }

  // Pushes until `most` edges are read; the number read.
  template <class Label>
  std::int64_t push(Label* label, std::int64_t most) {
    std::int64_t read = 0;
    std::int64_t pushes = 0;
    too_large_ = false;
    while (active_ > 0 && read < most) {
      const I j = queue_[head_];
      prefetch_ahead(label);
      std::int64_t lowest = hopeless<Label>;
      std::int64_t second = hopeless<Label>;
      I row = -1;
      const I begin = A_.indptr[j];
      const I end = A_.indptr[j + 1];
      I p = begin;
      for (; p < end && second > 0; ++p) {
        const I i = A_.indices[p];
        const std::int64_t l = label[i];
        if (l < lowest) {
          second = lowest;
          lowest = l;
          row = i;
        } else if (l < second) {
          second = l;
        }
      }
      read += p - begin + 1;
      if (row < 0) {  // all hopeless
        advance(head_);
        --active_;
        continue;
      }
      if (second == hopeless<Label> - 1) {  // its successor would read as hopeless
        too_large_ = true;
        break;
      }
      label[row] = static_cast<Label>(second == hopeless<Label> ? second : second + 1);
      advance(head_);
      ++pushes;
      const I displaced = M_.row_match[row];
      M_.row_match[row] = j;
      if (displaced >= 0) {
        queue_[tail_] = displaced;
        advance(tail_);
      } else {
        --active_;
        if (--free_rows_ == 0) break;
      }
    }
    counters_.pushes += pushes;
    return read;
  }

  // The queue says which columns come next: their starts, lists and labels can be on their way.
  template <class Label>
  void prefetch_ahead(const Label* label) const {
    if (active_ <= 16) return;
    __builtin_prefetch(A_.indptr + queue_[ahead(16)]);
    __builtin_prefetch(A_.indices + A_.indptr[queue_[ahead(10)]]);
    const I j = queue_[ahead(5)];
    const I* list = A_.indices + A_.indptr[j];
    const I count = std::min<I>(A_.degree(j), 8);
    for (I k = 0; k < count; ++k) __builtin_prefetch(label + list[k]);
  }

  I ahead(I steps) const {
    const I place = head_ + steps;
    return place < capacity_ ? place : place - capacity_;
  }

  void advance(I& place) const {
    if (++place == capacity_) place = 0;
  }

  // Rows above a label that no row has are hopeless.
  template <class Label>
  void close_gap(Label* label) {
    constexpr std::size_t most = 256;  // a gap higher up is left to the next look
    I count[most] = {};
    for (I i = 0; i < A_.m; ++i) {
      if (label[i] < most) ++count[label[i]];
    }
    std::size_t gap = 0;
    while (gap < most && count[gap] > 0) ++gap;
    if (gap >= most || gap >= hopeless<Label>) return;
    for (I i = 0; i < A_.m; ++i) {
      if (label[i] > gap) label[i] = hopeless<Label>;
    }
  }

  const PatternView<I>& A_;
  Matching<I> M_;
  I* queue_;  // a ring: active columns from head_ on; their number never grows
  I capacity_;
  I head_ = 0;
  I tail_ = 0;
  I active_;
  I free_rows_ = 0;
  bool too_large_ = false;
  std::uint8_t* narrow_ = nullptr;
  std::uint32_t* wide_ = nullptr;  // instead of narrow_, once a label has outgrown a byte
  Workspace& workspace_;
  Budget& budget_;
  Counters& counters_;
};

// col_match from row_match.
template <class I>
void rows_to_columns(const PatternView<I>& A, Matching<I> M, int threads) {
  fill(M.col_match, A.n, I{-1}, threads);
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static)
  for (I i = 0; i < A.m; ++i) {
    if (M.row_match[i] >= 0) M.col_match[M.row_match[i]] = i;
  }
}

}  // namespace btfperm
