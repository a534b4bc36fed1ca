// SPDX-License-Identifier: BSD-3-Clause
// The order of edges in local-max: by weight, and by a random number if weights are equal
#pragma once

#include <cstdint>

#include "weighted/graph/greedy.hpp"

namespace btfperm {

// The tie of an edge is a random number that orders edges of equal weight. It depends on the seed,
// on the edge and, if `renewed` is set, on the round, but not on the thread. Edges of equal weight
// and equal tie are ordered by their place in the list, which keeps its order in all rounds. So the
// order is strict.
struct EdgeOrder {
  std::uint64_t seed;
  bool renewed;
  std::uint64_t round = 0;
  // If the graph is a part of a larger one: the numbers of its vertices in the larger graph, which
  // determine the ties. Otherwise null.
  const std::uint32_t* names = nullptr;

  void start_round(std::int64_t number) {
    round = mixed(seed + (renewed ? static_cast<std::uint64_t>(number) : 0));
  }

  template <class I>
  std::uint32_t tie(const Edge<I>& e) const {
    const bool is_part = names != nullptr;
    const std::int64_t u = is_part ? std::int64_t{names[e.u]} : std::int64_t{e.u};
    const std::int64_t v = is_part ? std::int64_t{names[e.v]} : std::int64_t{e.v};
    return static_cast<std::uint32_t>(entry_hash(round, u, v) >> 32);
  }
};

// Replaces the remaining rounds of local-max by greedy with the ties of the current round. The
// result is the matching that these rounds would find if they kept the ties, because a strict order
// of the edges has only one locally dominant matching.
template <class I>
void finish_sorted(Edge<I>* E, I edges, Edge<I>* other, const EdgeOrder& order, GraphMatching<I> M,
                   Budget& budget, GraphCounters& counters) {
  const auto key = [&order](const Edge<I>& e) { return std::uint64_t{~order.tie(e)}; };
  counters.sorted = edges;
  Edge<I>* const by_tie = radix_sort(E, edges, other, 32, key, budget);
  E = sort_by_weight(by_tie, edges, by_tie == E ? other : E, budget);
  match_in_order(E, edges, M, counters.rounds, budget, counters);
}

}  // namespace btfperm
