// SPDX-License-Identifier: BSD-3-Clause
// after push: the steps after label pushes, by one thread or several
//
// Idea        Pushes update row_match only, so col_match is computed again. If the pushes leave as
//             many columns as there are unmatched rows, and more than a bound (rules.hpp), short
//             searches start from these columns if they are few. If then still as many remain as
//             there are unmatched rows, and more than the bound, the pattern is peeled from an
//             empty matching, and the larger of the two matchings is kept
// Paper       ours
// Cost        O(m + n), plus that of short_searches.hpp and of peel.hpp if they run
// Invariants  rows that `push` marks hopeless are part of the proof only if its matching is kept
#pragma once

#include <algorithm>

#include "backends/cpu/parallel.hpp"
#include "transversal/displacement/finish_by_trees.hpp"
#include "transversal/displacement/label_push.hpp"
#include "transversal/displacement/peel.hpp"
#include "transversal/displacement/rules.hpp"
#include "transversal/displacement/short_searches.hpp"

namespace btfperm {

// Peels from an empty matching. If that gives more than `pairs` pairs, stores it in `row_match` and
// returns true.
template <class I>
bool take_peeled(const PatternView<I>& A, I* row_match, I pairs, int threads, Budget& budget,
                 Counters& counters) {
  Workspace workspace;
  Peel<I> peel(A, threads, workspace, budget, counters);
  if (peel.run() <= pairs) return false;
  copy(peel.row_match(), A.m, row_match, threads);
  return true;
}

// Computes col_match again. If `push` left as many columns as unmatched rows, and too many for
// trees, runs short searches from these columns if they are few (on chains, a search along a long
// path visits few entries), and peels if too many still remain, as many as unmatched rows. Lists
// the remaining columns in the first places of `unmatched` (n places) and returns their number.
template <class I, class Push>
I go_on_from(const Push& push, const PatternView<I>& A, Matching<I> M, I* unmatched, int threads,
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
    // No row of this matching is marked: its hopeless rows are unknown.
    return list_unmatched(A, M, threads, unmatched);
  }
  push.mark_hopeless(proof.row_in_cover);
  return left;
}

}  // namespace btfperm
