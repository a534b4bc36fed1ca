// SPDX-License-Identifier: BSD-3-Clause
// trim: components of one vertex whose open predecessors are all such components
//
// Idea        As the peel, but in the other direction: vertices without predecessors (sources) are
//             removed, and lists of the successors give the vertices that lose a predecessor.
// Paper       W. McLendon, B. Hendrickson, S. J. Plimpton, L. Rauchwerger, "Finding strongly
//             connected components in distributed graphs", J. Parallel Distrib. Comput. 65 (2005)
// Cost        O(entries)
// Prefer it   before coloring, which may need a round for each vertex of a path
// Encodings   mark = number of predecessors that are open and not removed
// Races       the marks decrease by atomic subtraction; the thread that decreases one to 0 appends
//             the vertex to the queue
#pragma once

#include "dulmage_mendelsohn/fine_square/components.hpp"

namespace btfperm {

// Finds and closes these components among the vertices of `left`. `queue` has an element for each
// of them. Returns false if the budget ended the call.
template <class I>
bool trim(const Components<I>& C, const Successors<I>& successors, const Members<I>& left,
          const Team& team, I* queue, Budget& budget) {
  const auto count = [&](I k) {
    I open = 0;
    const auto entries = C.for_each_predecessor(left[k], [&](I u) { open += C.is_open(u); });
    C.vertices[left[k]].mark = open;
    return entries;
  };
  if (!for_each(left.count, team, budget, count)) return false;
  Frontier<I> sources(queue);
  sources.assign(select(
      left.count, team.threads, queue, [&](I k) { return C.vertices[left[k]].mark == 0; },
      [&](I k) { return left[k]; }, budget));
  const I levels = flood(
      sources, I{0}, team, budget, [&](I v) { successors.fetch_record(v); },
      [&](I v) { successors.fetch_list(v); }, [&](I v) { successors.fetch_targets(v, C.vertices); },
      [&](I v, auto push, auto shared) {
        C.close(v, v);
        return successors.for_each(v, [&](I w) {
          if (count_down(C.vertices[w].mark, shared)) push(w);
        });
      });
  return levels >= 0;
}

}  // namespace btfperm
