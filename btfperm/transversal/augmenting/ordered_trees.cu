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
// Cost        O(nnz) a phase, two barriers a level. A launch comes back after so many levels, or
//             steps along a path, and the next goes on. Workspace: 2 m + 3 n indices
// Prefer it   where the same pairs are wanted in each run, on each GPU; meeting-trees else, which
//             searches from both sides and keeps its trees
// Encodings   proposed[i] = the least column that asked for row i in this phase, or nobody
//             root[i] = the free column whose tree has row i, next to proposed[i]; -1: none
//             best[j] = the free row in which free column j's path ends, or nobody; while columns
//             are shifted, the row that is free then
// Invariants  between two barriers only the least column of a row writes what belongs to the row;
//             trees are disjoint, so paths are, too. The matching is legal behind each launch
// Races       proposed and best by atomicMin: the least number wins, in any order

#include "backends/gpu/counting.cuh"
#include "backends/gpu/frontier.cuh"
#include "backends/gpu/grid_barrier.cuh"

constexpr Index nobody = static_cast<Index>(~Place{0} >> 1);
constexpr int lanes = 8;  // that go through a list together

struct Phase {
  Count listed[3];  // columns of a level, in turns
  Count barrier;
  Count levels, paths, edges;
  Count grown;  // 1: no tree grows on
  Count left;   // paths whose columns are not all shifted
};

struct Trees {
  Index m, n;
  const Index *indptr, *indices;
  Index *row_match, *col_match, *proposed, *root;
  Index* lists[2];
  Index* best;

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

  // Moves each column of the path of free column j to the next row, at most so many; whether some
  // are left.
  __device__ bool shift(Index j, Index most) const {
    Index i = best[j];
    for (Index step = 0; i >= 0 && step < most; ++step) {
      const Index column = proposed[i], row = col_match[column];
      row_match[i] = column;
      col_match[column] = i;
      i = row;
    }
    if (i >= 0) row_match[i] = -1;
    best[j] = i >= 0 ? i : nobody;
    return i >= 0;
  }
};

__device__ inline Trees trees_in(Index m, Index n, const Index* indptr, const Index* indices,
                                 Index* row_match, Index* col_match, Index* workspace) {
  Index* const for_columns = workspace + 2LL * m;
  return {m,
          n,
          indptr,
          indices,
          row_match,
          col_match,
          workspace,
          workspace + m,
          {for_columns, for_columns + n},
          for_columns + 2LL * n};
}

// A phase begins. workspace: 2 m + 3 n.
extern "C" __global__ void plant_in_order(Index m, Index n, const Index* indptr,
                                          const Index* indices, Index* row_match, Index* col_match,
                                          Index* workspace, Phase* phase) {
  const Trees trees = trees_in(m, n, indptr, indices, row_match, col_match, workspace);
  const Frontier roots{trees.lists[0], &phase->listed[0]};
  for (long long i = first_item(); i < m; i += item_stride()) {
    trees.proposed[i] = nobody;
    trees.root[i] = -1;
  }
  for (long long j = first_item(); j < n; j += item_stride()) {
    trees.best[j] = nobody;
    if (col_match[j] < 0 && indptr[j] < indptr[j + 1]) roots.push(static_cast<Index>(j));
  }
}

// Trees grow by at most so many levels; until there is one path for `share` columns of a level, or
// all trees are complete. Without a path `root` tells the rows that any has reached.
extern "C" __global__ void __launch_bounds__(256, 4)
    grow_in_order(Index m, Index n, const Index* indptr, const Index* indices, Index* row_match,
                  Index* col_match, Index* workspace, Count share, Count most, Phase* phase) {
  const Trees trees = trees_in(m, n, indptr, indices, row_match, col_match, workspace);
  unsigned* arrived = reinterpret_cast<unsigned*>(&phase->barrier);
  const Count first = seen(&phase->levels);
  const bool begun = seen(&phase->grown) == 0, leads = blockIdx.x == 0 && threadIdx.x == 0;
  grid_barrier(arrived);  // all have read these
  if (leads) phase->left = 0;
  Count level = first, edges = 0;
  for (; begun; ++level) {
    const Count many = seen(&phase->listed[level % 3]);
    const bool over = many == 0 || seen(&phase->paths) * share > many;
    if (leads && over) phase->grown = 1;
    if (over || level - first == most) break;
    if (leads) phase->listed[(level + 2) % 3] = 0;
    const Index* list = trees.lists[level % 2];
    const Frontier next{trees.lists[(level + 1) % 2], &phase->listed[(level + 1) % 3]};
    edges += trees.for_entries(list, many, [&](Index j, Index i) { trees.propose(j, i); });
    grid_barrier(arrived);
    Count paths = 0;
    edges +=
        trees.for_entries(list, many, [&](Index j, Index i) { trees.settle(j, i, next, &paths); });
    add_over_warp(&phase->paths, paths);
    grid_barrier(arrived);
  }
  add_over_warp(&phase->edges, edges);
  if (leads) phase->levels = level;
}

// Shifts along the paths when no tree grows on, at most so many columns of each.
extern "C" __global__ void shift_in_order(Index m, Index n, const Index* indptr,
                                          const Index* indices, Index* row_match, Index* col_match,
                                          Index* workspace, Index most, Phase* phase) {
  if (phase->grown == 0) return;
  const Trees trees = trees_in(m, n, indptr, indices, row_match, col_match, workspace);
  Count left = 0;
  for (long long j = first_item(); j < n; j += item_stride())
    if (trees.best[j] != nobody) left += trees.shift(static_cast<Index>(j), most);
  __syncwarp();
  add_over_warp(&phase->left, left);
}

extern "C" __global__ void mark_rows(Index m, const Index* root, int* reached) {
  for (long long i = first_item(); i < m; i += item_stride()) reached[i] = root[i] != -1;
}
