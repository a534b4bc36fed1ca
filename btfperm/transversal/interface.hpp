// SPDX-License-Identifier: BSD-3-Clause
// The signature of every algorithm of this package on the CPU
//
//   void name(pattern, matching, options, workspace, budget, counters, proof)
//
// The matching is legal before and after, and never becomes smaller, also if a limit ends the
// search. Algorithms search from columns and use only the column lists, unless the head of their
// file states otherwise; the caller transposes wide matrices.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backends/cpu/atomics.hpp"
#include "backends/cpu/budget.hpp"
#include "backends/cpu/workspace.hpp"
#include "pattern/pattern.hpp"
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

// The counters of a search (registry/counters.py); those that do not apply stay 0. Only those that
// are not 0 are reported.
struct Counters {
  std::int64_t edges = 0;          // entries visited
  std::int64_t phases = 0;         // rounds of search and augmentation
  std::int64_t augmentations = 0;  // augmenting paths
  std::int64_t path_edges = 0;     // their total length in edges
  std::int64_t longest_path = 0;
  std::int64_t pushes = 0;    // rows taken by pushes; push-relabel: only from another column
  std::int64_t relabels = 0;  // times that all labels were recomputed
  std::int64_t top_down_steps = 0;
  std::int64_t bottom_up_steps = 0;
  std::int64_t bottom_up_edges = 0;  // of `edges`: from rows, in bottom-up steps and grafts
  std::int64_t grafts = 0;
  std::int64_t top_down_us = 0;  // microseconds of each step
  std::int64_t bottom_up_us = 0;
  std::int64_t augment_us = 0;
  std::int64_t graft_us = 0;
  std::int64_t statistics_us = 0;
  std::vector<std::int64_t> frontier_sizes;  // columns of each level; a 0 ends each phase

  // At most ten thousand numbers are stored.
  void add_frontier(std::int64_t size) {
    if (frontier_sizes.size() < 10'000) frontier_sizes.push_back(size);
  }

  void augmented(std::int64_t edges_of_path) {
    ++augmentations;
    path_edges += edges_of_path;
    if (edges_of_path > longest_path) longest_path = edges_of_path;
  }

  // Adds the counters that each thread of a search has for itself.
  void add(const Counters& other) {
    edges += other.edges;
    augmentations += other.augmentations;
    path_edges += other.path_edges;
    pushes += other.pushes;
    if (other.longest_path > longest_path) longest_path = other.longest_path;
  }

  struct Named {
    const char* name;
    std::int64_t value;
  };
  std::array<Named, 16> named() const {
    return {{{"edges", edges},
             {"phases", phases},
             {"augmentations", augmentations},
             {"path_edges", path_edges},
             {"longest_path", longest_path},
             {"pushes", pushes},
             {"relabels", relabels},
             {"top_down_steps", top_down_steps},
             {"bottom_up_steps", bottom_up_steps},
             {"bottom_up_edges", bottom_up_edges},
             {"grafts", grafts},
             {"top_down_us", top_down_us},
             {"bottom_up_us", bottom_up_us},
             {"augment_us", augment_us},
             {"graft_us", graft_us},
             {"statistics_us", statistics_us}}};
  }
};

}  // namespace btfperm
