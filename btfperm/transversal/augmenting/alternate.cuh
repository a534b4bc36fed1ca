// SPDX-License-Identifier: BSD-3-Clause
// Alternate, FixMatching: flip the paths of a phase all at once, then mend; shared by apfb and apsb
//
// Deveci, Kaya, Uçar, Çatalyürek, Euro-Par 2013, algorithm 3 and section 3; names as there.
//
// A thread walks from the end of a path towards its free column. Paths may meet: who finds a column
// that another thread has given to one of its rows (predecessor[cmatch[c]] == c) stops there.
//
// Invariants  A matched column stays matched. cmatch is right at the end: a column is only ever
//             given to rows whose predecessor it is. Rows may still claim a column that went to
//             another one: FixMatching frees these, and the ends of paths that nobody walked.
//             Each phase matches at least one more column: of the walks that meet, one goes on
// Races       Two threads may read the same matched_row before either writes, and go on side by
//             side: they write the same words from there on, but for the column where they met,
//             where one of two rows loses. A late value of cmatch is the one from before the phase,
//             which leads on towards a free column, too. So every walk ends, one level lower with
//             each step
#pragma once

#include "transversal/augmenting/gpubfs.cuh"

// Walks up from row_vertex: the edges of the path where the walk came to its free column, else 0.
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

// What the walks of a thread add to the counters; every thread of the block must arrive at tell().
struct Walked {
  Count paths = 0, edges = 0, longest = 0;

  __device__ void add(Count path) {
    paths += path != 0;
    edges += path;
    longest = path > longest ? path : longest;
  }

  __device__ void tell(State* state) const {
    add_over_warp(&state->paths, paths);
    add_over_warp(&state->path_edges, edges);
    if (longest > seen(&state->longest_path)) atomicMax(&state->longest_path, longest);
  }
};

extern "C" __global__ void alternate(Index nr, Index* cmatch, Index* rmatch,
                                     const Index* predecessor, State* state) {
  Walked walked;
  for (long long r = first_item(); r < nr; r += item_stride())
    if (seen(&rmatch[r]) == -2)
      walked.add(alternate_from(static_cast<Index>(r), cmatch, rmatch, predecessor));
  walked.tell(state);
}

extern "C" __global__ void fix_matching(Index nr, const Index* cmatch, Index* rmatch) {
  for (long long r = first_item(); r < nr; r += item_stride()) {
    const Index c = rmatch[r];
    if (c == -2 || (c != -1 && cmatch[c] != r)) rmatch[r] = -1;
  }
}
