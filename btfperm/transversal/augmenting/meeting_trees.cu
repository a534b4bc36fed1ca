// SPDX-License-Identifier: BSD-3-Clause
// meeting-trees: augmenting paths where trees from both sides meet, in a persistent kernel
//
// Idea        Alternating trees grow from all unmatched columns and from all unmatched rows at the
//             same time. If a tree from a column and a tree from a row meet, and neither has a path
//             yet, they form an augmenting path. When a phase has enough paths, the kernel augments
//             along them and releases their trees. All other trees remain, and grow into the
//             released vertices. For this, only the vertices with neighbours in other trees, the
//             border of the trees, are scanned again. When the trees of one side are complete and
//             there is no path, the matching is maximum. A grid barrier ends each round. If the
//             sides that grow have few open vertices, each block takes several steps between two
//             barriers. A launch has limits on rounds and entries; the next launch continues.
// Paper       ours, after A. Azad, A. Buluç, A. Pothen, "A parallel tree grafting algorithm for
//             maximum cardinality matching in bipartite graphs", IPDPS 2015 (trees are kept), and
//             M. Deveci, K. Kaya, B. Uçar, Ü. V. Çatalyürek, "GPU accelerated maximum cardinality
//             matching algorithms for bipartite graphs", Euro-Par 2013 (each vertex stores its
//             root)
// Cost        O(nnz) per phase at most, usually a part of it. A round costs a grid barrier and
//             several dependent memory accesses. Slow if paths cross a large mesh. Workspace:
//             11 m + 9 n + 3 min(m, n) + nnz / 16 indices, m + n ints
// Prefer it   on a GPU, nearly always; apsb-wr can be faster on a geometric graph in natural order.
//             If unmatched rows and columns lie far apart, as in a large permuted mesh with holes,
//             see `far_walks.cu`
// Encodings   an item of a list is a matched entry, as its row i, or a root: column j as -1 - j,
//             row i as i; for the other encodings see forest.cuh. A vertex is open while it is in
//             `next` or `pieces`, which means that its list must be scanned. A hub is a vertex with
//             a long list, which is scanned in pieces; a piece is stored as the item of the hub and
//             the number of a part of its list
// Invariants  at the start of each round: 1. the matching is legal. 2. every matched entry of a
//             growing tree is in `next`, `pieces` or `border`, or each of its neighbours is in the
//             same tree or matched permanently (meeting_peel.cu). So when a side has no open vertex
//             and this phase has no path, the trees of this side are complete
// Races       see forest.cuh. The counts of a round are read after its barrier, see Round

#include "backends/gpu/grid_barrier.cuh"
#include "transversal/augmenting/meeting_grower.cuh"

// What stays on the device between two launches; the host reads it, too.
struct Progress {
  Round rounds[3];
  Count barrier;
  Plan plan;
};
static_assert(sizeof(Progress) == 44 * sizeof(Count));

// -- plant and turn -----------------------------------------------------------------------------

// Appends the items that are left in the queues of the warps to the list of a side for the next
// round.
__device__ void store_queue(int side, const Lists& lists, int buffer, Round* counted, Tally& tally,
                            OwnQueue& queue) {
  const Count place = tally.add(Round::in_next + side, queue.count);
  tally.settle(counted);
  queue.move(queue.count, lists.next[side][buffer ^ 1], tally.first[Round::in_next + side] + place);
}

