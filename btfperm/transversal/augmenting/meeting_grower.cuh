// SPDX-License-Identifier: BSD-3-Clause
// meeting-trees, one round that extends the trees. A warp scans the lists of open vertices of one
// side. If Plan::steps is not 0, it then also scans vertices in the queue of its block
#pragma once

#include "backends/gpu/block_queue.cuh"
#include "backends/gpu/warp_queue.cuh"
#include "transversal/augmenting/forest.cuh"
#include "transversal/augmenting/meeting_plan.cuh"

constexpr int warps = sizeof(Index) == 4 ? 16 : 8;        // number of warps of a block
constexpr unsigned room = sizeof(Index) == 4 ? 128 : 64;  // capacity of a warp's queue, in items
constexpr Index hub_limit = 256;  // a longer list (of a hub) is cut into pieces for several warps
constexpr Index piece = 256;      // number of entries of a piece
constexpr unsigned max_step_items = 32 * warps;  // maximum for a block in one step

struct Lists {
  Index* next[2][2];    // [side][buffer]: open vertices, three words per item, see OwnQueue
  Index* border[2];     // [side]: vertices on the border, in the same form
  Index* pieces[2][2];  // [side][buffer]: two words for each piece: the code of the hub and the
                        // number of the piece. Number -1: piece 0 of a hub that is on the border
  Index* paths;         // the paths of this phase, three words each, see Meeting
};

// A code names a vertex of a tree: the row of its matched entry, an unmatched row itself, or -1 - j
// for the root column j.
using OwnQueue = WarpQueue<3, room>;              // items: code, column or row, root of its tree
using SharedQueue = BlockQueue<3, room * warps>;  // the same items, of all warps of a block
using BorderQueue = WarpQueue<3, 64>;             // the same items, of vertices on the border
using PathQueue = WarpQueue<3, 32>;               // paths, see Meeting

// What the warps of a block add to the counts of Round at the end of a round. The block first adds
// up the counts of its warps, so that it needs only one atomic operation in global memory for each
// count: the device executes atomic operations on one address one after the other.
struct Tally {
  static constexpr int kinds = sizeof(Round) / sizeof(Count);
  Count many[kinds], first[kinds];

  // Adds a warp's count. Returns the position of the warp's items among those of the block.
  __device__ Count add(int kind, Count mine) {
    Count place = 0;
    if (lane_id() == 0 && mine) place = atomicAdd(&many[kind], mine);
    return __shfl_sync(whole_warp, place, 0);
  }

  // Adds the counts of the block to `counted`, and sets `first` to the position of its items among
  // those of all blocks. All threads of the block must call this.
  __device__ void settle(Round* counted) {
    __syncthreads();
    if (threadIdx.x < kinds && many[threadIdx.x]) {
      Count* all = reinterpret_cast<Count*>(counted);
      first[threadIdx.x] = atomicAdd(&all[threadIdx.x], many[threadIdx.x]);
      many[threadIdx.x] = 0;
    }
    __syncthreads();
  }
};

// The column or row that a code names, and the root of its tree as encoded in `forest.cuh`.
template <int side>
__device__ inline Index self_of(const Graph& graph, Index code) {
  return side == rows ? code : code < 0 ? -1 - code : seen(&graph.row_match[code]);
}

__device__ inline Index root_of(const Forest& forest, Index code) {
  return code < 0 ? -1 - code : seen(&forest.owner[code]);
}

// The work of one warp on one side in one round. Each lane takes an open column or row; then all
// lanes together scan the lists of these vertices as one sequence.
template <int side, class Queue>
struct Grower {
  const Graph& graph;
  const Forest& forest;
  const Lists& lists;
  const Plan& plan;
  Round* counted;
  Queue& queue;
  BorderQueue& border;
  PathQueue& paths;
  Count edges = 0;

  // A column or row of a tree, and the part of its list to scan.
  struct Vertex {
    Index code, self, root, begin;
    unsigned degree;
  };

  enum Visit : int { nothing, new_pair, other_tree, path };

