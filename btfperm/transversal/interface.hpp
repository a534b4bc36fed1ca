// SPDX-License-Identifier: BSD-3-Clause
// The signature of every algorithm of this package on the CPU
//
//   void name(pattern, matching, options, workspace, budget, counters, proof)
//
// The matching is legal before and after, and never becomes smaller, also if a limit ends the
// search. Algorithms search from columns and use only the column lists, unless the head of their
// file states otherwise; the caller transposes wide matrices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "backends/cpu/atomics.hpp"
#include "backends/cpu/budget.hpp"
#include "backends/cpu/workspace.hpp"
#include "pattern/pattern.hpp"
#include "transversal/counters.hpp"
#include "transversal/options.hpp"

namespace btfperm {

// row_match[i] = column matched to row i, or -1; col_match[j] = row matched to column j, or -1.
template <class I>
struct Matching {
  I* row_match;  // m
  I* col_match;  // n

  void match(I i, I j) {
    row_match[i] = j;
    col_match[j] = i;
  }
};

// Augments along the path from the unmatched row i over column j back to the unmatched column at
// its start, and returns the number of edges. before(j, held) is the column before j on the path,
// where `held` is the row matched with j. Other threads may read row_match at the same time.
template <class I, class Before>
std::int64_t augment_along(Matching<I> M, I i, I j, Before before) {
  for (std::int64_t edges = 1;; edges += 2) {
    const I held = M.col_match[j];
    store(M.row_match[i], j);
    M.col_match[j] = i;
    if (held < 0) return edges;
    i = held;
    j = before(j, held);
  }
}

// The rows of a minimum cover, from a search that ends with a proof.
struct Proof {
  std::uint8_t* row_in_cover;  // m bytes, all 0 before
  bool complete = false;       // otherwise find_cover must compute them
};

// The counters of a search (counters.hpp); those that do not apply stay 0. Only those that are not
// 0 are reported.
struct Counters {
#define BTFPERM_NUMBER(name, summary) std::int64_t name = 0;
#define BTFPERM_LIST(name, summary) std::vector<std::int64_t> name;
  BTFPERM_COUNTERS(BTFPERM_NUMBER, BTFPERM_NUMBER, BTFPERM_LIST)
#undef BTFPERM_NUMBER
#undef BTFPERM_LIST

  // At most ten thousand numbers are stored.
  void add_frontier(std::int64_t size) {
    if (frontier_sizes.size() < 10'000) frontier_sizes.push_back(size);
  }

  void augmented(std::int64_t edges_of_path) {
    ++augmentations;
    path_edges += edges_of_path;
    if (edges_of_path > longest_path) longest_path = edges_of_path;
  }

  // Adds what another thread of the search has counted.
  void add(const Counters& other) {
#define BTFPERM_ADD(name, summary) name += other.name;
#define BTFPERM_LARGEST(name, summary) name = std::max(name, other.name);
#define BTFPERM_SKIP(name, summary)
    BTFPERM_COUNTERS(BTFPERM_ADD, BTFPERM_LARGEST, BTFPERM_SKIP)
#undef BTFPERM_ADD
#undef BTFPERM_LARGEST
#undef BTFPERM_SKIP
  }

  // Calls visit(name, value, summary) for each counter, in the order of counters.hpp.
  template <class Visit>
  void for_each(Visit visit) const {
#define BTFPERM_VISIT(name, summary) visit(#name, name, summary);
    BTFPERM_COUNTERS(BTFPERM_VISIT, BTFPERM_VISIT, BTFPERM_VISIT)
#undef BTFPERM_VISIT
  }
};

}  // namespace btfperm
