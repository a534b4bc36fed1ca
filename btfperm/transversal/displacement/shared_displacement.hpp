// SPDX-License-Identifier: BSD-3-Clause
// shared displacement: the turns of guided-displacement that several threads take together
//
// Idea        As on one thread (guided_displacement.hpp), the columns left free go through two
//             steps, short searches or label pushes, each by all threads at once. Every turn hands
//             the columns it could not match to the next, in the first places of one list.
// Paper       ours; each turn is told in its own file
// Cost        that of the turns; what one of them takes from the workspace is given back at its end
// Races       those of the turns: between two of them one thread alone is at work
#pragma once

#include <algorithm>

#include "transversal/displacement/after_push.hpp"
#include "transversal/displacement/label_push.hpp"
#include "transversal/displacement/rules.hpp"
#include "transversal/displacement/shared_push.hpp"
#include "transversal/displacement/shared_searches.hpp"
#include "transversal/displacement/shared_two_steps.hpp"

namespace btfperm {

// Label pushes, and peeling where these stall although all columns may still be matched. Keeps the
// columns that are left to do in the list, which has n places; their number.
template <class I>
I push_together(const PatternView<I>& A, Matching<I> M, I* free, I n_free, int threads,
                const DisplacementRules& rules, Budget& budget, Counters& counters, Proof& proof) {
  Workspace workspace;
  I* spare = workspace.take<I>(n_free);
  SharedPush<I> push(A, M, free, spare, n_free, threads, workspace, budget, counters);
  push.run();
  std::copy(push.columns(), push.columns() + push.active(), free);
  const auto go_on = [&](const auto& last) {
    return go_on_from(last, A, M, free, threads, rules, budget, counters, proof);
  };
  // One of two goes on alone with the last; many threads are sooner done by trees.
  if (threads > 2 || push.active() == 0 || !push.has_few_left()) return go_on(push);
  LabelPush<I> last(A, M, free, push.active(), workspace, budget, counters);
  last.go_on(push.labels(), A.nnz() / 8);
  return go_on(last);
}

// Short searches, and once more for those that were in each other's way; all of them read as much
// as those of one thread may. Returns the number of columns left, the first places of `free`.
template <class I>
I search_together(const PatternView<I>& A, Matching<I> M, I* free, I n_free, int threads,
                  const DisplacementRules& rules, Budget& budget, Counters& counters,
                  Proof& proof) {
  Workspace workspace;
  const auto most_read =
      static_cast<std::int64_t>(rules.most_passes * static_cast<double>(A.nnz()));
  SharedSearches<I> searches(A, M, threads, n_free, static_cast<I>(rules.most_edges), most_read,
                             workspace, budget, counters);
  I left = searches.run(free, n_free);
  if (left < n_free / 2) left = searches.run(free, left);
  searches.mark_closed(proof.row_in_cover);
  return left;
}

// Paths of two steps from each column of `free`, all at once; then short searches, if few are left,
// else pushes. Returns the number of columns left, the first places of `free`.
template <class I>
I search_near_together(const PatternView<I>& A, Matching<I> M, I* free, I n_free, int threads,
                       const DisplacementRules& rules, Budget& budget, Counters& counters,
                       Proof& proof) {
  const double most_left = rules.left_by_two_steps * static_cast<double>(n_free);
  n_free = match_in_two_steps_together(A, M, free, n_free, threads, budget, counters);
  rows_to_columns(A, M, threads);
  return static_cast<double>(n_free) < most_left
             ? search_together(A, M, free, n_free, threads, rules, budget, counters, proof)
             : push_together(A, M, free, n_free, threads, rules, budget, counters, proof);
}

}  // namespace btfperm
