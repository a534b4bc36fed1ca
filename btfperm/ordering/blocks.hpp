// SPDX-License-Identifier: BSD-3-Clause
// The diagonal blocks of a permuted matrix, one at a time
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "backends/cpu/workspace.hpp"
#include "pattern/pattern.hpp"

namespace btfperm {

// A row or column with more entries than this is dense; `count` is the number of rows or columns.
template <class I>
I dense_from(I count) {
  const double most = std::max(16.0, 10.0 * std::sqrt(static_cast<double>(count)));
  return most < static_cast<double>(count) ? static_cast<I>(most) : count;
}

// A square matrix and the order that makes it block triangular.
template <class I>
struct BlockForm {
  PatternView<I> A;
  const I* row_place;  // the place of each row of A
  const I* col_perm;   // column of A at each place
  const I* blocks;     // the places where the blocks begin, and n
  I n_blocks;

  I begin_of(I block) const { return blocks[block]; }
  I size_of(I block) const { return blocks[block + 1] - blocks[block]; }

  // An upper bound on the number of entries in a block: all entries in its columns.
  std::int64_t entries_at_most(I block) const {
    std::int64_t entries = 0;
    for (I k = blocks[block]; k < blocks[block + 1]; ++k) entries += A.degree(col_perm[k]);
    return entries;
  }
};

// The entries of one block in compressed columns. Rows and columns have their places in the block.
template <class I>
struct DiagonalBlock {
  DiagonalBlock(I size, std::int64_t entries, Workspace& workspace)
      : indptr(workspace.take<std::int64_t>(static_cast<std::size_t>(size) + 1)),
        indices(workspace.take<I>(entries)) {}

  // Reads a block, with its rows and columns in another order: order[k] is the place in the block
  // that moves to place k, and `rank` is the inverse of `order`. Both are null to keep the order.
  void read(const BlockForm<I>& form, I block, const I* order = nullptr, const I* rank = nullptr) {
    const I begin = form.begin_of(block);
    n = form.size_of(block);
    std::int64_t to = 0;
    for (I k = 0; k < n; ++k) {
      indptr[k] = to;
      const I j = form.col_perm[begin + (order == nullptr ? k : order[k])];
      for (I p = form.A.indptr[j]; p < form.A.indptr[j + 1]; ++p) {
        const I place = form.row_place[form.A.indices[p]] - begin;
        if (place < 0 || place >= n) continue;
        indices[to++] = rank == nullptr ? place : rank[place];
      }
    }
    indptr[n] = to;
  }

  I n = 0;
  std::int64_t* indptr;
  I* indices;
};

// The entries of a block by rows: the columns of row i are cols[start[i]] ... cols[start[i + 1] -
// 1], in descending order.
template <class I>
struct BlockRows {
  BlockRows(I size, std::int64_t entries, Workspace& workspace)
      : start(workspace.take<std::int64_t>(static_cast<std::size_t>(size) + 2)),
        cols(workspace.take<I>(entries)) {}

  void read(const DiagonalBlock<I>& block) {
    const I n = block.n;
    std::fill(start, start + n + 2, 0);
    for (std::int64_t p = 0; p < block.indptr[n]; ++p) ++start[block.indices[p] + 2];
    std::partial_sum(start, start + n + 2, start);
    // start[i + 1] is the place of the next entry of row i; at first, the begin of row i.
    for (I j = n; j-- > 0;) {
      for (std::int64_t p = block.indptr[j]; p < block.indptr[j + 1]; ++p) {
        cols[start[block.indices[p] + 1]++] = j;
      }
    }
  }

  I degree(I i) const { return static_cast<I>(start[i + 1] - start[i]); }

  std::int64_t* start;
  I* cols;
};

}  // namespace btfperm
