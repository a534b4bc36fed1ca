// SPDX-License-Identifier: BSD-3-Clause
// after push: the steps after label pushes, by one thread or several
//
// Idea        Pushes update row_match only, so col_match is computed again. Two more steps may
//             follow if the pushes leave more columns than a bound (rules.hpp), and as many columns
//             as there are unmatched rows. If these columns are few, short searches run from them.
//             If the condition still holds then, peel.hpp computes another matching from an empty
//             one, and the larger of the two matchings remains
// Paper       ours
// Cost        O(m + n), plus that of short_searches.hpp and of peel.hpp if they run
// Invariants  rows that `push` marks hopeless are part of the proof only if the matching of the
//             pushes remains
#pragma once

#include <algorithm>

#include "backends/cpu/parallel.hpp"
#include "transversal/displacement/finish_by_trees.hpp"
#include "transversal/displacement/label_push.hpp"
#include "transversal/displacement/peel.hpp"
#include "transversal/displacement/rules.hpp"
#include "transversal/displacement/short_searches.hpp"

namespace btfperm {

// Peels from an empty matching. If this matches more than `pairs` rows, stores the matching in
// `row_match` and returns true.
template <class I>
bool take_peeled(const PatternView<I>& A, I* row_match, I pairs, int threads, Budget& budget,
                 Counters& counters) {
  Workspace workspace;
  Peel<I> peel(A, threads, workspace, budget, counters);
  if (peel.run() <= pairs) return false;
  copy(peel.row_match(), A.m, row_match, threads);
  return true;
}

// Computes col_match again, then runs short searches and peeling under the conditions above. (Short
// searches are worthwhile on chains, where a search along a long path visits few entries.) Writes
// the remaining columns to the first places of `unmatched`, which has n places, and returns their
// number.
template <class I, class Push>
I continue_from(const Push& push, const PatternView<I>& A, Matching<I> M, I* unmatched, int threads,
                DisplacementRules rules, Budget& budget, Counters& counters, Proof& proof) {
  const double max_left = rules.left_to_peel * A.n;
  I left = push.active();
  I pairs = A.m - push.unmatched_rows();
  bool to_peel = left > max_left && left == push.unmatched_rows();
  rows_to_columns(A, M, threads);
  if (to_peel && left < rules.last_to_search * A.n) {
    rules.max_passes = rules.last_passes;
    const std::int64_t before = counters.augmentations;
    left = search_shortly(A, M, unmatched, left, rules, budget, counters, proof);
    pairs += static_cast<I>(counters.augmentations - before);
    to_peel = left > max_left && left == A.m - pairs;  // false if m > n or columns were dropped
  }
  if (to_peel && !budget.stopped() &&
      take_peeled(A, M.row_match, pairs, threads, budget, counters)) {
    rows_to_columns(A, M, threads);
    // No row is marked as hopeless, because for this matching it is not known which rows are.
    return list_unmatched(A, M, threads, unmatched);
  }
  push.mark_hopeless(proof.row_in_cover);
  return left;
}

}  // namespace btfperm
