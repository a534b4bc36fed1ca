// SPDX-License-Identifier: BSD-3-Clause
// heights: the height of each square block above the sinks
//
// Idea        A height is the number of edges of a longest path to a sink in the graph of the
//             components. The components are processed in the order in which successors are before
//             predecessors. Each component raises the heights of its predecessors, which are the
//             rows of the entries in its columns, to at least its own height plus one. The height
//             of a component is the largest height of its rows.
// Cost        O(entries), one random access each
// Encodings   at the end vertex.height = the height of the block if the vertex is a block of one
//             row; ~b if the vertex is in block b among the blocks of several rows
// Invariants  a component also raises the heights of its own rows, but only after its height was
//             computed from them, so this has no effect
#pragma once

#include "dulmage_mendelsohn/fine_square/vertex.hpp"

namespace btfperm {

// A square block of several rows.
template <class I>
struct Block {
  I size;
  I height;
};

// The square part and the results of the searches. In the end, the heights of `vertices` have the
// encoding above.
template <class I>
struct Square {
  Members<I> rows;
  Members<I> cols;
  Vertex<I>* vertices;  // m
  Block<I>* several;    // blocks of several rows, at most rows / 2
  I n_several;
  I n_blocks;
  I highest;  // the largest height of a block
};

// `order` holds `count` vertices by components, predecessors first; the last vertex of each
// component is stored as ~row. Returns the number of blocks of several rows, which are written to
// `blocks`; -1 if the budget ended the call.
template <class I>
I heights(const PatternView<I>& A, const I* order, I count, Vertex<I>* vertices, Block<I>* blocks,
          Budget& budget) {
  const auto row_at = [order](I k) { return order[k] < 0 ? ~order[k] : order[k]; };
  const auto fetch = [&](I k) {
    if (k >= 16) __builtin_prefetch(vertices + row_at(k - 16));
    if (k >= 8) __builtin_prefetch(A.indices + vertices[row_at(k - 8)].begin);
    if (k >= 4) fetch_targets(A, vertices[row_at(k - 4)], vertices);
  };
  I n_blocks = 0;
  for (I last = count - 1; last >= 0;) {
    I first = last;
    while (first > 0 && order[first - 1] >= 0) --first;
    I height = 0;
    for (I k = first; k <= last; ++k) height = std::max(height, vertices[row_at(k)].height);
    if (first > 0) {  // the first component has no predecessors
      for (I k = last; k >= first; --k) {
        fetch(k);
        const Vertex<I>& v = vertices[row_at(k)];
        for (I p = v.begin; p < v.end; ++p) {
          Vertex<I>& u = vertices[A.indices[p]];
          u.height = std::max<I>(u.height, height + 1);
        }
        if (!budget.spend(v.end - v.begin)) return -1;
      }
    }
    if (first == last) {
      vertices[row_at(first)].height = height;
    } else {
      blocks[n_blocks] = {last - first + 1, height};
      for (I k = first; k <= last; ++k) vertices[row_at(k)].height = ~n_blocks;
      ++n_blocks;
    }
    last = first - 1;
  }
  return n_blocks;
}

}  // namespace btfperm
