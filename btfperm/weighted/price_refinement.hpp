// SPDX-License-Identifier: BSD-3-Clause
// price refinement: prices that prove the matching of an auction to be the best
//
// Idea        After an auction, most columns own the row that the best matching gives them, but
//             other rows would cost a column up to epsilon less. A column prefers a row if the
//             cost minus the price of this row is smaller than for its own row. Then the price of
//             the preferred row is lowered until the column prefers it no longer. The column of the
//             preferred row then pays more, and may prefer other rows in turn. This is a search
//             for shortest paths with negative lengths. Its trees consist of rows: the parent of a
//             row is the row of the column that lowered the price. If a column would lower the
//             price of an ancestor of its own row, the columns on this cycle exchange their rows,
//             which reduces the total cost. If the price of a row falls again, its descendants
//             leave the tree, and their columns leave the queue, because their prices will fall,
//             too. When no column prefers another row, the matching is the best.
// Paper       B. V. Cherkassky, A. V. Goldberg, "Negative-cycle detection algorithms", Mathematical
//             Programming 85, 1999 (method BFCT); A. V. Goldberg, "An efficient implementation of a
//             scaling minimum-cost flow algorithm", Journal of Algorithms 22, 1997 (refinement of
//             prices). There the method ends at a cycle; the exchange, the limit of visits and the
//             release of columns are ours
// Cost        O(n nnz) between two exchanges; in practice one to four visits of each column. The
//             limit of run() bounds it. Workspace: the lists of BlockMemory
// Prefer it   after an auction whose last epsilon is small; otherwise start new searches
// Invariants  the block is square. Outside the queue and the subtrees of rows whose prices fell, no
//             matched column prefers another row, up to rounding. Trees are lists in preorder:
//             after_[i] follows row i, children_[i] is the number of its children minus 1, so the
//             sum over a subtree is -1. Row i is in no list if before_[i] < 0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/prefetch.hpp"
#include "weighted/block.hpp"
#include "weighted/counters.hpp"

namespace btfperm {

template <class I>
class PriceRefinement {
 public:
  PriceRefinement(const CostBlock<I>& block, BlockMemory<I>& memory, Budget& budget,
                  WeightedCounters& counters)
      : A_(block),
        budget_(budget),
        counters_(counters),
        row_match_(memory.row_match),
        col_match_(memory.col_match),
        row_price_(memory.row_price),
        matched_entry_(memory.lists[0]),
        state_(memory.lists[1]),
        via_(memory.lists[2]),
        column_before_(memory.lists[3]),
        queue_(memory.lists[4]),
        children_(memory.lists[5]),
        after_(memory.lists[6]),
        before_(memory.lists[7]) {}

  // Lowers prices of rows, and exchanges rows, until no matched column prefers another row; then
  // the result is true. The limit is `most_visits` visits of columns, where a pass over all columns
  // counts as n / visits_per_pass. Beyond the limit, the result is false. With `release`, the
  // columns that still prefer other rows become unmatched instead, and the result is true.
  bool run(std::int64_t most_visits, bool release) {
    begin();
    // Columns of a subtree leave the queue because the prices of their rows will fall. A fall below
    // the rounding error is not passed on, so such a column may still prefer another row. The next
    // pass over all columns finds it.
    for (; !budget_.stopped() && queue_unsatisfied() > 0; most_visits -= A_.n / visits_per_pass) {
      while (n_queued_ > 0) {
        const I j = first_of_queue();
        if (j < 0) continue;
        if (--most_visits < 0) {
          if (release) release_unsatisfied();
          return release;
        }
        lower_rows(j);
        if (!visited(A_.indptr[j + 1] - A_.indptr[j])) return true;
      }
    }
    return true;
  }

 private:
  // A pass over all columns in their order takes about as long as n / 4 visits in any order.
  static constexpr I visits_per_pass = 4;

  // A skipped column is still in the queue array, where first_of_queue() discards it. So a column
  // that is queued again takes its old place, and no column is in the array twice.
  enum State : int { outside = 0, queued = 1, skipped = 2 };

  void begin() {
    std::fill(before_, before_ + A_.m, I{-1});
    std::fill(children_, children_ + A_.m, I{-1});
    std::fill(column_before_, column_before_ + A_.m, I{-1});
    std::fill(state_, state_ + A_.n, I{outside});
    for (I j = 0; j < A_.n; ++j) {
      if (col_match_[j] < 0) continue;
      I p = A_.indptr[j];
      while (A_.indices[p] != col_match_[j]) ++p;
      matched_entry_[j] = p;
    }
    double largest = A_.largest_cost;
    for (I i = 0; i < A_.m; ++i) largest = std::max(largest, std::abs(row_price_[i]));
    rounding_ = 4 * std::numeric_limits<double>::epsilon() * largest;
    head_ = n_queued_ = 0;
  }

  bool visited(std::int64_t edges) {
    counters_.edges += edges;
    return budget_.spend(edges);
  }

  // What column j pays for its row: the cost minus the price.
  double paid(I j) const { return A_.cost[matched_entry_[j]] - row_price_[col_match_[j]]; }

