// SPDX-License-Identifier: BSD-3-Clause
// pothen-fan: disjoint depth-first searches in phases, with lookahead and fairness
//
// Idea        In each phase, every free column digs for an augmenting path; a row is visited once
//             a phase. Before it digs deeper a column looks for a free row in its own list
//             (lookahead). Every second phase reads the lists backwards (fairness), so that no
//             part of a list is always tried last.
// Paper       A. Pothen, C.-J. Fan, "Computing the block triangular form of a sparse matrix", ACM
//             TOMS 16 (1990), section 3; fairness: I. S. Duff, K. Kaya, B. Ucar, "Design,
//             implementation, and analysis of maximum transversal algorithms", ACM TOMS 38 (2011)
// Cost        O(nnz) a phase, n phases at worst, few in practice. Workspace: m marks, 4 n
// Prefer it   after greedy on almost anything in natural order; rather use hopcroft-karp where
//             paths are long and many
// Encodings   those of ss_dfs.hpp, whose search it shares; the stamp is the number of the phase
// Invariants  a column that is left without success is dead for the rest of its phase
#pragma once

#include "transversal/augmenting/ss_dfs.hpp"

namespace btfperm {

template <class I>
void pothen_fan(const PatternView<I>& A, Matching<I> M, const Options& options,
                Workspace& workspace, Budget& budget, Counters& counters, Proof&) {
  const bool fairness = options.get("fairness", 1) != 0;
  SsDfs<I> dig(A, M, workspace, budget, counters);
  I* free = workspace.take<I>(A.n);
  I n_free = 0;
  for (I j = 0; j < A.n; ++j) {
    if (M.col_match[j] < 0 && A.degree(j) > 0) free[n_free++] = j;
  }
  for (I phase = 1; n_free > 0; ++phase) {
    ++counters.phases;
    const bool backwards = fairness && phase % 2 == 0;
    I left = 0;
    for (I k = 0; k < n_free; ++k) {
      const I j = free[k];
      const bool found = backwards ? dig.template search<true>(j, phase) : dig.search(j, phase);
      if (budget.stopped()) return;
      if (!found) free[left++] = j;
    }
    if (left == n_free) return;  // a phase without a path: the matching is maximum
    n_free = left;
  }
}

}  // namespace btfperm
