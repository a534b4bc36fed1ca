// SPDX-License-Identifier: BSD-3-Clause
// meeting-trees: augmenting paths where trees from both sides meet, in one launch
//
// Idea        Alternating trees grow from all free columns and all free rows at once; where two
//             meet, one of either kind, is a path. After a few paths their columns are shifted and
//             their trees fall apart; all other trees stay, and grow into what became free: only
//             their border is looked at again, and a tree without a border never. When the trees of
//             one side are complete and there is no path, the matching is maximum. It is one kernel
//             that stays: its blocks meet at a barrier after each round. Where little is open,
//             each warp takes several steps on its own before that.
// Paper       ours, after A. Azad, A. Buluç, A. Pothen, "A parallel tree grafting algorithm for
//             maximum cardinality matching in bipartite graphs", IPDPS 2015 (trees are kept), and
//             M. Deveci, K. Kaya, B. Uçar, Ü. V. Çatalyürek, "GPU accelerated maximum
//             cardinality matching algorithms for bipartite graphs", Euro-Par 2013 (their roots)
// Cost        O(nnz) a phase at most, mostly a part of it. A round is a barrier and some eight
//             accesses one after the other, a step without a barrier six. Slow: paths through all
//             of a large mesh. Workspace: 7 (m + n) + 2 m indices, m + n words
// Prefer it   on a GPU, nearly always; apsb-wr is quicker on a geometric graph in its own order
//             (2.1 ms behind its start, and 2.7 in all). Rather use guided-displacement on the CPU
//             for a large permuted mesh with holes, where free rows and columns lie far apart
// Encodings   lists hold pairs by their row i, or a root: column j as -1 - j, row i as i; others:
//             forest.cuh. A piece is an entry of a list and the number of a part of its list
// Invariants  at the top of each round: 1. the matching is legal. 2. every pair of a tree that
//             grows is in `next`, in `pieces`, in `border`, or all its entries are in its tree.
//             3. no pair is in two places. So when a side has nothing open and this phase found
//             no path, its trees are closed
// Races       see forest.cuh. What a round counts is read behind its barrier, see Round

#include "backends/gpu/grid_barrier.cuh"
#include "transversal/augmenting/meeting_grower.cuh"

// What stays on the device between two launches.
struct Progress {
  Round rounds[3];
  Count barrier;
  Plan plan;
};

// -- the other actions --------------------------------------------------------------------------

// Lists the free columns and rows, and marks the free rows as roots.
__device__ void plant_roots(const Graph& graph, const Forest& forest, const Lists& lists,
                            Round* counted, Queue queue, long long warp, long long all) {
  const int lane = threadIdx.x % 32;
  for (int side : {cols, rows}) {
    const Index many = side == cols ? graph.n : graph.m;
    const Index* match = side == cols ? graph.col_match : graph.row_match;
    Index* next = lists.next[side][1];  // buffer is 0
    for (long long first = 32 * warp; first < many; first += 32 * all) {
      const Index k = static_cast<Index>(first + lane);
      const bool free = first + lane < many && match[k] < 0;
      if (side == rows && first + lane < many)
        forest.owner[k] = free ? Forest::of_row(k) : Forest::none;
      const bool root = free && graph.starts[side][k] < graph.starts[side][k + 1];
      queue.make_room(next, &counted->next[side]);
      if (side == cols)
        queue.put(root, -1 - k, k, k);
      else
        queue.put(root, k, k, Forest::of_row(k));
    }
    queue.spill(queue.count, next, &counted->next[side]);
  }
}

// What is listed: how many words an item has, and which of them it is.
enum Kind { nexts, pieces_of_hubs, borders };

