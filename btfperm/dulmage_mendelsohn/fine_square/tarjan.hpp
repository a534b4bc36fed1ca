// SPDX-License-Identifier: BSD-3-Clause
// tarjan: strongly connected components of what the peel left of the square part
//
// Idea        A depth-first search along the predecessors finds the components, predecessors before
//             successors. Once all vertices are seen and the path is known to be one component,
//             nothing is left to learn: the lists are not read to their ends.
// Paper       R. E. Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Computing 1
//             (1972), in the form of D. J. Pearce, "A space-efficient algorithm for finding
//             strongly connected components", Inf. Process. Lett. 116 (2016), where one word serves
//             as visit number, lowest number reached, and sign of the end. Ours: a vertex is one
//             record, what is looked at next is prefetched, and the early end
// Cost        O(entries). Workspace: 5 m words, of which 4 are touched only as deep as the search
//             goes
// Prefer it   with one thread, for long thin graphs, and for what other searches leave
// Encodings   mark: 0 not seen; 1, 2, ... the visit number while on the path, then the lowest
//             number reached while open; `finished` when its component is known. In `order` a row
//             stands as ~row where it is the last one of its component
// Invariants  path and open vertices are disjoint; open numbers never exceed the open vertices
#pragma once

#include "dulmage_mendelsohn/fine_square/vertex.hpp"

namespace btfperm {

template <class I>
struct PathFrame {
  I row;
  I next;
  I end;
  I lowest;
};

// The path is one component: each vertex on it reaches one before it.
template <class I>
bool is_one_component(const Vertex<I>* vertices, const PathFrame<I>* path, I depth) {
  I lowest = path[depth].lowest;
  for (I d = depth; d > 0; --d) {
    lowest = std::min(lowest, path[d].lowest);
    if (lowest >= vertices[path[d].row].mark) return false;
  }
  return true;
}

// Puts the vertices with mark 0, of which there are n_left, into `order`, component by component,
// predecessors first. `path` and `open` have n_left places. False: the budget ended the search.
template <class I>
bool tarjan(const PatternView<I>& A, Vertex<I>* vertices, I n_left, PathFrame<I>* path, I* open,
            I* order, Budget& budget) {
  I number = 1;  // next visit number
  I n_open = 0;
  I n_done = 0;
  I unseen = n_left;
  I until_look = 0;  // steps back before the path is looked at again

  const auto arrive = [&](I row, I depth) {
    Vertex<I>& v = vertices[row];
    path[depth] = {row, v.begin, v.end, number};
    v.mark = number++;
    --unseen;
    fetch_targets(A, v, vertices);
  };

  for (I root = 0; unseen > 0; ++root) {
    if (vertices[root].mark != 0) continue;
    I depth = 0;
    arrive(root, depth);
    while (depth >= 0) {
      PathFrame<I>& top = path[depth];
      I p = top.next;
      I lowest = top.lowest;
      I below = -1;
      for (; p < top.end; ++p) {
        const I i = A.indices[p];
        if (vertices[i].mark == 0) {
          below = i;
          break;
        }
        lowest = std::min(lowest, vertices[i].mark);
      }
      if (!budget.spend(p - top.next + 1)) return false;
      top.lowest = lowest;
      if (below >= 0) {
        top.next = p + 1;
        arrive(below, ++depth);
        continue;
      }
      Vertex<I>& v = vertices[top.row];
      if (lowest < v.mark) {
        v.mark = lowest;
        open[n_open++] = top.row;
      } else {
        for (; n_open > 0 && vertices[open[n_open - 1]].mark >= v.mark; --n_open, --number) {
          vertices[open[n_open - 1]].mark = finished<I>;
          order[n_done++] = open[n_open - 1];
        }
        v.mark = finished<I>;
        order[n_done++] = ~top.row;
        --number;
      }
      if (--depth < 0) break;
      path[depth].lowest = std::min(path[depth].lowest, lowest);
      if (unseen > 0 || --until_look >= 0) continue;
      if (is_one_component(vertices, path, depth)) {
        for (I k = 0; k < n_open; ++k) order[n_done++] = open[k];
        for (I d = depth; d > 0; --d) order[n_done++] = path[d].row;
        order[n_done++] = ~path[0].row;
        return true;
      }
      until_look = depth;
    }
  }
  return true;
}

}  // namespace btfperm
