// SPDX-License-Identifier: BSD-3-Clause
// What `auto` looks at: a glance at some columns of a pattern
//
// Every k-th column is read, so that `sampled_columns` to twice as many are, and of a long column
// every l-th entry. Near the diagonal means within m / diagonal_width rows of the place that the
// diagonal of the m x n rectangle has in that column.
//
// Cost        O(sampled_columns * sampled_entries), whatever the size. Without positions
//             O(sampled_columns)
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "pattern/pattern.hpp"

namespace btfperm {

// Shares are of the columns looked at, of `near` of the entries looked at.
struct Glance {
  double longest = 0;   // entries of the longest column
  double skew = 0;      // standard deviation of the numbers of entries, over their mean
  double empty = 0;     // share without an entry
  double single = 0;    // share with one entry
  double hidden = 0;    // share of all entries that are more than columns like these would have
  double diagonal = 0;  // share with the entry (j, j)
  double near = 0;      // share near the diagonal
};

struct GlanceRules {
  int sampled_columns = 128;
  int sampled_entries = 8;  // of each column, to twice as many
  int diagonal_width = 64;
  bool positions = true;  // otherwise neither `diagonal` nor `near` is looked at
};

template <class I>
Glance glance(const PatternView<I>& A, const GlanceRules& rules = {}) {
  if (A.n == 0) return {};
  const I stride = std::max<I>(1, A.n / rules.sampled_columns);
  const double slope = static_cast<double>(A.m) / static_cast<double>(A.n);
  const double width = static_cast<double>(A.m) / rules.diagonal_width;
  std::int64_t columns = 0;
  std::int64_t entries = 0;
  double sum = 0;  // of the degrees
  double squares = 0;
  Glance seen;
  const auto look_at_degree = [&](I degree) {
    ++columns;
    sum += static_cast<double>(degree);
    squares += static_cast<double>(degree) * static_cast<double>(degree);
    seen.longest = std::max(seen.longest, static_cast<double>(degree));
    seen.empty += degree == 0;
    seen.single += degree == 1;
  };
  const auto look_at_positions = [&](I j, I degree) {
    const I* const first = A.indices + A.indptr[j];
    seen.diagonal += has_entry(A, j, j);
    const double place = slope * static_cast<double>(j);
    const I step = std::max<I>(1, degree / rules.sampled_entries);
    for (I p = 0; p < degree; p += step) {
      ++entries;
      seen.near += std::abs(static_cast<double>(first[p]) - place) < width;
      if (p > degree - step) break;  // p + step might overflow
    }
  };
  for (I j = 0; j < A.n; j += stride) {
    const I degree = A.degree(j);
    look_at_degree(degree);
    if (rules.positions) look_at_positions(j, degree);
    if (j > A.n - stride) break;  // j + stride might overflow
  }
  const double mean = sum / static_cast<double>(columns);
  if (mean > 0) {
    const double variance = squares / static_cast<double>(columns) - mean * mean;
    seen.skew = std::sqrt(std::max(variance, 0.0)) / mean;
    if (rules.positions) seen.near /= static_cast<double>(entries);
  }
  if (A.nnz() > 0) {
    const double alike = mean * static_cast<double>(A.n);
    seen.hidden = std::max(0.0, 1 - alike / static_cast<double>(A.nnz()));
  }
  for (double* share : {&seen.empty, &seen.single, &seen.diagonal}) {
    *share /= static_cast<double>(columns);
  }
  return seen;
}

}  // namespace btfperm
