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
  // Searches are abandoned if they are expected to take more passes over the entries of the block.
  // Most matrices of applications need fewer. On random matrices, searches alone need far more than
  // after an auction. Passes over a small block are cheaper, because it stays in the cache.
  static double most_passes(std::int64_t entries) { return entries < 200'000 ? 10 : 6; }

  // Matches all columns of a block. If it is square, searches that would visit too many entries are
  // abandoned; then an auction finds a matching that is nearly the best, or a larger matching is
  // found if over nine tenths of the columns have several best choices. Searches match the columns
  // that are left. False: the budget ended the call.
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
  // After the fourth phase, random matrices need one or two visits of each column to refine prices;
  // after the third, three to fifteen. Large ones, whose cycles are longer, need a fifth phase.
  // With many equal choices, the third phase has as many bids as the second and the fourth has even
  // more, but after the third no more visits are needed.
  static int usual_phases(std::int64_t columns) { return columns < 200'000 ? 4 : 5; }
  static constexpr int most_phases = 7;
  static constexpr double many_bids = .75;        // of the phase before
  static constexpr std::int64_t most_visits = 3;  // of a column, in the mean

  // A matching and prices of rows such that no matched column prefers another row: by phases of an
  // auction, with smaller and smaller epsilon, until the prices can be refined in few visits.
  // False: there was no auction.
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
