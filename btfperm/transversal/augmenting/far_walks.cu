// SPDX-License-Identifier: BSD-3-Clause
// meeting-trees, where free columns lie far from free rows: they walk along distances
//
// Idea        All rows get their distance to the nearest free row, level by level. All free columns
//             that can get to one walk at once, each to the least distance, and leave a row with
//             one more than the second least, so that those behind go another way; twice as many
//             steps as there are levels. Then again, until none can get to a free row. Trees hand
//             out one path for each place that they wall in; here all walk
// Paper       the push and the global relabelling of A. V. Goldberg, R. E. Tarjan, "A new approach
//             to the maximum-flow problem", J. ACM 35 (1988), as in g-pr, but in turns: no push of
//             many, and no level, is a launch
// Cost        a few phases, each O(nnz) and a barrier a level, then steps of some five accesses.
//             Workspace: 2 m + n indices, m + n words
// Prefer it   where a search of meeting-trees has not ended in some thousand rounds and many
//             columns are free; for a few, trees from both sides are quicker
// Encodings   label[i] = levels from row i to a free row. `hopeless`: none found; `walled`: row i
//             is done for good, see `meeting_peel.cu`
//             told[j] = 1: free column j can get to a free row
// Invariants  a level is complete before the next begins. A column that can get to no free row
//             never will, whoever walks
// Races       a row's label is set once a phase, by who first comes; in walks see
//             `meeting_walks.cu`

#include "backends/gpu/block_queue.cuh"
#include "backends/gpu/grid_barrier.cuh"
#include "transversal/augmenting/forest.cuh"
#include "transversal/augmenting/walks.cuh"

using Distances = Labels<unsigned>;
constexpr unsigned walled = Distances::hopeless + 1;
constexpr unsigned room = 4096;  // of a block's queue
constexpr int lanes = 4;         // that go through a list together

struct Phase {
  // In turns: rows of a level, those that blocks had no room for, free columns that it has found.
  struct {
    Count rows, over, cols;
  } levels[3];
  Count barrier;
  Count found, depth, edges, left;
};

struct Level {
  Graph graph;
  unsigned* label;
  int* told;
  Index* walkers;
  Phase* phase;
  BlockQueue<1, room> queue;
  unsigned depth;

  // Row i is a level from a free row on: so are the mates of the columns in its list, and one more.
  __device__ Count expand(Index i, int lane) const {
    Count edges = 0;
    for (Index p = graph.starts[1][i] + lane; p < graph.starts[1][i + 1]; p += lanes, ++edges) {
      const Index j = graph.lists[1][p], row = seen(&graph.col_match[j]);
      if (row >= 0) {
        if (seen(&label[row]) == Distances::hopeless &&
            atomicCAS(&label[row], Distances::hopeless, depth + 1) == Distances::hopeless)
          queue.put_one(row);
      } else if (atomicExch(&told[j], 1) == 0) {
        walkers[atomicAdd(&phase->found, Count{1})] = j;
        atomicAdd(&phase->levels[(depth + 1) % 3].cols, Count{1});
      }
    }
    return edges;
  }
};

// Labels rows until `wanted` free columns have been found that can get to a free row, or all, or
// `most` levels. over: 2 m.
extern "C" __global__ void __launch_bounds__(512, 2)
    label_rows(Index m, Index n, const Index* row_indptr, const Index* row_indices,
               Index* row_match, Index* col_match, const Index* owner, const Index* core,
               unsigned* label, int* told, Index* walkers, Index* over, Count wanted, unsigned most,
               Phase* phase) {
  __shared__ Index items[1][room];
  __shared__ QueueEnds ends;
  if (threadIdx.x == 0) ends = {};
  __syncthreads();
  unsigned* arrived = reinterpret_cast<unsigned*>(&phase->barrier);
  Level level{{m, n, {nullptr, row_indptr}, {nullptr, row_indices}, row_match, col_match},
              label,
              told,
              walkers,
              phase,
              {items, &ends, over, &phase->levels[0].over},
              0};
  for (long long j = first_item(); j < n; j += item_stride()) told[j] = 0;
  for (long long i = first_item(); i < m; i += item_stride()) {
    const bool free = row_match[i] == -1;
    label[i] = free ? 0 : core && Forest::is_done(owner[i]) ? walled : Distances::hopeless;
    if (free && row_indptr[i] < row_indptr[i + 1]) level.queue.put_one(static_cast<Index>(i));
  }
  Count edges = 0;
  const int lane = static_cast<int>(threadIdx.x % lanes);
  const unsigned group = threadIdx.x / lanes, groups = blockDim.x / lanes;
  for (Count found = 0;; ++level.depth) {
    auto* now = &phase->levels[level.depth % 3];
    auto* next = &phase->levels[(level.depth + 1) % 3];
    const unsigned many = level.queue.next_step();
    if (threadIdx.x == 0 && many) atomicAdd(&now->rows, static_cast<Count>(many));
    grid_barrier(arrived);
    const Count beyond = seen(&now->over);
    found += seen(&now->cols);
    if (seen(&now->rows) + beyond == 0 || found >= wanted || level.depth == most) break;
    const Index* list = over + (level.depth % 2 ? static_cast<long long>(m) : 0);
    level.queue.list = over + (level.depth % 2 ? 0 : static_cast<long long>(m));
    level.queue.size = &next->over;
    if (blockIdx.x == 0 && threadIdx.x == 0) phase->levels[(level.depth + 2) % 3] = {};
    for (unsigned k = group; k < many; k += groups)
      edges += level.expand(level.queue.get(k, 0), lane);
    for (Count k = group * static_cast<Count>(gridDim.x) + blockIdx.x; k < beyond;
         k += groups * static_cast<Count>(gridDim.x))
      edges += level.expand(seen(&list[k]), lane);
  }
  add_over_warp(&phase->edges, edges);
  if (blockIdx.x == 0 && threadIdx.x == 0) phase->depth = level.depth;
}

// Few to a warp: waiting is what takes time.
extern "C" __global__ void walk_far(Count walkers, Count warps, int most, Count seed,
                                    const Index* indptr, const Index* indices, const Index* list,
                                    Index* row_match, Index* col_match, unsigned* label,
                                    Phase* phase) {
  const Distances labels{label};
  Count edges = 0, left = 0;
  const Count first = static_cast<Count>(first_item());
  for (Count k = first / 32 + warps * (first % 32); k < walkers && first / 32 < warps;
       k += 32 * warps) {
    const Index at = labels.walk(list[k], most, seed, indptr, indices, row_match, &edges);
    if (at != -1) col_match[at] = -1;
    left += at != -1;
  }
  __syncwarp();
  add_over_warp(&phase->left, left);
  add_over_warp(&phase->edges, edges);
}

extern "C" __global__ void seat_columns(Index m, const Index* row_match, unsigned* label,
                                        Index* col_match) {
  for (long long i = first_item(); i < m; i += item_stride())
    Distances{label}.seat(static_cast<Index>(i), row_match, col_match);
}

// The rows in a least cover, when no free column can get to a free row: those that cannot either.
extern "C" __global__ void mark_far_cover(Index m, const unsigned* label, const Index* owner,
                                          const Index* core, const Index* row_match, int* reached) {
  for (long long i = first_item(); i < m; i += item_stride()) {
    const bool done = core && Forest::is_done(owner[i]);
    reached[i] =
        done ? owner[i] == Forest::in_cover : row_match[i] >= 0 && label[i] == Distances::hopeless;
  }
}
