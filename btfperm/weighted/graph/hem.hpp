// SPDX-License-Identifier: BSD-3-Clause
// hem: heavy-edge matching
//
// Idea        For each unmatched vertex, in natural or in random order, match its heaviest edge to
//             an unmatched neighbour.
// Paper       G. Karypis, V. Kumar, "A fast and high quality multilevel scheme for partitioning
//             irregular graphs", SIAM J. Scientific Computing 20, 1998, section 3.1. M. Birn et
//             al., Euro-Par 2013, section 3, compare it in natural and in random order. Here, if
//             several edges are heaviest, the first one in the list of the vertex is matched
// Cost        O(n + m) for m edges. Workspace: n indices for the order
// Prefer it   if time counts more than weight. The matching is maximal, but its weight has no bound
// Matrices    As an initializer of a matrix (weighted/bipartite_graph.hpp), in natural order, it
//             finds the matching of the initializer greedy
// Options     order (natural): natural or random order of the vertices
#pragma once

#include "weighted/graph/graph.hpp"

namespace btfperm {

template <class I, class Weights = const double*>
void hem(const GraphView<I, Weights>& G, GraphMatching<I> M, const Options& options,
         Workspace& workspace, Budget& budget, GraphCounters& counters) {
  counters.rounds = 1;
  I* const order = workspace.take<I>(G.n());
  order_vertices(G.n(), options.get("order") == 1, options.seed, order, budget);
  for (I k = 0; k < G.n(); ++k) {
    const I v = order[k];
    if (!M.is_unmatched(v)) continue;
    I best = -1;
    double heaviest = 0;
    for (I p = G.A.indptr[v]; p < G.A.indptr[v + 1]; ++p) {
      const I w = G.A.indices[p];
      if (G.weight[p] > heaviest && w != v && M.is_unmatched(w)) {
        best = w;
        heaviest = G.weight[p];
      }
    }
    if (best >= 0) M.match(v, best, counters.rounds);
    spend(G.A.degree(v) + 1, budget, counters);
  }
}

}  // namespace btfperm
