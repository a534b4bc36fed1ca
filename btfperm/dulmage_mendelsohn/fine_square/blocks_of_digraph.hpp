// SPDX-License-Identifier: BSD-3-Clause
// blocks of a digraph: completes a search that started on a GPU or over ranks
//
// Idea        The predecessors of a vertex are stored like the row indices of a column, so `tarjan`
//             and `heights` can use them. The earlier search gives a lower bound on the height of
//             each vertex.
// Cost        O(n + edges); workspace about 9 n words
#pragma once

#include <algorithm>

#include "backends/cpu/workspace.hpp"
#include "dulmage_mendelsohn/fine_square/heights.hpp"
#include "dulmage_mendelsohn/fine_square/tarjan.hpp"

namespace btfperm {

// Sets name[v] to one member of the block of v, the same for all members, and height[v] to the
// height of the block. Before the call, height[v] is a lower bound on it. Returns false if the
// budget ended the search.
template <class I>
bool blocks_of_digraph(const PatternView<I>& predecessors, I* height, I* name, Budget& budget) {
  const I n = predecessors.n;
  Workspace workspace;
  Vertex<I>* vertices = workspace.take<Vertex<I>>(n);
  PathFrame<I>* path = workspace.take<PathFrame<I>>(n);
  I* order = workspace.take<I>(n);
  Block<I>* several = workspace.take<Block<I>>(n);
  for (I v = 0; v < n; ++v) {
    vertices[v] = {predecessors.indptr[v], predecessors.indptr[v + 1], 0, height[v]};
  }
  if (!tarjan(predecessors, vertices, n, path, order, budget)) return false;
  if (heights(predecessors, order, n, vertices, several, budget) < 0) return false;
  I last = 0;
  for (I k = n; k-- > 0;) {  // the last vertex v of each component is stored as ~v
    const I v = order[k] < 0 ? ~order[k] : order[k];
    if (order[k] < 0) last = v;
    name[v] = last;
    const I own = vertices[v].height;
    height[v] = own < 0 ? several[~own].height : own;
  }
  return true;
}

}  // namespace btfperm
