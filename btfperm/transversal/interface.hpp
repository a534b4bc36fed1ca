// SPDX-License-Identifier: BSD-3-Clause
// The one shape of every algorithm in this room
//
//   void name(pattern, matching, options, workspace, budget, counters, proof)
//
// The matching comes in legal and goes out legal, never smaller, whatever ends the search.
// Algorithms search from columns and use the column lists alone, unless they say otherwise;
// the caller hands a wide matrix over transposed.
#pragma once

#include <array>
#include <cstdint>

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

// Flips the path from the free row i over column j back to the free column that it began with; its
// edges. before(j, held) is the column before j on the path, held being the row that j holds. Other
// threads may look at the rows.
template <class I, class Before>
std::int64_t flip_path(Matching<I> M, I i, I j, Before before) {
  for (std::int64_t edges = 1;; edges += 2) {
    const I held = M.col_match[j];
    store(M.row_match[i], j);
    M.col_match[j] = i;
    if (held < 0) return edges;
    i = held;
    j = before(j, held);
  }
}

// What a search that ends with a proof leaves behind: the rows of a minimum cover.
struct Proof {
  std::uint8_t* row_in_cover;  // m bytes, all 0 before
  bool complete = false;       // they are marked; otherwise find_cover has to
};

// What a search counted; what does not apply stays 0 and is not reported.
struct Counters {
  std::int64_t edges = 0;          // entries read
  std::int64_t phases = 0;         // rounds of search and augmentation
  std::int64_t augmentations = 0;  // augmenting paths
  std::int64_t path_edges = 0;     // their length in all, counting every edge
  std::int64_t longest_path = 0;
  std::int64_t pushes = 0;            // rows taken from another column
  std::int64_t relabels = 0;          // labels recomputed for all rows
  std::int64_t two_sided_phases = 0;  // of the phases, by trees from columns and rows
  std::int64_t top_down_steps = 0;
  std::int64_t bottom_up_steps = 0;
  std::int64_t grafts = 0;
  std::int64_t top_down_us = 0;  // microseconds of each step
  std::int64_t bottom_up_us = 0;
  std::int64_t augment_us = 0;
  std::int64_t graft_us = 0;
  std::int64_t statistics_us = 0;

  void augmented(std::int64_t edges_of_path) {
    ++augmentations;
    path_edges += edges_of_path;
    if (edges_of_path > longest_path) longest_path = edges_of_path;
  }

  // What another thread counted in the same search.
  void add(const Counters& other) {
    edges += other.edges;
    augmentations += other.augmentations;
    path_edges += other.path_edges;
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
             {"two_sided_phases", two_sided_phases},
             {"top_down_steps", top_down_steps},
             {"bottom_up_steps", bottom_up_steps},
             {"grafts", grafts},
             {"top_down_us", top_down_us},
             {"bottom_up_us", bottom_up_us},
             {"augment_us", augment_us},
             {"graft_us", graft_us},
             {"statistics_us", statistics_us}}};
  }
};

}  // namespace btfperm
