// SPDX-License-Identifier: BSD-3-Clause
// apsb, apsb-wr: shortest augmenting paths by breadth-first searches on a GPU
//
// Idea        As apfb, but a search ends with the first level that meets a free row, so that only
//             shortest paths are flipped. The GPU's counterpart of Hopcroft and Karp's algorithm,
//             without its maximal sets of paths. With -wr each root remembers one row where its
//             path ends, and only those paths are flipped.
// Paper       M. Deveci, K. Kaya, B. Uçar, Ü. V. Çatalyürek, "GPU accelerated maximum cardinality
//             matching algorithms for bipartite graphs", Euro-Par 2013: algorithm 1; algorithms 2
//             (GPUBFS), 4 (GPUBFS-WR, with the row of the path in bfs_array of its root), 3
//             (Alternate), and its improvement for APsB-GPUBFS-WR (end of section 3). Option
//             threads and what is changed: as in apfb.cu, but the host looks at every level
// Cost        As apfb: O(n) a level, and a synchronisation with the host; more phases, each of
//             fewer levels
// Prefer it   on meshes in natural order, where free rows are near and the levels behind them many
//             and in vain; else rather use apfb-wr
// Encodings, Invariants, Races: gpubfs.cuh and alternate.cuh

#include "transversal/augmenting/alternate.cuh"
#include "transversal/augmenting/gpubfs.cuh"

extern "C" __global__ void bfs(Count launch, Count phase, Index bfs_level, Index* bfs_array,
                               const Index* cxadj, const Index* cadj, Index nc, Index* rmatch,
                               Index* root, Index* predecessor, State* state) {
  gpubfs<Roots::none>(
      {launch, phase, bfs_level, bfs_array, cxadj, cadj, rmatch, root, predecessor, state}, nc);
}

extern "C" __global__ void bfs_wr(Count launch, Count phase, Index bfs_level, Index* bfs_array,
                                  const Index* cxadj, const Index* cadj, Index nc, Index* rmatch,
                                  Index* root, Index* predecessor, State* state) {
  gpubfs<Roots::with_row>(
      {launch, phase, bfs_level, bfs_array, cxadj, cadj, rmatch, root, predecessor, state}, nc);
}

// The improved Alternate: from the one row that each root remembers. Roots may still share a path,
// because root and predecessor of a column may come from two threads, so the walks keep their
// check.
extern "C" __global__ void alternate_roots(Index nc, const Index* bfs_array, Index* cmatch,
                                           Index* rmatch, const Index* predecessor, State* state) {
  Walked walked;
  for (long long c = first_item(); c < nc; c += item_stride())
    if (bfs_array[c] < l0 - 1)
      walked.add(alternate_from(-bfs_array[c], cmatch, rmatch, predecessor));
  walked.tell(state);
}
