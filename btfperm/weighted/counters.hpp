// SPDX-License-Identifier: BSD-3-Clause
// Counters of the weighted searches, in the order in which results list them
//
// BTFPERM_WEIGHTED_COUNTERS(COUNT) calls COUNT(name, summary) for each counter. Members of
// WeightedCounters, results of the searches in Python, and the names and summaries in
// registry/counters.py follow from it.
#pragma once

#include <cstdint>

#define BTFPERM_WEIGHTED_COUNTERS(COUNT)                                \
  COUNT(edges, "visited entries")                                       \
  COUNT(searches, "searches for augmenting paths of a weighted search") \
  COUNT(bids, "bids of an auction")                                     \
  COUNT(rounds, "rounds of an auction in which many columns bid")

namespace btfperm {

struct WeightedCounters {
#define BTFPERM_MEMBER(name, summary) std::int64_t name = 0;
  BTFPERM_WEIGHTED_COUNTERS(BTFPERM_MEMBER)
#undef BTFPERM_MEMBER

  void add(const WeightedCounters& other) {
#define BTFPERM_ADD(name, summary) name += other.name;
    BTFPERM_WEIGHTED_COUNTERS(BTFPERM_ADD)
#undef BTFPERM_ADD
  }

  // Calls visit(name, value, summary) for each counter.
  template <class Visit>
  void for_each(const Visit& visit) const {
#define BTFPERM_VISIT(name, summary) visit(#name, name, summary);
    BTFPERM_WEIGHTED_COUNTERS(BTFPERM_VISIT)
#undef BTFPERM_VISIT
  }
};

}  // namespace btfperm
