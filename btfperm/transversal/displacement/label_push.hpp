// SPDX-License-Identifier: BSD-3-Clause
// label push: match unmatched columns to their row of lowest label, displacing its column
//
// Idea        label[i] is a lower bound on the distance from row i to an unmatched row along
//             alternating paths. A push matches the first column of a queue to its row of lowest
//             label. The column that was matched to this row is appended to the queue. The new
//             label of the row is one more than the second lowest label of the rows of the pushed
//             column, because an alternating path from the row continues at another row of this
//             column. If all rows of a column are hopeless, the column has no augmenting path, now
//             or later, and is removed from the queue (dropped).
// Paper       ours; it is push-relabel (A. V. Goldberg, R. E. Tarjan, J. ACM 35, 1988) in the
//             double-push form with "second lowest" labels, first-in-first-out, as in K. Kaya, J.
//             Langguth, F. Manne, B. Ucar, "Push-relabel based algorithms for the maximum
//             transversal problem", Computers & OR 40 (2013). Two things are new: labels have one
//             byte, so that more of them are in the cache, and col_match is not updated. Pushes end
//             if a label would exceed 254: other methods are faster on paths of that length
// Cost        a few times nnz on suitable patterns. A slice is max(nnz / 3, 4096) successive edges.
//             A slice is slow if no active column, or fewer than a quarter of them, are matched or
//             dropped in it. Pushes end (they have stalled) after a slow slice that leaves more
//             than 32 columns active, or after three slow slices that leave at most 32. So the cost
//             is O((m + nnz) log n). Edges of pushes that set a label to 255 are not counted in a
//             slice: each column has at most one such push, because all its other rows are hopeless
//             then. Workspace: m labels of one byte
// Encodings   label: 0 unmatched row; 255 hopeless: no alternating path from this row reaches an
//             unmatched row
// Invariants  1. label[i] <= distance of row i. 2. label[x] <= label[y] + 1 if the column matched
//             to row x has another row y in its list; the label hopeless counts as infinite.
//             Both hold at the start, with 0 for unmatched rows and 1 for matched ones. Labels only
//             increase. A push sets the label of its row to one more than the lowest label of the
//             other rows of the pushed column, so 2 holds for this row, and for the other rows it
//             continues to hold. 1 follows from 2 along a shortest path, whose last label is 0.
//             A gap is a label that no row has. By 2, a column matched to a row above a gap has no
//             row below the gap. So all rows above a gap are hopeless, and 2 still holds if all of
//             them get this label at once.
//             Augmentations by other methods (trees, peeling) invalidate the labels, so pushes must
//             not continue with labels that are older than the matching
#pragma once

#include <algorithm>
#include <cstddef>

#include "backends/cpu/parallel.hpp"
#include "transversal/interface.hpp"

namespace btfperm {

template <class I>
class LabelPush {
 public:
  // `unmatched` holds the unmatched columns that have entries, and becomes the queue.
  LabelPush(const PatternView<I>& A, Matching<I> M, I* unmatched, I n_unmatched,
            Workspace& workspace, Budget& budget, Counters& counters)
      : A_(A),
        M_(M),
        queue_(unmatched),
        capacity_(n_unmatched),
        active_(n_unmatched),
        workspace_(workspace),
        budget_(budget),
        counters_(counters) {}

  // Pushes until no column is active, progress stalls, a label would exceed 254 or the budget ends.
  // The columns still active are then in the first `active()` places of the list; all other
  // unmatched columns can never be matched. The caller must compute col_match again, by
  // `rows_to_columns`.
  void run() {
    set_first_labels();
    count_unmatched_rows();
    push_until_stalled();
    std::rotate(queue_, queue_ + head_, queue_ + capacity_);
  }

  // As `run`, but starts with the labels of shared_push.hpp, ends after about `max_edges` edges,
  // and does not check the progress.
  void run_from_labels(std::uint8_t* label, std::int64_t max_edges) {
    label_ = label;
    count_unmatched_rows();
    bool in_time = true;
    for (std::int64_t read = 0; read < max_edges && active_ > 0 && !too_large_ && in_time;) {
      const std::int64_t edges = push(std::min<std::int64_t>(max_edges - read, 1 << 18));
      counters_.edges += edges;
      read += edges;
      in_time = budget_.spend(edges);
      if (unmatched_rows_ == 0) active_ = 0;
    }
    std::rotate(queue_, queue_ + head_, queue_ + capacity_);
  }

