// SPDX-License-Identifier: BSD-3-Clause
// sample unmatched: two numbers, estimated from a sample of columns, that select the next search
//
// Idea        Pushes displace many columns of a nearly maximum matching, and searches visit many
//             entries if augmenting paths are long. Two shares predict the better method. One is
//             the share of unmatched columns that are at most two steps away from an unmatched row
//             (a step leads from a column to a row of its list, so two steps are an augmenting path
//             of three edges). The other is the share of entries near the diagonal, which is large
//             for a mesh in natural order. Each is estimated from at most 511 columns.
// Paper       ours
// Cost        at most 64 entries of each sampled column and of each column matched to their rows
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "transversal/interface.hpp"

namespace btfperm {

constexpr int sampled_columns = 256;  // at least this number of columns, less than twice as many
constexpr int sampled_entries = 64;   // maximum number of sampled entries of a column

// The share of entries within m / `diagonal_width` rows of the diagonal, in a sample of columns.
template <class I>
double local_share(const PatternView<I>& A, int diagonal_width) {
  const I stride = std::max<I>(1, A.n / sampled_columns);
  const double slope = static_cast<double>(A.m) / static_cast<double>(A.n);
  const double width = static_cast<double>(A.m) / diagonal_width;
  std::int64_t seen = 0;
  std::int64_t near = 0;
  for (I j = 0; j < A.n; j += stride) {
    const I begin = A.indptr[j];
    const I count = std::min<I>(A.degree(j), sampled_entries);
    for (I k = 0; k < count; ++k) {
      const double row = static_cast<double>(A.indices[begin + k]);
      near += std::abs(row - slope * static_cast<double>(j)) < width;
    }
    seen += count;
    if (j > A.n - stride) break;  // j + stride might overflow
  }
  return seen > 0 ? static_cast<double>(near) / static_cast<double>(seen) : 0.0;
}

// Whether column j has an unmatched row in its list, or a row whose mate has one. Only the first
// `sampled_entries` rows of each list are visited.
template <class I>
bool finds_row_two_steps_off(const PatternView<I>& A, const Matching<I>& M, I j) {
  const I count = std::min<I>(A.degree(j), sampled_entries);
  for (I k = 0; k < count; ++k) {
    const I mate = M.row_match[A.indices[A.indptr[j] + k]];
    if (mate < 0) return true;
    const I mate_count = std::min<I>(A.degree(mate), sampled_entries);
    for (I l = 0; l < mate_count; ++l) {
      if (M.row_match[A.indices[A.indptr[mate] + l]] < 0) return true;
    }
  }
  return false;
}

// Share of the unmatched columns in `unmatched` that are at most two steps away from an unmatched
// row, estimated from a sample of them.
template <class I>
double near_share(const PatternView<I>& A, const Matching<I>& M, const I* unmatched,
                  I n_unmatched) {
  const I stride = std::max<I>(1, n_unmatched / sampled_columns);
  int seen = 0;
  int near = 0;
  for (I k = 0; k < n_unmatched; k += stride) {
    ++seen;
    near += finds_row_two_steps_off(A, M, unmatched[k]);
    if (k > n_unmatched - stride) break;  // k + stride might overflow
  }
  return seen > 0 ? static_cast<double>(near) / seen : 0.0;
}

}  // namespace btfperm
