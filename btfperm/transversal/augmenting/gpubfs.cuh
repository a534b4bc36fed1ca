// SPDX-License-Identifier: BSD-3-Clause
// GPUBFS and GPUBFS-WR: one level of the combined search from all free columns, shared by apfb and
// apsb
//
// Deveci, Kaya, Uçar, Çatalyürek, Euro-Par 2013, algorithms 2 and 4; names as there.
//
// Encodings   bfs_array[c] = l0 - 1 not reached, >= l0 its level, < l0 - 1 a root that has a path
// (l0 - 2, or
//             -(row at the end of the path) for the improved Alternate; l0 = 2 keeps the three
//             apart) rmatch[r] = -1 free, -2 the end of a path found in this phase root[c]   = free
//             column whose tree c is in, 0 where it is in none predecessor[r] = column that reached
//             row r; only rows reached in this phase count
// Races       bfs_array, root and predecessor of a vertex that several columns of a level reach:
// any of them may
//             be the last, each is right, and root may name another tree than predecessor leads to:
//             then a tree stops or goes on in vain, and the next phase mends it. rmatch is only
//             ever set to -2 here.
#pragma once

#include "backends/gpu/counting.cuh"
#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"

constexpr Index l0 = 2;  // level of the free columns

// What the host reads after each level. The flags hold numbers that rise, so nobody has to reset
// them.
struct State {
  Count vertex_inserted;        // number of the last launch that inserted a vertex
  Count augmenting_path_found;  // number of the last phase that found a path
  Count edges;                  // read by all levels so far
  Count paths;                  // walked to a free column, see alternate.cuh
  Count path_edges;             // on them
  Count longest_path;
};

extern "C" __global__ void init_bfs_array(Index nc, const Index* cmatch, Index* bfs_array,
                                          Index* root) {
  for (long long c = first_item(); c < nc; c += item_stride()) {
    const bool matched = cmatch[c] > -1;
    bfs_array[c] = matched ? l0 - 1 : l0;
    if (root) root[c] = matched ? 0 : static_cast<Index>(c);
  }
}

enum class Roots { none, with_level, with_row };

template <Roots roots>
__device__ void gpubfs(Count launch, Count phase, Index bfs_level, Index* bfs_array,
                       const Index* cxadj, const Index* cadj, Index nc, Index* rmatch, Index* root,
                       Index* predecessor, State* state) {
  Count edges = 0;
  for (long long i = first_item(); i < nc; i += item_stride()) {
    const Index col_vertex = static_cast<Index>(i);
    if (seen(&bfs_array[col_vertex]) != bfs_level) continue;
    Index my_root = 0;
    if constexpr (roots != Roots::none) {
      my_root = root[col_vertex];
      if (seen(&bfs_array[my_root]) < l0 - 1) continue;  // its tree has a path already
    }
    const Index end = cxadj[col_vertex + 1];
    edges += end - cxadj[col_vertex];
    for (Index j = cxadj[col_vertex]; j < end; ++j) {
      const Index neighbor_row = cadj[j];
      const Index col_match = seen(&rmatch[neighbor_row]);
      if (col_match > -1) {
        if (seen(&bfs_array[col_match]) != l0 - 1) continue;
        raise(&state->vertex_inserted, launch);
        show(&bfs_array[col_match], bfs_level + 1);
        if constexpr (roots != Roots::none) show(&root[col_match], my_root);
        show(&predecessor[neighbor_row], col_vertex);
      } else if (col_match == -1) {
        if constexpr (roots == Roots::with_level) show(&bfs_array[my_root], l0 - 2);
        if constexpr (roots == Roots::with_row) show(&bfs_array[my_root], -neighbor_row);
        show(&rmatch[neighbor_row], Index{-2});
        show(&predecessor[neighbor_row], col_vertex);
        raise(&state->augmenting_path_found, phase);
      }
    }
  }
  add_over_warp(&state->edges, edges);
}