  // For a test of the invariants: at most `steps` pushes from the initial labels; closes gaps after
  // every `gap_every` pushes. Returns the labels.
  const std::uint8_t* run_steps(std::int64_t steps, std::int64_t gap_every) {
    set_first_labels();
    count_unmatched_rows();
    for (std::int64_t k = 1; k <= steps && active_ > 0 && unmatched_rows_ > 0; ++k) {
      push(1);
      if (too_large_) break;
      if (k % gap_every == 0) close_gap();
    }
    return label_;
  }

  I active() const { return active_; }
  I unmatched_rows() const { return unmatched_rows_; }

  // Marks the hopeless rows, or all rows if all are matched. The hopeless rows include all rows
  // that alternating paths from the dropped columns reach: a row becomes hopeless only if all other
  // rows of the column matched to it are hopeless, or above a gap together with them.
  void mark_hopeless(std::uint8_t* row_in_cover) const {
    const std::uint8_t least = unmatched_rows_ == 0 ? 0 : hopeless;
    for (I i = 0; i < A_.m; ++i) row_in_cover[i] |= label_[i] >= least;
  }

 private:
  static constexpr std::uint8_t hopeless = 255;

  void set_first_labels() {
    label_ = workspace_.take<std::uint8_t>(A_.m);
    for (I i = 0; i < A_.m; ++i) label_[i] = M_.row_match[i] >= 0;
  }

  void count_unmatched_rows() {
    unmatched_rows_ = 0;
    for (I i = 0; i < A_.m; ++i) unmatched_rows_ += M_.row_match[i] < 0;
  }

  // Pushes until no column is active or the pushes have stalled (see Cost), which is checked after
  // each slice. If at most `few` columns are active, the share that a slice matches depends on
  // chance, so the pushes have stalled only after three slow slices. There may be other slices
  // between these.
  void push_until_stalled() {
    constexpr I few = 32;
    const std::int64_t slice = std::max<std::int64_t>(A_.nnz() / 3, 4096);
    int slow_slices = 0;
    while (active_ > 0) {
      const I before = active_;
      for (std::int64_t read = 0; read < slice && active_ > 0;) {
        const std::int64_t before_closing = closing_edges_;
        const std::int64_t edges = push(std::min<std::int64_t>(slice - read, 1 << 18));
        counters_.edges += edges;
        read += edges - (closing_edges_ - before_closing);
        if (unmatched_rows_ == 0) active_ = 0;  // the active columns stay unmatched
        if (!budget_.spend(edges) || too_large_) return;
      }
      ++counters_.phases;
      if (active_ > before / 2) close_gap();
      const I gone = before - active_;
      if (gone < std::max<I>(1, before / 4) && (active_ > few || ++slow_slices == 3)) return;
    }
  }

  // The row of lowest label in a list, its label, and the lowest label of the other rows. A label
  // is `hopeless` if the list has no such row.
  struct Lowest {
    I row;
    std::int64_t label;
    std::int64_t second;
  };

  // Visits a short list to its end without branches, because the processor could not predict them.
  // Visits a long list until the two lowest labels are 0, so that no lower ones are possible.
  static Lowest find_lowest(const I* first, const I* last, const std::uint8_t* label) {
    constexpr std::ptrdiff_t short_list = 16;
    constexpr std::int64_t none = hopeless;
    if (last - first <= short_list) {
      // A key consists of a label and, in the lower bits, the place in the list. So the smallest
      // key has the smallest label. A key of at least none << bits has the label `hopeless`.
      constexpr int bits = 5;
      std::int64_t lowest = none << bits;
      std::int64_t second = none << bits;
      for (std::int64_t k = 0; k < last - first; ++k) {
        const std::int64_t key = (static_cast<std::int64_t>(label[first[k]]) << bits) | k;
        second = std::min(second, std::max(lowest, key));
        lowest = std::min(lowest, key);
      }
      const I row = first == last ? I{0} : first[lowest & ((1 << bits) - 1)];
      return {row, lowest >> bits, second >> bits};
    }
    Lowest low{I{0}, none, none};
    for (; first < last && low.second > 0; ++first) {
      const std::int64_t l = label[*first];
      if (l < low.label) {
        low = {*first, l, low.label};
      } else if (l < low.second) {
        low.second = l;
      }
    }
    return low;
  }

