// SPDX-License-Identifier: BSD-3-Clause
// trees from both sides: a search from the last unmatched columns and from the unmatched rows
//
// Idea        Alternating trees grow in turns from all unmatched columns along the columns, and
//             from all unmatched rows along the rows: the side that has visited fewer entries
//             continues. Where a tree of one side meets a tree of the other, there is an augmenting
//             path. The matching is augmented along it at once, and both trees stop growing. A
//             phase ends when the trees of one side cannot grow further. If the phase found no
//             path, these trees have visited all that they can reach, which proves that the
//             matching is maximum.
// Paper       ours; the two sides are those of I. S. Pohl, "Bi-directional search", Machine
//             Intelligence 6 (1971)
// Cost        The row lists take 2 passes over the entries. A phase visits the m + n mates and at
//             most twice the entries that the trees of the smaller side reach, O(nnz) in the worst
//             case; one phase for each path in the worst case. Workspace: m + 1 + nnz for the lists
//             (2 nnz more while several threads make them), m + 3 n, n bytes
// Prefer it   if few columns remain and trees from the columns alone visit many entries: one side
//             of a deficient matrix is often small, and if both are large, the trees of a path meet
//             in the middle. Run ms_bfs.hpp first, because it needs no row lists
// Encodings   side[j]: the side whose tree contains column j and its row; `closed`: in the cover
//             already. A tree may grow as long as its root is unmatched: an augmentation matches
//             both roots. parent[j]: in a tree from a column, the column from which j was reached;
//             in a tree from a row, the row to which an augmentation matches j
// Invariants  trees are disjoint: a column joins one tree in a phase. A path is in two trees and
//             the entry between them, so the paths of a phase are disjoint
#pragma once

#include <algorithm>
#include <utility>

#include "backends/cpu/prefetch.hpp"
#include "pattern/transpose_by_parts.hpp"
#include "transversal/interface.hpp"

namespace btfperm {

template <class I>
class TreesFromBothSides {
 public:
  // Grows no tree into rows that are in `row_in_cover`.
  TreesFromBothSides(const PatternView<I>& A, Matching<I> M, const std::uint8_t* row_in_cover,
                     int threads, Workspace& workspace, Budget& budget, Counters& counters)
      : A_(A), M_(M), row_in_cover_(row_in_cover), budget_(budget), counters_(counters) {
    I* const indptr = workspace.take<I>(static_cast<std::size_t>(A.m) + 1);
    I* const indices = workspace.take<I>(A.nnz());
    rows_ = {A.n, A.m, indptr, indices};
    side_ = workspace.take<std::uint8_t>(A.n);
    root_ = workspace.take<I>(A.n);
    parent_ = workspace.take<I>(A.n);
    from_cols_.queue = workspace.take<I>(A.n);
    from_rows_.queue = workspace.take<I>(A.m);
    transpose_by_parts(A, threads, indptr, indices, budget);
    counters.edges += 2 * std::int64_t{A.nnz()};
    budget.spend(2 * std::int64_t{A.nnz()});
  }

  // Grows trees from the listed columns: every unmatched column that has entries and may still be
  // matched. The list is reordered. Stops after `max_phases` phases, or when `counters.edges` has
  // reached `last_edge`. Returns true if no remaining column can be matched, or if the budget ended
  // the search.
  bool run(I* unmatched, I count, std::int64_t max_phases, std::int64_t last_edge) {
    for (;; --max_phases) {
      I left = 0;
      for (I k = 0; k < count; ++k) {
        if (M_.col_match[unmatched[k]] < 0) std::swap(unmatched[left++], unmatched[k]);
      }
      count = left;
      if (count == 0) break;
      if (max_phases == 0 || counters_.edges >= last_edge) return false;
      if (phase(unmatched, count) == 0 || budget_.stopped()) return true;
    }
    finished_side_ = neither;
    return true;
  }

  // Marks the rows of the cover from the last phase: those that the remaining columns can reach, or
  // all that the unmatched rows cannot reach.
  void mark_cover(std::uint8_t* row_in_cover) const {
    if (finished_side_ == neither) return;
    for (I i = 0; i < A_.m; ++i) {
      const I j = M_.row_match[i];
      if (finished_side_ == columns) {
        row_in_cover[i] |= j >= 0 && side_[j] == columns;
      } else {
        row_in_cover[i] = j >= 0 && side_[j] != rows;
      }
    }
  }

 private:
  enum Side : std::uint8_t { neither, columns, rows, closed };
  static constexpr std::int64_t turn = 1024;  // entries that one side visits at a time

  // The queue of one side: its columns, or rows, in the order in which they were reached.
  struct Front {
    I* queue;
    I head;
    I tail;
    std::int64_t read;

    bool empty() const { return head == tail; }
  };

