// SPDX-License-Identifier: BSD-3-Clause
// hkdw: hopcroft-karp, and after each of its phases one more round of searches without its layers
//
// Idea        A phase of hopcroft-karp finds disjoint shortest paths only. Before the next one,
//             every column it left free digs once more, depth first with lookahead, through all
//             entries, each row once per round: the long paths that would have cost phases of their
//             own are found early.
// Paper       I. S. Duff, T. Wiberg, "Remarks on implementation of O(n^(1/2) tau) assignment
//             algorithms", ACM TOMS 14 (1988); as HKDW in I. S. Duff, K. Kaya, B. Ucar, "Design,
//             implementation, and analysis of maximum transversal algorithms", ACM TOMS 38 (2011).
//             There the additional searches start from the free rows and pass over what the phase
//             has visited; ours start from the free columns, like all else here, and go anywhere
//             (otherwise little is left for them). Every second round reads the lists backwards,
//             the fairness of the second paper, which halves the phases
// Cost        O(nnz) a phase, and O(nnz sqrt(m + n)) in all, the papers say; where hopcroft-karp
//             needs few phases this one may need more, since the paths it finds are not shortest.
//             Workspace: m marks, 8 n
// Prefer it   on chains and permuted meshes, where hopcroft-karp takes many phases; rather use
//             hopcroft-karp on meshes in natural order and on random patterns
// Encodings   those of hopcroft_karp.hpp and ss_dfs.hpp; the stamp is the number of the phase
// Invariants  a column that was matched stays matched, so `free` only shrinks
#pragma once

#include "transversal/augmenting/hopcroft_karp.hpp"
#include "transversal/augmenting/ss_dfs.hpp"

namespace btfperm {

template <class I>
void hkdw(const PatternView<I>& A, Matching<I> M, const Options&, Workspace& workspace,
          Budget& budget, Counters& counters, Proof&) {
  HopcroftKarp<I> shortest(A, M, workspace, budget, counters);
  SsDfs<I> any(A, M, 1, workspace, budget);
  Alone<Counters> own{budget, counters};
  I* free = workspace.take<I>(A.n);
  I n_free = 0;
  for (I j = 0; j < A.n; ++j) {
    if (M.col_match[j] < 0 && A.degree(j) > 0) free[n_free++] = j;
  }
  for (I phase = 0; n_free > 0 && shortest.phase(); ++phase) {
    I left = 0;
    for (I k = 0; k < n_free && !budget.stopped(); ++k) {
      const I j = free[k];
      if (M.col_match[j] >= 0) continue;
      const bool found =
          phase % 2 == 0 ? any.search(j, phase, own) : any.template search<true>(j, phase, own);
      if (!found) free[left++] = j;
    }
    n_free = left;
  }
}

}  // namespace btfperm
