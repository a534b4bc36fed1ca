// SPDX-License-Identifier: BSD-3-Clause
// The strategy of mc64: shortest paths, and an auction where they would be long
#pragma once

#include <cstdint>

#include "weighted/auction.hpp"
#include "weighted/block.hpp"
#include "weighted/counters.hpp"
#include "weighted/exact/mc64.hpp"
#include "weighted/price_refinement.hpp"

namespace btfperm {

// Passes over the entries after which an auction ends; random matrices need fewer.
constexpr double most_auction_passes = 50;

template <class I>
struct Mc64WithAuction {
  // Searches are abandoned if they are expected to take more than this number of passes over the
  // entries of the block. Most matrices of applications need fewer. On random matrices, searches
  // without an auction need far more passes than an auction and the searches after it. Passes over
  // a small block are cheaper, because it stays in the cache.
  static double most_passes(std::int64_t entries) { return entries < 200'000 ? 10 : 6; }

  // Matches all columns of a block. In a square block, searches that would visit too many entries
  // are abandoned. Then an auction and a refinement of prices find the best rows of most columns.
  // If over nine tenths of the columns have several best choices, a maximum matching of tight
  // entries replaces the auction. Searches match the columns that are left. False: the budget ended
  // the call.
  static bool match_columns(const CostBlock<I>& block, BlockMemory<I>& memory, int threads,
                            Budget& budget, WeightedCounters& counters) {
    using Outcome = typename Mc64<I>::Outcome;
    Mc64<I> search(block, memory, budget, counters);
    if (block.m != block.n) return search.run() == Outcome::done;
    const Outcome outcome = search.run(most_passes(block.nnz()));
    if (outcome != Outcome::gave_up) return outcome == Outcome::done;
    const bool found = match_by_auction(block, memory, threads, budget, counters);
    return (found ? search.match_the_rest() : search.run_again()) == Outcome::done;
  }

 private:
  static constexpr double shrink = 8;
  // Prices are not refined before the last usual phase. After the fourth phase, random matrices
  // need one or two visits of each column to refine prices; after the third, three to fifteen.
  // Large matrices, whose cycles are longer, need a fifth phase.
  static int usual_phases(std::int64_t columns) { return columns < 200'000 ? 4 : 5; }
  static constexpr int most_phases = 7;
  // The last usual phase is left out if the phase before it has more than this share of the bids
  // of its predecessor. This happens if many columns have several best choices. Then another phase
  // has even more bids, but the refinement needs no more visits without it.
  static constexpr double many_bids = .75;
  static constexpr std::int64_t most_visits = 3;  // of a column, in the mean

  // Finds a matching and prices of rows such that no matched column prefers another row. Phases of
  // an auction, with smaller and smaller epsilon, are repeated until the prices can be refined in
  // few visits. False: there was no auction.
  static bool match_by_auction(const CostBlock<I>& block, BlockMemory<I>& memory, int threads,
                               Budget& budget, WeightedCounters& counters) {
    Auction<I> auction(block, memory, budget, counters);
    if (!auction.begin(most_auction_passes, threads)) return false;
    PriceRefinement<I> refinement(block, memory, budget, counters);
    const int usual = usual_phases(block.n);
    std::int64_t bids_before = 0;
    for (int phase = 1;; ++phase) {
      const std::int64_t begin = counters.bids;
      const bool is_last = !auction.run_phase(shrink) || phase == most_phases;
      const std::int64_t bids = counters.bids - begin;
      const bool is_long = phase == usual - 1 && bids > many_bids * bids_before;
      bids_before = bids;
      if (phase < usual && !is_long && !is_last) continue;
      if (refinement.run(most_visits * block.n, is_last)) return true;
    }
  }
};

}  // namespace btfperm
