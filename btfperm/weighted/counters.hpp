// SPDX-License-Identifier: BSD-3-Clause
// What the weighted searches count
#pragma once

#include <cstdint>

namespace btfperm {

struct WeightedCounters {
  std::int64_t edges = 0;     // entries visited
  std::int64_t searches = 0;  // for augmenting paths, without those of an abandoned run
  std::int64_t bids = 0;      // of an auction
  std::int64_t rounds = 0;    // in which many columns bid at the same time

  void add(const WeightedCounters& other) {
    edges += other.edges;
    searches += other.searches;
    bids += other.bids;
    rounds += other.rounds;
  }
};

}  // namespace btfperm
