// SPDX-License-Identifier: BSD-3-Clause
// shared displacement: the steps of guided-displacement by several threads
//
// Idea        As on one thread (guided_displacement.hpp), paths of two steps, short searches or
//             label pushes match unmatched columns; all threads share each step. Every step writes
//             the columns that may still be matched to the first places of one list.
// Paper       ours; each step has its own file
// Cost        that of the steps; each releases its workspace at its end
// Races       those of the steps, which run one after the other
#pragma once

#include <algorithm>

#include "transversal/displacement/after_push.hpp"
#include "transversal/displacement/label_push.hpp"
#include "transversal/displacement/rules.hpp"
#include "transversal/displacement/shared_push.hpp"
#include "transversal/displacement/shared_searches.hpp"
#include "transversal/displacement/shared_two_steps.hpp"

namespace btfperm {

// Pushes the columns of `unmatched`; after_push.hpp decides on short searches and peeling. Writes
// the remaining columns to the first places of the list, which has n places, and returns their
// number.
template <class I>
I push_together(const PatternView<I>& A, Matching<I> M, I* unmatched, I n_unmatched, int threads,
                const DisplacementRules& rules, Budget& budget, Counters& counters, Proof& proof) {
  Workspace workspace;
  I* spare = workspace.take<I>(n_unmatched);
  SharedPush<I> push(A, M, unmatched, spare, n_unmatched, threads, workspace, budget, counters);
  push.run();
  std::copy(push.columns(), push.columns() + push.active(), unmatched);
  const auto proceed = [&](const auto& last) {
    return continue_from(last, A, M, unmatched, threads, rules, budget, counters, proof);
  };
  // If few columns are left, one of two threads continues to push them alone. With more than two
  // threads, trees are faster.
  if (threads > 2 || push.active() == 0 || !push.has_few_left()) return proceed(push);
  LabelPush<I> last(A, M, unmatched, push.active(), workspace, budget, counters);
  last.run_from_labels(push.labels(), A.nnz() / 8);
  return proceed(last);
}

// Runs short searches from the columns of `unmatched`. If fewer than half of the columns remain, it
// searches from these once more, because searches may have met locks of other threads. Together,
// all searches visit at most about max_passes * nnz edges. Writes the remaining columns to the
// first places of `unmatched` and returns their number.
template <class I>
I search_together(const PatternView<I>& A, Matching<I> M, I* unmatched, I n_unmatched, int threads,
                  const DisplacementRules& rules, Budget& budget, Counters& counters,
                  Proof& proof) {
  Workspace workspace;
  const auto max_read = static_cast<std::int64_t>(rules.max_passes * static_cast<double>(A.nnz()));
  SharedSearches<I> searches(A, M, threads, n_unmatched, static_cast<I>(rules.max_edges), max_read,
                             workspace, budget, counters);
  I left = searches.run(unmatched, n_unmatched);
  if (left < n_unmatched / 2) left = searches.run(unmatched, left);
  searches.mark_closed(proof.row_in_cover);
  return left;
}

// Augments along paths of two steps from the columns of `unmatched`. Then short searches follow if
// few columns remain, else pushes. Writes the remaining columns to the first places of `unmatched`
// and returns their number.
template <class I>
I search_near_together(const PatternView<I>& A, Matching<I> M, I* unmatched, I n_unmatched,
                       int threads, const DisplacementRules& rules, Budget& budget,
                       Counters& counters, Proof& proof) {
  const double max_left = rules.left_by_two_steps * static_cast<double>(n_unmatched);
  n_unmatched =
      match_in_two_steps_together(A, M, unmatched, n_unmatched, threads, budget, counters);
  rows_to_columns(A, M, threads);
  return static_cast<double>(n_unmatched) < max_left
             ? search_together(A, M, unmatched, n_unmatched, threads, rules, budget, counters,
                               proof)
             : push_together(A, M, unmatched, n_unmatched, threads, rules, budget, counters, proof);
}

}  // namespace btfperm
