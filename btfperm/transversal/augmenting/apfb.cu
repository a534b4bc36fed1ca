// SPDX-License-Identifier: BSD-3-Clause
// apfb, apfb-wr: augmenting paths by full breadth-first searches on a GPU
//
// Idea        A phase searches from all unmatched columns at once, one level per launch, past the
//             first unmatched rows, until a level reaches nothing new. It then augments along all
//             paths at the same time, although paths may meet, and repairs the conflicts. The
//             algorithm ends with a phase that finds no path. It is the GPU's counterpart of HKDW.
//             With -wr each column stores its root, and a tree that has a path stops growing.
// Paper       M. Deveci, K. Kaya, B. Uçar, Ü. V. Çatalyürek, "GPU accelerated maximum cardinality
//             matching algorithms for bipartite graphs", Euro-Par 2013: algorithm 1 without lines 9
//             and 10; algorithms 2 (GPUBFS), 4 (GPUBFS-WR) and 3 (Alternate). Option threads: ct is
//             256 x 256 threads, mt one thread per column
// Changed     Words that other threads of a launch write are accessed as volatile, where the paper
//             has plain accesses (backends/gpu/visible.cuh). Alternate reads the predecessor of a
//             matched row only if there is one. A thread loads the levels of eight of its columns
//             at once, which hides the latency; one of mt has one column. mt has no upper limit,
//             where the paper takes min(nc, #threads): blocks that do not fit on the GPU wait.
//             Flags count up instead of being reset. The host polls them every fourth level, since
//             a launch that finds no column of its level changes nothing; such launches are not
//             counted as levels
// Cost        Each level inspects all columns, O(n), whatever it reaches; each poll of the host is
//             a synchronisation. A phase that finds a path augments along at least one. Many levels
//             with few columns each are slow
// Prefer it   apfb-wr if the columns have nearly the same length, whether paths are short or long,
//             as on permuted meshes. Prefer g-pr-shr if the lengths vary much, as in networks,
//             because a thread of apfb-wr visits a whole column, and on large matrices that are
//             irregular or have few unmatched columns. On the largest meshes, with the longest
//             paths, only g-pr-shr ended within the limits of the measurements. If unmatched rows
//             are near, as on meshes in natural order, prefer apsb-wr. apfb is for comparison with
//             apfb-wr
// Encodings, Invariants, Races: gpubfs.cuh and alternate.cuh

#include "transversal/augmenting/alternate.cuh"
#include "transversal/augmenting/gpubfs.cuh"

extern "C" __global__ void bfs_wr(Count launch, Count phase, Index bfs_level, Index* bfs_array,
                                  const Index* cxadj, const Index* cadj, Index nc, Index* rmatch,
                                  Index* root, Index* predecessor, State* state) {
  gpubfs<Roots::with_level>(
      {launch, phase, bfs_level, bfs_array, cxadj, cadj, rmatch, root, predecessor, state}, nc);
}
