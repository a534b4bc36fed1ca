// SPDX-License-Identifier: BSD-3-Clause
// ordered-trees: the same matching in each run, whatever the order of the threads
//
// Idea        Trees grow from all unmatched columns, level by level. Each level takes two steps.
//             First, the columns of trees without a path propose to the rows that are in no tree.
//             Then each of these rows joins the tree of the least column that proposed to it. The
//             path of a tree ends at the least unmatched row of the first level at which the tree
//             reaches one. So the result depends only on the indices of rows and columns, not on
//             the timing of threads.
// Paper       ours; the trees are those of A. Azad, A. Buluç, A. Pothen, "A parallel tree grafting
//             algorithm for maximum cardinality matching in bipartite graphs", IPDPS 2015, without
//             grafting
// Cost        O(m + n + nnz) per phase, two grid barriers per level. A launch has a limit on levels
//             or on steps along a path; the next launch continues. Workspace: 2 m + 3 n indices
// Prefer it   if each run must give the same matching, on each GPU. Otherwise prefer meeting-trees,
//             which searches from both sides and keeps its trees between phases
// Encodings   proposed[i] = the least column that proposed to row i in this phase, or `unset`
//             root[i] = the unmatched column whose tree contains row i; -1: none. In the workspace,
//             the array root follows the array proposed
//             best[j] = the unmatched row at which the path of unmatched column j ends, or `unset`;
//             between two launches of the augmentation, the row of the path that is unmatched then
// Invariants  only the least column that proposed to row i writes root[i]. Trees are disjoint, and
//             so are paths. The matching is legal after each launch
// Races       proposed and best change by atomicMin, so the least number remains, in any order

#include "backends/gpu/counting.cuh"
#include "backends/gpu/frontier.cuh"
#include "backends/gpu/grid_barrier.cuh"

constexpr Index unset = static_cast<Index>(~Place{0} >> 1);
constexpr int lanes = 8;  // the number of lanes that scan one list together

struct Phase {
  Count listed[3];  // number of columns of a level, for three successive levels in turn
  Count barrier;
  Count levels, paths, edges;
  Count grown;  // 1: the growth of this phase is complete
  Count left;   // number of paths along which the augmentation is not complete
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

  // Calls visit(column, row) for this thread's part of the listed columns' entries. Returns their
  // number.
  template <class Visit>
  __device__ Count for_entries(const Index* list, Count n_listed, const Visit& visit) const {
    Count edges = 0;
    for (long long k = first_item() / lanes; k < static_cast<long long>(n_listed);
         k += item_stride() / lanes) {
      const Index j = seen(&list[k]);
      for (Index p = indptr[j] + threadIdx.x % lanes; p < indptr[j + 1]; p += lanes, ++edges)
        visit(j, indices[p]);
    }
    return edges;
  }

  __device__ void propose(Index j, Index i) const {
    if (seen(&root[i]) == -1 && seen(&best[root_of(j)]) == unset) atomicMin(&proposed[i], j);
  }

  __device__ void join_least(Index j, Index i, const Frontier& next, Count* paths) const {
    if (seen(&proposed[i]) != j || seen(&root[i]) != -1) return;
    const Index tree = root_of(j);
    show(&root[i], tree);
    const Index column = row_match[i];
    if (column >= 0)
      next.push(column);
    else if (atomicMin(&best[tree], i) == unset)
      ++*paths;
  }

  // Augments along the path of unmatched column j, by at most `limit` columns from its end. Returns
  // whether columns of the path remain.
  __device__ bool augment(Index j, Index limit) const {
    Index i = best[j];
    for (Index step = 0; i >= 0 && step < limit; ++step) {
      const Index column = proposed[i], row = col_match[column];
      row_match[i] = column;
      col_match[column] = i;
      i = row;
    }
    if (i >= 0) row_match[i] = -1;
    best[j] = i >= 0 ? i : unset;
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

// Starts a phase. workspace: 2 m + 3 n.
extern "C" __global__ void plant_in_order(Index m, Index n, const Index* indptr,
                                          const Index* indices, Index* row_match, Index* col_match,
                                          Index* workspace, Phase* phase) {
  const Trees trees = trees_in(m, n, indptr, indices, row_match, col_match, workspace);
  const Frontier roots{trees.lists[0], &phase->listed[0]};
  for (long long i = first_item(); i < m; i += item_stride()) {
    trees.proposed[i] = unset;
    trees.root[i] = -1;
  }
  for (long long j = first_item(); j < n; j += item_stride()) {
    trees.best[j] = unset;
    if (col_match[j] < 0 && indptr[j] < indptr[j + 1]) roots.push(static_cast<Index>(j));
  }
}

// Grows the trees by at most `max_levels` levels. Ends the growth of the phase when all trees are
// complete, or when there is more than one path for each `share` columns of the next level. If
// there is no path then, root[i] != -1 for exactly the rows that the trees have reached.
extern "C" __global__ void __launch_bounds__(256, 4)
    grow_in_order(Index m, Index n, const Index* indptr, const Index* indices, Index* row_match,
                  Index* col_match, Index* workspace, Count share, Count max_levels, Phase* phase) {
  const Trees trees = trees_in(m, n, indptr, indices, row_match, col_match, workspace);
  Count* arrived = &phase->barrier;
  const Count first = seen(&phase->levels);
  const bool in_progress = seen(&phase->grown) == 0, leads = blockIdx.x == 0 && threadIdx.x == 0;
  grid_barrier(arrived);  // all blocks have read phase->levels and phase->grown
  if (leads) phase->left = 0;
  Count level = first, edges = 0;
  for (; in_progress; ++level) {
    const Count n_listed = seen(&phase->listed[level % 3]);
    const bool over = n_listed == 0 || seen(&phase->paths) * share > n_listed;
    if (leads && over) phase->grown = 1;
    if (over || level - first == max_levels) break;
    if (leads) phase->listed[(level + 2) % 3] = 0;
    const Index* list = trees.lists[level % 2];
    const Frontier next{trees.lists[(level + 1) % 2], &phase->listed[(level + 1) % 3]};
    edges += trees.for_entries(list, n_listed, [&](Index j, Index i) { trees.propose(j, i); });
    grid_barrier(arrived);
    Count paths = 0;
    edges += trees.for_entries(list, n_listed,
                               [&](Index j, Index i) { trees.join_least(j, i, next, &paths); });
    add_over_warp(&phase->paths, paths);
    grid_barrier(arrived);
  }
  add_over_warp(&phase->edges, edges);
  if (leads) phase->levels = level;
}

// If the growth of the phase is complete, augments along its paths, by at most `limit` columns of
// each path.
extern "C" __global__ void shift_in_order(Index m, Index n, const Index* indptr,
                                          const Index* indices, Index* row_match, Index* col_match,
                                          Index* workspace, Index limit, Phase* phase) {
  if (phase->grown == 0) return;
  const Trees trees = trees_in(m, n, indptr, indices, row_match, col_match, workspace);
  Count left = 0;
  for (long long j = first_item(); j < n; j += item_stride())
    if (trees.best[j] != unset) left += trees.augment(static_cast<Index>(j), limit);
  __syncwarp();
  add_over_warp(&phase->left, left);
}

extern "C" __global__ void mark_rows(Index m, const Index* root, int* reached) {
  for (long long i = first_item(); i < m; i += item_stride()) reached[i] = root[i] != -1;
}
