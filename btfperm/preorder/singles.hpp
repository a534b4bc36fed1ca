// SPDX-License-Identifier: BSD-3-Clause
// Solutions with a permuted triangular matrix, all of whose diagonal blocks have one row
//
// Idea   Such a matrix needs no factorization. The substitution reads the columns of A in their
//        original places, so the entries are neither sorted nor copied. Only the position of each
//        pivot must be found. Where rounding the entries of A would change the right-hand side, the
//        same pass substitutes this change, too: when it reaches a row, the sum of the moduli in
//        this row is known.
// Paper  N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2002, Theorem 8.5: a number
//        that is computed from k entries has a backward error of at most k u / (1 - k u), u = 2^-53
// Cost   O(n + nnz) to find the pivots, O(nnz) for each right-hand side
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/workspace.hpp"
#include "preorder/columns.hpp"

namespace btfperm {

// The order in which A is upper triangular, and the entry of each pivot.
template <class I>
struct Triangle {
  const I* row_perm;
  const I* col_perm;
  I* pivot;  // for the column at each place: the position of its diagonal entry in A, or -1
};

// Sets the pivots. Returns the positions in A of the entries below the diagonal. The numbers of the
// permutations must be between 0 and n - 1.
template <class I>
std::vector<std::int64_t> find_pivots(I n, const I* indptr, const I* indices,
                                      const Triangle<I>& order) {
  Workspace memory;
  I* const row_place = memory.take<I>(static_cast<std::size_t>(n));
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

// Solves op(A) x = b for real values, and estimates the effect of rounding the entries: the
// right-hand side changes by rounding[i % period] * (|op(A)| |x| + |b|)[i], and the result is the
// largest change of a number of x, relative to the largest number of x. The result is NaN if a
// number is not finite, or if underflow makes an equation less exact than `tolerance`, relative to
// its terms; then x may be wrong. Otherwise as solve_triangle.
template <class I>
class EstimatedTriangle {
 public:
  EstimatedTriangle(const Columns<I, double>& A, const Triangle<I>& order, std::int64_t period,
                    const double* rounding, double tolerance)
      : A_(A), order_(order), period_(period), rounding_(rounding), tolerance_(tolerance) {}

  double solve(Operation operation, const double* b, double* x, Budget& budget) {
    if (budget.spend(A_.nnz())) operation == Operation::plain ? plain(b, x) : transposed(b, x);
    return is_exact_ && zero_ == 0 ? (largest_change_ > 0 ? largest_change_ / largest_ : 0)
                                   : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  struct Row {        // 32 bytes, so that a row needs one cache line
    double rest;      // b - op(A) x so far
    double size;      // |b| + |op(A)| |x| so far
    double change;    // the same as `rest` for the change of the solution
    double rounding;  // relative to `size`
  };
  struct Solved {
    double value;
    double change;
  };

  Solved divided(double rest, double size, double change, double rounding, double pivot) {
    const double value = rest / pivot;
    size += std::abs(pivot * value);
    change = (change + rounding * size) / pivot;
    if (std::abs(rest - pivot * value) > tolerance_ * size) is_exact_ = false;
    largest_ = std::max(largest_, std::abs(value));
    largest_change_ = std::max(largest_change_, std::abs(change));
    zero_ += zero_if_finite(value) + zero_if_finite(change);
    return {value, change};
  }

  void plain(const double* b, double* x) {
    Row* const rows = memory_.take<Row>(static_cast<std::size_t>(A_.n));
    std::int64_t at = 0;
    for (I i = 0; i < A_.n; ++i) {
      rows[i] = {b[i], std::abs(b[i]), 0, rounding_[at]};
      if (++at == period_) at = 0;
    }
    for (I place = A_.n; place-- > 0;) {
      const I j = order_.col_perm[place];
      const Row& row = rows[order_.row_perm[place]];
      const Solved found =
          divided(row.rest, row.size, row.change, row.rounding, A_.values[order_.pivot[place]]);
      x[j] = found.value;
      for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
        Row& other = rows[A_.indices[p]];
        const double product = A_.values[p] * found.value;
        other.rest -= product;
        other.size += std::abs(product);
        other.change -= A_.values[p] * found.change;
      }
    }
  }

  void transposed(const double* b, double* x) {
    Solved* const solved = memory_.take<Solved>(static_cast<std::size_t>(A_.n));
    std::fill(solved, solved + A_.n, Solved{0, 0});
    for (I place = 0; place < A_.n; ++place) {
      const I j = order_.col_perm[place];
      double rest = b[j], size = std::abs(b[j]), change = 0;
      // The pivot contributes 0, because the numbers are still 0 in its row.
      for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
        const Solved& other = solved[A_.indices[p]];
        const double product = A_.values[p] * other.value;
        rest -= product;
        size += std::abs(product);
        change -= A_.values[p] * other.change;
      }
      const I i = order_.row_perm[place];
      solved[i] =
          divided(rest, size, change, rounding_[j % period_], A_.values[order_.pivot[place]]);
      x[i] = solved[i].value;
    }
  }

  Columns<I, double> A_;
  Triangle<I> order_;
  std::int64_t period_;
  const double* rounding_;
  double tolerance_;
  Workspace memory_;
  double largest_ = 0, largest_change_ = 0;
  double zero_ = 0;  // NaN after a number that is not finite
  bool is_exact_ = true;
};

}  // namespace btfperm
