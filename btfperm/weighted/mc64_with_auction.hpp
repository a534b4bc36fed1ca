// SPDX-License-Identifier: BSD-3-Clause
// The strategy of mc64: shortest paths, and an auction where they would be long
#pragma once

#include <cstdint>

#include "weighted/auction.hpp"
#include "weighted/block.hpp"
#include "weighted/counters.hpp"
#include "weighted/exact/mc64.hpp"

namespace btfperm {

// Passes over the entries after which an auction ends; random matrices need fewer.
constexpr double most_auction_passes = 50;

template <class I>
struct Mc64WithAuction {
  // On random matrices, more phases with a smaller quotient of epsilons need more bids.
  static constexpr int phases = 4;
  static constexpr double shrink = 8;

  // Searches are abandoned if they are expected to take more passes over the entries of the block.
  // Most matrices of applications need fewer. On random matrices, searches alone need far more than
  // after an auction. Passes over a small block are cheaper, because it stays in the cache.
  static double most_passes(std::int64_t entries) { return entries < 200'000 ? 10 : 6; }

  // Matches all columns of a block. If it is square, searches that would visit too many entries are
  // abandoned; then an auction finds better prices to start from, or a larger matching is found if
  // over three quarters of the columns have several best choices. False: the budget ended the call.
  static bool match_columns(const CostBlock<I>& block, BlockMemory<I>& memory, int threads,
                            Budget& budget, WeightedCounters& counters) {
    using Outcome = typename Mc64<I>::Outcome;
    Mc64<I> search(block, memory, budget, counters);
    if (block.m != block.n) return search.run() == Outcome::done;
    const Outcome outcome = search.run(most_passes(block.nnz()));
    if (outcome != Outcome::gave_up) return outcome == Outcome::done;
    Auction<I> auction(block, memory, budget, counters);
    const bool better_prices = auction.run(phases, shrink, most_auction_passes, threads);
    return search.run_again(!better_prices) == Outcome::done;
  }
};

}  // namespace btfperm
