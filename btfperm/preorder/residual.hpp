// SPDX-License-Identifier: BSD-3-Clause
// The residual b - op(A) x of a solution, and its componentwise backward error
//
// Idea   One pass over the entries adds both the residual and the sum |b| + |op(A)| |x|. So the
//        residual that a step of iterative refinement needs also measures the solution.
// Paper  W. Oettli, W. Prager, Numerische Mathematik 6, 1964: the largest quotient of both is the
//        least relative change of single entries of A and b that makes x exact. (For complex
//        values within a factor of sqrt(2), because of `modulus`.)
// Cost   O(nnz) for each right-hand side
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "backends/cpu/budget.hpp"
#include "preorder/columns.hpp"

namespace btfperm {

// `x`, `b` and `residuals` hold k columns of n numbers, `sizes` n numbers: |op(A)| |x| + |b| of the
// last column. Returns the largest backward error, infinite if one is not a number.
template <class I, class T>
double residual(const Columns<I, T>& A, Operation operation, std::int64_t k, const T* x, const T* b,
                T* residuals, double* sizes, Budget& budget) {
  double worst = 0;
  for (std::int64_t c = 0; c < k && budget.spend(A.nnz()); ++c) {
    for (I i = 0; i < A.n; ++i) {
      residuals[i] = b[i];
      sizes[i] = modulus(b[i]);
    }
    for (I j = 0; j < A.n; ++j) {
      if (operation == Operation::plain) {
        const T xj = x[j];
        for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
          const T product = A.values[p] * xj;
          residuals[A.indices[p]] -= product;
          sizes[A.indices[p]] += modulus(product);
        }
      } else {
        T rest = b[j];
        double size = modulus(rest);
        for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
          const T a = operation == Operation::transposed ? A.values[p] : conjugate(A.values[p]);
          const T product = a * x[A.indices[p]];
          rest -= product;
          size += modulus(product);
        }
        residuals[j] = rest;
        sizes[j] = size;
      }
    }
    for (I i = 0; i < A.n; ++i) {
      const double error = sizes[i] == 0 ? 0 : modulus(residuals[i]) / sizes[i];
      worst = error <= worst ? worst : error;  // also a NaN becomes the worst
      if (std::isnan(worst)) worst = std::numeric_limits<double>::infinity();
    }
    x += A.n;
    b += A.n;
    residuals += A.n;
  }
  return worst;
}

struct Change {
  double largest = 0;  // the largest share; infinite if the solution is 0
  bool is_finite = true;
};

// The largest number of k changes, each relative to the largest number of its solution. NaN is left
// out; NaN and infinity make `is_finite` false. There is one solution, or one for each change.
template <class T>
Change largest_change(std::int64_t n, std::int64_t k, const T* x, bool one_solution,
                      const T* changes) {
  Change found;
  for (std::int64_t c = 0; c < k; ++c, changes += n) {
    const T* const solution = one_solution ? x : x + c * n;
    double size = 0, changed = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      size = std::max(size, std::abs(solution[i]));
      changed = std::max(changed, std::abs(changes[i]));
      if (!is_finite(changes[i])) found.is_finite = false;
    }
    if (changed > 0) found.largest = std::max(found.largest, changed / size);
  }
  return found;
}

}  // namespace btfperm
