// SPDX-License-Identifier: BSD-3-Clause
// The turns of guided-displacement (guided_displacement.hpp) that several threads take together
#pragma once

#include <algorithm>

#include "transversal/displacement/label_push.hpp"
#include "transversal/displacement/rules.hpp"
#include "transversal/displacement/shared_push.hpp"
#include "transversal/displacement/shared_searches.hpp"

namespace btfperm {

// Label pushes; col_match is made anew. The columns left are the first places of `free`
// afterwards; returns their number.
template <class I>
I push_together(const PatternView<I>& A, Matching<I> M, I* free, I n_free, int threads,
                Budget& budget, Counters& counters, Proof& proof) {
  Workspace workspace;
  I* spare = workspace.take<I>(n_free);
  SharedPush<I> push(A, M, free, spare, n_free, threads, workspace, budget, counters);
  push.run();
  std::copy(push.columns(), push.columns() + push.active(), free);
  const auto left_by = [&](const auto& last) {
    rows_to_columns(A, M, threads);
    last.mark_hopeless(proof.row_in_cover);
    return last.active();
  };
  // One of two goes on alone with the last; many threads are sooner done by trees.
  if (threads > 2 || push.active() == 0 || !push.has_few_left()) return left_by(push);
  LabelPush<I> last(A, M, free, push.active(), workspace, budget, counters);
  last.go_on(push.labels(), A.nnz() / 8);
  return left_by(last);
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

}  // namespace btfperm
