// SPDX-License-Identifier: BSD-3-Clause
// minimal_violators: for each independent group, a minimal set of items with too few partners
//
// Idea        The items are the rows of the vertical part, or the columns of the horizontal part.
//             The partners of an item are the columns (rows) in which it has entries. A set of
//             items with fewer partners than items violates Hall's condition, so not all of its
//             items can be matched. The items that alternating paths reach from one unmatched item
//             u are such a set: all their partners are matched to items of the set, and only u is
//             unmatched. The set is minimal: for each item of the set, an alternating path leads to
//             a matching in which this item is unmatched and all others are matched. A group with
//             one item too many is itself this set. In other groups, the sets of several unmatched
//             items are compared, and the smallest is taken. (Finding the smallest violator of a
//             group is NP-hard.)
// Paper       P. Hall, "On representatives of subsets", J. London Math. Soc. 10 (1935). Minimal
//             violators are the circuits of a transversal matroid: J. Edmonds, D. R. Fulkerson,
//             "Transversals and matroid partition", J. Res. NBS 69B (1965). NP-hard: T. F. Coleman,
//             A. Pothen, "The null space problem I", SIAM J. Alg. Disc. Meth. 7 (1986)
// Cost        O(items + partners + entries): at most `passes` + 1 passes over the entries of a
//             group, or one if its excess is 1
// Requires    a maximum matching. That of match_by_degree is best: from its unmatched items, paths
//             reach few items with few entries
// Encodings   mate[i] = j: partner i is matched to item j. starts[g]: the first item of group g
// Invariants  a search stores its number in each partner that it reaches. The first search of a
//             group is always complete, because its set has at most all items of the group
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/pieces.hpp"
#include "backends/cpu/prefetch.hpp"
#include "backends/cpu/workspace.hpp"
#include "diagnosis/items_by_degree.hpp"
#include "pattern/pattern.hpp"

namespace btfperm {

template <class I>
struct Partner {
  I mate;   // the item to which it is matched
  I stamp;  // number of the latest search that has reached it
};

// Column j of `A` lists the partners of item j.
template <class I>
struct Competition {
  PatternView<I> A;
  Partner<I>* partners;  // m
  I* queue;              // n: the items of the latest search
  I* best;               // n: the items of the smallest set of a group so far
  I search = 0;          // number of the latest search
  std::int64_t visited = 0;
};

// Prefetches the memory that the next items of the queue need.
template <class I>
void prefetch_next(const Competition<I>& C, I k, I count) {
  constexpr I boundaries = 16, lists = 8, partners = 4;  // items ahead
  if (k + boundaries < count) prefetch(C.A.indptr + C.queue[k + boundaries]);
  if (k + lists < count) prefetch(C.A.indices + C.A.indptr[C.queue[k + lists]]);
  if (k + partners >= count) return;
  const I j = C.queue[k + partners];
  const I last = std::min(C.A.indptr[j] + 4, C.A.indptr[j + 1]);
  for (I p = C.A.indptr[j]; p < last; ++p) prefetch(C.partners + C.A.indices[p]);
}

// Lists in the queue the items that alternating paths reach from u. Returns their number, or 0 if
// it is more than `most`. Every partner must be matched.
template <class I>
I reach(Competition<I>& C, I u, I most) {
  const I search = ++C.search;
  I count = 1;
  C.queue[0] = u;
  for (I k = 0; k < count; ++k) {
    prefetch_next(C, k, count);
    const I j = C.queue[k];
    C.visited += C.A.degree(j) + 1;
    for (I p = C.A.indptr[j]; p < C.A.indptr[j + 1]; ++p) {
      Partner<I>& partner = C.partners[C.A.indices[p]];
      if (partner.stamp == search) continue;
      if (count == most) return 0;
      if (partner.mate < 0) throw std::invalid_argument("a partner is not matched");
      partner.stamp = search;
      C.queue[count++] = partner.mate;
    }
  }
  return count;
}

// Lists the unmatched items by group, and in each group by ascending degree. Sets `ends[g]` to the
// end of group g in `roots`. Throws if a group has none.
template <class I>
void list_roots(const Competition<I>& C, const I* starts, I n_groups, I* roots, I* ends) {
  Workspace workspace;
  const PatternView<I>& A = C.A;
  I* const group = workspace.take<I>(A.n);  // of the unmatched items; -1: matched
  I* const unmatched = workspace.take<I>(A.n);
  std::fill(group, group + A.n, I{0});
  for (I i = 0; i < A.m; ++i) {
    if (C.partners[i].mate >= 0) group[C.partners[i].mate] = -1;
  }
  I count = 0;
  for (I g = 0; g < n_groups; ++g) {
    ends[g] = count;  // for now, the begin of group g
    for (I j = starts[g]; j < starts[g + 1]; ++j) {
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

// Compares the sets of the roots `first` to `last` - 1 until a limit on visited entries is reached.
// Stores the smallest set in `C.best`, and returns its size. The group has `size` items and
// `entries` entries.
template <class I>
I smallest_set(Competition<I>& C, const I* first, const I* last, I size, std::int64_t entries) {
  constexpr std::int64_t passes = 3;
  const std::int64_t limit = C.visited + passes * (entries + size);
  I found = 0, most = size;  // a later set must be smaller than all earlier ones
  for (const I* u = first; u < last && most > 0 && C.visited < limit; ++u) {
    const I count = reach(C, *u, most);
    if (count == 0) continue;
    std::swap(C.queue, C.best);
    found = count;
    most = count - 1;
  }
  return found;
}

// Sets `in_item` (n) and `in_partner` (m) to 1 for the members of one minimal violator in each
// group, which has the items starts[g] to starts[g + 1] - 1.
template <class I>
void mark_minimal_violators(const PatternView<I>& A, const I* mate, const I* starts, I n_groups,
                            std::uint8_t* in_item, std::uint8_t* in_partner, Budget& budget) {
  Workspace workspace;
  Competition<I> C{A, workspace.take<Partner<I>>(A.m), workspace.take<I>(A.n),
                   workspace.take<I>(A.n)};
  for (I i = 0; i < A.m; ++i) C.partners[i] = {mate[i], 0};
  I* const roots = workspace.take<I>(A.n);
  I* const ends = workspace.take<I>(n_groups);
  list_roots(C, starts, n_groups, roots, ends);
  std::fill(in_item, in_item + A.n, std::uint8_t{0});
  std::fill(in_partner, in_partner + A.m, std::uint8_t{0});
  for (I g = 0; g < n_groups; ++g) {
    const std::int64_t before = C.visited;
    const I count = smallest_set(C, roots + (g == 0 ? 0 : ends[g - 1]), roots + ends[g],
                                 starts[g + 1] - starts[g],
                                 std::int64_t{A.indptr[starts[g + 1]]} - A.indptr[starts[g]]);
    for (I k = 0; k < count; ++k) {
      const I j = C.best[k];
      in_item[j] = 1;
      for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) in_partner[A.indices[p]] = 1;
    }
    if (!budget.spend(C.visited - before)) throw Unfinished();
  }
}

}  // namespace btfperm
