// SPDX-License-Identifier: BSD-3-Clause
// after push: what follows label pushes, by one thread or several
//
// Idea        Pushes write rows' mates only, so the columns' are made anew. If they have stalled
//             although every column may still be matched, the last columns search shortly, and if
//             some stay, the pattern is peeled from nothing (peel.hpp); the larger matching is
//             kept.
// Paper       ours
// Cost        O(m + n), and where peeling is tried that of peel.hpp
// Invariants  rows that `push` calls hopeless enter the proof only if its matching is kept
#pragma once

#include <algorithm>

#include "backends/cpu/parallel.hpp"
#include "transversal/displacement/finish_by_trees.hpp"
#include "transversal/displacement/label_push.hpp"
#include "transversal/displacement/peel.hpp"
#include "transversal/displacement/rules.hpp"
#include "transversal/displacement/short_searches.hpp"

namespace btfperm {

// Peels from nothing into `row_match`, if that gives more than the `pairs` at hand; whether it did.
template <class I>
bool take_peeled(const PatternView<I>& A, I* row_match, I pairs, int threads, Budget& budget,
                 Counters& counters) {
  Workspace workspace;
  Peel<I> peel(A, threads, workspace, budget, counters);
  if (peel.run() <= pairs) return false;
  copy(peel.row_match(), A.m, row_match, threads);
  return true;
}

// Makes col_match anew. Where `push` has stalled although all columns may still be matched, the
// last of them search shortly, for on chains the paths are long, but thin; should that not do,
// peels. Lists the columns that are left to do, the first places of `free`, which has n; their
// number.
template <class I, class Push>
I go_on_from(const Push& push, const PatternView<I>& A, Matching<I> M, I* free, int threads,
             DisplacementRules rules, Budget& budget, Counters& counters, Proof& proof) {
  const double most_left = rules.left_to_peel * A.n;
  I left = push.active();
  I pairs = A.m - push.free_rows();
  bool to_peel = left > most_left && left == push.free_rows();
  rows_to_columns(A, M, threads);
  if (to_peel && left < rules.last_to_search * A.n) {
    rules.most_passes = rules.last_passes;
    const std::int64_t before = counters.augmentations;
    left = search_shortly(A, M, free, left, rules, budget, counters, proof);
    pairs += static_cast<I>(counters.augmentations - before);
    to_peel = left > most_left && left == A.m - pairs;  // else some cannot be matched
  }
  if (to_peel && !budget.stopped() &&
      take_peeled(A, M.row_match, pairs, threads, budget, counters)) {
    rows_to_columns(A, M, threads);
    return list_free(A, M, threads, free);  // what is hopeless now is unknown
  }
  push.mark_hopeless(proof.row_in_cover);
  return left;
}

}  // namespace btfperm