// Lists the unmatched columns and rows that have entries (if `core` is not null, those of the core,
// see `meeting_peel.cu`), and marks the unmatched rows as roots.
__device__ void plant_roots(const Graph& graph, const Forest& forest, const Lists& lists,
                            const Index* core, Round* counted, Tally& tally, OwnQueue queue,
                            long long warp, long long all) {
  const int lane = lane_id();
  for (int side : {cols, rows}) {
    const Index many = side == cols ? graph.n : graph.m;
    const Index* match = side == cols ? graph.col_match : graph.row_match;
    const Index* place = !core || side == cols ? core : core + graph.n;
    Index* next = lists.next[side][1];  // the list of the next round, as buffer is 0
    Count n_unmatched = 0;
    for (long long first = 32 * warp; first < many; first += 32 * all) {
      const Index k = static_cast<Index>(first + lane);
      const bool valid = first + lane < many, unmatched = valid && match[k] < 0;
      if (side == cols) n_unmatched += __popc(__ballot_sync(whole_warp, unmatched));
      const bool done = valid && side == rows && core && Forest::is_done(forest.owner[k]);
      if (valid && side == rows && !done)
        forest.owner[k] = unmatched ? Forest::of_row(k) : Forest::none;
      if (side == rows && unmatched && !done) forest.up[k] = k;
      const bool root =
          unmatched && (place ? place[k] > 1 : graph.starts[side][k] < graph.starts[side][k + 1]);
      queue.make_room(next, &counted->next[side]);
      if (side == cols)
        queue.put(root, -1 - k, k, k);
      else
        queue.put(root, k, k, Forest::of_row(k));
    }
    tally.add(Round::in_unmatched, n_unmatched);
    store_queue(side, lists, 0, counted, tally, queue);
  }
}

// Puts those items of a list whose trees still grow into the queue of the warp, from which they are
// moved to the list `next`.
__device__ void keep(const Forest& forest, const Index* from, Count many, Index* next, Count* size,
                     OwnQueue& queue, long long warp, long long all) {
  for (Count first = 32 * warp; first < many; first += 32 * all) {
    const Index* item = &from[3 * (first + lane_id())];
    const bool listed = first + lane_id() < many;
    const Index root = listed ? seen(&item[2]) : 0;
    const bool valid_item = listed && forest.grows(root);
    queue.make_room(next, size);
    queue.put(valid_item, valid_item ? seen(&item[0]) : 0, valid_item ? seen(&item[1]) : 0, root);
  }
}

// As `keep`, for the hubs in a list of pieces. Only the first piece of a hub puts the hub into the
// queue, and only if the hub is not on the border.
template <int side>
__device__ void keep_hubs(const Graph& graph, const Forest& forest, const Index* from, Count many,
                          Index* next, Count* size, OwnQueue& queue, long long warp,
                          long long all) {
  for (Count first = 32 * warp; first < many; first += 32 * all) {
    const Count k = first + lane_id();
    bool valid_item = k < many && seen(&from[2 * k + 1]) == 0;
    const Index code = valid_item ? seen(&from[2 * k]) : 0;
    const Index root = valid_item ? root_of(forest, code) : 0;
    valid_item = valid_item && forest.grows(root);
    queue.make_room(next, size);
    queue.put(valid_item, code, valid_item ? self_of<side>(graph, code) : 0, root);
  }
}

template <int side>
__device__ void keep_all(const Graph& graph, const Forest& forest, const Lists& lists,
                         const Plan& plan, Round* counted, Tally& tally, OwnQueue& queue,
                         long long warp, long long all) {
  const int from = plan.buffer[side];
  Index* next = lists.next[side][from ^ 1];
  Count* size = &counted->next[side];
  keep(forest, lists.next[side][from], plan.next[side], next, size, queue, warp, all);
  keep(forest, lists.border[side], plan.border[side], next, size, queue, warp, all);
  keep_hubs<side>(graph, forest, lists.pieces[side][from], plan.pieces[side], next, size, queue,
                  warp, all);
  store_queue(side, lists, from, counted, tally, queue);
}

__device__ void augment_all(const Graph& graph, const Forest& forest, const Lists& lists,
                            const Plan& plan, Round* counted, Tally& tally, OwnQueue queue,
                            long long warp, long long all) {
  // Item k is side k % 2 of path k / 2. The items are spread over all warps, because long paths
  // take most of the time.
  for (Count k = warp + all * (lane_id()); k < 2 * plan.paths; k += 32 * all) {
    const Index* at = &lists.paths[3 * (k / 2)];
    const Meeting meeting{at[0], at[1], at[2]};
    if (k % 2)
      augment_rows(graph, forest, meeting);
    else
      augment_cols(graph, forest, meeting);
  }
  __syncwarp();
  keep_all<cols>(graph, forest, lists, plan, counted, tally, queue, warp, all);
  keep_all<rows>(graph, forest, lists, plan, counted, tally, queue, warp, all);
}

// -- the kernel ---------------------------------------------------------------------------------

