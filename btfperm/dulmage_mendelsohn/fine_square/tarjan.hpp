// SPDX-License-Identifier: BSD-3-Clause
// tarjan: strongly connected components of the square part, and their heights
//
// Idea        A vertex is a matched pair, named by its column. Its column list leads, through the
//             matching, to its predecessors: so a depth-first search over column lists alone finds
//             the components, predecessors before successors. Going through them backwards, each
//             component hands its height on to its predecessors.
// Paper       R. E. Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Computing 1
//             (1972), in the one-array form of D. J. Pearce, "A space-efficient algorithm for
//             finding strongly connected components", Inf. Process. Lett. 116 (2016), figure 5
// Cost        O(nnz). Workspace: 3 n, and n bytes
// Encodings   visit[v]: 0 not seen; 1, 2, ... while open, the smallest visit number it can go back
//             to; when its component is finished, that component's number, counted down from n + 1,
//             which is larger than every open visit number. Vertices outside the square part start
//             as finished.
// Invariants  the vertices of the path (growing from the left of `stack`) and the open vertices
//             whose search is over (growing from its right) are disjoint, so n places are enough
#pragma once

#include <algorithm>

#include "dulmage_mendelsohn/coarse.hpp"

namespace btfperm {

// component[j] of each square column, numbered so that predecessors come first; -1 elsewhere.
// Returns the number of components; -1 when the budget ended the search.
template <class I>
I tarjan(const PatternView<I>& A, const I* row_match, const std::uint8_t* col_part, I* component,
         I* next, I* stack, std::uint8_t* is_root, Budget& budget) {
  I* visit = component;
  const I finished = A.n + 2;
  for (I j = 0; j < A.n; ++j) visit[j] = col_part[j] == square ? I{0} : finished;
  I number = 1;       // next visit number
  I label = A.n + 1;  // number of the next component, falling
  I open = A.n;       // stack[open ...]: open vertices whose search is over

  for (I root = 0; root < A.n; ++root) {
    if (visit[root] != 0) continue;
    I depth = 0;
    stack[0] = root;
    visit[root] = number++;
    next[root] = A.indptr[root];
    is_root[root] = 1;
    while (depth >= 0) {
      const I v = stack[depth];
      I p = next[v];
      const I end = A.indptr[v + 1];
      I smallest = visit[v];
      I below = -1;
      for (; p < end; ++p) {
        const I u = row_match[A.indices[p]];
        if (u < 0) continue;
        if (visit[u] == 0) {
          below = u;  // and look at it again when its search is over
          break;
        }
        smallest = std::min(smallest, visit[u]);
      }
      if (!budget.spend(p - next[v] + 1)) return -1;
      next[v] = p;
      if (smallest < visit[v]) {
        visit[v] = smallest;
        is_root[v] = 0;
      }
      if (below >= 0) {
        stack[++depth] = below;
        visit[below] = number++;
        next[below] = A.indptr[below];
        is_root[below] = 1;
        continue;
      }
      --depth;
      if (!is_root[v]) {
        stack[--open] = v;
        continue;
      }
      --number;
      while (open < A.n && visit[stack[open]] >= visit[v]) {
        visit[stack[open++]] = label;
        --number;
      }
      visit[v] = label--;
    }
  }
  for (I j = 0; j < A.n; ++j) {
    component[j] = visit[j] == finished ? I{-1} : A.n + 1 - visit[j];
  }
  return A.n + 1 - label;
}

// height[c] = 0 when component c has no successor, else 1 + the largest height of a successor.
// `start` (n_components + 1) and `members` (n) are workspace. False: the budget ended it.
template <class I>
bool heights(const PatternView<I>& A, const I* row_match, const I* component, I n_components,
             I* height, I* start, I* members, Budget& budget) {
  std::fill(height, height + n_components, I{0});
  if (n_components <= 1) return true;
  std::fill(start, start + n_components + 1, I{0});
  for (I j = 0; j < A.n; ++j) {
    if (component[j] >= 0) ++start[component[j]];
  }
  for (I c = 1; c <= n_components; ++c) start[c] += start[c - 1];
  for (I j = A.n; j-- > 0;) {
    if (component[j] >= 0) members[--start[component[j]]] = j;
  }
  for (I c = n_components; c-- > 0;) {
    const I above = height[c] + 1;
    I read = 0;
    for (I k = start[c]; k < start[c + 1]; ++k) {
      const I j = members[k];
      read += A.degree(j);
      for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
        const I u = row_match[A.indices[p]];
        if (u < 0) continue;
        const I other = component[u];
        if (other >= 0 && other != c && height[other] < above) height[other] = above;
      }
    }
    if (!budget.spend(read)) return false;
  }
  return true;
}

}  // namespace btfperm
