// SPDX-License-Identifier: BSD-3-Clause
// items_by_degree: a matching in which items with few entries have priority
//
// Idea        Each item in turn, by ascending degree, searches breadth-first for an unmatched
//             partner; a matched item stays matched. So the unmatched items are those that depend
//             on items of at most their own degree, and minimal violators of few short items are
//             not hidden behind long ones. This is the greedy algorithm for a basis of least
//             weight in the transversal matroid
// Paper       J. Edmonds, "Matroids and the greedy algorithm", Math. Programming 1 (1971)
// Cost        a bounded number of entries for each item, and the caller limits their sum. Items
//             whose search is abandoned stay unmatched
// Encodings   item_match[j] = i, partner_match[i] = j: matched, or -1
#pragma once

#include <algorithm>

#include "pattern/pattern.hpp"
#include "transversal/augmenting/ss_bfs.hpp"
#include "transversal/interface.hpp"

namespace btfperm {

// The items by ascending degree, ties as they are listed.
template <class I>
void sort_by_degree(const PatternView<I>& A, const I* items, I count, I* sorted) {
  Workspace workspace;
  I most = 0;
  for (I k = 0; k < count; ++k) most = std::max(most, A.degree(items[k]));
  const std::size_t degrees = static_cast<std::size_t>(most) + 2;
  I* const places = workspace.take<I>(degrees);
  std::fill(places, places + degrees, I{0});
  for (I k = 0; k < count; ++k) ++places[A.degree(items[k]) + 1];
  for (I d = 0; d <= most; ++d) places[d + 1] += places[d];
  for (I k = 0; k < count; ++k) sorted[places[A.degree(items[k])]++] = items[k];
}

// Extends an empty matching until all items have searched, or the budget ends it. The matching is
// legal in any case.
template <class I>
void match_by_degree(const PatternView<I>& A, const I* items, I count, Matching<I> M,
                     Budget& budget) {
  constexpr std::int64_t longest = 512;  // entries that one search visits; then it is abandoned
  Workspace workspace;
  Counters counters;
  I* const sorted = workspace.take<I>(count);
  sort_by_degree(A, items, count, sorted);
  SsBfs<I> searches(A, M, workspace, budget, counters);
  for (I k = 0; k < count && !budget.stopped(); ++k) {
    if (M.col_match[sorted[k]] < 0) searches.search(sorted[k], longest);
  }
}

}  // namespace btfperm
