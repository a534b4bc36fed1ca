// SPDX-License-Identifier: BSD-3-Clause
// balance: prices of the rows of a square block from costs that have the same mean in all rows and
// columns
//
// Idea        Rows and columns of a badly scaled matrix have costs of very different sizes, so that
//             the smallest cost of a row says little about its entry in the best matching. Two
//             sweeps subtract from the costs of each row their mean, and then from those of each
//             column. The price of a row is its smallest cost minus what the last sweep subtracts
//             from the columns: the smallest prices of the columns by these prices are feasible.
// Paper       A. R. Curtis, J. K. Reid, "On the automatic scaling of matrices for Gaussian
//             elimination", J. Inst. Maths Applics 10, 1972, minimize the sum of squares of such
//             logarithms; each sweep minimizes it over the rows, and then over the columns
// Cost        three passes over the entries. Workspace: 3 m
#pragma once

#include <algorithm>
#include <limits>

#include "backends/cpu/workspace.hpp"
#include "weighted/block.hpp"

namespace btfperm {

// Writes the price of each row. Each row and column has an entry.
template <class I>
void balanced_prices(const CostBlock<I>& A, double* row_price) {
  Workspace workspace;
  double* const mean = workspace.take<double>(A.m);
  double* const next = workspace.take<double>(A.m);
  I* const degree = workspace.take<I>(A.m);
  std::fill(mean, mean + A.m, 0.0);
  std::fill(next, next + A.m, 0.0);
  std::fill(degree, degree + A.m, I{0});
  std::fill(row_price, row_price + A.m, std::numeric_limits<double>::infinity());
  const auto mean_of_column = [&A](I j, const double* rows) {
    double sum = 0;
    for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) sum += A.cost[p] - rows[A.indices[p]];
    return sum / static_cast<double>(A.indptr[j + 1] - A.indptr[j]);
  };
  for (I p = 0; p < A.nnz(); ++p) {
    mean[A.indices[p]] += A.cost[p];
    ++degree[A.indices[p]];
  }
  for (I i = 0; i < A.m; ++i) mean[i] /= static_cast<double>(degree[i]);
  for (I j = 0; j < A.n; ++j) {
    const double of_column = mean_of_column(j, mean);
    for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) next[A.indices[p]] += A.cost[p] - of_column;
  }
  for (I i = 0; i < A.m; ++i) next[i] /= static_cast<double>(degree[i]);
  for (I j = 0; j < A.n; ++j) {
    const double of_column = mean_of_column(j, next);
    for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
      double& price = row_price[A.indices[p]];
      price = std::min(price, A.cost[p] - of_column);
    }
  }
}

}  // namespace btfperm