  // Grows trees from both sides until one side cannot grow further. Returns the number of paths.
  I phase(const I* unmatched, I count) {
    ++counters_.phases;
    ++counters_.two_sided_phases;
    plant(unmatched, count);
    const std::int64_t before = counters_.augmentations;
    while (!from_cols_.empty() && !from_rows_.empty() && !budget_.stopped()) {
      if (from_cols_.read <= from_rows_.read) {
        take_turn(from_cols_, [&](I j) { return grow_along_column(j); });
      } else {
        take_turn(from_rows_, [&](I i) { return grow_along_row(i); });
      }
    }
    finished_side_ = from_cols_.empty() ? columns : rows;
    return static_cast<I>(counters_.augmentations - before);
  }

  // Makes the listed columns and the unmatched rows that have entries the roots of trees.
  void plant(const I* unmatched, I count) {
    std::fill(side_, side_ + A_.n, std::uint8_t{neither});
    from_cols_ = {from_cols_.queue, 0, 0, 0};
    from_rows_ = {from_rows_.queue, 0, 0, 0};
    for (I i = 0; i < A_.m; ++i) {
      const I j = M_.row_match[i];
      if (j < 0) {
        from_rows_.queue[from_rows_.tail] = i;
        from_rows_.tail += rows_.degree(i) > 0;
      } else if (row_in_cover_[i]) {
        side_[j] = closed;
      }
    }
    for (I k = 0; k < count; ++k) {
      side_[unmatched[k]] = columns;
      root_[unmatched[k]] = unmatched[k];
      from_cols_.queue[from_cols_.tail++] = unmatched[k];
    }
    budget_.spend(std::int64_t{A_.m} + A_.n);
  }

  template <class Grow>
  void take_turn(Front& front, Grow grow) {
    const std::int64_t before = front.read;
    while (front.read - before < turn && !front.empty()) {
      front.read += grow(front.queue[front.head++]) + 1;
    }
    counters_.edges += front.read - before;
    budget_.spend(front.read - before);
  }

  // Visits the rows in the list of column j, each with the column matched to it. Returns the number
  // of entries visited.
  I grow_along_column(I j) {
    prefetch_ahead(from_cols_, A_);
    const I root = root_[j];
    if (M_.col_match[root] >= 0) return 0;
    for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
      const I i = A_.indices[p];
      const I mate = M_.row_match[i];
      if (mate < 0 || (side_[mate] == rows && M_.row_match[root_[mate]] < 0)) {
        augment(i, j);
        return p - A_.indptr[j] + 1;
      }
      if (side_[mate] != neither) continue;
      side_[mate] = columns;
      root_[mate] = root;
      parent_[mate] = j;
      from_cols_.queue[from_cols_.tail++] = mate;
    }
    return A_.degree(j);
  }

  // Visits the columns in the list of row i, each with the row matched to it. Returns the number of
  // entries visited.
  I grow_along_row(I i) {
    prefetch_ahead(from_rows_, rows_);
    const I mate = M_.row_match[i];
    if (mate >= 0 && side_[mate] != rows) return 0;  // a path has changed the mate of row i
    const I root = mate < 0 ? i : root_[mate];
    if (M_.row_match[root] >= 0) return 0;
    for (I p = rows_.indptr[i]; p < rows_.indptr[i + 1]; ++p) {
      const I j = rows_.indices[p];
      if (side_[j] == columns && M_.col_match[root_[j]] < 0) {
        augment(i, j);
        return p - rows_.indptr[i] + 1;
      }
      // An unmatched column that is no root cannot be matched.
      if (side_[j] != neither || M_.col_match[j] < 0) continue;
      side_[j] = rows;
      root_[j] = root;
      parent_[j] = i;
      from_rows_.queue[from_rows_.tail++] = M_.col_match[j];
    }
    return rows_.degree(i);
  }

  // Augments along the path through the entry (i, j), with row i in a tree of the rows and column j
  // in a tree of the columns.
  void augment(I i, I j) {
    std::int64_t length = 0;
    // Matches each column to the next row towards the root.
    for (I mate = M_.row_match[i]; mate >= 0; length += 2) {
      const I beyond = parent_[mate];
      const I next = M_.row_match[beyond];
      M_.match(beyond, mate);
      mate = next;
    }
    counters_.augmented(length + augment_along(M_, i, j, [&](I k, I) { return parent_[k]; }));
  }

  static void prefetch_ahead(const Front& front, const PatternView<I>& lists) {
    if (front.head + 8 >= front.tail) return;
    prefetch(lists.indptr + front.queue[front.head + 8]);
    prefetch(lists.indices + lists.indptr[front.queue[front.head + 4]]);
  }

  const PatternView<I>& A_;
  PatternView<I> rows_{};  // the row lists
  Matching<I> M_;
  const std::uint8_t* row_in_cover_;
  std::uint8_t* side_;
  I* root_;  // a column, or a row
  I* parent_;
  Front from_cols_{};
  Front from_rows_{};
  Side finished_side_ = neither;  // whose trees are complete, after a phase without a path
  Budget& budget_;
  Counters& counters_;
};

}  // namespace btfperm