  // Whether a column that pays `pays` for its row prefers the row of entry p. All callers use this
  // one test: if rounding made two tests differ, a column could be queued again without end.
  bool is_preferred(I p, double pays) const {
    return row_price_[A_.indices[p]] > A_.cost[p] - pays + rounding_;
  }

  // Calls body(j) for the matched columns that prefer another row.
  template <class Body>
  void each_unsatisfied(Body body) {
    for (I j = 0; j < A_.n; ++j) {
      if (col_match_[j] < 0) continue;
      const double pays = paid(j);
      for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
        if (p != matched_entry_[j] && is_preferred(p, pays)) {
          body(j);
          break;
        }
      }
    }
    visited(A_.nnz());
  }

  I queue_unsatisfied() {
    each_unsatisfied([&](I j) { enqueue(j); });
    return n_queued_;
  }

  void release_unsatisfied() {
    each_unsatisfied([&](I j) {
      row_match_[col_match_[j]] = -1;
      col_match_[j] = -1;
    });
  }

  // -- the queue: a ring buffer with n places --

  I place(I distance) const {
    const I at = head_ + distance;
    return at >= A_.n ? at - A_.n : at;
  }

  void enqueue(I j) {
    if (state_[j] == outside) queue_[place(n_queued_++)] = j;
    state_[j] = queued;
  }

  // Removes the first column; -1 if it is skipped.
  I first_of_queue() {
    const I j = queue_[head_];
    if (n_queued_ > 8) prefetch(&A_.indptr[queue_[place(8)]]);
    if (n_queued_ > 4) {
      const I k = queue_[place(4)];
      prefetch(&A_.indices[A_.indptr[k]]);
      prefetch(&A_.cost[A_.indptr[k]]);
      prefetch(&matched_entry_[k]);
    }
    if (n_queued_ > 2) {
      const I k = queue_[place(2)];
      const I count = std::min<I>(A_.indptr[k + 1] - A_.indptr[k], most_prefetched);
      for (I p = 0; p < count; ++p) prefetch(&row_price_[A_.indices[A_.indptr[k] + p]]);
    }
    head_ = place(1);
    --n_queued_;
    const bool counts = state_[j] == queued;
    state_[j] = outside;
    return counts ? j : I{-1};
  }
  static constexpr I most_prefetched = 16;

  // Lowers the prices of the rows that column j prefers to its own.
  void lower_rows(I j) {
    const I own = col_match_[j];
    if (before_[own] < 0) {  // the row becomes the root of a new tree
      before_[own] = after_[own] = own;
      column_before_[own] = -1;
    }
    const double pays = paid(j);
    for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
      const I i = A_.indices[p];
      if (i == own || !is_preferred(p, pays)) continue;
      row_price_[i] = A_.cost[p] - pays;
      const I holder = row_match_[i];
      if (holder < 0) continue;
      if (before_[i] >= 0) {
        if (has_descendant(i, own)) {
          exchange(i, j, p);
          return enqueue(j);
        }
        take_out(i, true);
      }
      put_below(own, i);
      via_[i] = p;
      column_before_[i] = j;
      enqueue(holder);
    }
  }

  // -- the trees --

  bool has_descendant(I top, I row) const {
    I sum = 0;
    for (I i = top; sum >= 0; i = after_[i]) {
      if (i == row) return true;
      sum += children_[i];
    }
    return false;
  }

  void put_below(I parent, I i) {
    ++children_[parent];
    after_[i] = after_[parent];
    before_[i] = parent;
    before_[after_[i]] = i;
    after_[parent] = i;
  }

  // Takes row `top` and its descendants out of their tree. If `skip` is true, the columns of the
  // descendants leave the queue.
  void take_out(I top, bool skip) {
    const I before = before_[top];
    I sum = 0, i = top;
    while (sum >= 0) {
      before_[i] = -1;
      sum += children_[i];
      children_[i] = -1;
      if (skip && i != top && state_[row_match_[i]] == queued) state_[row_match_[i]] = skipped;
      i = after_[i];
    }
    if (column_before_[top] < 0) return;  // `top` was the root
    --children_[col_match_[column_before_[top]]];
    after_[before] = i;
    before_[i] = before;
  }

  // The cycle leads from row `top` down the tree to the row of column j, and by entry p back to
  // `top`. Each column on the cycle takes the row whose price it lowered.
  void exchange(I top, I j, I p) {
    take_out(top, false);
    for (I i = top;;) {
      const I left = col_match_[j];
      row_match_[i] = j;
      col_match_[j] = i;
      matched_entry_[j] = p;
      if (left == top) return;
      i = left;
      j = column_before_[left];
      p = via_[left];
    }
  }

  const CostBlock<I>& A_;
  Budget& budget_;
  WeightedCounters& counters_;
  double rounding_ = 0;
  I* row_match_;
  I* col_match_;
  double* row_price_;
  I* matched_entry_;  // position of the matched entry of each matched column
  I* state_;          // State of each column
  I* via_;            // entry by which the price of a row was lowered
  I* column_before_;  // the column of this entry, or -1 for the root of a tree
  I* queue_;
  I* children_;
  I* after_;
  I* before_;
  I head_ = 0, n_queued_ = 0;
};

}  // namespace btfperm
