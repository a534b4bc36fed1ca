// SPDX-License-Identifier: BSD-3-Clause
// last-row: the cheap matching from the other end
//
// Idea        Each column, in order, is matched to its last unmatched row.
// Paper       none; a test adds it to the registry
// Cost        O(m + n + nnz) time. Workspace: m bytes
// Prefer it   never: it is a test
// Options     columns (1): only every k-th column is matched
#pragma once

#include <algorithm>
#include <cstdint>

#include "transversal/interface.hpp"

namespace btfperm {

template <class I>
void last_row(const PatternView<I>& A, Matching<I> M, const Options& options, Workspace& workspace,
              Budget& budget, Counters& counters, Proof&) {
  std::uint8_t* const taken = workspace.take<std::uint8_t>(A.m);
  for (I i = 0; i < A.m; ++i) taken[i] = M.row_match[i] >= 0;
  const I step = std::max(static_cast<I>(options.get("columns")), I{1});
  for (I j = 0; j < A.n; j += step) {
    if (M.col_match[j] >= 0) continue;
    std::int64_t read = 0;
    for (I p = A.indptr[j + 1]; p-- > A.indptr[j];) {
      ++read;
      const I i = A.indices[p];
      if (taken[i]) continue;
      taken[i] = 1;
      M.match(i, j);
      break;
    }
    counters.edges += read;
    ++counters.phases;
    if (!budget.spend(read)) return;
  }
}

}  // namespace btfperm