// Puts those of a list whose trees still grow into the queue, and on to `next`.
template <int side, Kind kind>
__device__ void keep(const Graph& graph, const Forest& forest, const Index* from, Count many,
                     Index* next, Count* size, Queue& queue, long long warp, long long all) {
  constexpr int words = kind == nexts ? 3 : kind == pieces_of_hubs ? 2 : 1;
  const int lane = threadIdx.x % 32;
  for (Count first = 32 * warp; first < many; first += 32 * all) {
    const Count k = first + lane;
    bool kept = k < many && (kind != pieces_of_hubs || seen(&from[words * k + 1]) == 0);
    Index code = 0, self = 0, root = 0;
    if (kept) {
      code = seen(&from[words * k]);
      root = kind == nexts ? seen(&from[words * k + 2]) : root_of(forest, code);
      kept = forest.grows(root);
    }
    if (kept) self = kind == nexts ? seen(&from[words * k + 1]) : self_of<side>(graph, code);
    queue.make_room(next, size);
    queue.put(kept, code, self, root);
  }
}

template <int side>
__device__ void keep_all(const Graph& graph, const Forest& forest, const Lists& lists,
                         const Plan& plan, Round* counted, Queue& queue, long long warp,
                         long long all) {
  const int from = plan.buffer[side];
  Index* next = lists.next[side][from ^ 1];
  Count* size = &counted->next[side];
  keep<side, nexts>(graph, forest, lists.next[side][from], plan.next[side], next, size, queue, warp,
                    all);
  keep<side, pieces_of_hubs>(graph, forest, lists.pieces[side][from], plan.pieces[side], next, size,
                             queue, warp, all);
  keep<side, borders>(graph, forest, lists.border[side], plan.border[side], next, size, queue, warp,
                      all);
  queue.spill(queue.count, next, size);
}

__device__ void turn_over(const Graph& graph, const Forest& forest, const Lists& lists,
                          const Plan& plan, Round* counted, Queue queue, long long warp,
                          long long all) {
  // Path k and its side, few to a warp: their length is what takes time.
  for (Count k = warp + all * (threadIdx.x % 32); k < 2 * plan.paths; k += 32 * all) {
    const Index* at = &lists.paths[3 * (k / 2)];
    const Meeting meeting{at[0], at[1], at[2]};
    if (k % 2)
      shift_rows(graph, forest, meeting);
    else
      shift_cols(graph, forest, meeting);
  }
  __syncwarp();
  keep_all<cols>(graph, forest, lists, plan, counted, queue, warp, all);
  keep_all<rows>(graph, forest, lists, plan, counted, queue, warp, all);
}

// -- the kernel ---------------------------------------------------------------------------------

__device__ void grow_trees(const Graph& graph, const Forest& forest, const Lists& lists,
                           const Plan& plan, Round* counted, Queue queue, BorderQueue border,
                           PathQueue paths, Count warp, Count all) {
  // The warps are shared out by what is open.
  const Count left = plan.grows[cols] ? plan.open(cols) : 0;
  const Count right = plan.grows[rows] ? plan.open(rows) : 0;
  Count for_cols = right == 0 ? all : left == 0 ? 0 : all * left / (left + right);
  if (left && for_cols == 0) for_cols = 1;
  if (right && for_cols == all) for_cols = all - 1;
  Count edges;
  if (warp < for_cols) {
    Grower<cols> grower{graph, forest, lists, plan, counted, queue, border, paths};
    grower.run(warp, for_cols);
    edges = grower.edges;
  } else {
    Grower<rows> grower{graph, forest, lists, plan, counted, queue, border, paths};
    grower.run(warp - for_cols, all - for_cols);
    edges = grower.edges;
  }
  add_over_warp(&counted->edges, edges);
}

