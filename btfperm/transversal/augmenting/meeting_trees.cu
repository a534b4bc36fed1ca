// SPDX-License-Identifier: BSD-3-Clause
// meeting-trees: augmenting paths where trees from both sides meet, in one launch
//
// Idea        Alternating trees grow from all free columns and from all free rows at once; where
// one
//             of either kind meet is a path. After a few paths their columns are shifted, their
//             trees fall apart, and the other trees, which stay as they are, grow into what became
//             free: only their border is looked at again. A tree that has no border left is never
//             looked at again. When the trees of one side are complete and there is no path, the
//             matching is maximum. All in one kernel that stays: its blocks meet at a barrier
//             after each round; thin rounds take several steps without one, a warp on its own.
// Paper       ours. After A. Azad, A. Buluç, A. Pothen, "A parallel tree grafting algorithm for
//             maximum cardinality matching in bipartite graphs", IPDPS 2015 (trees that are kept),
//             and Deveci, Kaya, Uçar, Çatalyürek, Euro-Par 2013 (disjoint trees on a GPU, a root of
//             each)
// Cost        O(nnz) a phase at most, mostly some readings of the border; a round costs a barrier
//             and some six dependent accesses, a step without a barrier five. Workspace: 3 (m + n)
//             + 2 m indices, m + n words. What makes it slow: paths through all of a large mesh
// Prefer it   on a GPU, always; rather use guided-displacement on the CPU where the free rows and
//             columns of a large permuted mesh with holes lie far apart
// Encodings   lists hold pairs by their row i, or a root: column j as -1 - j, row i as i; see
//             forest.cuh. piece: an entry of a list and which part of its own list is meant
// Invariants  at the top of each round: 1. the matching is legal. 2. every pair of a tree that
// still
//             grows is in `next`, in `border`, or all its entries are in its own tree. 3. no pair
//             is in two places. So when a side has nothing open and this phase found no path, its
//             trees are closed
// Races       forest.cuh. Counters of a round are read a barrier later, see Round

#include "backends/gpu/grid_barrier.cuh"
#include "backends/gpu/warp_queue.cuh"
#include "transversal/augmenting/forest.cuh"
#include "transversal/augmenting/meeting_plan.cuh"

constexpr int warps = 16;                                 // of a block
constexpr unsigned room = sizeof(Index) == 4 ? 128 : 64;  // of a warp's queue
constexpr Index by_warp = 8;    // times the lanes of a column: longer lists take the whole warp
constexpr Index is_hub = 2048;  // longer lists are cut into pieces for several warps
constexpr Index piece = 1024;

// What stays on the device between two launches.
struct Progress {
  Round rounds[3];
  Count barrier;
  Plan plan;
};

struct Lists {
  Index* next[2][2];    // [side][buffer]: n, m
  Index* border[2];     // n, m
  Index* pieces[2][2];  // [side][buffer]: two words each
  Meeting* paths;
};

using Queue = WarpQueue<3, room>;      // list entry, its column or row, its root
using BorderQueue = WarpQueue<1, 64>;  // list entry

// One warp at work on one side, in one round.
template <int side>
struct Grower {
  const Graph& graph;
  const Forest& forest;
  const Lists& lists;
  const Plan& plan;
  Round* counted;
  int lanes;  // that share a column, a power of two
  Queue queue;
  BorderQueue border;
  Count edges = 0;

  // What a lane looks for: an entry of its tree.
  struct Vertex {
    Index code, self, root;  // as listed; the column or row; its root
  };

  __device__ Index* next() const { return lists.next[side][plan.buffer[side] ^ 1]; }

  __device__ void make_room() {
    if (!queue.has_room()) queue.spill(queue.count / 32 * 32, next(), &counted->next[side]);
  }

  __device__ void note_border(bool mine, Index code) {
    border.put(mine, code);
    if (!border.has_room()) store_border();
  }

  __device__ void store_border() {
    border.spill(border.count, lists.border[side], &counted->border[side], plan.border[side]);
  }

