// SPDX-License-Identifier: BSD-3-Clause
// apfb, apfb-wr: augmenting paths by full breadth-first searches on a GPU
//
// Idea        From all free columns at once, one level a launch, until nothing new is reached, past
//             the first free rows. Then all paths found are flipped at the same time, without care
//             for those that meet, and what went wrong is mended; again, until a search finds no
//             path. The GPU's counterpart of HKDW. With -wr each column knows its root, and a tree
//             that has a path grows no further.
// Paper       M. Deveci, K. Kaya, B. Uçar, Ü. V. Çatalyürek, "GPU accelerated maximum cardinality
//             matching algorithms for bipartite graphs", Euro-Par 2013: algorithm 1 without lines 9
//             and 10; algorithms 2 (GPUBFS), 4 (GPUBFS-WR) and 3 (Alternate). Option threads: ct is
//             256 x 256 threads, mt one thread a column. Changed: words that other threads of a
//             launch write are accessed as volatile, where the paper has plain accesses
//             (backends/gpu/visible.cuh); Alternate asks for the predecessor of a matched row only
//             where there is one; flags count up instead of being reset; the host looks at them
//             every fourth level, since a launch that finds no column of its level changes nothing
// Cost        Each level inspects all columns, O(n), whatever it finds; each poll of the host is a
//             synchronisation. A phase augments along at least one path; narrow levels make it slow
// Prefer it   apfb-wr before the other three of the paper, where many columns are free and paths
//             are short; rather use g-pr-shr, or guided-displacement on the CPU where searches go
//             deep
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
  gpubfs<Roots::with_level>(
      {launch, phase, bfs_level, bfs_array, cxadj, cadj, rmatch, root, predecessor, state}, nc);
}
