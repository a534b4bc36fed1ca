// SPDX-License-Identifier: BSD-3-Clause
// sort_edges: edges by decreasing weight, in linear time
//
// Idea        The bits of positive doubles, taken as whole numbers, have the order of the doubles.
//             A stable radix sort distributes the edges by 11 bits of them in each pass, from the
//             least significant bits to the most significant ones. A pass in which all edges have
//             the same bits is left out, so few different weights, such as small whole numbers,
//             need few passes. Unlike std::sort, it can end with the budget.
// Cost        At most 6 passes, each of which reads the edges twice, and a second list of edges
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "weighted/graph/graph.hpp"

namespace btfperm {

// Sorts by ascending key(item), of which the lowest `bits` bits count. The result is in `E` or in
// `other`, as the return value states. Items of equal keys keep their order.
template <class Item, class I, class Key>
Item* radix_sort(Item* E, I edges, Item* other, int bits, Key key, Budget& budget) {
  constexpr int digit = 11;
  constexpr std::uint64_t mask = (1U << digit) - 1;
  for (int shift = 0; shift < bits; shift += digit) {
    std::array<I, mask + 1> start{};
    in_pieces(edges, budget, [&](I e) { ++start[(key(E[e]) >> shift) & mask]; });
    if (edges > 0 && start[(key(E[0]) >> shift) & mask] == edges) continue;
    I before = 0;
    for (I& count : start) before += std::exchange(count, before);
    in_pieces(edges, budget, [&](I e) { other[start[(key(E[e]) >> shift) & mask]++] = E[e]; });
    std::swap(E, other);
  }
  return E;
}

// Sorts by decreasing weight; edges of equal weight keep their order.
template <class I>
Edge<I>* sort_by_weight(Edge<I>* E, I edges, Edge<I>* other, Budget& budget) {
  const auto key = [](const Edge<I>& e) { return ~std::bit_cast<std::uint64_t>(e.weight); };
  return radix_sort(E, edges, other, 64, key, budget);
}

}  // namespace btfperm
