// SPDX-License-Identifier: BSD-3-Clause
// greedy: match edges by decreasing weight
//
// Idea        Sort the edges by decreasing weight. Match each edge whose two ends are unmatched.
// Paper       B. O. Fagginger Auer, R. H. Bisseling, "A GPU algorithm for greedy graph matching",
//             Facing the Multicore-Challenge II, 2012: algorithm 2; the algorithm `greedy` in M.
//             Birn, V. Osipov, P. Sanders, C. Schulz, N. Sitchinava, Euro-Par 2013, section 3.
//             Changed: a radix sort; edges of equal weight stay in the order of the matrix
// Cost        O(n + m): at most 6 passes sort the m edges. Workspace: 2 m edges
// Prefer it   as a plain half-approximation on one thread; local-max is faster, and the matching of
//             gpa is usually heavier
// Invariants  every edge before the current one has an end matched by an edge at least as heavy
#pragma once

#include <type_traits>
#include <utility>

#include "weighted/graph/sort_edges.hpp"

namespace btfperm {

// Lines 3 to 6 of algorithm 2, for edges in order of decreasing weight.
template <class I>
void match_in_order(const Edge<I>* E, I edges, GraphMatching<I> M, std::int64_t round,
                    Budget& budget, GraphCounters& counters) {
  in_pieces(edges, budget, [&](I e) {
    if (M.is_unmatched(E[e].u) && M.is_unmatched(E[e].v)) M.match(E[e].u, E[e].v, round);
  });
  spend(edges, budget, counters);
}

// All edges by decreasing weight. Edges of the weight 1 stay in the order of the matrix.
template <class I, class Weights>
std::pair<const Edge<I>*, I> sorted_edges(const GraphView<I, Weights>& G, Workspace& workspace,
                                          Budget& budget, GraphCounters& counters) {
  const I most = count_edges(G, budget);
  Edge<I>* const E = workspace.take<Edge<I>>(most);
  list_edges(G, E, budget);
  spend(most, budget, counters);
  if constexpr (std::is_same_v<Weights, UnitWeights>) return {E, most};
  Edge<I>* const other = workspace.take<Edge<I>>(most);
  counters.sorted = most;
  return {sort_by_weight(E, most, other, budget), most};
}

template <class I>
void greedy_graph(const GraphView<I>& G, GraphMatching<I> M, const Options&, Workspace& workspace,
                  Budget& budget, GraphCounters& counters) {
  counters.rounds = 1;
  const auto [E, edges] = sorted_edges(G, workspace, budget, counters);
  match_in_order(E, edges, M, counters.rounds, budget, counters);
}

}  // namespace btfperm
