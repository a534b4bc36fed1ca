// SPDX-License-Identifier: BSD-3-Clause
// pothen-fan: disjoint depth-first searches in phases, with lookahead and fairness
//
// Idea        In each phase, a depth-first search for an augmenting path runs from every unmatched
//             column; a row is visited at most once per phase. Before a search descends from a
//             column, it searches the list of this column for an unmatched row (lookahead, always
//             forwards). In every second phase, a search tries the rows of a list from its end to
//             its start when it descends (fairness).
// Paper       A. Pothen, C.-J. Fan, "Computing the block triangular form of a sparse matrix", ACM
//             TOMS 16 (1990), section 3; fairness: I. S. Duff, K. Kaya, B. Ucar, "Design,
//             implementation, and analysis of maximum transversal algorithms", ACM TOMS 38 (2011);
//             many threads: A. Azad, M. Halappanavar, S. Rajamanickam, E. G. Boman, A. Khan, A.
//             Pothen, "Multithreaded algorithms for maximum matching in bipartite graphs", IPDPS
//             2012: the unmatched columns of a phase are divided among the threads, whose searches
//             are disjoint
// Cost        O(m + n + nnz) for each phase, n phases in the worst case. Workspace: m + 4 n. On one
//             thread, the code for several threads takes 1.22 times as long as the code for one
//             thread, in the geometric mean (2026-11-26-serial-shared-field)
// Prefer it   on dense patterns, and if columns have some sixty entries or more; otherwise ms-bfs,
//             because the paths that depth-first searches find are many times longer
// Options     fairness: 0 descends through the lists forwards in every phase
// Encodings   those of ss_dfs.hpp, whose search it uses; the stamp is the number of the phase
// Invariants  a column from which a search found no path is not entered again in this phase
// Races       those of ss_dfs.hpp
#pragma once

#include "backends/cpu/parallel.hpp"
#include "transversal/augmenting/ss_dfs.hpp"

namespace btfperm {

// Runs phases until one finds no path or the budget ends. The argument phase(n_free, turn) must
// call turn(k, own) once for each k = 0 ... n_free - 1, unless the budget ends. turn(k, own)
// searches from the k-th of the n_free columns that were unmatched before the phase.
template <class I, class Own, class Phase>
void pothen_fan_phases(const PatternView<I>& A, Matching<I> M, const Options& options,
                       Workspace& workspace, Budget& budget, Counters& counters, Phase phase) {
  const bool fairness = options.get("fairness") != 0;
  SsDfs<I, Own> dig(A, M, options.threads, workspace, budget);
  I* free = workspace.take<I>(A.n);
  I n_free = select(
      A.n, options.threads, free, [&](I j) { return M.col_match[j] < 0 && A.degree(j) > 0; },
      [](I j) { return j; }, budget);
  for (I stamp = 1; n_free > 0; ++stamp) {
    ++counters.phases;
    const bool backwards = fairness && stamp % 2 == 0;
    phase(n_free, [&](I k, Own& own) {
      if (backwards) {
        dig.template search<true>(free[k], stamp, own);
      } else {
        dig.search(free[k], stamp, own);
      }
    });
    if (budget.stopped()) return;
    I left = 0;
    for (I k = 0; k < n_free; ++k) {
      if (M.col_match[free[k]] < 0) free[left++] = free[k];
    }
    if (left == n_free) return;  // a phase without a path: the matching is maximum
    n_free = left;
  }
}

template <class I>
void pothen_fan(const PatternView<I>& A, Matching<I> M, const Options& options,
                Workspace& workspace, Budget& budget, Counters& counters, Proof&) {
  if (options.threads > 1) {
    pothen_fan_phases<I, Together<Counters>>(
        A, M, options, workspace, budget, counters, [&](I n_free, auto turn) {
          const I block = block_for(n_free, options.threads, I{16});
          shared_loop(n_free, block, options.threads, budget, counters, turn);
        });
  } else {
    Alone<Counters> own{budget, counters};
    pothen_fan_phases<I, Alone<Counters>>(A, M, options, workspace, budget, counters,
                                          [&](I n_free, auto turn) {
                                            for (I k = 0; k < n_free && !budget.stopped(); ++k)
                                              turn(k, own);
                                          });
  }
}

}  // namespace btfperm
