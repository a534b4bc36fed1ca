// SPDX-License-Identifier: BSD-3-Clause
// The proof of a weighted matching: feasible duals that are tight at the matched entries
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/cpu/pieces.hpp"
#include "pattern/pattern.hpp"
#include "transversal/interface.hpp"
#include "weighted/exact_sum.hpp"

namespace btfperm {

// What one pass over the entries measures. The scaled value of an entry is its value plus
// the duals of its row and column.
struct DualCheck {
  double excess;         // the largest scaled value, or 0: above 0, the duals are not feasible
  std::int64_t at;       // an entry that has it; -1: none is above 0
  double slack;          // the sum of minus the scaled value over the matched entries
  double largest_slack;  // and its largest term
  double total;          // the sum of the values of the matched entries
  std::int64_t matched;  // number of entries that are matched
};

template <class I>
DualCheck check_duals(const PatternView<I>& A, const double* value, const Matching<I>& M,
                      const double* row_dual, const double* col_dual, Budget& budget) {
  DualCheck found{0, -1, 0, 0, 0, 0};
  ExactSum total;
  in_pieces(A.n, A.indptr + 1, budget, [&](I j) {
    for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
      const I i = A.indices[p];
      const double scaled = value[p] + row_dual[i] + col_dual[j];
      if (!(scaled <= found.excess)) {
        found.excess = scaled;
        found.at = p;
      }
      if (M.col_match[j] != i || M.row_match[i] != j) continue;
      ++found.matched;
      total.add(value[p]);
      found.slack -= scaled;
      found.largest_slack = std::max(found.largest_slack, -scaled);
    }
  });
  found.total = total.value();
  return found;
}

}  // namespace btfperm
