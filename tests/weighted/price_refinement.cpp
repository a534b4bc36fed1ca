// SPDX-License-Identifier: BSD-3-Clause
// price_refinement: preferences that are about as large as the rounding errors
//
// Prints the result of PriceRefinement::run, the entries that it visited, and those of the block.
// Each pair of columns has one with the rows of both, and one with its own row only. So a run needs
// two passes over the columns and at most one visit of each of them.
#include "weighted/price_refinement.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/workspace.hpp"
#include "weighted/block.hpp"
#include "weighted/counters.hpp"

using namespace btfperm;
using I = std::int32_t;

int main() {
  constexpr I pairs = 500, n = 2 * pairs, nnz = 3 * pairs;
  constexpr double largest = 1;
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon() * largest;
  Workspace workspace;
  BlockMemory<I> memory(n, nnz, workspace);
  std::mt19937 bits(1);
  // From 1/4 to 3/8, a multiple of 2^-54: the sum of two such numbers needs one bit more than a
  // double has.
  const auto random = [&] {
    return .25 + std::ldexp(static_cast<double>(bits()), -35) +
           std::ldexp(static_cast<double>(bits() % 8), -54);
  };
  I p = 0;
  const auto add = [&](I row, double cost) {
    memory.indices[p] = row;
    memory.cost[p++] = cost;
  };
  for (I j = 0; j < n; j += 2) {
    const double price = random(), cost = random();
    for (I k : {j, j + 1}) memory.row_match[k] = memory.col_match[k] = k;
    memory.row_price[j] = price;
    // The first column gains about `rounding` if it takes the row of the second one.
    const double more = std::ldexp(static_cast<double>(bits() % 5) - 2, -53);
    memory.row_price[j + 1] = cost + price + rounding + more;
    memory.indptr[j] = p;
    add(j, 0);
    add(j + 1, cost);
    memory.indptr[j + 1] = p;
    add(j + 1, 0);
  }
  memory.indptr[n] = p;
  CostBlock<I> block{n, n, memory.indptr, memory.indices, memory.cost, memory.largest, largest};
  Budget budget(0, 0, nullptr);
  WeightedCounters counters;
  PriceRefinement<I> refinement(block, memory, budget, counters);
  const bool found = refinement.run(3 * n, false);
  std::printf("%d %lld %d\n", found, static_cast<long long>(counters.edges), nnz);
}
