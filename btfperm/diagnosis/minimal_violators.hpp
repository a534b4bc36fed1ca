// SPDX-License-Identifier: BSD-3-Clause
// minimal_violators: for each independent group, items that together compete for too few partners
//
// Idea        The items are the rows of the vertical part, or the columns of the horizontal part;
//             partners are the others. A set of items with fewer partners than items violates
//             Hall's condition. The items that alternating paths reach from one unmatched item u
//             are such a set: all their partners are matched to items of the set, and only u is
//             not matched. The set is minimal: an alternating path exchanges u for any item of the
//             set, so without that item all others are matched. A group with one item too many is
//             itself this set. In other groups, the sets of several unmatched items are compared,
//             and the smallest is taken. (The smallest violator of all is NP-hard to find.)
// Paper       P. Hall, "On representatives of subsets", J. London Math. Soc. 10 (1935). Minimal
//             violators are the circuits of a transversal matroid: J. Edmonds, D. R. Fulkerson,
//             "Transversals and matroid partition", J. Res. NBS 69B (1965). NP-hard: T. F. Coleman,
//             A. Pothen, "The null space problem I", SIAM J. Alg. Disc. Meth. 7 (1986)
// Cost        O(items + partners + entries): a group gets `passes` passes over its entries
// Prefer it   with a matching of match_by_degree, which leaves sets of few short items to be found
// Encodings   mate[i] = j: partner i is matched to item j; -1: partner i is in no group
// Invariants  a search stamps the partners that it has reached with its own number
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/pieces.hpp"
#include "backends/cpu/workspace.hpp"
#include "diagnosis/items_by_degree.hpp"
#include "pattern/pattern.hpp"

namespace btfperm {

// Column j of `A` lists the partners of item j.
template <class I>
struct Competition {
  PatternView<I> A;
  const I* mate;  // m
  I* stamp;       // m
  I* queue;       // n
  I search = 0;   // number of the latest search
  std::int64_t visited = 0;
};

// The number of items that alternating paths reach from u, listed in the queue; 0 if they are more
// than `most`. Every partner must be matched.
template <class I>
I reach(Competition<I>& C, I u, I most) {
  const I search = ++C.search;
  I count = 1;
  C.queue[0] = u;
  for (I k = 0; k < count; ++k) {
    const I j = C.queue[k];
    C.visited += C.A.degree(j) + 1;
    for (I p = C.A.indptr[j]; p < C.A.indptr[j + 1]; ++p) {
      const I i = C.A.indices[p];
      if (C.stamp[i] == search) continue;
      if (count == most) return 0;
      if (C.mate[i] < 0) throw std::invalid_argument("a partner is not matched");
      C.stamp[i] = search;
      C.queue[count++] = C.mate[i];
    }
  }
  return count;
}

// Lists the unmatched items by group, and in each group by ascending degree. Sets `ends[g]` to the
// end of group g in `roots`. Throws if a group has none.
template <class I>
void list_roots(const Competition<I>& C, const I* items, const I* starts, I n_groups, I* roots,
                I* ends) {
  Workspace workspace;
  const PatternView<I>& A = C.A;
  I* const group = workspace.take<I>(A.n);  // of the unmatched items; -1: matched
  I* const unmatched = workspace.take<I>(static_cast<std::size_t>(starts[n_groups]));
  std::fill(group, group + A.n, I{0});
  for (I i = 0; i < A.m; ++i) {
    if (C.mate[i] >= 0) group[C.mate[i]] = -1;
  }
  I count = 0;
  for (I g = 0; g < n_groups; ++g) {
    ends[g] = count;  // its beginning, until the items are listed
    for (I k = starts[g]; k < starts[g + 1]; ++k) {
      const I j = items[k];
      if (group[j] < 0) continue;
      group[j] = g;
      unmatched[count++] = j;
    }
    if (count == ends[g]) throw std::invalid_argument("a group has no unmatched item");
  }
  I* const sorted = workspace.take<I>(count);
  sort_by_degree(A, unmatched, count, sorted);
  for (I k = 0; k < count; ++k) roots[ends[group[sorted[k]]]++] = sorted[k];
}

// The root in `first`..`last`-1 with the smallest set of those compared. The group has `size` items
// and `entries` entries.
template <class I>
I smallest_root(Competition<I>& C, const I* first, const I* last, I size, std::int64_t entries) {
  constexpr std::int64_t passes = 4;
  const std::int64_t limit = C.visited + passes * (entries + size);
  I best = *first, most = size;
  for (const I* u = first; u < last && most > 0 && C.visited < limit; ++u) {
    const I count = reach(C, *u, most);
    if (count == 0) continue;
    best = *u;
    most = count - 1;  // another set must be smaller
  }
  return best;
}

// Sets `in_item` (n) and `in_partner` (m) to 1 for the members of one minimal violator in each
// group. Group g has the items `items[starts[g]]` to `items[starts[g + 1] - 1]`.
template <class I>
void mark_minimal_violators(const PatternView<I>& A, const I* mate, const I* items, const I* starts,
                            I n_groups, std::uint8_t* in_item, std::uint8_t* in_partner,
                            Budget& budget) {
  Workspace workspace;
  Competition<I> C{A, mate, workspace.take<I>(A.m), workspace.take<I>(A.n)};
  I* const roots = workspace.take<I>(static_cast<std::size_t>(starts[n_groups]));
  I* const ends = workspace.take<I>(n_groups);
  list_roots(C, items, starts, n_groups, roots, ends);
  std::fill(C.stamp, C.stamp + A.m, I{0});
  std::fill(in_item, in_item + A.n, std::uint8_t{0});
  std::fill(in_partner, in_partner + A.m, std::uint8_t{0});
  for (I g = 0; g < n_groups; ++g) {
    const std::int64_t before = C.visited;
    std::int64_t entries = 0;
    for (I k = starts[g]; k < starts[g + 1]; ++k) entries += A.degree(items[k]);
    const I root = smallest_root(C, roots + (g == 0 ? 0 : ends[g - 1]), roots + ends[g],
                                 starts[g + 1] - starts[g], entries);
    const I count = reach(C, root, A.n);
    for (I k = 0; k < count; ++k) {
      const I j = C.queue[k];
      in_item[j] = 1;
      for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) in_partner[A.indices[p]] = 1;
    }
    if (!budget.spend(C.visited - before)) throw Unfinished();
  }
}

}  // namespace btfperm
