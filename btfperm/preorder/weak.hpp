// SPDX-License-Identifier: BSD-3-Clause
// Weak columns: those whose diagonal entry is small beside their largest entry in the same block
//
// Idea   In such a column, a solver may choose another pivot and depart from the order. KLU
//        compares after it has divided each row by its largest entry.
// Cost   O(n + nnz)
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "backends/cpu/budget.hpp"
#include "pattern/pattern.hpp"

namespace btfperm {

// Returns their number: diagonal entries below `share` times the largest. `modulus` is that of each
// entry; `col_match` names the row whose entry is on the diagonal.
template <class I>
std::int64_t count_weak(const PatternView<I>& A, const double* modulus, const I* row_block,
                        const I* col_block, const I* col_match, double share, bool divide_rows,
                        Budget& budget) {
  std::vector<double> largest_of_row(divide_rows ? static_cast<std::size_t>(A.m) : 0);
  if (divide_rows) {
    for (std::int64_t p = 0; p < A.nnz(); ++p) {
      double& largest = largest_of_row[A.indices[p]];
      largest = std::max(largest, modulus[p]);
    }
  }
  std::int64_t weak = 0;
  for (I j = 0; j < A.n && budget.spend(A.indptr[j + 1] - A.indptr[j]); ++j) {
    double diagonal = 0, largest = 0;
    for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
      const I i = A.indices[p];
      if (row_block[i] != col_block[j] || modulus[p] == 0) continue;
      const double value = divide_rows ? modulus[p] / largest_of_row[i] : modulus[p];
      largest = std::max(largest, value);
      if (col_match[j] == i) diagonal = value;
    }
    weak += diagonal < share * largest;
  }
  return weak;
}

}  // namespace btfperm
