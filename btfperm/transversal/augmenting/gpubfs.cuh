// SPDX-License-Identifier: BSD-3-Clause
// GPUBFS, GPUBFS-WR: one level of the search from all free columns, shared by apfb and apsb
//
// Deveci, Kaya, Uçar, Çatalyürek, Euro-Par 2013, algorithms 2 and 4; names as there.
//
// Encodings   bfs_array[c] = l0 - 1: not reached; >= l0: its level; below: a root that has a path,
//             as l0 - 2, or as -(row where it ends) for the improved Alternate (l0 = 2 keeps the
//             three apart)
//             rmatch[r] = -1: free; -2: the end of a path found in this phase
//             root[c] = the free column whose tree c is in; 0 where it is in none
//             predecessor[r] = the column that reached row r; holds for rows reached in this phase
// Races       bfs_array, root and predecessor of what several columns of a level reach: whoever is
//             last is right. root may then name another tree than predecessor leads to: a tree
//             stops early or goes on in vain, and a later phase mends it; the last phase, which
//             finds no path, stops no tree. A late value of bfs_array or rmatch only reaches
//             something twice. rmatch is only ever set to -2 here, and only where it was -1
#pragma once

#include "backends/gpu/counting.cuh"
#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"

constexpr Index l0 = 2;  // level of the free columns

// What the host reads after each level. The flags hold numbers that rise, so nobody resets them.
struct State {
  Count vertex_inserted;        // number of the last launch that inserted a vertex
  Count augmenting_path_found;  // number of the last phase that found a path
  Count edges;                  // read by all levels so far
  Count paths;                  // walked to a free column, see alternate.cuh
  Count path_edges;             // on them
  Count longest_path;
};

// root is null where roots are not asked for.
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
struct Level {
  Count launch, phase;
  Index bfs_level, *bfs_array;
  const Index *cxadj, *cadj;
  Index *rmatch, *root, *predecessor;
  State* state;

  __device__ void reach(Index neighbor_row, Index col_vertex, Index my_root) const {
    const Index col_match = seen(&rmatch[neighbor_row]);
    if (col_match > -1) {
      if (seen(&bfs_array[col_match]) != l0 - 1) return;
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

  // Reaches all neighbours of a column of this level; how many there are.
  __device__ Count expand(Index col_vertex) const {
    Index my_root = 0;
    if constexpr (roots != Roots::none) {
      my_root = root[col_vertex];
      if (seen(&bfs_array[my_root]) < l0 - 1) return 0;  // its tree has a path already
    }
    const Index begin = cxadj[col_vertex], end = cxadj[col_vertex + 1];
    for (Index j = begin; j < end; ++j) reach(cadj[j], col_vertex, my_root);
    return static_cast<Count>(end - begin);
  }
};

// The columns of a thread lie tot_thread_num apart. It asks for the levels of several before it
// looks at the first, since all the answers together take no longer than one.
template <Roots roots>
__device__ void gpubfs(const Level<roots>& level, Index nc) {
  constexpr int together = 8;
  const long long tot_thread_num = item_stride();
  Count edges = 0;
  for (long long c = first_item(); c < nc; c += together * tot_thread_num) {
    unsigned in_level = 0;
#pragma unroll
    for (int k = 0; k < together; ++k) {
      const long long col_vertex = c + k * tot_thread_num;
      if (col_vertex < nc && seen(&level.bfs_array[col_vertex]) == level.bfs_level)
        in_level |= 1u << k;
    }
    for (; in_level; in_level &= in_level - 1)
      edges += level.expand(static_cast<Index>(c + (__ffs(in_level) - 1) * tot_thread_num));
  }
  add_over_warp(&level.state->edges, edges);
}
