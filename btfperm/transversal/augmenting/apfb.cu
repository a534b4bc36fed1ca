// SPDX-License-Identifier: BSD-3-Clause
// apfb, apfb-wr: augmenting paths by full breadth-first search on a GPU
//
// Idea        From all free columns at once, one level a launch, until nothing new is reached, past
// the first
//             free rows. Then all paths found are flipped at the same time, without care for those
//             that meet, and what went wrong is mended; again, until a search finds no path. The
//             GPU's counterpart of HKDW. With -wr a tree that has a path grows no further, because
//             each column knows its root.
// Paper       Deveci, Kaya, Uçar, Çatalyürek, "GPU accelerated maximum cardinality matching
// algorithms for bipartite
//             graphs", Euro-Par 2013: algorithm 1 without lines 9 and 10; algorithms 2 (GPUBFS), 4
//             (GPUBFS-WR), 3 (Alternate). Option threads: ct is 256 x 256 threads, mt one thread a
//             column. Changed: words that other threads of a launch write are read and written by
//             volatile accesses, where the paper has plain ones (backends/gpu/visible.cuh);
//             Alternate looks whether there is a matched row before it asks for its predecessor;
//             flags count up and are read once a level.
// Cost        Each level looks at all columns and comes back to the host: O(n) a level and 10 to 20
// us, however
//             little it finds. A phase augments at least one path; many thin levels are what makes
//             it slow.
// Prefer it   apfb-wr with threads=ct before the other three of this family; where paths are short
// and their
//             number is large. Rather use guided-displacement on the CPU where the search goes
//             deep.
// Encodings, invariants, races: gpubfs.cuh and alternate.cuh.

#include "transversal/augmenting/alternate.cuh"
#include "transversal/augmenting/gpubfs.cuh"

extern "C" __global__ void bfs(Count launch, Count phase, Index bfs_level, Index* bfs_array,
                               const Index* cxadj, const Index* cadj, Index nc, Index* rmatch,
                               Index* root, Index* predecessor, State* state) {
  gpubfs<Roots::none>(launch, phase, bfs_level, bfs_array, cxadj, cadj, nc, rmatch, root,
                      predecessor, state);
}

extern "C" __global__ void bfs_wr(Count launch, Count phase, Index bfs_level, Index* bfs_array,
                                  const Index* cxadj, const Index* cadj, Index nc, Index* rmatch,
                                  Index* root, Index* predecessor, State* state) {
  gpubfs<Roots::with_level>(launch, phase, bfs_level, bfs_array, cxadj, cadj, nc, rmatch, root,
                            predecessor, state);
}
