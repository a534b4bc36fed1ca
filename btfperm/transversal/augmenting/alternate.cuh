// SPDX-License-Identifier: BSD-3-Clause
// Alternate, FixMatching: augments along all paths of a phase at once, then repairs the matching;
// for apfb and apsb
//
// Deveci, Kaya, Uçar, Çatalyürek, Euro-Par 2013, algorithm 3 and section 3; names as in the paper.
//
// A thread follows a path from its end towards its unmatched column. Paths may meet: a thread stops
// at a column c that another thread has already matched in this phase. It recognises this by
// predecessor[cmatch[c]] == c: in this phase, a column is matched only to rows that it has reached.
//
// Invariants  A matched column stays matched. After Alternate, cmatch is right. rmatch of several
//             rows may have the same column; FixMatching makes all of these rows unmatched except
//             the one in cmatch. It also makes the ends of paths unmatched that no thread followed.
//             Each phase matches at least one more column, because one of the threads whose paths
//             meet continues
// Races       Two threads may read the same matched_row before either writes; then both continue.
//             From there on they write the same words, except at the column where their paths meet,
//             which is matched to the row of only one of them. If a thread reads an out-of-date
//             value of cmatch, it is the value before the phase, which also leads towards an
//             unmatched column. Each thread stops, because the level decreases with each step
#pragma once

#include "transversal/augmenting/gpubfs.cuh"

// Augments along the path from row_vertex towards its unmatched column. Returns the number of edges
// if the thread reaches this column, or 0 if it meets another path.
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

// The numbers that a thread adds to the counters. Every thread of the block must call store().
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
