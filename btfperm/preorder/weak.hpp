// SPDX-License-Identifier: BSD-3-Clause
// Weak columns: the diagonal entry is small compared to the largest entry in the same block
//
// Idea   In a weak column, a solver may choose a pivot off the diagonal, which changes the order.
//        KLU compares the entries after it has divided each row by its largest entry.
// Cost   O(n + nnz)
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "backends/cpu/budget.hpp"
#include "pattern/pattern.hpp"

namespace btfperm {

// The reciprocal of the largest modulus of each row; the largest double if the reciprocal is
// larger.
template <class I>
std::vector<double> factors_of_rows(const PatternView<I>& A, const double* values) {
  std::vector<double> largest(static_cast<std::size_t>(A.m));
  for (std::int64_t p = 0; p < A.nnz(); ++p) {
    double& so_far = largest[A.indices[p]];
    so_far = std::max(so_far, std::abs(values[p]));  // faster than a branch
  }
  for (double& one : largest) one = std::min(1 / one, std::numeric_limits<double>::max());
  return largest;
}

// Number of columns whose diagonal entry is below `share` times the largest entry of the column in
// the same block. The entries are compared by the moduli of `values`. `row_block` and `col_block`
// are the blocks of rows and columns, or null if there is one block. The diagonal entry of column j
// is in row col_match[j]. With `divide_rows`, each row is first divided by its largest entry.
template <class I>
std::int64_t count_weak(const PatternView<I>& A, const double* values, const I* row_block,
                        const I* col_block, const I* col_match, double share, bool divide_rows,
                        Budget& budget) {
  const std::vector<double> factors =  // a product takes less time than a quotient
      divide_rows ? factors_of_rows(A, values) : std::vector<double>();
  std::int64_t weak = 0;
  for (I j = 0; j < A.n && budget.spend(A.indptr[j + 1] - A.indptr[j]); ++j) {
    double diagonal = 0, largest = 0;
    for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
      const I i = A.indices[p];
      if ((row_block != nullptr && row_block[i] != col_block[j]) || values[p] == 0) continue;
      const double value = std::abs(divide_rows ? values[p] * factors[i] : values[p]);
      largest = std::max(largest, value);
      if (col_match[j] == i) diagonal = value;
    }
    weak += diagonal < share * largest;
  }
  return weak;
}

}  // namespace btfperm
