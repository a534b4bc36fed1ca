// SPDX-License-Identifier: BSD-3-Clause
// items_by_degree: a matching in which items with few entries have priority
//
// Idea        Each item in turn, by ascending degree, searches breadth-first for an unmatched
//             partner; a matched item stays matched. So, unless searches are abandoned, an item
//             remains unmatched only if it forms a Hall violator with items of at most its own
//             degree. Minimal violators of few items with few entries are found from such items.
//             This is the greedy algorithm for a basis of least weight in the transversal matroid
// Paper       J. Edmonds, "Matroids and the greedy algorithm", Math. Programming 1 (1971)
// Cost        one pass over the entries. For each item without an unmatched partner, a search
//             visits at most 512 entries and one more list. The budget limits the sum. Items whose
//             search is abandoned stay unmatched. The memory of the next items is prefetched
// Encodings   items are columns and partners are rows: col_match[j] = i and row_match[i] = j if
//             item j is matched to partner i; -1: unmatched
#pragma once

#include <algorithm>
#include <numeric>

#include "backends/cpu/pieces.hpp"
#include "backends/cpu/prefetch.hpp"
#include "pattern/pattern.hpp"
#include "transversal/augmenting/ss_bfs.hpp"
#include "transversal/interface.hpp"

namespace btfperm {

// Sorts items by ascending degree. Items of equal degree keep their order.
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

// Matches item j to its first unmatched partner, as a search would. False: it has none.
template <class I>
bool match_directly(const PatternView<I>& A, I j, Matching<I> M) {
  for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
    const I i = A.indices[p];
    if (M.row_match[i] >= 0) continue;
    M.row_match[i] = j;
    M.col_match[j] = i;
    return true;
  }
  return false;
}

// Prefetches the lists of the next items, and the mates of their first partners.
template <class I>
void prefetch_items(const PatternView<I>& A, const I* next, I left, const I* row_match) {
  constexpr I boundaries = 48, lists = 32, mates = 16;  // items ahead
  if (left > boundaries) prefetch(A.indptr + next[boundaries]);
  if (left > lists) prefetch(A.indices + A.indptr[next[lists]]);
  if (left <= mates) return;
  const I first = A.indptr[next[mates]];
  const I last = std::min(first + 4, A.indptr[next[mates] + 1]);
  for (I p = first; p < last; ++p) prefetch(row_match + A.indices[p]);
}

// Extends an empty matching until all items have searched, or the budget ends. The matching is
// always legal. Column j of `A` lists the partners of item j.
template <class I>
void match_by_degree(const PatternView<I>& A, Matching<I> M, Budget& budget) {
  constexpr std::int64_t longest = 512;  // a search is abandoned after this number of entries
  Workspace workspace;
  Counters counters;
  I* const items = workspace.take<I>(A.n);
  std::iota(items, items + A.n, I{0});
  I* const sorted = workspace.take<I>(A.n);
  sort_by_degree(A, items, A.n, sorted);
  SsBfs<I> searches(A, M, workspace, budget, counters);
  for (I first = 0; first < A.n && budget.poll();) {
    const I last = end_of_piece(first, A.n);
    for (; first < last && !budget.stopped(); ++first) {
      prefetch_items(A, sorted + first, A.n - first, M.row_match);
      const I j = sorted[first];
      if (!match_directly(A, j, M) && M.col_match[j] < 0) searches.search(j, longest);
    }
  }
}

}  // namespace btfperm
