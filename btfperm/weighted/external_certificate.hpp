// SPDX-License-Identifier: BSD-3-Clause
// The check of a matching in a graph whose edges are in a file, by two scans. It shares nothing
// with the algorithms.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/pieces.hpp"

namespace btfperm {

struct FileCheck {
  std::int64_t wrong = -1;  // a vertex whose mate is no neighbour, or has another mate
  std::int64_t size = 0;    // matched edges
  double weight = 0;        // the sum of their weights
  bool maximal = true;      // every edge has a matched end
  bool dominant = true;     // every edge has an end whose matched edge is at least as heavy
};

// for_edges(body) calls body(u, v, weight) for each edge. weight_of receives the weight of the
// matched edge of each vertex, or 0.
template <class I, class ForEdges>
FileCheck check_edges(std::int64_t n, const I* mate, double* weight_of, ForEdges for_edges,
                      Budget& budget) {
  FileCheck found;
  std::fill(weight_of, weight_of + n, 0.0);
  const auto spend = [&budget] {
    if (!budget.spend(1)) throw Unfinished();
  };
  for_edges([&](std::int64_t u, std::int64_t v, double weight) {
    spend();
    if (mate[u] != v || mate[v] != u) return;
    weight_of[u] = weight_of[v] = weight;
    ++found.size;
    found.weight += weight;
  });
  for (std::int64_t v = 0; v < n; ++v) {
    const std::int64_t w = mate[v];
    if (w == -1) continue;
    if (w < 0 || w >= n || mate[w] != v || weight_of[v] == 0) found.wrong = v;
  }
  for_edges([&](std::int64_t u, std::int64_t v, double weight) {
    spend();
    if (mate[u] == -1 && mate[v] == -1) found.maximal = false;
    if (weight > std::max(weight_of[u], weight_of[v])) found.dominant = false;
  });
  return found;
}

}  // namespace btfperm
