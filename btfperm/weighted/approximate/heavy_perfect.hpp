// SPDX-License-Identifier: BSD-3-Clause
// heavy-perfect: a matching of all columns of a block that is nearly the best, by an auction
//
// Idea        The start and the searches of mc64 run first. They continue to the best matching if
//             they take few passes over the entries, if the block is not square, or if more than
//             nine tenths of the columns have several best choices. Otherwise an auction in two
//             phases matches all columns or, at its limit, a part of them; augmenting paths match
//             the others. The prices bound the distance from the optimum: it is at most the sum of
//             the reduced costs of the matched entries.
// Paper       D. P. Bertsekas, "The auction algorithm: a distributed relaxation method for the
//             assignment problem", Annals of Operations Research 14, 1988; the choice of epsilon,
//             the limit and the last step, augmenting paths, are ours
// Cost        some ten passes over the entries in practice. The auction is limited, so the worst
//             case is that of mc64. Workspace: that of mc64 and of the auction
// Prefer it   if mc64 is too slow and a matching close to the optimum is sufficient
// Invariants  as for mc64, but a matched entry may have a reduced cost above 0
#pragma once

#include "weighted/block.hpp"
#include "weighted/counters.hpp"
#include "weighted/mc64_with_auction.hpp"

namespace btfperm {

// Both functions match all columns of a block. False: the budget ended the call.
template <class I>
struct HeavyPerfect {
  static constexpr int phases = 2;
  static constexpr double shrink = 8;
  // Largest number of passes over the entries for the searches after the start. If the searches
  // need more, the auction is faster.
  static constexpr double most_search_passes = 4;

  static bool match_columns(const CostBlock<I>& block, BlockMemory<I>& memory, int threads,
                            Budget& budget, WeightedCounters& counters) {
    using Outcome = typename Mc64<I>::Outcome;
    Mc64<I> search(block, memory, budget, counters);
    if (block.m != block.n) return search.run() == Outcome::done;
    const Outcome outcome = search.run(most_search_passes);
    if (outcome != Outcome::gave_up) return outcome == Outcome::done;
    const bool found = bid(block, memory, threads, budget, counters);
    return (found ? search.complete() : search.run_again()) == Outcome::done;
  }

  // Matches the other columns after an auction on a GPU, whose matching and prices are in `memory`.
  static bool match_last_columns(const CostBlock<I>& block, BlockMemory<I>& memory, Budget& budget,
                                 WeightedCounters& counters) {
    Mc64<I> search(block, memory, budget, counters);
    return search.complete() == Mc64<I>::Outcome::done;
  }

 private:
  // Runs the auction in two phases. False: there is none, because too many columns have several
  // best choices.
  static bool bid(const CostBlock<I>& block, BlockMemory<I>& memory, int threads, Budget& budget,
                  WeightedCounters& counters) {
    Auction<I> auction(block, memory, budget, counters);
    if (!auction.begin(most_auction_passes, threads)) return false;
    for (int phase = 0; phase < phases && auction.run_phase(shrink); ++phase) {
    }
    return true;
  }
};

}  // namespace btfperm
