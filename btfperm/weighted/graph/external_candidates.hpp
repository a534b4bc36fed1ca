// SPDX-License-Identifier: BSD-3-Clause
// The heaviest edges of all vertices in a round of local-max-external, in memory
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "weighted/graph/external_edges.hpp"

namespace btfperm {

class Candidates {
 public:
  explicit Candidates(std::int64_t n) : heaviest_(static_cast<std::size_t>(n)) {}

  // The memory for n vertices.
  static std::int64_t bytes(std::int64_t n) {
    return n * static_cast<std::int64_t>(sizeof(Candidate));
  }

  void clear() { std::fill(heaviest_.begin(), heaviest_.end(), Candidate{}); }

  // Compares an edge with the heaviest edges of both ends.
  void add(const HalfEdge& e, const EdgeOrder& order) {
    improve(e.x, e.y, e.weight, order);
    improve(e.y, e.x, e.weight, order);
  }

  [[gnu::always_inline]] void prefetch(const HalfEdge& e) const {
    __builtin_prefetch(&heaviest_[e.x], 1);
    __builtin_prefetch(&heaviest_[e.y], 1);
  }

  // Calls match(e) for each edge e that is the heaviest one of both ends.
  template <class Match>
  void for_matched(Match match) const {
    for (std::size_t k = 0; k < heaviest_.size(); ++k) {
      const auto v = static_cast<std::uint32_t>(k);
      const auto [weight, u] = heaviest_[k];
      if (weight > 0 && u < v && heaviest_[u].u == v) match(HalfEdge{v, u, weight});
    }
  }

 private:
  // The heaviest edge of a vertex leads to u; weight 0: there is none.
  struct Candidate {
    double weight = 0;
    std::uint32_t u = 0;
  };

  // Edges of equal weight and equal random number are ordered by u, as in the sorted file.
  void improve(std::uint32_t v, std::uint32_t u, double weight, const EdgeOrder& order) {
    Candidate& c = heaviest_[v];
    if (weight < c.weight) return;
    if (weight == c.weight) {
      const ByWeight by_weight{order};
      const std::uint32_t own = by_weight.tie({v, u, weight});
      const std::uint32_t other = by_weight.tie({v, c.u, weight});
      if (own < other || (own == other && u > c.u)) return;
    }
    c = {weight, u};
  }

  std::vector<Candidate> heaviest_;
};

}  // namespace btfperm