  __device__ int lane() const { return static_cast<int>(lane_id()); }

  __device__ Index* next() const { return lists.next[side][plan.buffer[side] ^ 1]; }

  __device__ void note_border(bool mine, Index code, Index self, Index root) {
    border.put(mine, code, self, root);
    if (border.count > 32) store_border();
  }

  __device__ void store_border() {
    border.spill(border.count, lists.border[side], &counted->border[side], plan.border[side]);
  }

  __device__ void note_path(bool mine, Index col, Index below, Index row) {
    if (paths.count + __popc(__ballot_sync(whole_warp, mine)) > 32) store_paths();
    paths.put(mine, col, below, row);
  }

  __device__ void store_paths() {
    paths.spill(paths.count, lists.paths, &counted->paths, plan.paths);
  }

  // Visits `other`, a row or column in the list of a vertex, whose item is `code` and whose root is
  // `root`. Sets `*row` to `other` if this is a row, else to the row matched to column `other`, or
  // -1.
  __device__ Visit visit(Index other, Index code, Index root, Index* row) const {
    *row = side == cols ? other : seen(&graph.col_match[other]);
    Index other_root = other;  // an unmatched column is the root of its own tree
    if (side == cols || *row >= 0) {
      bool taken = false;
      other_root = forest.take(*row, root, code, &taken);
      if (taken) return new_pair;
      if (other_root == root) return nothing;
      if (Forest::is_row(other_root) == (side == rows)) return other_tree;
    }
    const bool both = side == cols ? forest.join(root, other_root) : forest.join(other_root, root);
    return both ? path : other_tree;
  }

  // Scans the lists of the vertices of all lanes. Returns the set of lanes whose vertices have
  // neighbours in other trees and formed no path.
  __device__ unsigned expand(const Vertex& mine) {
    const unsigned upto = sum_up_to_lane(mine.degree);
    const unsigned total = __shfl_sync(whole_warp, upto, 31);
    const Index first = mine.begin - static_cast<Index>(upto - mine.degree);
    unsigned bordering = 0, joined = 0;  // sets of lanes
    for (unsigned base = 0; base < total; base += 32) {
      const unsigned place = base + lane();
      const int from = lane_at(place, upto);
      const unsigned bit = place < total ? 1u << from : 0;
      const Index code = __shfl_sync(whole_warp, mine.code, from);
      const Index root = __shfl_sync(whole_warp, mine.root, from);
      const Index start = __shfl_sync(whole_warp, first, from);
      Visit result = nothing;
      Index other = 0, row = 0, child = 0;
      if (bit & ~joined) {
        other = graph.lists[side][start + static_cast<Index>(place)];
        // This load may turn out to be needless; but its latency would dominate a step if it waited
        // for the result of `visit`.
        if (side == cols && plan.steps) child = seen(&graph.row_match[other]);
        result = visit(other, code, root, &row);
        if (side == rows) child = row;
        if (side == cols && result == new_pair && !plan.steps) child = seen(&graph.row_match[row]);
        ++edges;
      }
      queue.make_room(next(), &counted->next[side]);
      queue.put(result == new_pair, row, child, root);
      if (result == other_tree) bordering |= bit;
      if (!__any_sync(whole_warp, result == path)) continue;
      const Index self = __shfl_sync(whole_warp, mine.self, from);
      if (side == cols)
        note_path(result == path, self, code, row);
      else
        note_path(result == path, other, row < 0 ? -1 - other : row, self);
      joined |= any_of_warp(result == path ? bit : 0);
    }
    return any_of_warp(bordering) & ~joined;
  }

  // Cuts the lists of hubs into pieces for the next round.
  __device__ void cut(bool mine, Index code, Index degree) {
    for (unsigned left = __ballot_sync(whole_warp, mine); left; left &= left - 1) {
      const int from = first_of(left);
      const Index many = (__shfl_sync(whole_warp, degree, from) + piece - 1) / piece;
      const Index entry = __shfl_sync(whole_warp, code, from);
      const Count first = add_once(&counted->pieces[side], static_cast<unsigned>(many));
      Index* pieces = &lists.pieces[side][plan.buffer[side] ^ 1][2 * first];
      for (Index k = lane(); k < many; k += 32) {
        pieces[2 * k] = entry;
        pieces[2 * k + 1] = k;
      }
    }
  }

