// SPDX-License-Identifier: BSD-3-Clause
// displacement rules: the bounds between the methods of guided-displacement
//
// Idea        Bounds on shares and sizes, by which guided_displacement.hpp decides between paths of
//             two steps, short searches, trees, pushes and peeling. For most bounds, a comment
//             names matrices on either side of it.
// Paper       ours
#pragma once

#include <cstdint>

namespace btfperm {

// The bounds were set on the families of benchmarks/generators. To measure one again, time the
// search by `python -m benchmarks.run --section scaling --counts 1 --algorithm guided-displacement
// --only NAME`, then move the bound, build the core and repeat. A number in brackets is the share
// that the bound is compared with.
struct DisplacementRules {
  // If the share of unmatched columns is smaller, augmenting paths are searched, because pushes
  // from a few columns displace many others (titan23_neuron, .015, and rect_tall_2e5, .013, are
  // faster by trees).
  double few_unmatched = .02;
  // From this share of entries within m / diagonal_width rows of the diagonal on, short searches
  // run first (rgg_n_2_16 and road_512 are faster by them than by trees or pushes).
  double local_entries = .9;
  int diagonal_width = 64;
  // Share of the unmatched columns that are at most two steps away from an unmatched row (a step
  // goes from a column to a row of its list; two steps are an augmenting path of three edges). From
  // this share on, the search augments along paths instead of pushing, and first takes the paths of
  // at most two steps (delaunay_n18, .99, and delaunay_n15, .96, are faster by augmenting than by
  // pushes, grid3d_48_rcp, .93, by pushes; kkt_2e5 needs the paths of two steps first).
  double near_rows = .95;
  // As near_rows, on several threads, whose pushes conflict (kkt_3e6, 1, and delaunay_n21, .99, are
  // faster in two steps, grid3d_128_rcp, .94, by pushes).
  double near_rows_shared = .98;
  // If the share of the unmatched columns that paths of two steps leave unmatched is smaller, short
  // searches follow; otherwise trees, or pushes if threads > 1 (delaunay_n18, .07: short searches;
  // kkt_sing_2e5, .32: trees).
  double left_by_two_steps = .1;
  // Number of rows from which on the labels do not fit into the cache. Then one thread runs the
  // code for several threads (shared_push.hpp), which has more loads in flight (faster on
  // circuit_3e6, slower on tri_2e5).
  std::int64_t labels_near = 1 << 20;
  // Peeling runs if stalled pushes, and short searches after them, leave more than this share of
  // the columns, and as many columns as rows are unmatched (bandtri_2e5, .0002, is faster by
  // peeling than by trees; circuit_3e6, 4e-6, has nothing to peel).
  double left_to_peel = 1e-5;
  // If stalled pushes leave less than the share last_to_search of the columns, short searches run
  // before peeling. No such search starts after last_passes passes over the entries.
  double last_to_search = 1e-3;
  double last_passes = .125;
  // A short search is abandoned after max_edges edges (on one thread, each abandoned search doubles
  // the bound of the later ones). No search starts after max_passes passes over the entries.
  std::int64_t max_edges = 2048;
  double max_passes = 1.5;
};

}  // namespace btfperm
