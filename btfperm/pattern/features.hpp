// SPDX-License-Identifier: BSD-3-Clause
// Features of some sampled columns of a pattern, for the rules of `auto`
//
// Every k-th column is sampled. k is chosen so that the number of samples is at least
// `sampled_columns` and less than twice as large (n if n is smaller). Of a long column, only every
// l-th entry is sampled. An entry is near the diagonal if it is less than m / diagonal_width rows
// from the diagonal of the m x n rectangle in its column.
//
// Cost        O(sampled_columns * sampled_entries), and a bisection of each sampled column. Without
//             positions O(sampled_columns)
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "pattern/pattern.hpp"

namespace btfperm {

// Shares are of the sampled columns; `near` is a share of the sampled entries.
struct Sample {
  double longest = 0;   // entries of the longest column
  double skew = 0;      // standard deviation of the numbers of entries, over their mean
  double empty = 0;     // share without an entry
  double single = 0;    // share with one entry
  double hidden = 0;    // 1 - n * mean / nnz: share of entries in long columns that were missed
  double diagonal = 0;  // share with the entry (j, j)
  double near = 0;      // share near the diagonal
};

struct SampleRules {
  int sampled_columns = 128;
  int sampled_entries = 8;  // sampled of each column, at most twice as many
  int diagonal_width = 64;
  bool positions = true;  // otherwise neither `diagonal` nor `near` is computed
};

template <class I>
Sample sample(const PatternView<I>& A, const SampleRules& rules = {}) {
  if (A.n == 0) return {};
  const I stride = std::max<I>(1, A.n / rules.sampled_columns);
  const double slope = static_cast<double>(A.m) / static_cast<double>(A.n);
  const double width = static_cast<double>(A.m) / rules.diagonal_width;
  std::int64_t columns = 0;
  std::int64_t entries = 0;
  double sum = 0;  // the sum of the degrees
  double squares = 0;
  Sample result;
  const auto add_degree = [&](I degree) {
    ++columns;
    sum += static_cast<double>(degree);
    squares += static_cast<double>(degree) * static_cast<double>(degree);
    result.longest = std::max(result.longest, static_cast<double>(degree));
    result.empty += degree == 0;
    result.single += degree == 1;
  };
  const auto add_positions = [&](I j, I degree) {
    const I* const first = A.indices + A.indptr[j];
    result.diagonal += has_entry(A, j, j);
    const double place = slope * static_cast<double>(j);
    const I step = std::max<I>(1, degree / rules.sampled_entries);
    for (I p = 0; p < degree; p += step) {
      ++entries;
      result.near += std::abs(static_cast<double>(first[p]) - place) < width;
      if (p > degree - step) break;  // p + step might overflow
    }
  };
  for (I j = 0; j < A.n; j += stride) {
    const I degree = A.degree(j);
    add_degree(degree);
    if (rules.positions) add_positions(j, degree);
    if (j > A.n - stride) break;  // j + stride might overflow
  }
  const double mean = sum / static_cast<double>(columns);
  if (mean > 0) {
    const double variance = squares / static_cast<double>(columns) - mean * mean;
    result.skew = std::sqrt(std::max(variance, 0.0)) / mean;
    if (rules.positions) result.near /= static_cast<double>(entries);
  }
  if (A.nnz() > 0) {
    const double alike = mean * static_cast<double>(A.n);
    result.hidden = std::max(0.0, 1 - alike / static_cast<double>(A.nnz()));
  }
  for (double* share : {&result.empty, &result.single, &result.diagonal}) {
    *share /= static_cast<double>(columns);
  }
  return result;
}

}  // namespace btfperm