// How many of `all` warps or blocks grow the trees of columns: in proportion to the open vertices
// of the two sides.
__device__ Count share_of_cols(const Plan& plan, Count all) {
  const Count left = plan.grows[cols] ? plan.open(cols) : 0;
  const Count right = plan.grows[rows] ? plan.open(rows) : 0;
  if (left == 0 || right == 0) return right == 0 ? all : 0;
  const Count share = all * left / (left + right);
  return share == 0 ? 1 : share == all ? all - 1 : share;
}

// A warp's part of the block's shared memory.
struct Buffers {
  Index (*queues)[3][room];  // the memory for the queues of all warps
  QueueEnds* ends;
  OwnQueue own;
  BorderQueue border;
  PathQueue paths;
};

// Does the part of this warp, or of this block if plan.steps is not 0, in a round of one side. This
// side has `all` warps or blocks, the first of which is number `first`. Returns the number of
// visited entries.
template <int side>
__device__ Count grow_side(const Graph& graph, const Forest& forest, const Lists& lists,
                           const Plan& plan, Round* counted, Buffers& buffers, Count first,
                           Count all) {
  const unsigned in_block = warp_id();
  if (plan.steps) {
    SharedQueue queue{reinterpret_cast<Index(*)[room * warps]>(buffers.queues), buffers.ends,
                      lists.next[side][plan.buffer[side] ^ 1], &counted->next[side]};
    Grower<side, SharedQueue> grower{graph,   forest, lists,          plan,
                                     counted, queue,  buffers.border, buffers.paths};
    grower.run(in_block * all + blockIdx.x - first, warps * all);
    grower.run_on(in_block);
    return grower.edges;
  }
  Grower<side, OwnQueue> grower{graph,   forest,      lists,          plan,
                                counted, buffers.own, buffers.border, buffers.paths};
  grower.run(in_block * static_cast<Count>(gridDim.x) + blockIdx.x - first, all);
  return grower.edges;
}

__device__ void grow_trees(const Graph& graph, const Forest& forest, const Lists& lists,
                           const Plan& plan, Round* counted, Tally& tally, Buffers buffers) {
  const Count each = plan.steps ? 1 : warps, all = gridDim.x * each;
  const Count mine = plan.steps ? blockIdx.x : warp_id() * gridDim.x + blockIdx.x;
  const Count for_cols = share_of_cols(plan, all);
  const int side = mine < for_cols ? cols : rows;
  Count edges =
      side == cols
          ? grow_side<cols>(graph, forest, lists, plan, counted, buffers, 0, for_cols)
          : grow_side<rows>(graph, forest, lists, plan, counted, buffers, for_cols, all - for_cols);
  edges = sum_to_first_lane(edges);
  tally.add(Round::in_edges, edges);
  const Count next = tally.add(Round::in_next + side, buffers.own.count);
  const Count border = tally.add(Round::in_border + side, buffers.border.count);
  const Count paths = tally.add(Round::in_paths, buffers.paths.count);
  tally.settle(counted);
  buffers.own.move(buffers.own.count, lists.next[side][plan.buffer[side] ^ 1],
                   tally.first[Round::in_next + side] + next);
  buffers.border.move(buffers.border.count, lists.border[side],
                      plan.border[side] + tally.first[Round::in_border + side] + border);
  buffers.paths.move(buffers.paths.count, lists.paths,
                     plan.paths + tally.first[Round::in_paths] + paths);
}

