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
// the value of the entry. So every column has an entry of cost 0, and no cost is negative. Every
// maximum matching of the block matches all columns, so the sum of its costs is a constant minus
// the sum of its values. A block with more columns than rows is transposed.
template <class I>
struct CostBlock {
  I m, n;            // m >= n
  const I* indptr;   // n + 1
  const I* indices;  // rows of the block
  double* cost;      // at least 0
  double* largest;   // n: the largest value in each column
  double largest_cost;

  I nnz() const { return indptr[n]; }
};

struct Extremes {
  double smallest, largest;
};

// The smallest and the largest of `count` values. Each comparison needs the result of the one
// before, so four pairs of extremes take less time than one. No values: infinite extremes.
template <class I>
Extremes extremes_of(const double* value, I count) {
  constexpr int lanes = 4;
  constexpr double none = std::numeric_limits<double>::infinity();
  double smallest[lanes] = {none, none, none, none};
  double largest[lanes] = {-none, -none, -none, -none};
  I k = 0;
  for (; k + lanes <= count; k += lanes) {
    for (int lane = 0; lane < lanes; ++lane) {
      smallest[lane] = std::min(smallest[lane], value[k + lane]);
      largest[lane] = std::max(largest[lane], value[k + lane]);
    }
  }
  for (; k < count; ++k) {
    smallest[0] = std::min(smallest[0], value[k]);
    largest[0] = std::max(largest[0], value[k]);
  }
  return {std::min(std::min(smallest[0], smallest[1]), std::min(smallest[2], smallest[3])),
          std::max(std::max(largest[0], largest[1]), std::max(largest[2], largest[3]))};
}

// A part of the matrix with values: m rows and n columns, consecutive in two permutations. `first`
// is the place of its first row in the permutation of all rows.
template <class I>
struct BlockPart {
  const I* rows;
  const I* cols;
  I m, n;
  I first;
};

// The arrays of a block and of a search in it. One block after the other can use them.
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

// Builds the block of a part of A. The price of each row becomes the least cost in this row. The
// block is incomplete if the budget ends the pass.
template <class I>
class BlockBuilder {
 public:
  // `place` holds the place of each row of A in the permutation of all rows.
  BlockBuilder(const PatternView<I>& A, const double* value, const BlockPart<I>& part,
               const I* place, BlockMemory<I>& memory, Budget& budget)
      : A_(A), value_(value), part_(part), place_(place), memory_(memory), budget_(budget) {}

  // All of A, with its own numbers of rows and columns.
  CostBlock<I> whole() {
    CostBlock<I> block = empty(part_.m, part_.n, A_.indptr, A_.indices);
    for (I j = 0; j < block.n && passed(A_.degree(j)); ++j) set_costs(block, j, value_);
    return block;
  }

  // The block with compressed columns.
  CostBlock<I> by_columns() {
    CostBlock<I> block = empty(part_.m, part_.n, memory_.indptr, memory_.indices);
    I count = 0;
    memory_.indptr[0] = 0;
    for (I k = 0; k < block.n && passed(A_.degree(part_.cols[k])); ++k) {
      // The loop has no branch: the next entry overwrites an entry of another block.
      const I j = part_.cols[k];
      for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
        const I i = place_of(p);
        memory_.indices[count] = i;
        memory_.cost[count] = value_[p];
        count += i >= 0 && i < part_.m;
      }
      memory_.indptr[k + 1] = count;
      set_costs(block, k, memory_.cost);
    }
    return block;
  }

  // The transposed block, whose columns are the rows of the part.
  CostBlock<I> by_rows() {
    CostBlock<I> block = empty(part_.n, part_.m, memory_.indptr, memory_.indices);
    I* const indptr = memory_.indptr;
    std::fill(indptr, indptr + block.n + 1, I{0});
    for (I k = 0; k < part_.n && passed(A_.degree(part_.cols[k])); ++k) {
      each_entry(k, [&](I i, I) { ++indptr[i + 1]; });
    }
    for (I i = 0; i < block.n; ++i) indptr[i + 1] += indptr[i];
    for (I k = 0; k < part_.n && passed(A_.degree(part_.cols[k])); ++k) {
      each_entry(k, [&](I i, I p) {
        const I q = indptr[i]++;  // the next loop restores indptr
        memory_.indices[q] = k;
        memory_.cost[q] = value_[p];
      });
    }
    for (I i = block.n; i > 0; --i) indptr[i] = indptr[i - 1];
    indptr[0] = 0;
    for (I i = 0; i < block.n && passed(indptr[i + 1] - indptr[i]); ++i) {
      set_costs(block, i, memory_.cost);
    }
    return block;
  }

 private:
  CostBlock<I> empty(I m, I n, const I* indptr, const I* indices) {
    std::fill(memory_.row_price, memory_.row_price + m, std::numeric_limits<double>::infinity());
    return {m, n, indptr, indices, memory_.cost, memory_.largest, 0};
  }

  // Polls the budget after every `piece` entries; false: the budget has ended the pass.
  bool passed(I entries) {
    if ((passed_ += entries) < piece) return !budget_.stopped();
    passed_ = 0;
    return budget_.poll();
  }

  template <class Visit>
  void each_entry(I k, Visit visit) {
    const I j = part_.cols[k];
    for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
      const I i = place_of(p);
      if (i >= 0 && i < part_.m) visit(i, p);
    }
  }

  // The row of an entry in the block; outside of 0 ... m - 1 if it is in another block.
  I place_of(I p) const { return place_[A_.indices[p]] - part_.first; }

  // The costs of column k of the block from the values of its entries.
  void set_costs(CostBlock<I>& block, I k, const double* value) {
    const I begin = block.indptr[k], end = block.indptr[k + 1];
    const auto [smallest, largest] = extremes_of(value + begin, end - begin);
    for (I p = begin; p < end; ++p) {
      const double cost = largest - value[p];
      block.cost[p] = cost;
      double& price = memory_.row_price[block.indices[p]];
      price = std::min(price, cost);
    }
    block.largest[k] = largest;
    if (begin < end) block.largest_cost = std::max(block.largest_cost, largest - smallest);
  }

  const PatternView<I>& A_;
  const double* value_;
  const BlockPart<I>& part_;
  const I* place_;
  BlockMemory<I>& memory_;
  Budget& budget_;
  std::int64_t passed_ = 0;
};

}  // namespace btfperm
