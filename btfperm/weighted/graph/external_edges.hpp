// SPDX-License-Identifier: BSD-3-Clause
// The input and the records of local-max-external, and the orders by which it sorts them
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "backends/cpu/budget.hpp"
#include "weighted/graph/edge_order.hpp"

namespace btfperm {

enum class ExternalModel : int { sorted = 0, candidates = 1 };

struct ExternalGraph {
  int descriptor;      // of a file that holds each edge once: x is its larger end
  std::int64_t edges;  // number of edges
  std::int64_t n;      // vertices
};

// The edge {x, y} in the list of x.
struct HalfEdge {
  std::uint32_t x;
  std::uint32_t y;
  double weight;
};

// The order by (x, y).
struct ByEnds {
  int bits;  // of a vertex

  std::uint64_t key(const HalfEdge& e) const { return std::uint64_t{e.x} << bits | e.y; }
  static std::uint64_t last() { return ~std::uint64_t{0}; }  // an edge with this key has x = y
  HalfEdge* sorted(HalfEdge* E, std::int64_t count, HalfEdge* other, Budget& budget) const {
    return radix_sort(
        E, count, other, 2 * bits, [this](const HalfEdge& e) { return key(e); }, budget);
  }
};

// The order by decreasing weight, then by decreasing random number.
struct ByWeight {
  EdgeOrder order;

  std::uint32_t tie(const HalfEdge& e) const {
    return order.tie(Edge<std::int64_t>{e.weight, std::min(e.x, e.y), std::max(e.x, e.y)});
  }
  std::pair<std::uint64_t, std::uint32_t> key(const HalfEdge& e) const {
    return {~std::bit_cast<std::uint64_t>(e.weight), ~tie(e)};
  }
  static std::pair<std::uint64_t, std::uint32_t> last() {  // an edge with this key has weight 0
    return {~std::uint64_t{0}, ~std::uint32_t{0}};
  }
  HalfEdge* sorted(HalfEdge* E, std::int64_t count, HalfEdge* other, Budget& budget) const {
    const auto by_tie = [this](const HalfEdge& e) { return std::uint64_t{~tie(e)}; };
    HalfEdge* const first = radix_sort(E, count, other, 32, by_tie, budget);
    const auto by_weight = [](const HalfEdge& e) {
      return ~std::bit_cast<std::uint64_t>(e.weight);
    };
    return radix_sort(first, count, first == E ? other : E, 64, by_weight, budget);
  }
};

}  // namespace btfperm