  // Scans the list of column or row `self`, or cuts it into pieces if it is long, unless its tree
  // has a path.
  __device__ void expand_whole(bool valid, Index code, Index self, Index root) {
    Index begin = 0, degree = 0;
    if (valid) {
      begin = graph.starts[side][self];
      degree = graph.starts[side][self + 1] - begin;
      if (plan.may_be_joined && !forest.grows(root)) degree = 0;
    }
    if (__any_sync(whole_warp, degree > hub_limit)) cut(degree > hub_limit, code, degree);
    if (degree > hub_limit) degree = 0;
    const unsigned bordering = expand({code, self, root, begin, static_cast<unsigned>(degree)});
    note_border(bordering >> lane() & 1, code, self, root);
  }

  __device__ void expand_from_list(Count first, Count many) {
    const bool valid = lane() < static_cast<long long>(many);
    Index item[3] = {0, 0, 0};
    if (valid)
      for (int word = 0; word < 3; ++word)
        item[word] = seen(&lists.next[side][plan.buffer[side]][3 * (first + lane()) + word]);
    expand_whole(valid, item[0], item[1], item[2]);
  }

  // Scans up to 32 items of the queue, from `first` on.
  __device__ void expand_from_queue(unsigned first, unsigned many) {
    const bool valid = lane() < static_cast<int>(many);
    Index item[3] = {0, 0, 0};
    if (valid)
      for (int word = 0; word < 3; ++word) item[word] = queue.get(first + lane(), word);
    expand_whole(valid, item[0], item[1], item[2]);
  }

  // Scans piece k. The first piece of a hub that has a neighbour in another tree puts the hub on
  // the border.
  __device__ void expand_piece(Count k) {
    Index* entry = &lists.pieces[side][plan.buffer[side]][2 * k];
    const Index code = seen(&entry[0]), stored = seen(&entry[1]), number = stored < 0 ? 0 : stored;
    const Index self = self_of<side>(graph, code), root = root_of(forest, code);
    const Index begin = graph.starts[side][self] + number * piece;
    const Index rest = graph.starts[side][self + 1] - begin;
    const bool whole = lane() == 0 && forest.grows(root);
    const unsigned degree = static_cast<unsigned>(rest < piece ? rest : piece);
    const bool bordering = expand({code, self, root, begin, whole ? degree : 0u}) & 1;
    Place* of_first = reinterpret_cast<Place*>(entry - 2LL * number + 1);
    const bool is_first = lane() == 0 && bordering && atomicExch(of_first, ~Place{0}) == 0;
    note_border(is_first, code, self, root);
  }

  // Scans the part of warp `mine`, which is one of `all` warps, of the open vertices of this side.
  __device__ void run(Count mine, Count all) {
    for (Count k = mine; k < plan.pieces[side]; k += all) expand_piece(k);
    const Count open = plan.next[side];
    const Count each = open > 32 * all ? 32 : (open + all - 1) / all;
    for (Count k = mine * each; k < open; k += all * each)
      expand_from_list(k, each < open - k ? each : open - k);
  }

  // Scans the items that the warps of this block have put into their queue, in steps of the whole
  // block: at most `plan.steps` steps, and only while a step has at most max_step_items items.
  __device__ void run_on(unsigned warp) {
    unsigned many = queue.next_step();
    for (int step = 0; step < plan.steps && many && many <= max_step_items; ++step) {
      const unsigned each = (many + warps - 1) / warps;
      if (warp * each < many)
        expand_from_queue(warp * each, each < many - warp * each ? each : many - warp * each);
      many = queue.next_step();
    }
    queue.store();
  }
};