  __device__ void note_path(Meeting at) {
    lists.paths[plan.paths + atomicAdd(&counted->paths, Count{1})] = at;
  }

  enum Found : int { nothing, pair, other_tree, path };

  // Looks at one entry: what it leads to, and that pair's row.
  __device__ Found look(const Vertex& from, Index other, Index* reached) const {
    const Index row = side == cols ? other : seen(&graph.col_match[other]);
    *reached = row;
    Index root = other;  // of a free column
    if (side == cols || row >= 0) {
      bool taken = false;
      root = forest.take(row, from.root, from.code, &taken);
      if (taken) return pair;
      if (root == from.root) return nothing;
      if (Forest::is_row(root) == (side == rows)) return other_tree;
    }
    const bool both = side == cols ? forest.join(from.root, root) : forest.join(root, from.root);
    return both ? path : other_tree;
  }

  // Entries p, p + stride, ... before end, of one vertex for all lanes in `group`.
  __device__ void scan(const Vertex& from, Index p, Index end, Index stride, unsigned group,
                       bool first_piece) {
    bool bordering = false, joined = false;
    while (__any_sync(whole_warp, p < end)) {
      make_room();
      Found found = nothing;
      Index reached = -1, child = -1;
      if (p < end) {
        const Index other = graph.lists[side][p];
        found = look(from, other, &reached);
        if (found == pair) child = side == cols ? seen(&graph.row_match[reached]) : reached;
        if (found == path)
          note_path(side == cols ? Meeting{from.self, from.code, reached}
                                 : Meeting{other, reached < 0 ? -1 - other : reached, from.self});
        ++edges;
        p += stride;
      }
      queue.put(found == pair, reached, child, from.root);
      bordering |= found == other_tree;
      joined |= (__ballot_sync(whole_warp, found == path) & group) != 0;
      if (joined) p = end;
    }
    bordering = (__ballot_sync(whole_warp, bordering) & group) != 0;
    const bool leads = threadIdx.x % 32 == __ffs(group) - 1;
    note_border(leads && bordering && !joined && first_piece, from.code);
  }

  // Cuts the list of a hub into pieces, which the next round takes.
  __device__ void cut(bool mine, Index code, Index degree) {
    for (unsigned left = __ballot_sync(whole_warp, mine); left; left &= left - 1) {
      const int lane = __ffs(left) - 1;
      const Index many = (__shfl_sync(whole_warp, degree, lane) + piece - 1) / piece;
      const Index entry = __shfl_sync(whole_warp, code, lane);
      const Count first = places(&counted->pieces[side], many);
      Index* pieces = &lists.pieces[side][plan.buffer[side] ^ 1][2 * first];
      for (Index k = threadIdx.x % 32; k < many; k += 32) {
        pieces[2 * k] = entry;
        pieces[2 * k + 1] = k;
      }
    }
  }

  __device__ Vertex vertex(Index code) const {
    if (side == rows) return {code, code, seen(&forest.owner[code])};
    if (code < 0) return {code, -1 - code, -1 - code};
    return {code, seen(&graph.row_match[code]), seen(&forest.owner[code])};
  }

  // Each group of lanes goes through the list of its vertex.
  __device__ void expand(const Vertex& from, bool valid) {
    const int lane = threadIdx.x % 32, part = lane % lanes;
    const unsigned group = (lanes == 32 ? whole_warp : (1u << lanes) - 1) << (lane - part);
    Index begin = 0, end = 0;
    if (valid) {
      begin = graph.starts[side][from.self];
      end = graph.starts[side][from.self + 1];
      if (!forest.grows(from.root)) end = begin;
    }
    const Index degree = end - begin;
    if (__any_sync(whole_warp, degree > is_hub))
      cut(degree > is_hub && part == 0, from.code, degree);
    const bool hub = degree > is_hub, wide = !hub && lanes < 32 && degree > by_warp * lanes;
    scan(from, hub || wide ? end : begin + part, end, lanes, group, true);
    for (unsigned left = __ballot_sync(whole_warp, wide && part == 0); left; left &= left - 1) {
      const int from_lane = __ffs(left) - 1;
      const Vertex one{__shfl_sync(whole_warp, from.code, from_lane),
                       __shfl_sync(whole_warp, from.self, from_lane),
                       __shfl_sync(whole_warp, from.root, from_lane)};
      const Index start = __shfl_sync(whole_warp, begin, from_lane);
      scan(one, start + lane, __shfl_sync(whole_warp, end, from_lane), 32, whole_warp, true);
    }
  }

