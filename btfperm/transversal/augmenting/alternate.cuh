// SPDX-License-Identifier: BSD-3-Clause
// Alternate, FixMatching: augments along all paths of a phase at once, then repairs the matching;
// shared by apfb and apsb
//
// Deveci, Kaya, Uçar, Çatalyürek, Euro-Par 2013, algorithm 3 and section 3; names as in the paper.
//
// A thread follows a path from its end towards its unmatched column. Paths may meet: a thread stops
// at a column c that another thread has matched in this phase already, to a row that c has reached
// (predecessor[cmatch[c]] == c).
//
// Invariants  A matched column stays matched. cmatch is right at the end: a phase matches a column
//             only to rows whose predecessor it is. Several rows may claim the same column:
//             FixMatching makes all but one unmatched, and also the ends of paths that no thread
//             followed. Each phase matches at least one more column: of the threads whose paths
//             meet, one continues
// Races       Two threads may read the same matched_row before either writes, and then both
//             continue. From there on they write the same words, except at the column where they
//             met, which only one of two rows gets. An out-of-date value of cmatch is the one from
//             before the phase, which also leads towards an unmatched column. So each thread stops,
//             because the level decreases with each step
#pragma once

#include "transversal/augmenting/gpubfs.cuh"

// Augments along the path that leads up from row_vertex. Returns its number of edges if the thread
// reaches the unmatched column, or 0 if it meets another path.
__device__ inline Count alternate_from(Index row_vertex, Index* cmatch, Index* rmatch,
                                       const Index* predecessor) {
  Count edges = 0;
  while (row_vertex != -1) {
    const Index matched_col = predecessor[row_vertex];
    const Index matched_row = seen(&cmatch[matched_col]);
    if (matched_row != -1 && predecessor[matched_row] == matched_col) return 0;
    show(&cmatch[matched_col], row_vertex);
    show(&rmatch[row_vertex], matched_col);
    row_vertex = matched_row;
    edges += 2;
  }
  return edges - 1;
}

// What a thread adds to the counters. Every thread of the block must call store().
struct PathCounters {
  Count paths = 0, edges = 0, longest = 0;

  __device__ void add(Count path) {
    paths += path != 0;
    edges += path;
    longest = path > longest ? path : longest;
  }

  __device__ void store(State* state) const {
    add_over_warp(&state->paths, paths);
    add_over_warp(&state->path_edges, edges);
    if (longest > seen(&state->longest_path)) atomicMax(&state->longest_path, longest);
  }
};

extern "C" __global__ void alternate(Index nr, Index* cmatch, Index* rmatch,
                                     const Index* predecessor, State* state) {
  PathCounters counters;
  for (long long r = first_item(); r < nr; r += item_stride())
    if (seen(&rmatch[r]) == -2)
      counters.add(alternate_from(static_cast<Index>(r), cmatch, rmatch, predecessor));
  counters.store(state);
}

extern "C" __global__ void fix_matching(Index nr, const Index* cmatch, Index* rmatch) {
  for (long long r = first_item(); r < nr; r += item_stride()) {
    const Index c = rmatch[r];
    if (c == -2 || (c != -1 && cmatch[c] != r)) rmatch[r] = -1;
  }
}
