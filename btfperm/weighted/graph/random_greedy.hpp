// SPDX-License-Identifier: BSD-3-Clause
// random-greedy: match vertices in random order
//
// Idea        Take the vertices in random order. Match each unmatched vertex to an unmatched
//             neighbour: any one (random matching), or the one with the heaviest edge (weighted
//             matching).
// Paper       B. O. Fagginger Auer, R. H. Bisseling, "A GPU algorithm for greedy graph matching",
//             Facing the Multicore-Challenge II, 2012: algorithm 1 with both forms of select.
//             Changed: the paper renumbers the vertices at random before it starts, so the first
//             suitable neighbour of a list is a random one. Here the list keeps its order, and
//             select starts from a random place of it; with place=first it starts from the first
//             place, which is the algorithm of the paper if the caller has renumbered the vertices
// Cost        O(n + m) for m edges. Workspace: n indices for the order
// Prefer it   for comparison with red-blue
// Matrices    As an initializer of a matrix (weighted/bipartite_graph.hpp), all weights are 1, so
//             both forms of select take the same neighbour
// Options     select (random): random or weighted; place (random): random or first. Both only for
//             graphs
#pragma once

#include "weighted/graph/graph.hpp"

namespace btfperm {

template <class I, class Weights>
void match_in_random_order(const GraphView<I, Weights>& G, GraphMatching<I> M, Select how,
                           std::uint64_t seed, Workspace& workspace, Budget& budget,
                           GraphCounters& counters) {
  counters.rounds = 1;
  const std::uint64_t draw = mixed(seed);
  I* const order = workspace.take<I>(G.n());
  order_vertices(G.n(), true, seed, order, budget);
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
  match_in_random_order(G, M, how, options.seed, workspace, budget, counters);
}

}  // namespace btfperm