  __device__ void expand_from_list(Count first, Count many) {
    const unsigned group = threadIdx.x % 32 / lanes;
    const bool valid = group < many;
    Vertex from{};
    if (valid) from = vertex(seen(&lists.next[side][plan.buffer[side]][first + group]));
    expand(from, valid);
  }

  __device__ void expand_from_queue() {
    const unsigned group = threadIdx.x % 32 / lanes, most = 32 / lanes;
    const unsigned many = queue.count < most ? queue.count : most;
    const bool valid = group < many;
    Vertex from{};
    if (valid) from = {queue.get(group, 0), queue.get(group, 1), queue.get(group, 2)};
    queue.drop(many);
    expand(from, valid);
  }

  // A piece of a hub's list, for the whole warp. A hub always stays on the border.
  __device__ void expand_piece(Count k) {
    const Index* entry = &lists.pieces[side][plan.buffer[side]][2 * k];
    const Vertex from = vertex(seen(&entry[0]));
    const Index number = seen(&entry[1]);
    const bool grows = forest.grows(from.root);
    const Index begin = graph.starts[side][from.self] + number * piece;
    const Index last = graph.starts[side][from.self + 1];
    const Index end = !grows ? begin : last < begin + piece ? last : begin + piece;
    scan(from, begin + static_cast<Index>(threadIdx.x % 32), end, 32, whole_warp, false);
    note_border(threadIdx.x % 32 == 0 && grows && number == 0, from.code);
  }

  // The share of warp `mine` of `all` in this side's round.
  __device__ void run(Count mine, Count all) {
    for (Count k = mine; k < plan.pieces[side]; k += all) expand_piece(k);
    const Count open = plan.next[side], most = 32 / lanes;
    const Count each = open > all * most ? most : (open + all - 1) / all;
    for (Count k = mine * each; k < open; k += all * each) {
      expand_from_list(k, each < open - k ? each : open - k);
      for (int step = 0; step < plan.steps && queue.count; ++step) expand_from_queue();
    }
    queue.spill(queue.count, next(), &counted->next[side]);
    store_border();
  }
};

// -- the other actions
// -----------------------------------------------------------------------------

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
      if (!queue.has_room()) queue.spill(queue.count / 32 * 32, next, &counted->next[side]);
      queue.put(root, side == cols ? -1 - k : k);
    }
    queue.spill(queue.count, next, &counted->next[side]);
  }
}

// Keeps those of a list whose trees still grow.
__device__ void keep(int side, const Index* from, int words, Count many, const Forest& forest,
                     Index* next, Count* size, Queue& queue, long long warp, long long all) {
  const int lane = threadIdx.x % 32;
  for (Count first = 32 * warp; first < many; first += 32 * all) {
    const Count k = first + lane;
    bool kept = k < many && (words == 1 || seen(&from[words * k + 1]) == 0);
    Index code = 0;
    if (kept) {
      code = seen(&from[words * k]);
      kept = forest.grows(code < 0 ? -1 - code : seen(&forest.owner[code]));
    }
    if (!queue.has_room()) queue.spill(queue.count / 32 * 32, next, size);
    queue.put(kept, code);
  }
  queue.spill(queue.count, next, size);
}

