// SPDX-License-Identifier: BSD-3-Clause
// displacement rules: the figures at which guided-displacement turns one way or the other
//
// Idea        Shares and sizes that decide between two steps, short searches, trees, pushes and
//             peeling (guided_displacement.hpp asks them), each beside what was measured on either
//             side of it.
// Paper       ours
#pragma once

#include <cstdint>

namespace btfperm {

// Where the engine turns one way or the other; measured on the families of benchmarks/generators.
// Figures here and in the files around are ms of the search on one thread, as `python -m
// benchmarks.run --section scaling --counts 1 --algorithm guided-displacement --only NAME` shows
// them; for the way not taken, with the bound moved and the core built anew.
struct DisplacementRules {
  // Share of columns left free, below which paths are searched: pushes move hundreds of others
  // (titan23_neuron, 1.5 %: .29 ms by trees, .58 by pushes; rect_tall_2e5, 1.3 %: .22, .71).
  double few_free = .02;
  // Share of entries near the diagonal, from which on to search shortly (rgg_n_2_16: .18 ms, 1.6 by
  // trees, 38 by pushes; road_512: 5.4, 9.8, 9.4), near: within m / diagonal_width of it.
  double local_entries = .9;
  int diagonal_width = 64;
  // Share of free columns with a free row two steps off, from which on paths are searched
  // (delaunay_n18, .99: 12.7 ms by trees, 23 by pushes; delaunay_n15, .96: .59, .89; but
  // grid3d_48_rcp, .93: 11, 3.5): in two steps first (kkt_2e5: 7.6 ms without, 2.4 with).
  double near_rows = .95;
  // The same for several threads, which are in each other's way (kkt_3e6, 1: 405 ms by pushes, 124
  // in two steps; delaunay_n21, .99: 381, 148; but grid3d_128_rcp, .94: 180, 330).
  double near_rows_shared = .98;
  // Share of them that two steps leave, below which to go on shortly, not by trees (delaunay_n18,
  // .07: 13 ms by trees, 7.5 shortly; but kkt_sing_2e5, .32: 5.6, 17).
  double left_by_two_steps = .1;
  // Rows whose labels are near. Beyond, one thread pushes as several would (shared_push.hpp), which
  // has more on its way from memory (circuit_3e6: 560 ms, 1200 else; but tri_2e5: 13, 7).
  std::int64_t labels_near = 1 << 20;
  // Share of the columns that a stall must leave, all of which may be matched, for peeling
  // (bandtri_2e5, .0002: 24 ms, 54 by trees; circuit_3e6, 4e-6, has nothing to peel).
  double left_to_peel = 1e-5;
  // Share below which these search shortly first, and the readings that all of them may take.
  double last_to_search = 1e-3;
  double last_passes = .125;
  std::int64_t most_edges = 2048;  // a short search gives up here (then here times 2, 4, ...),
  double most_passes = 1.5;        // all of them after this many readings of the matrix
};

}  // namespace btfperm
