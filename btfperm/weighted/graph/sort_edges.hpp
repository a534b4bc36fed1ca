// SPDX-License-Identifier: BSD-3-Clause
// sort_edges: edges by decreasing weight, in linear time
//
// Idea        The order of positive doubles is that of their bits as whole numbers. In each pass, a
//             stable radix sort distributes the edges by 11 of these bits, from the least
//             significant bits to the most significant ones. If all edges have the same 11 bits,
//             the pass is left out. So small whole numbers, whose last bits are 0, need few passes.
//             Unlike std::sort, this sort can end with the budget.
// Cost        at most 6 times two passes over the edges, and a second list of edges
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "weighted/graph/graph.hpp"

namespace btfperm {

// Sorts by the lowest `bits` bits of key(item), in ascending order. Items of equal keys keep their
// order. Returns the list that holds the result: `E` or `other`.
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