// workspace: 7 (m + n) + 2 m; pieces: 8 x `most`, for so many pieces on a side; paths: one for each
// free row, or for each free column; state: m + n, all 0.
extern "C" __global__ void __launch_bounds__(32 * warps, 2)
    meeting_trees(Index m, Index n, const Index* indptr, const Index* indices,
                  const Index* row_indptr, const Index* row_indices, Index* row_match,
                  Index* col_match, Index* workspace, int* state, Index* pieces, Index most,
                  Index* paths, Count most_edges, Count most_rounds, Count thin, Count share,
                  Count share_thin, int steps, Count lean, Progress* progress) {
  __shared__ Index queues[warps][3][room], borders[warps][1][64], paths_of_warps[warps][3][64];
  __shared__ Graph graph;  // here, and not in registers, which are short
  __shared__ Forest forest;
  __shared__ Lists lists;
  __shared__ Plan plan;
  const Limits limits{most_edges, most_rounds, thin, {share, share_thin}, steps, lean};
  const int in_block = threadIdx.x / 32;
  const Count all = static_cast<Count>(gridDim.x) * warps;
  const Count warp = static_cast<Count>(in_block) * gridDim.x + blockIdx.x;
  const Queue queue{queues[in_block]};
  const BorderQueue border{borders[in_block]};
  const PathQueue path_queue{paths_of_warps[in_block]};
  Count edges_before = 0, rounds_before = 0;
  if (threadIdx.x == 0) {
    Index* const for_rows = workspace + 7LL * n;
    Index* const for_pairs = for_rows + 7LL * m;
    graph = {m, n, {indptr, row_indptr}, {indices, row_indices}, row_match, col_match};
    forest = {for_pairs, for_pairs + m, state, n};
    lists = {{{workspace, workspace + 3LL * n}, {for_rows, for_rows + 3LL * m}},
             {workspace + 6LL * n, for_rows + 6LL * m},
             {{pieces, pieces + 2LL * most}, {pieces + 4LL * most, pieces + 6LL * most}},
             paths};
    plan = progress->plan;
    edges_before = plan.edges;
    rounds_before = plan.round;
    if (plan.action != plant) plan.decide(limits, false);
  }
  __syncthreads();
  while (plan.action != stop) {
    Round* counted = &progress->rounds[plan.round % 3];
    if (blockIdx.x == 0 && threadIdx.x < sizeof(Round) / sizeof(Count))  // for the next round
      reinterpret_cast<Count*>(&progress->rounds[(plan.round + 1) % 3])[threadIdx.x] = 0;
    switch (plan.action) {
      case plant:
        plant_roots(graph, forest, lists, counted, queue, warp, all);
        break;
      case grow:
        grow_trees(graph, forest, lists, plan, counted, queue, border, path_queue, warp, all);
        break;
      default:
        turn_over(graph, forest, lists, plan, counted, queue, warp, all);
    }
    grid_barrier(reinterpret_cast<unsigned*>(&progress->barrier));
    if (threadIdx.x == 0) {
      Round brought;
      const Count* from = reinterpret_cast<const Count*>(counted);
      Count* to = reinterpret_cast<Count*>(&brought);
      for (unsigned k = 0; k < sizeof(Round) / sizeof(Count); ++k) to[k] = seen(&from[k]);
      plan.take_over(brought);
      plan.decide(limits, plan.edges - edges_before >= limits.edges ||
                              plan.round - rounds_before >= limits.rounds);
    }
    __syncthreads();
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) progress->plan = plan;
}

// The rows in a least cover, after the last round: those that the trees of the columns have
// reached, where these are complete; else those that the trees of the rows have not.
extern "C" __global__ void mark_cover(Index m, const Index* owner, const int* state,
                                      const Index* row_match, Index n, int closed, int* reached) {
  const Forest forest{const_cast<Index*>(owner), nullptr, const_cast<int*>(state), n};
  for (long long i = first_item(); i < m; i += item_stride()) {
    const Index root = owner[i];
    const bool in_tree = root != Forest::none && forest.grows(root);
    const bool in_row_tree = in_tree && Forest::is_row(root);
    reached[i] = closed == 1 + cols ? in_tree && !in_row_tree : row_match[i] >= 0 && !in_row_tree;
  }
}
