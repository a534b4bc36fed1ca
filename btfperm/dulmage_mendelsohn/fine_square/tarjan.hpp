// SPDX-License-Identifier: BSD-3-Clause
// tarjan: strongly connected components of the vertices with mark 0, on one thread
//
// Idea        A depth-first search along the predecessors finds the components, predecessors before
//             successors. If all vertices are visited and the vertices on the path of the search
//             are known to be in one component, the search ends: the remaining entries of their
//             lists are not visited.
// Paper       R. E. Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Computing 1
//             (1972), in the form of D. J. Pearce, "A space-efficient algorithm for finding
//             strongly connected components", Inf. Process. Lett. 116 (2016), where one word is in
//             turn the visit number, the lowest number reached, and the mark of a finished vertex.
//             Ours: the record of all data of a vertex, the prefetching, and the early end
// Cost        O(m + entries). Workspace: `path`, used only up to the depth of the search; the open
//             vertices are stored in the elements of `order` that hold no result yet
// Prefer it   with one thread, for long narrow graphs, and for vertices that other searches leave
// Encodings   mark: 0 not visited; 1, 2, ... the visit number, or the lowest number known to be
//             reached from it; `finished` when its component is known. On the path, a row is stored
//             as ~row after it has reached a number lower than its own. In `order`, the last row of
//             each component is stored as ~row
// Invariants  a visited vertex is on the path, open (no longer on the path, but its component is
//             not complete) or finished. Visit numbers are at most the number of vertices that are
//             on the path or open
#pragma once

#include "dulmage_mendelsohn/fine_square/vertex.hpp"

namespace btfperm {

template <class I>
struct PathFrame {
  I place;  // the row, or ~row, see Encodings
  I next;   // the next entry of the list of the row

  bool reaches_lower() const { return place < 0; }
  I row() const { return place < 0 ? ~place : place; }
};

// Whether all vertices on the path are in one component: each of them, except the first one, must
// reach a vertex that is before it on the path, by itself or through later vertices of the path.
template <class I>
bool is_one_component(const Vertex<I>* vertices, const PathFrame<I>* path, I depth) {
  I lowest = std::numeric_limits<I>::max();
  for (I d = depth; d > 0; --d) {
    const I mark = vertices[path[d].row()].mark;
    if (!path[d].reaches_lower() && lowest >= mark) return false;
    lowest = std::min(lowest, mark);
  }
  return true;
}

// Writes the n_left vertices with mark 0 to `order`, component by component, predecessors first.
// `path` and `order` have n_left elements. Returns false if the budget ended the search.
template <class I>
bool tarjan(const PatternView<I>& A, Vertex<I>* vertices, I n_left, PathFrame<I>* path, I* order,
            Budget& budget) {
  I number = 1;     // next visit number
  I open = n_left;  // the open vertices are order[open ... n_left - 1], the latest one first
  I n_done = 0;
  I unseen = n_left;
  I until_test = 0;  // number of backtracking steps before the path is tested again

  const auto arrive = [&](I row, I depth) {
    Vertex<I>& v = vertices[row];
    path[depth] = {row, v.begin};
    v.mark = number++;
    --unseen;
    fetch_targets(A, v, vertices);
  };

  const auto note_reached = [](PathFrame<I>& frame, Vertex<I>& v, I lowest) {
    if (lowest >= v.mark) return;
    v.mark = lowest;
    frame.place = ~frame.row();
  };

  for (I root = 0; unseen > 0; ++root) {
    if (vertices[root].mark != 0) continue;
    I depth = 0;
    arrive(root, depth);
    while (depth >= 0) {
      PathFrame<I>& top = path[depth];
      const I row = top.row();
      Vertex<I>& v = vertices[row];
      I p = top.next;
      const I end = v.end;
      I lowest = v.mark;
      I below = -1;
      for (; p < end; ++p) {
        const I i = A.indices[p];
        if (vertices[i].mark == 0) {
          below = i;
          break;
        }
        lowest = std::min(lowest, vertices[i].mark);
      }
      if (!budget.spend(p - top.next + 1)) return false;
      note_reached(top, v, lowest);
      if (below >= 0) {
        top.next = p + 1;
        arrive(below, ++depth);
        continue;
      }
      if (depth > 1) __builtin_prefetch(vertices + path[depth - 2].row(), 1);
      if (top.reaches_lower()) {
        order[--open] = row;
      } else {
        for (; open < n_left && vertices[order[open]].mark >= v.mark; ++open, --number) {
          vertices[order[open]].mark = finished<I>;
          order[n_done++] = order[open];
        }
        v.mark = finished<I>;
        order[n_done++] = ~row;
        --number;
      }
      if (--depth < 0) break;
      note_reached(path[depth], vertices[path[depth].row()], lowest);
      if (unseen > 0 || --until_test >= 0) continue;
      if (is_one_component(vertices, path, depth)) {
        for (; open < n_left; ++open) order[n_done++] = order[open];
        for (I d = depth; d > 0; --d) order[n_done++] = path[d].row();
        order[n_done++] = ~path[0].row();
        return true;
      }
      until_test = depth;
    }
  }
  return true;
}

}  // namespace btfperm
