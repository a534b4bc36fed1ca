// SPDX-License-Identifier: BSD-3-Clause
// symbolic factorization: the entries of L and U of each diagonal block, if pivots stay on the
// diagonal
//
// Idea        In the graph of L, node k has an edge to each row in column k. Column j of L and U
//             holds the nodes that a depth-first search reaches from the entries of column j of B
//             through the columns before j. A search need not visit all of column k of L: if row j
//             is in column k of L, and row k in column j of U, then the rows below j of column k
//             are also in column j. So column k is cut after row j (symmetric pruning).
// Invariants  Columns of L hold places of rows in the order; rows before the cut come first.
// Cost        the entries of the pruned columns that the searches visit, which are far fewer than
//             the operations of the factorization. Memory: the entries of L
// Paper       Gilbert, Peierls: Sparse partial pivoting in time proportional to arithmetic
//             operations, SISC 9 (1988). Eisenstat, Liu: Exploiting structural symmetry in
//             unsymmetric sparse symbolic factorization, SIMAX 13 (1992)
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "backends/cpu/workspace.hpp"
#include "ordering/blocks.hpp"
#include "ordering/for_blocks.hpp"

namespace btfperm {

struct FillCounters {
  std::int64_t lower = 0;  // entries of L below the diagonal
  std::int64_t upper = 0;  // entries of U with the diagonal
  double operations = 0;   // multiplications and divisions of the factorization
  bool has_room = true;    // false: L has more entries in a block than the bound

  void add(const FillCounters& other) {
    lower += other.lower;
    upper += other.upper;
    operations += other.operations;
    has_room = has_room && other.has_room;
  }
};

template <class I>
class Symbolic {
 public:
  // For blocks of at most `size` rows, and factors L of at most `most` entries.
  Symbolic(I size, std::int64_t entries, std::int64_t most, Workspace& workspace)
      : block_(size, entries, workspace) {
    // L has at most the entries of a full triangle.
    const double full = 0.5 * static_cast<double>(size) * (static_cast<double>(size) - 1);
    room_ = std::max<std::int64_t>(static_cast<double>(most) < full ? most : full, 1);
    lower_ = workspace.take<I>(room_);
    start_ = workspace.take<std::int64_t>(static_cast<std::size_t>(size) + 1);
    end_ = workspace.take<std::int64_t>(size);
    at_ = workspace.take<std::int64_t>(size);
    for (I** array : {&seen_, &stack_, &upper_, &rank_}) *array = workspace.take<I>(size);
    pruned_ = workspace.take<std::uint8_t>(size);
  }

  // Counts the factors of a block whose rows and columns are in the order `order`.
  template <class Limit>
  void run(const BlockForm<I>& form, I number, const I* order, Limit& limit, FillCounters& found) {
    const I n = form.size_of(number), begin = form.begin_of(number);
    for (I k = 0; k < n; ++k) {
      stack_[k] = order[k] - begin;
      rank_[stack_[k]] = k;
    }
    block_.read(form, number, stack_, rank_);
    std::fill(seen_, seen_ + n, I{-1});
    std::fill(pruned_, pruned_ + n, std::uint8_t{0});
    std::int64_t to = 0;
    for (I j = 0; j < n; ++j) {
      start_[j] = to;
      work_ = 1;
      n_upper_ = 0;
      seen_[j] = j;
      for (std::int64_t p = block_.indptr[j]; p < block_.indptr[j + 1]; ++p) {
        to = reach(block_.indices[p], j, to);
        if (to < 0) {
          found.has_room = false;
          return;
        }
      }
      end_[j] = start_[j + 1] = to;
      const std::int64_t below = to - start_[j];
      found.lower += below;
      found.upper += n_upper_ + 1;
      found.operations += static_cast<double>(below);
      for (I k = 0; k < n_upper_; ++k) {
        const I column = upper_[k];
        found.operations += static_cast<double>(start_[column + 1] - start_[column]);
        if (!pruned_[column]) prune(column, j);
      }
      if (!limit.spend(work_)) return;
    }
  }

 private:
  // Searches from row i. Appends the reached rows below j to column j of L, and the reached columns
  // before j to `upper`. Returns the new end of column j, or -1 if its rows do not fit into memory.
  std::int64_t reach(I i, I j, std::int64_t to) {
    if (seen_[i] == j) return to;
    seen_[i] = j;
    if (i > j) return append(i, to);
    I depth = 0;
    stack_[0] = i;
    at_[0] = start_[i];
    while (depth >= 0) {
      const I column = stack_[depth];
      if (at_[depth] == end_[column]) {
        upper_[n_upper_++] = column;
        work_ += end_[column] - start_[column] + 1;
        --depth;
        continue;
      }
      const I row = lower_[at_[depth]++];
      if (seen_[row] == j) continue;
      seen_[row] = j;
      if (row > j) {
        to = append(row, to);
        if (to < 0) return to;
      } else {
        ++depth;
        stack_[depth] = row;
        at_[depth] = start_[row];
      }
    }
    return to;
  }

  std::int64_t append(I row, std::int64_t to) {
    if (to == room_) return -1;
    lower_[to] = row;
    return to + 1;
  }

  // Cuts a column after row j if that row is in it.
  void prune(I column, I j) {
    I* const first = lower_ + start_[column];
    I* const last = lower_ + end_[column];
    work_ += last - first;
    if (std::find(first, last, j) == last) return;
    I* const cut = std::partition(first, last, [j](I row) { return row <= j; });
    end_[column] = cut - lower_;
    pruned_[column] = 1;
  }

  DiagonalBlock<I> block_;
  std::int64_t room_;
  I* lower_;                    // columns of L, without the diagonal
  std::int64_t *start_, *end_;  // of each column; a search visits the column up to end_
  std::int64_t* at_;            // of each column of the stack, the next entry
  I* seen_;                     // the last column that reached this row
  I *stack_, *upper_, *rank_;
  std::uint8_t* pruned_;
  I n_upper_ = 0;
  std::int64_t work_ = 0;
};

// Counts the entries of the factors of all blocks; `most` bounds the entries of L in one block. The
// counters are not complete if the budget ends.
template <class I>
FillCounters count_fill(const BlockForm<I>& form, const I* order, std::int64_t most, int threads,
                        Budget& budget) {
  FillCounters total;
  for_blocks(
      form, threads, budget, total,
      [most](I size, std::int64_t entries, Workspace& workspace) {
        return Symbolic<I>(size, entries, most, workspace);
      },
      [&](Symbolic<I>& symbolic, I block, auto& limit) {
        symbolic.run(form, block, order + form.begin_of(block), limit, limit.counted);
      });
  for (I b = 0; b < form.n_blocks; ++b) {
    const I size = form.size_of(b);
    if (size == 1) total.upper += 1;
    if (size == 2) {  // the diagonal is matched, and the block is strongly connected: it is full
      total.lower += 1;
      total.upper += 3;
      total.operations += 2;
    }
  }
  return total;
}

}  // namespace btfperm
