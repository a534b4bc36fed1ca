// SPDX-License-Identifier: BSD-3-Clause
// apfb, apfb-wr: augmenting paths by full breadth-first searches on a GPU
//
// Idea        A phase searches from all unmatched columns at once, one level per launch. It
//             continues after a level that reaches an unmatched row, until a level reaches nothing
//             new. Then it augments along all paths at the same time, although paths may meet, and
//             repairs the conflicts. The algorithm ends with a phase that finds no path. It is the
//             counterpart of HKDW on a GPU. In apfb-wr, each column stores its root, and a tree
//             that has a path stops growing.
// Paper       M. Deveci, K. Kaya, B. Uçar, Ü. V. Çatalyürek, "GPU accelerated maximum cardinality
//             matching algorithms for bipartite graphs", Euro-Par 2013: algorithm 1 without lines 9
//             and 10; algorithms 2 (GPUBFS), 4 (GPUBFS-WR) and 3 (Alternate). Option threads: ct is
//             256 x 256 threads, mt one thread per column
// Changed     Words that other threads of a launch write are accessed as volatile; the paper uses
//             plain accesses (backends/gpu/visible.cuh). Alternate reads the predecessor of a
//             matched row only if there is such a row. With ct, a thread loads the levels of eight
//             of its columns at once, to hide the latency. With mt, there is one thread for each
//             column, even if not all of them fit on the GPU at once; the paper takes min(nc,
//             #threads). Flags store increasing numbers instead of being reset. The host polls them
//             every fourth level, because a launch that finds no column of its level changes
//             nothing; such launches are not counted as levels
// Cost        each level inspects all columns, O(n), even if it reaches only a few; each poll of
//             the host is a synchronisation. A phase that finds paths augments along at least one.
//             Slow if there are many levels with few columns each
// Prefer it   apfb-wr if the columns have nearly the same length, whether paths are short or long,
//             as on permuted meshes. Prefer g-pr-shr if the lengths of columns vary much, as in
//             networks, because one thread of apfb-wr visits a whole column; also on large matrices
//             that are irregular or have few unmatched columns. On the largest meshes, with the
//             longest paths, only g-pr-shr ended within the limits of the measurements. If
//             unmatched rows are near unmatched columns, as on meshes in natural order, prefer
//             apsb-wr. apfb is for comparison with apfb-wr
// Encodings, Invariants, Races: gpubfs.cuh and alternate.cuh

#include "transversal/augmenting/alternate.cuh"
#include "transversal/augmenting/gpubfs.cuh"

extern "C" __global__ void bfs_wr(Count launch, Count phase, Index bfs_level, Index* bfs_array,
                                  const Index* cxadj, const Index* cadj, Index nc, Index* rmatch,
                                  Index* root, Index* predecessor, State* state) {
  gpubfs<Roots::with_level>(
      {launch, phase, bfs_level, bfs_array, cxadj, cadj, rmatch, root, predecessor, state}, nc);
}
