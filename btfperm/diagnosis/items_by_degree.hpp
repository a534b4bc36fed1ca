// SPDX-License-Identifier: BSD-3-Clause
// items_by_degree: a matching in which items with few entries have priority
//
// Idea        Each item in turn, by ascending degree, searches breadth-first for an unmatched
//             partner; a matched item stays matched. So the unmatched items are those that depend
//             on items of at most their own degree, and minimal violators of few short items are
//             not hidden behind long ones. This is the greedy algorithm for a basis of least
//             weight in the transversal matroid
// Paper       J. Edmonds, "Matroids and the greedy algorithm", Math. Programming 1 (1971)
// Cost        O(items * entries) in the worst case, so the caller limits the work. Sorting by
//             degree takes O(items + partners)
// Encodings   item_match[j] = i, partner_match[i] = j: matched, or -1
#pragma once

#include <algorithm>
#include <limits>

#include "pattern/pattern.hpp"
#include "transversal/augmenting/ss_bfs.hpp"
#include "transversal/interface.hpp"

namespace btfperm {

// All items by ascending degree, ties by number. `places` has m + 2 elements of workspace.
template <class I>
void sort_by_degree(const PatternView<I>& A, I* items, I* places) {
  std::fill(places, places + A.m + 2, I{0});
  for (I j = 0; j < A.n; ++j) ++places[A.degree(j) + 1];
  for (I d = 0; d <= A.m; ++d) places[d + 1] += places[d];
  for (I j = 0; j < A.n; ++j) items[places[A.degree(j)]++] = j;
}

// Extends an empty matching until all items have searched, or the budget ends it. The matching is
// legal in any case.
template <class I>
void match_by_degree(const PatternView<I>& A, Matching<I> M, Budget& budget) {
  Workspace workspace;
  Counters counters;
  I* const items = workspace.take<I>(A.n);
  sort_by_degree(A, items, workspace.take<I>(static_cast<std::size_t>(A.m) + 2));
  SsBfs<I> searches(A, M, workspace, budget, counters);
  for (I k = 0; k < A.n && !budget.stopped(); ++k) {
    searches.search(items[k], std::numeric_limits<std::int64_t>::max());
  }
}

}  // namespace btfperm
