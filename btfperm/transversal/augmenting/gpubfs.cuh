// SPDX-License-Identifier: BSD-3-Clause
// GPUBFS, GPUBFS-WR: one level of the search from all unmatched columns, for apfb and apsb
//
// Deveci, Kaya, Uçar, Çatalyürek, Euro-Par 2013, algorithms 2 and 4; names as in the paper.
//
// Encodings   bfs_array[c] = l0 - 1: not reached; >= l0: the level of c; < l0 - 1: c is a root that
//             has a path. The value of such a root is l0 - 2, or, for the improved Alternate, minus
//             the row where the path ends. As l0 = 2, the three cases are distinct
//             rmatch[r] = -1: unmatched; -2: the end of a path of this phase
//             root[c] = the unmatched column whose tree contains c; 0 if c is in no tree
//             predecessor[r] = the column that reached row r; valid for rows reached in this phase
// Races       If several columns of a level reach the same vertex, any of the values that they
//             write to bfs_array, root and predecessor is right. But root may belong to another
//             tree than the one to which predecessor leads. Then a tree stops early or grows
//             without need, and a later phase corrects this; the last phase finds no path, so it
//             stops no tree. A thread that reads an out-of-date value of bfs_array or rmatch only
//             reaches a vertex again. The kernel writes only -2 to rmatch, where it was -1
#pragma once

#include "backends/gpu/counting.cuh"
#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"

constexpr Index l0 = 2;  // level of the unmatched columns

// Counters that the host polls after the levels. The flags only increase, so they need no reset.
struct State {
  Count vertex_inserted;        // number of the last launch that inserted a vertex
  Count augmenting_path_found;  // number of the last phase that found a path
  Count edges;                  // entries that all levels so far have visited
  Count paths;                  // paths followed to an unmatched column, see alternate.cuh
  Count path_edges;             // edges of these paths
  Count longest_path;           // edges of the longest of these paths
};

// root is null in the variants without roots.
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

  // Reaches all neighbours of a column of this level. Returns their number.
  __device__ Count expand(Index col_vertex) const {
    Index my_root = 0;
    if constexpr (roots != Roots::none) {
      my_root = root[col_vertex];
      if (seen(&bfs_array[my_root]) < l0 - 1) return 0;  // the tree of this root has a path already
    }
    const Index begin = cxadj[col_vertex], end = cxadj[col_vertex + 1];
    for (Index j = begin; j < end; ++j) reach(cadj[j], col_vertex, my_root);
    return static_cast<Count>(end - begin);
  }
};

// Expands the columns of this level; those of a thread are tot_thread_num apart. The loads of a
// batch of levels are issued together to hide their latency.
template <Roots roots>
__device__ void gpubfs(const Level<roots>& level, Index nc) {
  constexpr int batch = 8;
  const long long tot_thread_num = item_stride();
  Count edges = 0;
  for (long long c = first_item(); c < nc; c += batch * tot_thread_num) {
    unsigned in_level = 0;
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      const long long col_vertex = c + k * tot_thread_num;
      if (col_vertex < nc && seen(&level.bfs_array[col_vertex]) == level.bfs_level)
        in_level |= 1u << k;
    }
    for (; in_level; in_level &= in_level - 1)
      edges += level.expand(static_cast<Index>(c + (__ffs(in_level) - 1) * tot_thread_num));
  }
  add_over_warp(&level.state->edges, edges);
}

extern "C" __global__ void bfs(Count launch, Count phase, Index bfs_level, Index* bfs_array,
                               const Index* cxadj, const Index* cadj, Index nc, Index* rmatch,
                               Index* root, Index* predecessor, State* state) {
  gpubfs<Roots::none>(
      {launch, phase, bfs_level, bfs_array, cxadj, cadj, rmatch, root, predecessor, state}, nc);
}
