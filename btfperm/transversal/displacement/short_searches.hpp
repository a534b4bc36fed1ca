// SPDX-License-Identifier: BSD-3-Clause
// short searches: breadth-first searches that are abandoned early, by one thread
//
// Idea        A search as in ss-bfs runs from each unmatched column, but is abandoned after a
//             number of edges. Most paths are short, and long paths cost less if trees from all
//             remaining columns search for them together. After each abandoned search, the limit of
//             the next ones doubles. (For several threads, see shared_searches.hpp.)
// Paper       ours; the search is that of ss_bfs.hpp
// Cost        at most max_passes passes over the entries, and one search. Workspace: m + 2 n
// Invariants  if a search ends without a path and is not abandoned, its rows are closed: no later
//             search visits them, and they are in the cover
#pragma once

#include "transversal/augmenting/ss_bfs.hpp"
#include "transversal/displacement/rules.hpp"
#include "transversal/interface.hpp"

namespace btfperm {

// Runs short searches from the columns of `unmatched`. Moves the columns whose search was abandoned
// or not started to the first places of the list, and returns their number.
template <class I>
I search_shortly(const PatternView<I>& A, Matching<I> M, I* unmatched, I n_unmatched,
                 const DisplacementRules& rules, Budget& budget, Counters& counters, Proof& proof) {
  Workspace workspace;
  SsBfs<I> search(A, M, workspace, budget, counters);
  const std::int64_t most =
      counters.edges + static_cast<std::int64_t>(rules.max_passes * static_cast<double>(A.nnz()));
  std::int64_t max_edges = rules.max_edges;
  I left = 0;
  for (I k = 0; k < n_unmatched; ++k) {
    const bool within_limits = counters.edges < most && !budget.stopped();
    if (!within_limits || search.search(unmatched[k], max_edges) == SsBfs<I>::Outcome::gave_up) {
      unmatched[left++] = unmatched[k];
      if (within_limits) max_edges *= 2;  // a later search can then close a large part
    }
  }
  search.mark_closed(proof.row_in_cover);
  return left;
}

}  // namespace btfperm
