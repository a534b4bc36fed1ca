// SPDX-License-Identifier: BSD-3-Clause
// short searches: breadth-first searches that give up early, by one thread
//
// Idea        Each free column searches as in ss-bfs, but gives up after some edges; most paths are
//             short, and a long search is better done for all columns together. After each that
//             gives up the next ones may read twice as much. (Several threads:
//             shared_searches.hpp.)
// Paper       ours; the search is that of ss_bfs.hpp
// Cost        at most most_passes readings of the matrix, and one search. Workspace: m + 2 n
// Invariants  a search that ended without a path has closed its rows for good: they join the cover
#pragma once

#include "transversal/augmenting/ss_bfs.hpp"
#include "transversal/displacement/rules.hpp"
#include "transversal/interface.hpp"

namespace btfperm {

// Short searches from each column of `free`; keeps those that gave up. Returns their number.
template <class I>
I search_shortly(const PatternView<I>& A, Matching<I> M, I* free, I n_free,
                 const DisplacementRules& rules, Budget& budget, Counters& counters, Proof& proof) {
  Workspace workspace;
  SsBfs<I> search(A, M, workspace, budget, counters);
  const std::int64_t most =
      counters.edges + static_cast<std::int64_t>(rules.most_passes * static_cast<double>(A.nnz()));
  std::int64_t most_edges = rules.most_edges;
  I left = 0;
  for (I k = 0; k < n_free; ++k) {
    const bool go_on = counters.edges < most && !budget.stopped();
    if (!go_on || search.search(free[k], most_edges) == SsBfs<I>::Outcome::gave_up) {
      free[left++] = free[k];
      if (go_on) most_edges *= 2;  // so that one closes a dead part that all would enter
    }
  }
  search.mark_closed(proof.row_in_cover);
  return left;
}

}  // namespace btfperm
