// SPDX-License-Identifier: BSD-3-Clause
// The best maximum matching of a matrix, block by block, and its duals
//
// Idea        Entries outside the blocks of the Dulmage-Mendelsohn decomposition belong to no
//             maximum matching, so each block is a problem of its own. The duals of a block may be
//             shifted: a larger dual for its columns and a smaller one for its rows changes no sum.
//             The blocks are block upper triangular, so one pass over the columns finds shifts with
//             which the duals are feasible for all entries.
// Cost        that of the searches, and two passes over the entries
// Invariants  row_dual[i] + col_dual[j] + the value of entry (i, j) is at most 0, and 0 at
//             matched entries, up to rounding
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/workspace.hpp"
#include "pattern/pattern.hpp"
#include "weighted/auction.hpp"
#include "weighted/block.hpp"
#include "weighted/mc64.hpp"

namespace btfperm {

// Passes over the entries of a block that searches may need. Most matrices of applications need
// fewer. On random matrices, searches from the prices of an auction need five, searches alone 100.
constexpr double most_passes = 6;

// The blocks of a decomposition: block k has the rows row_perm[row_blocks[k]], ..., and so on.
template <class I>
struct Blocks {
  const I* row_perm;
  const I* col_perm;
  const I* row_blocks;
  const I* col_blocks;
  I count;

  Part<I> part(I k) const {
    return {row_perm + row_blocks[k], col_perm + col_blocks[k], row_blocks[k + 1] - row_blocks[k],
            col_blocks[k + 1] - col_blocks[k]};
  }
};

template <class I>
struct Assigned {
  I* row_match;      // m
  I* col_match;      // n
  double* row_dual;  // m
  double* col_dual;  // n
};

// Matches all columns of a block. Searches that would visit too many entries are abandoned; an
// auction then finds better prices to start from, or, if many costs are equal, a larger matching
// precedes the searches. False: the budget ended it.
template <class I>
bool assign_columns(const CostBlock<I>& block, BlockMemory<I>& memory, Budget& budget,
                    WeightedCounters& counters) {
  using Outcome = typename Mc64<I>::Outcome;
  Mc64<I> search(block, memory, budget, counters);
  if (block.m != block.n) return search.run() == Outcome::done;
  const Outcome outcome = search.run(most_passes);
  if (outcome != Outcome::gave_up) return outcome == Outcome::done;
  const bool better_prices = Auction<I>(block, memory, budget, counters).run();
  return search.run_again(!better_prices) == Outcome::done;
}

// The matching and duals of one block. `place` holds -1 for every row of A, before and after.
// False: the budget ended it.
template <class I>
bool assign_block(const PatternView<I>& A, const double* value, const Part<I>& part, I* place,
                  BlockMemory<I>& memory, const Assigned<I>& out, Budget& budget,
                  WeightedCounters& counters) {
  const bool transposed = part.m < part.n;
  for (I k = 0; k < part.m; ++k) place[part.rows[k]] = k;
  const CostBlock<I> block = extract(A, value, part, place, transposed, memory);
  for (I k = 0; k < part.m; ++k) place[part.rows[k]] = -1;
  if (!assign_columns(block, memory, budget, counters)) return false;
  const I* const rows = transposed ? part.cols : part.rows;  // of the block
  const I* const cols = transposed ? part.rows : part.cols;
  I* const row_match = transposed ? out.col_match : out.row_match;
  I* const col_match = transposed ? out.row_match : out.col_match;
  double* const row_dual = transposed ? out.col_dual : out.row_dual;
  double* const col_dual = transposed ? out.row_dual : out.col_dual;
  for (I i = 0; i < block.m; ++i) row_dual[rows[i]] = memory.row_price[i];
  for (I j = 0; j < block.n; ++j) {
    col_dual[cols[j]] = memory.col_price[j] - block.largest[j];
    col_match[cols[j]] = rows[memory.col_match[j]];
    row_match[rows[memory.col_match[j]]] = cols[j];
  }
  return true;
}

// A block with one row and one column.
template <class I>
void assign_entry(const PatternView<I>& A, const double* value, I i, I j, const Assigned<I>& out) {
  I p = A.indptr[j];
  while (A.indices[p] != i) ++p;
  out.row_match[i] = j;
  out.col_match[j] = i;
  out.row_dual[i] = 0;
  out.col_dual[j] = -value[p];
}

// Shifts the duals of the blocks, from the first to the last, so that they are feasible for entries
// between two blocks, too: their rows are in an earlier block. `place` is as for `assign_block`.
template <class I>
void shift_duals(const PatternView<I>& A, const double* value, const Blocks<I>& blocks, I* place,
                 const Assigned<I>& out) {
  for (I k = 0; k < blocks.count; ++k) {
    const Part<I> part = blocks.part(k);
    for (I r = 0; r < part.m; ++r) place[part.rows[r]] = k;
    double excess = 0;
    for (I c = 0; c < part.n; ++c) {
      const I j = part.cols[c];
      for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
        const I i = A.indices[p];
        if (place[i] == k) continue;
        excess = std::max(excess, value[p] + out.row_dual[i] + out.col_dual[j]);
      }
    }
    if (excess == 0) continue;
    for (I c = 0; c < part.n; ++c) out.col_dual[part.cols[c]] -= excess;
    for (I r = 0; r < part.m; ++r) out.row_dual[part.rows[r]] += excess;
  }
}

// The best maximum matching and its duals; the arrays of `out` are set completely if the budget
// does not end the search.
template <class I>
void assign(const PatternView<I>& A, const double* value, const Blocks<I>& blocks,
            const Assigned<I>& out, Workspace& workspace, Budget& budget,
            WeightedCounters& counters) {
  I size = 0, entries = 0;
  for (I k = 0; k < blocks.count; ++k) {
    const Part<I> part = blocks.part(k);
    if (part.m == 1 && part.n == 1) continue;
    size = std::max({size, part.m, part.n});
    I in_columns = 0;
    for (I c = 0; c < part.n; ++c) in_columns += A.degree(part.cols[c]);
    entries = std::max(entries, in_columns);
  }
  I* const place = workspace.take<I>(A.m);
  std::fill(place, place + A.m, I{-1});
  std::fill(out.row_match, out.row_match + A.m, I{-1});
  std::fill(out.col_match, out.col_match + A.n, I{-1});
  std::fill(out.row_dual, out.row_dual + A.m, 0.0);
  std::fill(out.col_dual, out.col_dual + A.n, 0.0);
  BlockMemory<I> memory(size, entries, workspace);
  for (I k = 0; k < blocks.count; ++k) {
    const Part<I> part = blocks.part(k);
    if (part.m == 1 && part.n == 1) {
      assign_entry(A, value, part.rows[0], part.cols[0], out);
      if (!budget.spend(A.degree(part.cols[0]))) return;
    } else if (part.m > 0 && part.n > 0) {
      if (!assign_block(A, value, part, place, memory, out, budget, counters)) return;
    }
  }
  shift_duals(A, value, blocks, place, out);
}

}  // namespace btfperm
