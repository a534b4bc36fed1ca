// SPDX-License-Identifier: BSD-3-Clause
// submatrix: some rows and columns of a matrix, with numbers of their own
//
// Idea        The number of a row or column is its place in the list. The diagnosis lists the rows
//             and columns of a coarse part group by group. So the numbers of a group are
//             consecutive, and searches in the group stay in the cache.
// Cost        O(m + rows + entries of the columns)
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/pieces.hpp"
#include "backends/cpu/workspace.hpp"
#include "pattern/pattern.hpp"

namespace btfperm {

// `starts` and `lists` own the memory of the result. The indices of a column of the result ascend
// if `rows` lists the rows of this column in ascending order.
template <class I>
PatternView<I> submatrix(const PatternView<I>& A, const I* rows, I n_rows, const I* cols, I n_cols,
                         Workspace& starts, Workspace& lists, Budget& budget) {
  Workspace scratch;
  I* const number = scratch.take<I>(A.m);  // of each row; -1: not listed
  std::fill(number, number + A.m, I{-1});
  for (I k = 0; k < n_rows; ++k) number[rows[k]] = k;
  std::int64_t entries = 0;
  for (I k = 0; k < n_cols; ++k) entries += A.degree(cols[k]);
  I* const indptr = starts.take<I>(static_cast<std::size_t>(n_cols) + 1);
  I* const indices = lists.take<I>(static_cast<std::size_t>(entries) + 1);
  indptr[0] = 0;
  I count = 0;
  in_pieces(n_cols, budget, [&](I k) {
    for (I p = A.indptr[cols[k]]; p < A.indptr[cols[k] + 1]; ++p) {
      const I i = number[A.indices[p]];
      indices[count] = i;  // there is no branch, so that loads overlap
      count += i >= 0;
    }
    indptr[k + 1] = count;
  });
  return {n_rows, n_cols, indptr, indices};
}

}  // namespace btfperm
