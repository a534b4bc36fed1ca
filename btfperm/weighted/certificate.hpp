// SPDX-License-Identifier: BSD-3-Clause
// The proof of a weighted matching: feasible duals that are tight, or nearly, at matched entries
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "backends/cpu/pieces.hpp"
#include "pattern/pattern.hpp"
#include "transversal/interface.hpp"
#include "weighted/exact_sum.hpp"

namespace btfperm {

// What one pass over the entries measures. The scaled value of an entry is its value plus
// the duals of its row and column. Duals are feasible if no scaled value exceeds 0, and tight at an
// entry whose scaled value is 0.
struct DualCheck {
  double excess = 0;         // the largest scaled value, at least 0; NaN if a scaled value is NaN
  std::int64_t at = -1;      // position of an entry with this scaled value; -1: none is above 0
  double slack = 0;          // the sum of minus the scaled value over the matched entries
  double largest_slack = 0;  // the largest term of this sum
  ExactSum total;            // of the values of the matched entries
  std::int64_t matched = 0;  // number of entries that are matched

  void add(std::int64_t p, double value, double scaled, bool is_matched) {
    if (!(scaled <= excess) && !std::isnan(excess)) {
      excess = scaled;
      at = p;
    }
    if (!is_matched) return;
    ++matched;
    total.add(value);
    slack -= scaled;
    largest_slack = std::max(largest_slack, -scaled);
  }
};

template <class I>
DualCheck check_duals(const PatternView<I>& A, const double* value, const Matching<I>& M,
                      const double* row_dual, const double* col_dual, Budget& budget) {
  DualCheck found;
  in_pieces(A.n, A.indptr + 1, budget, [&](I j) {
    for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
      const I i = A.indices[p];
      found.add(p, value[p], value[p] + row_dual[i] + col_dual[j],
                M.col_match[j] == i && M.row_match[i] == j);
    }
  });
  return found;
}

}  // namespace btfperm
