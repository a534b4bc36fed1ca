// SPDX-License-Identifier: BSD-3-Clause
// The residual b - op(A) x of a solution, and its componentwise backward error
//
// Idea   One pass over the entries computes both the residual and the sizes |b| + |op(A)| |x|. The
//        largest quotient of both is the componentwise backward error. So the residual that a step
//        of iterative refinement needs also shows how accurate the solution is. In rows with many
//        entries, rounding errors of sums in double precision would make the refinement less
//        accurate. If there are such rows, residuals are computed in long double.
// Paper  W. Oettli, W. Prager, Numerische Mathematik 6, 1964: the largest quotient is the smallest
//        relative change of the entries of A and b for which x is exact. For complex values, it is
//        exact within a factor of sqrt(2), because of `modulus`.
// Cost   O(nnz) for each right-hand side
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/workspace.hpp"
#include "preorder/columns.hpp"

namespace btfperm {

// The type of sums with more digits, where long double has more digits than double.
template <class T>
struct Wider {
  using type = long double;
};
template <class T>
struct Wider<std::complex<T>> {
  using type = std::complex<long double>;
};

// A row of b - op(A) x, and of |op(A)| |x| + |b|. Both are added for each entry, and therefore next
// to each other: one cache line, and one vector instruction.
template <class S>
struct alignas(2 * sizeof(double)) RowSums {
  S rest;
  double size;
};

template <class I, class T, class S>
void add_residual(const Columns<I, T>& A, Operation operation, const T* x, const T* b,
                  RowSums<S>* sums) {
  if (operation != Operation::plain) {
    for (I j = 0; j < A.n; ++j) {
      RowSums<S> row{b[j], modulus(b[j])};
      for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
        const T a = operation == Operation::transposed ? A.values[p] : conjugate(A.values[p]);
        row.rest -= S(a) * S(x[A.indices[p]]);
        row.size += modulus(a * x[A.indices[p]]);
      }
      sums[j] = row;
    }
    return;
  }
  for (I i = 0; i < A.n; ++i) sums[i] = {b[i], modulus(b[i])};
  for (I j = 0; j < A.n; ++j) {
    const T xj = x[j];
    const I end = A.indptr[j + 1];
    for (I p = A.indptr[j]; p < end; ++p) {
      const T a = A.values[p];
      const RowSums<S> more{-(S(a) * S(xj)), modulus(a * xj)};
      RowSums<S>& row = sums[A.indices[p]];
      row.rest += more.rest;
      row.size += more.size;
    }
  }
}

// The largest |residual| / size, where 0 / 0 is 0; infinite if a quotient is not finite. The loop
// computes four maxima without a branch, so that the compiler uses vector instructions.
template <class T>
double largest_quotient(std::int64_t n, const T* residuals, const double* sizes) {
  std::array<double, 4> worst{}, zero{};
  const auto add = [&](std::int64_t i, int place) {
    const double error = modulus(residuals[i]) / (sizes[i] == 0 ? 1 : sizes[i]);
    worst[place] = error > worst[place] ? error : worst[place];
    zero[place] += zero_if_finite(error);
  };
  std::int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int place = 0; place < 4; ++place) add(i + place, place);
  }
  for (; i < n; ++i) add(i, 0);
  const bool is_finite = zero[0] + zero[1] + zero[2] + zero[3] == 0;
  return is_finite ? *std::max_element(worst.begin(), worst.end())
                   : std::numeric_limits<double>::infinity();
}

template <class I, class T, class S>
double residual_of_one(const Columns<I, T>& A, Operation operation, const T* x, const T* b,
                       RowSums<S>* sums, T* residuals, double* sizes) {
  add_residual(A, operation, x, b, sums);
  for (I i = 0; i < A.n; ++i) {
    residuals[i] = static_cast<T>(sums[i].rest);
    sizes[i] = sums[i].size;
  }
  return largest_quotient(A.n, residuals, sizes);
}

// `x`, `b` and `residuals` hold k columns of n numbers. `sizes` receives |op(A)| |x| + |b| of the
// last column, n numbers. With `wide`, the residuals are computed in long double. Returns the
// largest backward error; infinite if one is not finite.
template <class I, class T>
double residual(const Columns<I, T>& A, Operation operation, bool wide, std::int64_t k, const T* x,
                const T* b, T* residuals, double* sizes, Budget& budget) {
  const auto n = static_cast<std::size_t>(A.n);
  Workspace memory;
  auto* const sums = memory.take<RowSums<T>>(wide ? 0 : n);
  auto* const wide_sums = memory.take<RowSums<typename Wider<T>::type>>(wide ? n : 0);
  double worst = 0;
  for (std::int64_t c = 0; c < k && budget.spend(A.nnz()); ++c) {
    const double error = wide ? residual_of_one(A, operation, x, b, wide_sums, residuals, sizes)
                              : residual_of_one(A, operation, x, b, sums, residuals, sizes);
    worst = std::max(worst, error);
    x += A.n;
    b += A.n;
    residuals += A.n;
  }
  return worst;
}

// Writes the products of `sizes` and the rounding errors, which are repeated.
template <class T>
void multiply_by_errors(std::int64_t n, const double* sizes, std::int64_t period,
                        const double* rounding, T* products) {
  for (std::int64_t begin = 0; begin < n; begin += period) {
    const std::int64_t end = std::min(n, begin + period);
    for (std::int64_t i = begin; i < end; ++i) products[i] = sizes[i] * rounding[i - begin];
  }
}

// The largest number of entries in a row or a column; `most` + 1 if it is larger than `most`, which
// must be below 65,535, because the counters have 16 bits, so that they need fewer cache lines.
template <class I>
int longest_up_to(I n, const I* indptr, const I* indices, int most) {
  std::vector<std::uint16_t> lengths(static_cast<std::size_t>(n));
  I longest = 0;
  for (I j = 0; j < n; ++j) longest = std::max(longest, indptr[j + 1] - indptr[j]);
  for (I p = 0; p < indptr[n] && longest <= most; ++p) {
    longest = std::max(longest, static_cast<I>(++lengths[indices[p]]));
  }
  return longest <= most ? static_cast<int>(longest) : most + 1;
}

struct Change {
  double largest = 0;  // the largest relative change; infinite if the solution is 0
  bool is_finite = true;
};

// The largest modulus in k vectors of changes, relative to the largest modulus in the solution of
// each. NaN is left out of `largest`; NaN and infinity make `is_finite` false. `x` holds one
// solution for all changes, or one for each.
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
