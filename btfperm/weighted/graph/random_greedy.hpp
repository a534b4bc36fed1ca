// SPDX-License-Identifier: BSD-3-Clause
// random-greedy: match vertices in random order
//
// Idea        Take the vertices in random order. Match each unmatched vertex to an unmatched
//             neighbour: any one (random matching), or the one with the heaviest edge (weighted
//             matching).
// Paper       B. O. Fagginger Auer, R. H. Bisseling, "A GPU algorithm for greedy graph matching",
//             Facing the Multicore-Challenge II, 2012: algorithm 1 with both forms of select.
//             Changed: the paper renumbers the vertices at random before it starts, so the first
//             suitable neighbour of a list is a random one. Here the vertices keep their numbers:
//             they are visited in a random order, and select starts from a random place of the
//             list. order=natural and place=first are the algorithm of the paper if the caller has
//             renumbered the vertices
// Cost        O(n + m) for m edges. Workspace: n indices for the order
// Prefer it   for comparison with red-blue
// Matrices    As an initializer of a matrix (weighted/bipartite_graph.hpp), all weights are 1, so
//             both forms of select take the same neighbour
// Options     select (random): random or weighted; order (random): random or natural order of the
//             vertices; place (random): random or first. All only for graphs
#pragma once

#include "weighted/graph/graph.hpp"

namespace btfperm {

template <class I, class Weights>
void match_vertices(const GraphView<I, Weights>& G, GraphMatching<I> M, Select how,
                    bool random_order, std::uint64_t seed, Workspace& workspace, Budget& budget,
                    GraphCounters& counters) {
  counters.rounds = 1;
  const std::uint64_t draw = mixed(seed);
  I* const order = workspace.take<I>(G.n());
  order_vertices(G.n(), random_order, seed, order, budget);
  for (I k = 0; k < G.n(); ++k) {
    const I v = order[k];
    if (!M.is_unmatched(v)) continue;
    std::int64_t visited = 1;
    const auto suits = [&M](I w) { return M.is_unmatched(w); };
    const I w = select_neighbour(G, v, how, draw, suits, visited);
    if (w >= 0) M.match(v, w, counters.rounds);
    spend(visited, budget, counters);
  }
}

template <class I>
void random_greedy(const GraphView<I>& G, GraphMatching<I> M, const Options& options,
                   Workspace& workspace, Budget& budget, GraphCounters& counters) {
  const Select how{options.get("select") == 1, options.get("place") == 1};
  const bool random_order = options.get("order") == 0;
  match_vertices(G, M, how, random_order, options.seed, workspace, budget, counters);
}

}  // namespace btfperm
