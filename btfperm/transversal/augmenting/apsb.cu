// SPDX-License-Identifier: BSD-3-Clause
// apsb, apsb-wr: shortest augmenting paths by breadth-first searches on a GPU
//
// Idea        As apfb, but a search ends with the first level that reaches an unmatched row, so
//             that the algorithm augments along shortest paths only. It is the counterpart of
//             Hopcroft and Karp's algorithm on a GPU, but its sets of disjoint paths need not be
//             maximal. In apsb-wr, each root stores one row where its path ends, and the algorithm
//             augments only along these paths.
// Paper       M. Deveci, K. Kaya, B. Uçar, Ü. V. Çatalyürek, "GPU accelerated maximum cardinality
//             matching algorithms for bipartite graphs", Euro-Par 2013: algorithm 1; algorithms 2
//             (GPUBFS), 4 (GPUBFS-WR, with the row of the path in bfs_array of its root), 3
//             (Alternate), and its improvement for APsB-GPUBFS-WR (end of section 3). Option
//             threads as in apfb.cu
// Changed     as in apfb.cu, but the host polls after every level
// Cost        as apfb, O(n) and a synchronisation with the host for each level; more phases than
//             apfb, each of fewer levels
// Prefer it   apsb-wr on meshes in natural order, where unmatched rows are near unmatched columns
//             and apfb would search many further levels in vain. Prefer apfb-wr if paths are long,
//             as on permuted meshes, because apsb then takes many phases. apsb is for comparison
//             with apsb-wr
// Encodings, Invariants, Races: gpubfs.cuh and alternate.cuh

#include "transversal/augmenting/alternate.cuh"
#include "transversal/augmenting/gpubfs.cuh"

extern "C" __global__ void bfs_wr(Count launch, Count phase, Index bfs_level, Index* bfs_array,
                                  const Index* cxadj, const Index* cadj, Index nc, Index* rmatch,
                                  Index* root, Index* predecessor, State* state) {
  gpubfs<Roots::with_row>(
      {launch, phase, bfs_level, bfs_array, cxadj, cadj, rmatch, root, predecessor, state}, nc);
}

// The improved Alternate: for each root that has a path, one thread starts at the row that the root
// stores. Paths of two roots may still meet, because different threads may have written the root of
// a column and the predecessor of its row. So alternate_from must check for this.
extern "C" __global__ void alternate_roots(Index nc, const Index* bfs_array, Index* cmatch,
                                           Index* rmatch, const Index* predecessor, State* state) {
  PathCounters counters;
  for (long long c = first_item(); c < nc; c += item_stride())
    if (bfs_array[c] < l0 - 1)
      counters.add(alternate_from(-bfs_array[c], cmatch, rmatch, predecessor));
  counters.store(state);
}
