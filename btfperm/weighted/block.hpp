// SPDX-License-Identifier: BSD-3-Clause
// One diagonal block of a matrix with costs, as the weighted searches need it
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/pieces.hpp"
#include "backends/cpu/workspace.hpp"
#include "pattern/pattern.hpp"

namespace btfperm {

// Compressed columns of one block with a cost for each entry: the largest value in the column minus
// the value of the entry, so every column has an entry of cost 0 and none is
// negative. All columns can be matched, hence the largest value of each column does not
// change which matching is best. A block with more columns than rows is transposed.
template <class I>
struct CostBlock {
  I m, n;           // m >= n
  I* indptr;        // n + 1
  I* indices;       // rows of the block
  double* cost;     // at least 0
  double* largest;  // n: the largest value in each column
  double largest_cost;

  I nnz() const { return indptr[n]; }
};

// A part of the matrix with values: m rows and n columns, consecutive in two permutations. `first`
// is the place of its first row in the permutation of all rows.
template <class I>
struct Part {
  const I* rows;
  const I* cols;
  I m, n;
  I first;
};

// The arrays of a block and of a search in it, large enough for each block of a matrix.
template <class I>
struct BlockMemory {
  // For blocks with at most `size` rows, `size` columns, and `entries` entries.
  BlockMemory(I size, I entries, Workspace& workspace)
      : indptr(workspace.take<I>(static_cast<std::size_t>(size) + 1)),
        indices(workspace.take<I>(entries)),
        cost(workspace.take<double>(entries)),
        largest(workspace.take<double>(size)),
        row_match(workspace.take<I>(size)),
        col_match(workspace.take<I>(size)),
        row_price(workspace.take<double>(size)),
        col_price(workspace.take<double>(size)),
        distance(workspace.take<double>(size)) {
    for (I*& list : lists) list = workspace.take<I>(size);
  }

  I* indptr;
  I* indices;
  double* cost;
  double* largest;
  I* row_match;  // column of each row, or -1
  I* col_match;  // row of each column
  double* row_price;
  double* col_price;
  double* distance;
  I* lists[8];  // of rows or columns
};

// The entries of A inside the part. `place` holds the place of each row of A in the permutation of
// all rows. The lists of the block are those of its columns, or of its rows if `transposed`. The
// block is incomplete if the budget ends the pass.
template <class I>
CostBlock<I> extract(const PatternView<I>& A, const double* value, const Part<I>& part,
                     const I* place, bool transposed, BlockMemory<I>& memory, Budget& budget) {
  const I m = transposed ? part.n : part.m;
  const I n = transposed ? part.m : part.n;
  CostBlock<I> block{m, n, memory.indptr, memory.indices, memory.cost, memory.largest, 0};
  std::fill(block.indptr, block.indptr + block.n + 1, I{0});
  const auto each_entry = [&](auto visit) {
    std::int64_t passed = 0;
    for (I k = 0; k < part.n; ++k) {
      const I j = part.cols[k];
      for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
        const I i = place[A.indices[p]] - part.first;
        if (i >= 0 && i < part.m) visit(i, k, p);
      }
      if ((passed += A.degree(j)) < piece) continue;
      passed = 0;
      if (!budget.poll()) return;
    }
  };
  each_entry([&](I i, I k, I) { ++block.indptr[(transposed ? i : k) + 1]; });
  if (budget.stopped()) return block;
  for (I k = 0; k < block.n; ++k) block.indptr[k + 1] += block.indptr[k];
  std::fill(block.largest, block.largest + block.n, -std::numeric_limits<double>::infinity());
  each_entry([&](I i, I k, I p) {
    const I list = transposed ? i : k;
    const I q = block.indptr[list]++;  // moved back below
    block.indices[q] = transposed ? k : i;
    block.cost[q] = value[p];
    block.largest[list] = std::max(block.largest[list], value[p]);
  });
  for (I k = block.n; k > 0; --k) block.indptr[k] = block.indptr[k - 1];
  block.indptr[0] = 0;
  for (I k = 0; k < block.n; ++k) {
    for (I p = block.indptr[k]; p < block.indptr[k + 1]; ++p) {
      block.cost[p] = block.largest[k] - block.cost[p];
      block.largest_cost = std::max(block.largest_cost, block.cost[p]);
    }
  }
  return block;
}

}  // namespace btfperm