__device__ void turn_over(const Graph& graph, const Forest& forest, const Lists& lists,
                          const Plan& plan, Round* counted, Queue queue, long long warp,
                          long long all) {
  // Path k and its side, few to a warp: their length is what takes time.
  for (Count k = warp + all * (threadIdx.x % 32); k < 2 * plan.paths; k += 32 * all) {
    const Meeting at = lists.paths[k / 2];
    if (k % 2)
      shift_rows(graph, forest, at);
    else
      shift_cols(graph, forest, at);
  }
  __syncwarp();
  for (int side : {cols, rows}) {
    const int from = plan.buffer[side];
    Index* next = lists.next[side][from ^ 1];
    Count* size = &counted->next[side];
    keep(side, lists.next[side][from], 1, plan.next[side], forest, next, size, queue, warp, all);
    keep(side, lists.pieces[side][from], 2, plan.pieces[side], forest, next, size, queue, warp,
         all);
    keep(side, lists.border[side], 1, plan.border[side], forest, next, size, queue, warp, all);
  }
}

// -- the kernel
// ------------------------------------------------------------------------------------

__device__ void grow_trees(const Graph& graph, const Forest& forest, const Lists& lists,
                           const Plan& plan, Round* counted, const int* lanes, Queue queue,
                           BorderQueue border, Count warp, Count all) {
  // The warps are shared out by what is open.
  const Count left = plan.grows[cols] ? plan.open(cols) : 0;
  const Count right = plan.grows[rows] ? plan.open(rows) : 0;
  Count for_cols = right == 0 ? all : left == 0 ? 0 : all * left / (left + right);
  if (left && for_cols == 0) for_cols = 1;
  if (right && for_cols == all) for_cols = all - 1;
  Count edges;
  if (warp < for_cols) {
    Grower<cols> grower{graph, forest, lists, plan, counted, lanes[cols], queue, border};
    grower.run(warp, for_cols);
    edges = grower.edges;
  } else {
    Grower<rows> grower{graph, forest, lists, plan, counted, lanes[rows], queue, border};
    grower.run(warp - for_cols, all - for_cols);
    edges = grower.edges;
  }
  add_over_warp(&counted->edges, edges);
}

// workspace: 3 (m + n) + 2 m; pieces: 8 x `most`, for so many pieces on a side; paths: one for each
// free row, or for each free column; state: m + n, all 0.
extern "C" __global__ void __launch_bounds__(32 * warps, 2)
    meeting_trees(Index m, Index n, const Index* indptr, const Index* indices,
                  const Index* row_indptr, const Index* row_indices, Index* row_match,
                  Index* col_match, Index* workspace, int* state, Index* pieces, Index most,
                  Meeting* paths, int lanes_cols, int lanes_rows, Count most_edges,
                  Count most_rounds, Count share, Count thin, int steps, Progress* progress) {
  const Graph graph{m, n, {indptr, row_indptr}, {indices, row_indices}, row_match, col_match};
  Index* const for_rows = workspace + 3LL * n;
  Index* const for_pairs = for_rows + 3LL * m;
  const Forest forest{for_pairs, for_pairs + m, state, n};
  const Lists lists{{{workspace, workspace + n}, {for_rows, for_rows + m}},
                    {workspace + 2LL * n, for_rows + 2LL * m},
                    {{pieces, pieces + 2LL * most}, {pieces + 4LL * most, pieces + 6LL * most}},
                    paths};
  const Limits limits{most_edges, most_rounds, share, thin, steps};
  __shared__ Index queues[warps][3][room], borders[warps][1][64];
  __shared__ Plan plan;
  const int in_block = threadIdx.x / 32, lanes[2] = {lanes_cols, lanes_rows};
  const Count all = static_cast<Count>(gridDim.x) * warps;
  const Count warp = static_cast<Count>(in_block) * gridDim.x + blockIdx.x;
  const Queue queue{queues[in_block]};
  const BorderQueue border{borders[in_block]};
  Count edges_before = 0, rounds_before = 0;
  if (threadIdx.x == 0) {
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
        grow_trees(graph, forest, lists, plan, counted, lanes, queue, border, warp, all);
        break;
      default:
        turn_over(graph, forest, lists, plan, counted, queue, warp, all);
    }
    meet_all_blocks(reinterpret_cast<unsigned*>(&progress->barrier));
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
