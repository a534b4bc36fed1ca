// SPDX-License-Identifier: BSD-3-Clause
// displacement rules: the bounds between the methods of guided-displacement
//
// Idea        Shares and sizes by which guided_displacement.hpp decides between two steps, short
//             searches, trees, pushes and peeling, most with matrices on either side of the bound.
// Paper       ours
#pragma once

#include <cstdint>

namespace btfperm {

// The bounds were set on the families of benchmarks/generators. To measure one again, time the
// search by `python -m benchmarks.run --section scaling --counts 1 --algorithm guided-displacement
// --only NAME`, then move the bound, build the core and repeat. A number in brackets is the share
// that the bound is compared with.
struct DisplacementRules {
  // Share of unmatched columns below which augmenting paths are searched, because pushes from a few
  // columns displace many others (titan23_neuron, .015, rect_tall_2e5, .013, are faster by trees).
  double few_unmatched = .02;
  // Share of entries near the diagonal, that is within m / diagonal_width of it, from which on
  // short searches come first (rgg_n_2_16 and road_512 are faster by them than by trees or pushes).
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
  // Share of the unmatched columns that two steps leave. Below it, short searches continue, else
  // trees, or pushes if threads > 1 (delaunay_n18, .07: short searches; kkt_sing_2e5, .32: trees).
  double left_by_two_steps = .1;
  // Number of rows from which on labels exceed the cache. Then one thread pushes as several would
  // (shared_push.hpp), with more loads in flight (faster on circuit_3e6, slower on tri_2e5).
  std::int64_t labels_near = 1 << 20;
  // Peeling runs if stalled pushes, and short searches after them, leave more than this share of
  // the columns, as many as rows are unmatched (bandtri_2e5, .0002, is faster by peeling than by
  // trees; circuit_3e6, 4e-6, has nothing to peel).
  double left_to_peel = 1e-5;
  // If stalled pushes leave less than the share last_to_search of the columns, short searches run
  // before peeling. None of them starts after last_passes passes over the entries.
  double last_to_search = 1e-3;
  double last_passes = .125;
  // Edges after which a short search is abandoned (on one thread, each abandoned search doubles the
  // bound of the later ones), and passes over the entries after which no further search starts.
  std::int64_t max_edges = 2048;
  double max_passes = 1.5;
};

}  // namespace btfperm