// workspace: 9 (m + n) + 2 m; pieces: 8 `max_pieces`, two lists of `max_pieces` pieces for each
// side; paths: 3 min(m, n); state: m + n, all 0 at the first launch.
extern "C" __global__ void __launch_bounds__(32 * warps, 2)
    meeting_trees(Index m, Index n, const Index* indptr, const Index* indices,
                  const Index* row_indptr, const Index* row_indices, Index* row_match,
                  Index* col_match, Index* workspace, int* state, Index* pieces, Index max_pieces,
                  Index* paths, Count max_edges, Count max_rounds, Count max_thin, Count share,
                  Count share_thin, int steps, Count max_ratio, Count few_open, const Index* core,
                  Progress* progress) {
  __shared__ Index queues[warps][3][room], borders[warps][3][64], paths_of_warps[warps][3][32];
  __shared__ QueueEnds ends;
  __shared__ Tally tally;
  __shared__ Graph graph;  // in shared memory, because registers are scarce
  __shared__ Forest forest;
  __shared__ Lists lists;
  __shared__ Plan plan;
  // Between two barriers, a block works for one side only. So if there is only one block, it must
  // not take several steps: max_thin is 0.
  const Limits limits{
      max_edges, max_rounds, gridDim.x > 1 ? max_thin : 0, {share, share_thin}, steps,
      max_ratio, few_open};
  const int in_block = warp_id();
  const Count all = static_cast<Count>(gridDim.x) * warps;
  const Count warp = static_cast<Count>(in_block) * gridDim.x + blockIdx.x;
  const OwnQueue queue{queues[in_block]};
  const Buffers buffers{queues, &ends, queue, {borders[in_block]}, {paths_of_warps[in_block]}};
  Count edges_before = 0, rounds_before = 0;
  if (threadIdx.x == 0) {
    Index* const for_rows = workspace + 9LL * n;
    Index* const for_pairs = for_rows + 9LL * m;
    ends = {};
    tally = {};
    graph = {m, n, {indptr, row_indptr}, {indices, row_indices}, row_match, col_match};
    forest = {for_pairs, for_pairs + m, state, n};
    lists = {{{workspace, workspace + 3LL * n}, {for_rows, for_rows + 3LL * m}},
             {workspace + 6LL * n, for_rows + 6LL * m},
             {{pieces, pieces + 2LL * max_pieces},
              {pieces + 4LL * max_pieces, pieces + 6LL * max_pieces}},
             paths};
    plan = progress->plan;
    edges_before = plan.edges;
    rounds_before = plan.round;
    if (plan.action != plant) plan.decide(limits, false);
  }
  __syncthreads();
  while (plan.action != stop) {
    Round* counted = &progress->rounds[plan.round % 3];
    // The first block clears the counts of the next round.
    if (blockIdx.x == 0 && threadIdx.x < sizeof(Round) / sizeof(Count))
      reinterpret_cast<Count*>(&progress->rounds[(plan.round + 1) % 3])[threadIdx.x] = 0;
    switch (plan.action) {
      case plant:
        plant_roots(graph, forest, lists, core, counted, tally, queue, warp, all);
        break;
      case grow:
        grow_trees(graph, forest, lists, plan, counted, tally, buffers);
        break;
      default:
        augment_all(graph, forest, lists, plan, counted, tally, queue, warp, all);
    }
    grid_barrier(&progress->barrier);
    if (threadIdx.x == 0) {
      Round counts;
      const Count* from = reinterpret_cast<const Count*>(counted);
      Count* to = reinterpret_cast<Count*>(&counts);
      for (unsigned k = 0; k < sizeof(Round) / sizeof(Count); ++k) to[k] = seen(&from[k]);
      plan.take_over(counts);
      plan.decide(limits, plan.edges - edges_before >= limits.edges ||
                              plan.round - rounds_before >= limits.rounds);
    }
    __syncthreads();
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) progress->plan = plan;
}

// If the search has ended, sets reached[i] to 1 if row i is in a minimum cover, else to 0. For rows
// that `meeting_peel.cu` has matched, owner[i] decides. Of the other rows, the cover contains those
// in trees of columns if these trees are complete; otherwise it contains the matched ones that no
// tree of a row has reached. `progress` is null if peeling has matched all that can be matched:
// then no row is in a tree of a column.
extern "C" __global__ void mark_cover(Index m, const Index* owner, const int* state,
                                      const Index* row_match, Index n, const Progress* progress,
                                      int* reached) {
  const Count closed = progress ? progress->plan.closed : 1 + cols;
  if (closed == 0) return;
  const Forest forest{const_cast<Index*>(owner), nullptr, const_cast<int*>(state), n};
  for (long long i = first_item(); i < m; i += item_stride()) {
    const Index root = owner[i];
    const bool done = Forest::is_done(root);
    const bool in_tree = !done && root != Forest::none && forest.grows(root);
    const bool in_row_tree = in_tree && Forest::is_row(root);
    const bool other = closed == 1 + cols ? in_tree : row_match[i] >= 0;
    reached[i] = done ? root == Forest::in_cover : other && !in_row_tree;
  }
}
