// SPDX-License-Identifier: BSD-3-Clause
// Solutions with a permuted triangular matrix, all of whose diagonal blocks have one row
//
// Idea   Such a matrix needs no factorization. The substitution reads the columns of A in their
//        original places, so the entries are neither sorted nor copied. Only the position of each
//        pivot must be found.
// Cost   O(n + nnz) to find the pivots, O(nnz) for each right-hand side
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "backends/cpu/budget.hpp"
#include "preorder/columns.hpp"

namespace btfperm {

// The order in which A is upper triangular, and the entry of each pivot.
template <class I>
struct Triangle {
  const I* row_perm;
  const I* col_perm;
  I* pivot;  // for the column at each place: the position of its diagonal entry in A, or -1
};

// Sets the pivots. Returns the positions in A of the entries below the diagonal.
template <class I>
std::vector<std::int64_t> find_pivots(I n, const I* indptr, const I* indices,
                                      const Triangle<I>& order) {
  std::vector<I> row_place(static_cast<std::size_t>(n));
  for (I k = 0; k < n; ++k) row_place[order.row_perm[k]] = k;
  std::vector<std::int64_t> below;
  for (I k = 0; k < n; ++k) {
    const I j = order.col_perm[k];
    order.pivot[k] = -1;
    for (I p = indptr[j]; p < indptr[j + 1]; ++p) {
      const I place = row_place[indices[p]];
      if (place == k) order.pivot[k] = p;
      if (place > k) below.push_back(p);
    }
  }
  return below;
}

// Solves op(A) x = b for k right-hand sides of n numbers. `b` is overwritten. Values of entries
// below the diagonal must be zero.
template <class I, class T>
void solve_triangle(const Columns<I, T>& A, const Triangle<I>& order, Operation operation,
                    std::int64_t k, T* b, T* x, Budget& budget) {
  for (std::int64_t c = 0; c < k && budget.spend(A.nnz()); ++c, b += A.n, x += A.n) {
    if (operation == Operation::plain) {
      for (I place = A.n; place-- > 0;) {
        const I j = order.col_perm[place], pivot = order.pivot[place];
        const T value = b[order.row_perm[place]] / A.values[pivot];
        x[j] = value;
        if (value == T{}) continue;
        for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
          b[A.indices[p]] -= A.values[p] * value;
        }
      }
      continue;
    }
    const bool conjugates = operation == Operation::conjugate_transposed;
    std::fill(x, x + A.n, T{});
    for (I place = 0; place < A.n; ++place) {
      const I j = order.col_perm[place], pivot = order.pivot[place];
      T value = b[j];
      // The pivot contributes 0, because x is still 0 in its row.
      for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
        value -= (conjugates ? conjugate(A.values[p]) : A.values[p]) * x[A.indices[p]];
      }
      x[order.row_perm[place]] =
          value / (conjugates ? conjugate(A.values[pivot]) : A.values[pivot]);
    }
  }
}

}  // namespace btfperm