  // Pushes until `max_edges` edges are visited or no push is possible. Returns the number of
  // visited edges. (The state is in local variables, because the compiler must assume that a write
  // to a label, which is a byte, may change any member. The function is not inlined, because there
  // would be too few registers inside another loop.)
  [[gnu::noinline]] std::int64_t push(std::int64_t max_edges) {
    std::uint8_t* const label = label_;
    const I* const indptr = A_.indptr;
    const I* const indices = A_.indices;
    I* const row_match = M_.row_match;
    I* const queue = queue_;
    const auto wrapped = [capacity = capacity_](I place) {
      return place < capacity ? place : place - capacity;
    };
    const I last_four = A_.nnz() - 4;
    const bool labels_far =  // labels outside of the second-level cache: prefetches save time
        last_four >= 0 && static_cast<std::size_t>(A_.m) > std::size_t{1} << 20;
    I head = head_;
    I tail = tail_;
    I active = active_;
    I unmatched_rows = unmatched_rows_;
    std::int64_t read = 0;
    std::int64_t closing = 0;
    std::int64_t pushes = 0;
    too_large_ = false;
    while (active > 0 && read < max_edges) {
      const I j = queue[head];
      if (active > 16) {  // prefetch for the next columns: starts, lists, labels
        __builtin_prefetch(indptr + queue[wrapped(head + 16)]);
        __builtin_prefetch(indices + indptr[queue[wrapped(head + 10)]]);
        if (labels_far) {
          const I* const list = indices + std::min<I>(indptr[queue[wrapped(head + 5)]], last_four);
          for (int k = 0; k < 4; ++k) __builtin_prefetch(label + list[k]);
        }
      }
      const I begin = indptr[j];
      const I end = indptr[j + 1];
      const Lowest low = find_lowest(indices + begin, indices + end, label);
      read += end - begin + 1;
      if (low.label == hopeless) {
        head = wrapped(head + 1);
        --active;
        continue;
      }
      if (low.second == hopeless - 1) {  // one more would be the value for hopeless
        too_large_ = true;
        break;
      }
      head = wrapped(head + 1);
      ++pushes;
      const bool closes = low.second == hopeless;  // no path continues from this row
      if (closes) closing += end - begin + 1;
      label[low.row] = static_cast<std::uint8_t>(low.second + !closes);
      const I displaced = row_match[low.row];
      row_match[low.row] = j;
      if (displaced >= 0) {
        queue[tail] = displaced;
        tail = wrapped(tail + 1);
      } else {
        --active;
        if (--unmatched_rows == 0) break;
      }
    }
    head_ = head;
    tail_ = tail;
    active_ = active;
    unmatched_rows_ = unmatched_rows;
    closing_edges_ += closing;
    counters_.pushes += pushes;
    return read;
  }

  // Marks the rows above a label that no row has as hopeless.
  void close_gap() {
    I count[hopeless + 1] = {};
    for (I i = 0; i < A_.m; ++i) ++count[label_[i]];
    int gap = 0;
    while (gap < hopeless && count[gap] > 0) ++gap;
    for (I i = 0; i < A_.m; ++i) {
      if (label_[i] > gap) label_[i] = hopeless;
    }
  }

  const PatternView<I>& A_;
  Matching<I> M_;
  I* queue_;  // a ring buffer: active columns from head_ on; their number never increases
  I capacity_;
  I head_ = 0;
  I tail_ = 0;
  I active_;
  I unmatched_rows_ = 0;
  std::int64_t closing_edges_ = 0;  // visited by pushes that made their row hopeless
  bool too_large_ = false;
  std::uint8_t* label_ = nullptr;
  Workspace& workspace_;
  Budget& budget_;
  Counters& counters_;
};

// Computes col_match from row_match.
template <class I>
void rows_to_columns(const PatternView<I>& A, Matching<I> M, int threads) {
  fill(M.col_match, A.n, I{-1}, threads);
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static)
  for (I i = 0; i < A.m; ++i) {
    I nowhere;
    const I j = M.row_match[i];
    I* const place = j >= 0 ? M.col_match + j : &nowhere;  // compiled without a branch
    *place = i;
  }
}

}  // namespace btfperm
