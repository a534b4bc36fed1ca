// SPDX-License-Identifier: BSD-3-Clause
// tarjan: strongly connected components of the square part, and their heights
//
// Idea        A vertex is a matched pair, named by its row. The list of its column holds the rows
//             of its predecessors: so a depth-first search over column lists alone, without looking
//             at the matching again, finds the components, predecessors before successors. Going
//             through them backwards, each component hands its height on to its predecessors.
// Paper       R. E. Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Computing 1
//             (1972), in the form of D. J. Pearce, "A space-efficient algorithm for finding
//             strongly connected components", Inf. Process. Lett. 116 (2016), where one word serves
//             as visit number, lowest number reached, and component. Ours is that a list's bounds
//             wait in a table by rows, so that going down costs two cache misses, and that what is
//             looked at next is prefetched
// Cost        O(nnz). Workspace: 7 m words, of which 4 are touched only as deep as the search goes
// Encodings   visit[i]: 0 not seen; 1, 2, ... the visit number while on the path, then the lowest
//             number reached while open; when its component is finished, that component's number,
//             counted down from m + 1, which is larger than every open number. Rows outside the
//             square part start as finished.
// Invariants  path and open vertices are disjoint; open numbers never exceed the open vertices
#pragma once

#include <algorithm>

#include "dulmage_mendelsohn/coarse.hpp"

namespace btfperm {

// Where the list of the column matched to each row lies; rows outside the square part have none.
template <class I>
struct ListOf {
  I begin;
  I end;
};

template <class I>
struct PathFrame {
  I row;
  I next;
  I end;
  I lowest;
};

template <class I>
void list_bounds(const PatternView<I>& A, const I* col_match, const std::uint8_t* col_part,
                 ListOf<I>* lists) {
  for (I j = 0; j < A.n; ++j) {
    if (col_part[j] == square) lists[col_match[j]] = {A.indptr[j], A.indptr[j + 1]};
  }
}

// component[i] of each square row, numbered so that predecessors come first; -1 elsewhere. `path`
// and `open` have m places. Returns the number of components; -1: the budget ended the search.
template <class I>
I tarjan(const PatternView<I>& A, const ListOf<I>* lists, const std::uint8_t* row_part,
         I* component, PathFrame<I>* path, I* open, Budget& budget) {
  constexpr I prefetched = 8;  // entries of a list whose visit words are fetched on arrival
  I* visit = component;
  const I outside = A.m + 2;
  for (I i = 0; i < A.m; ++i) visit[i] = row_part[i] == square ? I{0} : outside;
  I number = 1;       // next visit number
  I label = A.m + 1;  // of the next component, falling
  I n_open = 0;

  const auto arrive = [&](I row, I depth) {
    const ListOf<I> list = lists[row];
    path[depth] = {row, list.begin, list.end, number};
    visit[row] = number++;
    const I fetch = std::min<I>(list.end, list.begin + prefetched);
    for (I p = list.begin; p < fetch; ++p) __builtin_prefetch(visit + A.indices[p]);
  };

  for (I root = 0; root < A.m; ++root) {
    if (visit[root] != 0) continue;
    I depth = 0;
    arrive(root, depth);
    while (depth >= 0) {
      PathFrame<I>& top = path[depth];
      I p = top.next;
      I lowest = top.lowest;
      I below = -1;
      for (; p < top.end; ++p) {
        const I i = A.indices[p];
        if (visit[i] == 0) {
          below = i;
          break;
        }
        lowest = std::min(lowest, visit[i]);
      }
      if (!budget.spend(p - top.next + 1)) return -1;
      top.lowest = lowest;
      if (below >= 0) {
        top.next = p + 1;
        arrive(below, ++depth);
        continue;
      }
      const I own = visit[top.row];
      if (lowest < own) {
        visit[top.row] = lowest;
        open[n_open++] = top.row;
      } else {
        visit[top.row] = label;
        --number;
        while (n_open > 0 && visit[open[n_open - 1]] >= own) {
          visit[open[--n_open]] = label;
          --number;
        }
        --label;
      }
      if (--depth >= 0) path[depth].lowest = std::min(path[depth].lowest, lowest);
    }
  }
  for (I i = 0; i < A.m; ++i) component[i] = visit[i] == outside ? I{-1} : A.m + 1 - visit[i];
  return A.m + 1 - label;
}

// height[c] = 0 when component c has no successor, else 1 + the largest height of a successor.
// `start` (n_components + 1) and `members` (m) are workspace. False: the budget ended it.
template <class I>
bool heights(const PatternView<I>& A, const ListOf<I>* lists, const I* component, I n_components,
             I* height, I* start, I* members, Budget& budget) {
  std::fill(height, height + n_components, I{0});
  if (n_components <= 1) return true;
  std::fill(start, start + n_components + 1, I{0});
  I count = 0;
  for (I i = 0; i < A.m; ++i) {
    if (component[i] < 0) continue;
    ++start[component[i]];
    ++count;
  }
  for (I c = 1; c <= n_components; ++c) start[c] += start[c - 1];
  for (I i = A.m; i-- > 0;) {
    if (component[i] >= 0) members[--start[component[i]]] = i;
  }
  const auto fetch = [&](I k) {  // what members[k], some steps ahead, will need
    if (k >= 16) __builtin_prefetch(lists + members[k - 16]);
    if (k >= 8) __builtin_prefetch(A.indices + lists[members[k - 8]].begin);
    if (k < 4) return;
    const ListOf<I> list = lists[members[k - 4]];
    const I end = std::min<I>(list.end, list.begin + 8);
    for (I p = list.begin; p < end; ++p) __builtin_prefetch(component + A.indices[p]);
  };
  I c = n_components - 1;
  for (I k = count; k-- > 0;) {
    while (k < start[c]) --c;
    fetch(k);
    const I above = height[c] + 1;
    const ListOf<I> list = lists[members[k]];
    for (I p = list.begin; p < list.end; ++p) {
      const I other = component[A.indices[p]];
      if (other >= 0 && other != c && height[other] < above) height[other] = above;
    }
    if (!budget.spend(list.end - list.begin)) return false;
  }
  return true;
}

}  // namespace btfperm
