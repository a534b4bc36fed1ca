// SPDX-License-Identifier: BSD-3-Clause
// A square matrix with real or complex values in compressed columns
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

namespace btfperm {

template <class I, class T>
struct Columns {
  I n;
  const I* indptr;
  const I* indices;
  const T* values;

  std::int64_t nnz() const { return indptr[n]; }
};

enum class Operation { plain = 0, transposed = 1, conjugate_transposed = 2 };

inline double modulus(double a) { return std::abs(a); }
// An approximation, from 1 to sqrt(2) times the modulus, which takes much less time.
inline double modulus(std::complex<double> a) { return std::abs(a.real()) + std::abs(a.imag()); }

inline double conjugate(double a) { return a; }
inline std::complex<double> conjugate(std::complex<double> a) { return std::conj(a); }

inline bool is_finite(double a) { return std::isfinite(a); }
inline bool is_finite(std::complex<double> a) {
  return std::isfinite(a.real()) && std::isfinite(a.imag());
}

// 0, or NaN if the number is NaN or infinite. A sum of these tests many numbers without a branch.
inline double zero_if_finite(double a) { return a * 0; }
inline double zero_if_finite(std::complex<double> a) { return a.real() * 0 + a.imag() * 0; }

// Copies the values that `value` returns for the numbers 0 to count - 1. Returns the place of the
// first value that is NaN or infinite, or -1. The loop has four independent sums, so that the
// compiler uses vector instructions. This takes a third of the time of a loop with a branch.
template <class T, class Value>
std::int64_t copy_finite_values(std::int64_t count, const Value& value, T* to) {
  std::array<double, 4> zero{};
  std::int64_t p = 0;
  for (; p + 4 <= count; p += 4) {
    for (int k = 0; k < 4; ++k) {
      to[p + k] = value(p + k);
      zero[k] += zero_if_finite(to[p + k]);
    }
  }
  for (; p < count; ++p) {
    to[p] = value(p);
    zero[0] += zero_if_finite(to[p]);
  }
  if (zero[0] + zero[1] + zero[2] + zero[3] == 0) return -1;
  return std::find_if_not(to, to + count, [](T a) { return is_finite(a); }) - to;
}

template <class T>
std::int64_t copy_finite(std::int64_t count, const T* from, T* to) {
  return copy_finite_values(count, [from](std::int64_t p) { return from[p]; }, to);
}

// Does the same with the values at the given places, which must exist. With places of 32 bits, this
// takes less time than NumPy's selection by an array.
template <class I, class T>
std::int64_t gather_finite(std::int64_t count, const I* places, const T* from, T* to) {
  return copy_finite_values(count, [=](std::int64_t p) { return from[places[p]]; }, to);
}

// Copies compressed columns of an n x n matrix with `places` entries. Returns false, with
// incomplete copies, unless the arrays describe a matrix, are sorted without duplicates, and have
// finite values. J is the index type of the caller's arrays, which may be wider than I.
template <class I, class J, class T>
bool copy_canonical(I n, I places, const J* indptr, const J* indices, const T* values, I* to_indptr,
                    I* to_indices, T* to_values) {
  if (indptr[0] != 0 || indptr[n] != places) return false;
  for (I j = 0; j < n; ++j) {
    const J begin = indptr[j], end = indptr[j + 1];
    if (end < begin || end > places) return false;
    to_indptr[j] = static_cast<I>(begin);
    J before = -1;
    for (J p = begin; p < end; ++p) {
      const J i = indices[p];
      if (i <= before || i >= n || !is_finite(values[p])) return false;
      to_indices[p] = static_cast<I>(i);
      to_values[p] = values[p];
      before = i;
    }
  }
  to_indptr[n] = places;
  return true;
}

// The positions of the entries below the diagonal blocks of the permuted matrix.
template <class I>
std::vector<std::int64_t> entries_below(I n, const I* indptr, const I* indices, const I* row_perm,
                                        const I* col_perm, const I* blocks, I n_blocks) {
  std::vector<I> end(static_cast<std::size_t>(n));  // of the block of each place
  for (I b = 0; b < n_blocks; ++b)
    std::fill(end.data() + blocks[b], end.data() + blocks[b + 1], blocks[b + 1]);
  std::vector<I> row_place(static_cast<std::size_t>(n));
  for (I k = 0; k < n; ++k) row_place[row_perm[k]] = k;
  std::vector<std::int64_t> below;
  for (I k = 0; k < n; ++k) {
    const I j = col_perm[k];
    for (I p = indptr[j]; p < indptr[j + 1]; ++p) {
      if (row_place[indices[p]] >= end[k]) below.push_back(p);
    }
  }
  std::sort(below.begin(), below.end());
  return below;
}

}  // namespace btfperm
