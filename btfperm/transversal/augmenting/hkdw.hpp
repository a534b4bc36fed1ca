// SPDX-License-Identifier: BSD-3-Clause
// hkdw: hopcroft-karp with a round of depth-first searches through all entries after each phase
//
// Idea        A phase of hopcroft-karp finds disjoint shortest paths only. After each phase, a
//             depth-first search with lookahead runs from every unmatched row to an unmatched
//             column, through all entries; all these searches together visit each column at most
//             once. This finds long paths early, for which hopcroft-karp would need further phases.
// Paper       I. S. Duff, T. Wiberg, "Remarks on implementation of O(n^(1/2) tau) assignment
//             algorithms", ACM TOMS 14 (1988); as HKDW in I. S. Duff, K. Kaya, B. Ucar, "Design,
//             implementation, and analysis of maximum transversal algorithms", ACM TOMS 38 (2011),
//             whose authors' program has the lookahead, too
// Cost        O(nnz) for each phase, n phases in the worst case. The papers state the bound of
//             hopcroft-karp. But its proof requires that the shortest paths of a later phase are
//             not shorter, and the additional searches can make them shorter. Workspace: the row
//             lists (nnz + m + 1), 4 m + 5 n
// Prefer it   on chains, and on permuted meshes and roads, where hopcroft-karp takes many more
//             phases; hopcroft-karp on some random and power-law patterns, where hkdw visits more
//             edges, and where hopcroft-karp takes at most three phases
// Encodings   those of hopcroft_karp.hpp, and those of ss_dfs.hpp for the transposed pattern, in
//             which the searches start from rows; the stamp is the number of the phase
// Invariants  a matched row stays matched, so the list `free` of unmatched rows only shrinks
#pragma once

#include "pattern/canonical.hpp"
#include "transversal/augmenting/hopcroft_karp.hpp"
#include "transversal/augmenting/ss_dfs.hpp"

namespace btfperm {

template <class I>
void hkdw(const PatternView<I>& A, Matching<I> M, const Options&, Workspace& workspace,
          Budget& budget, Counters& counters, Proof&) {
  I* row_indptr = workspace.take<I>(static_cast<std::size_t>(A.m) + 1);
  I* row_indices = workspace.take<I>(A.nnz());
  transpose(A, row_indptr, row_indices, budget);
  const PatternView<I> R{A.n, A.m, row_indptr, row_indices};  // the row lists
  const Matching<I> of_rows{M.col_match, M.row_match};
  HopcroftKarp<I> shortest(A, M, workspace, budget, counters);
  SsDfs<I> any(R, of_rows, 1, workspace, budget);
  Alone<Counters> own{budget, counters};
  I* free = workspace.take<I>(A.m);
  I n_free = 0;
  for (I i = 0; i < A.m; ++i) {
    if (M.row_match[i] < 0 && R.degree(i) > 0) free[n_free++] = i;
  }
  for (I phase = 0; shortest.phase(); ++phase) {
    I left = 0;
    for (I k = 0; k < n_free && !budget.stopped(); ++k) {
      const I i = free[k];
      if (M.row_match[i] < 0 && !any.search(i, phase, own)) free[left++] = i;
    }
    n_free = left;
  }
}

}  // namespace btfperm
