// SPDX-License-Identifier: BSD-3-Clause
// meeting-trees with pairs=same: trees that grow alike in each run, whoever comes first
//
// Idea        Trees grow from all free columns, level by level, and each level takes two steps: all
//             columns propose to the rows of their lists that no tree has, and the least column
//             that proposed to a row has it. A tree ends with its least free row of the first level
//             that has any. What the numbers are decides, not who is quick
// Paper       ours; the trees are those of A. Azad, A. Buluç, A. Pothen, "A parallel tree grafting
//             algorithm for maximum cardinality matching in bipartite graphs", IPDPS 2015, without
//             grafting
// Cost        O(nnz) a phase, two barriers a level. Workspace: 3 m + 3 n indices
// Prefer it   where the same pairs are wanted in each run, on each GPU; meeting-trees else, which
//             searches from both sides and keeps its trees
// Encodings   proposed[i] = the least column that asked for row i in this phase, or nobody
//             root[i] = the free column whose tree has row i, next to proposed[i]; -1: none
//             best[j] = the free row in which free column j's path ends, or nobody
// Invariants  between two barriers only the least column of a row writes what belongs to the row;
//             trees are disjoint, so paths are, too
// Races       proposed and best by atomicMin: the least number wins, in any order

#include "backends/gpu/counting.cuh"
#include "backends/gpu/frontier.cuh"
#include "backends/gpu/grid_barrier.cuh"

constexpr Index nobody = static_cast<Index>(~Place{0} >> 1);
constexpr int lanes = 8;  // that go through a list together

struct Phase {
  Count listed[3];  // columns of a level, in turns
  Count barrier;
  Count paths, levels, edges;
};

struct Trees {
  Index m, n;
  const Index *indptr, *indices;
  Index *row_match, *col_match, *proposed, *root, *best;

  __device__ Index root_of(Index j) const {
    const Index i = seen(&col_match[j]);
    return i < 0 ? j : seen(&root[i]);
  }

  // Calls visit(column, row) for all entries of the listed columns; entries read.
  template <class Visit>
  __device__ Count for_entries(const Index* list, Count many, const Visit& visit) const {
    Count edges = 0;
    for (long long k = first_item() / lanes; k < static_cast<long long>(many);
         k += item_stride() / lanes) {
      const Index j = seen(&list[k]);
      for (Index p = indptr[j] + threadIdx.x % lanes; p < indptr[j + 1]; p += lanes, ++edges)
        visit(j, indices[p]);
    }
    return edges;
  }

  __device__ void propose(Index j, Index i) const {
    if (seen(&root[i]) == -1 && seen(&best[root_of(j)]) == nobody) atomicMin(&proposed[i], j);
  }

  __device__ void settle(Index j, Index i, const Frontier& next, Count* paths) const {
    if (seen(&proposed[i]) != j || seen(&root[i]) != -1) return;
    const Index tree = root_of(j);
    show(&root[i], tree);
    const Index column = row_match[i];
    if (column >= 0)
      next.push(column);
    else if (atomicMin(&best[tree], i) == nobody)
      ++*paths;
  }

  // Moves each column of the path of free column j to the next row.
  __device__ void shift(Index j) const {
    Index i = seen(&best[j]);
    while (i >= 0) {
      const Index column = seen(&proposed[i]), row = col_match[column];
      row_match[i] = column;
      col_match[column] = i;
      i = row;
    }
  }
};

// One phase. workspace: 3 m + 3 n. It ends with one path for `share` columns of a level, or when
// all trees are complete; without a path, `root` tells the rows that any has reached.
extern "C" __global__ void __launch_bounds__(256, 4)
    grow_in_order(Index m, Index n, const Index* indptr, const Index* indices, Index* row_match,
                  Index* col_match, Index* workspace, Count share, Phase* phase) {
  Index* lists[2] = {workspace + 2LL * m, workspace + 2LL * m + n};
  const Trees trees{m,
                    n,
                    indptr,
                    indices,
                    row_match,
                    col_match,
                    workspace,
                    workspace + m,
                    workspace + 2LL * m + 2LL * n};
  unsigned* arrived = reinterpret_cast<unsigned*>(&phase->barrier);
  const Frontier roots{lists[0], &phase->listed[0]};
  for (long long i = first_item(); i < m; i += item_stride()) {
    trees.proposed[i] = nobody;
    trees.root[i] = -1;
  }
  for (long long j = first_item(); j < n; j += item_stride()) {
    trees.best[j] = nobody;
    if (col_match[j] < 0 && indptr[j] < indptr[j + 1]) roots.push(static_cast<Index>(j));
  }
  grid_barrier(arrived);
  Count level = 0, edges = 0;
  for (;; ++level) {
    const Count many = seen(&phase->listed[level % 3]);
    if (many == 0 || seen(&phase->paths) * share > many) break;
    if (blockIdx.x == 0 && threadIdx.x == 0) phase->listed[(level + 2) % 3] = 0;
    const Index* list = lists[level % 2];
    const Frontier next{lists[(level + 1) % 2], &phase->listed[(level + 1) % 3]};
    edges += trees.for_entries(list, many, [&](Index j, Index i) { trees.propose(j, i); });
    grid_barrier(arrived);
    Count paths = 0;
    edges +=
        trees.for_entries(list, many, [&](Index j, Index i) { trees.settle(j, i, next, &paths); });
    add_over_warp(&phase->paths, paths);
    grid_barrier(arrived);
  }
  for (long long j = first_item(); j < n; j += item_stride())
    if (seen(&trees.best[j]) != nobody) trees.shift(static_cast<Index>(j));
  add_over_warp(&phase->edges, edges);
  if (blockIdx.x == 0 && threadIdx.x == 0) phase->levels += level;
}

extern "C" __global__ void mark_rows(Index m, const Index* root, int* reached) {
  for (long long i = first_item(); i < m; i += item_stride()) reached[i] = root[i] != -1;
}
