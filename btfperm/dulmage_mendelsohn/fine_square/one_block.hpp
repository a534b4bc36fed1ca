// SPDX-License-Identifier: BSD-3-Clause
// one block: whether the whole square part is one strongly connected component
//
// Idea        A breadth-first search from a pivot along the predecessors finds the vertices that
//             reach the pivot. The pivot reaches a vertex v if it reaches a predecessor of v. In a
//             nearly symmetric pattern, one predecessor of v is usually known to be reached when
//             the search processes v. Otherwise v is called late. Sweeps then test the late
//             vertices again, as long as each sweep finds a reached predecessor for more than an
//             eighth of them. Some tests during the search stop it without a result if more than
//             half of the processed vertices are late.
// Paper       ours; forward-backward in which the lists of the predecessors serve both directions
// Cost        O(entries), and the sweeps. Workspace: m + 1 words, m bytes
// Prefer it   if there are no sources, before tarjan
// Encodings   reached[v]: 0 v is not visited; 1 v reaches the pivot; 3 the pivot also reaches v
// Invariants  for each v with reached[v] = 3, there is a path from the pivot to v through vertices
//             u with reached[u] = 3
#pragma once

#include "backends/cpu/workspace.hpp"
#include "dulmage_mendelsohn/fine_square/vertex.hpp"

namespace btfperm {

// Sweeps over the vertices of late[0 ... count - 1], forwards and backwards in turn, while each
// sweep finds a predecessor with reached = 3 for more than an eighth of them. The vertices without
// such a predecessor remain in `late`. Returns their number; -1 if the budget ended the search.
template <class I>
I sweep_late(const PatternView<I>& A, const Vertex<I>* vertices, std::uint8_t* reached, I* late,
             I count, Budget& budget) {
  for (bool has_progress = true; count > 0 && has_progress;) {
    const I before = count;
    count = 0;
    for (I k = 0; k < before; ++k) {
      const Vertex<I>& v = vertices[late[k]];
      std::uint8_t seen = 0;
      for (I p = v.begin; p < v.end; ++p) seen |= reached[A.indices[p]];
      reached[late[k]] |= seen & 2;
      late[count] = late[k];
      count += (seen & 2) == 0;
      if (!budget.spend(v.end - v.begin)) return -1;
    }
    std::reverse(late, late + count);
    has_progress = count < before - before / 8;
  }
  return count;
}

// The vertices must be all rows, 0 ... count - 1. Returns true if they are known to be one
// component; `order` (count + 1 elements) then holds them. Returns false if they are not one
// component, or if the test found no result, or if the budget ended the call.
template <class I>
bool is_one_block(const PatternView<I>& A, const Vertex<I>* vertices, I count, I* order,
                  Budget& budget) {
  Workspace workspace;
  std::uint8_t* reached = workspace.take<std::uint8_t>(count);
  I* late = workspace.take<I>(static_cast<std::size_t>(count) + 1);
  std::fill(reached, reached + count, std::uint8_t{0});
  I pivot = 0;
  for (I i = 1; i < count; ++i) {
    if (vertices[i].end - vertices[i].begin > vertices[pivot].end - vertices[pivot].begin) {
      pivot = i;
    }
  }
  order[0] = pivot;
  reached[pivot] = 3;
  I tail = 1;
  I n_late = 0;
  I next_test = std::min<I>(count, 1024);
  for (I head = 0; head < tail; ++head) {
    if (head == next_test) {
      if (n_late > head / 2) return false;
      next_test = head > count / 2 ? count : 2 * head;
    }
    if (head + 16 < tail) __builtin_prefetch(vertices + order[head + 16]);
    if (head + 8 < tail) __builtin_prefetch(A.indices + vertices[order[head + 8]].begin);
    const I row = order[head];
    const Vertex<I>& v = vertices[row];
    I p = v.begin;
    std::uint8_t seen = 0;
    if (tail < count) {
      for (; p < v.end; ++p) {  // without a branch, which the processor could not predict
        const I u = A.indices[p];
        const std::uint8_t known = reached[u];
        order[tail] = u;
        tail += known == 0;
        seen |= known;
        reached[u] = known | 1;
      }
    } else {
      while (p < v.end && seen < 2) seen |= reached[A.indices[p++]];
    }
    reached[row] |= seen & 2;
    late[n_late] = row;
    n_late += reached[row] != 3;
    if (!budget.spend(p - v.begin + 1)) return false;
  }
  return tail == count && sweep_late(A, vertices, reached, late, n_late, budget) == 0;
}

}  // namespace btfperm
