// SPDX-License-Identifier: BSD-3-Clause
// The signature of every algorithm of this package on the CPU
//
//   void name(pattern, matching, options, workspace, budget, counters, proof)
//
// The matching is legal before and after the call, and does not become smaller, even if a limit
// ends the search. An algorithm searches from columns and uses only the column lists, unless the
// head of its file states otherwise; the caller transposes wide matrices.
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

// An augmenting path begins at an unmatched column and ends with column j and the unmatched row i.
// Augments along this path, from its end to its beginning, and returns its number of edges.
// before(j, held) must return the column that precedes column j on the path, where `held` is the
// row matched to j before the augmentation. Other threads may read row_match at the same time.
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

// The rows of a minimum cover, if a search finds them.
struct Proof {
  std::uint8_t* row_in_cover;  // m bytes, all 0 before the search; 1: the row is in the cover
  bool complete = false;       // whether the search has marked the rows; else find_cover must do so
};

// The counters of a search (counters.hpp). Only those that are not 0 are reported.
struct Counters {
#define BTFPERM_NUMBER(name, summary) std::int64_t name = 0;
#define BTFPERM_LIST(name, summary) std::vector<std::int64_t> name;
  BTFPERM_COUNTERS(BTFPERM_NUMBER, BTFPERM_NUMBER, BTFPERM_LIST)
#undef BTFPERM_NUMBER
#undef BTFPERM_LIST

  // Stores a number in the list frontier_sizes, which holds at most ten thousand.
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
