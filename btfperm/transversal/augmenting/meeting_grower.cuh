// SPDX-License-Identifier: BSD-3-Clause
// meeting-trees, one round of growing: a warp takes columns or rows of one side from the list, then
// from its own queue; see meeting_trees.cu
#pragma once

#include "backends/gpu/warp_queue.cuh"
#include "transversal/augmenting/forest.cuh"
#include "transversal/augmenting/meeting_plan.cuh"

constexpr int warps = sizeof(Index) == 4 ? 16 : 8;        // of a block
constexpr unsigned room = sizeof(Index) == 4 ? 128 : 64;  // of a warp's queue
constexpr Index is_hub = 2048;  // longer lists are cut into pieces for several warps
constexpr Index piece = 1024;
constexpr int together = 2;  // entries that a lane asks for before it looks at the first

struct Lists {
  Index* next[2][2];    // [side][buffer]: n, m
  Index* border[2];     // n, m
  Index* pieces[2][2];  // [side][buffer]: two words each
  Meeting* paths;
};

using Queue = WarpQueue<3, room>;      // list entry, its column or row, its root
using BorderQueue = WarpQueue<1, 64>;  // list entry
using PathQueue = WarpQueue<3, 64>;    // see Meeting

// One warp at work on one side, in one round. It takes up to 32 columns or rows at a time, one to a
// lane, and its lanes go through all their lists together, as if these were one.
template <int side>
struct Grower {
  const Graph& graph;
  const Forest& forest;
  const Lists& lists;
  const Plan& plan;
  Round* counted;
  Queue queue;
  BorderQueue border;
  PathQueue paths;
  Count edges = 0;

  // A column or row of a tree, and the part of its list that is to be looked at.
  struct Vertex {
    Index code, root, begin;
    unsigned degree;
  };

  // An entry of one of those lists: whose, and what it leads to.
  struct Entry {
    int lane;                  // of its vertex; -1: there is none
    Index other, row, before;  // row or column, the pair's row, its owner when looked at
  };

  enum Found : int { nothing, pair, other_tree, path };

  __device__ int lane() const { return static_cast<int>(threadIdx.x % 32); }

  __device__ Index* next() const { return lists.next[side][plan.buffer[side] ^ 1]; }

  __device__ void store_border() {
    border.spill(border.count, lists.border[side], &counted->border[side], plan.border[side]);
  }

  __device__ void note_border(bool mine, Index code) {
    border.put(mine, code);
    if (!border.has_room()) store_border();
  }

  __device__ void store_paths() {
    if (paths.count == 0) return;
    const Count first = plan.paths + places(&counted->paths, paths.count);
    for (unsigned k = threadIdx.x % 32; k < paths.count; k += 32)
      lists.paths[first + k] = {paths.get(k, 0), paths.get(k, 1), paths.get(k, 2)};
    paths.drop(paths.count);
  }

  __device__ void note_paths(bool mine, Meeting at) {
    paths.put(mine, at.col, at.below, at.row);
    if (!paths.has_room()) store_paths();
  }

  __device__ Index column_of(Index code) const {
    return code < 0 ? -1 - code : seen(&graph.row_match[code]);
  }

  // Looks at one entry from a vertex listed as `code`.
  __device__ Found look(const Entry& entry, Index code, Index root) const {
    Index other_root = entry.before;
    if (side == cols || entry.row >= 0) {  // else a free column, a root
      bool taken = false;
      other_root = forest.take(entry.row, entry.before, root, code, &taken);
      if (taken) return pair;
      if (other_root == root) return nothing;
      if (Forest::is_row(other_root) == (side == rows)) return other_tree;
    }
    const bool both = side == cols ? forest.join(root, other_root) : forest.join(other_root, root);
    return both ? path : other_tree;
  }

  // Whose list the entry in `place` is in, when all are put in a row; `upto` ends each lane's.
  __device__ static int lane_at(unsigned place, unsigned upto) {
    int found = 0;
    for (int half = 16; half > 0; half /= 2)
      if (__shfl_sync(whole_warp, upto, found + half - 1) <= place) found += half;
    return found;
  }

  // Goes through the lists of all lanes; `listed` are those that may go to the border.
  __device__ void expand(const Vertex& mine, bool listed) {
    unsigned upto = mine.degree;
    for (int apart = 1; apart < 32; apart *= 2) {
      const unsigned before = __shfl_up_sync(whole_warp, upto, apart);
      if (lane() >= apart) upto += before;
    }
    const unsigned total = __shfl_sync(whole_warp, upto, 31);
    const Index first = mine.begin - static_cast<Index>(upto - mine.degree);
    unsigned bordering = 0, joined = 0;  // lanes whose vertex is so
    for (unsigned base = 0; base < total; base += 32 * together) {
      Entry entries[together];
      Index mates[together];
#pragma unroll
      for (int t = 0; t < together; ++t) {
        const unsigned place = base + 32 * t + lane();
        entries[t].lane = -1;
        if (base + 32 * t >= total) continue;
        const int from = lane_at(place, upto);
        const Index start = __shfl_sync(whole_warp, first, from & 31);
        if (place >= total) continue;
        entries[t].lane = from;
        entries[t].other = graph.lists[side][start + static_cast<Index>(place)];
      }
#pragma unroll
      for (int t = 0; t < together; ++t)
        if (entries[t].lane >= 0)
          entries[t].row =
              side == cols ? entries[t].other : seen(&graph.col_match[entries[t].other]);
#pragma unroll
      for (int t = 0; t < together; ++t) {
        if (entries[t].lane < 0) continue;
        const Index row = entries[t].row;
        entries[t].before = row >= 0 ? seen(&forest.owner[row]) : entries[t].other;
        // Asked for before it is needed, where waiting is what takes time.
        if (side == cols && plan.steps) mates[t] = seen(&graph.row_match[row]);
      }
#pragma unroll
      for (int t = 0; t < together; ++t) {
        if (base + 32 * t >= total) continue;
        if (!queue.has_room()) queue.spill(queue.count / 32 * 32, next(), &counted->next[side]);
        const Entry& entry = entries[t];
        const Index code = __shfl_sync(whole_warp, mine.code, entry.lane & 31);
        const Index root = __shfl_sync(whole_warp, mine.root, entry.lane & 31);
        const unsigned bit = entry.lane < 0 ? 0 : 1u << entry.lane;
        Found found = nothing;
        if (bit & ~joined) found = look(entry, code, root);
        Index child = entry.row;
        if (side == cols && found == pair)
          child = plan.steps ? mates[t] : seen(&graph.row_match[entry.row]);
        queue.put(found == pair, entry.row, child, root);
        edges += bit != 0;
        if (found == other_tree) bordering |= bit;
        if (!__any_sync(whole_warp, found == path)) continue;
        Meeting at{};
        if (found == path && side == cols) at = {column_of(code), code, entry.row};
        if (found == path && side == rows)
          at = {entry.other, entry.row < 0 ? -1 - entry.other : entry.row, code};
        note_paths(found == path, at);
        joined |= any_of_warp(found == path ? bit : 0);
      }
    }
    bordering = any_of_warp(bordering) & ~joined;
    note_border(listed && bordering >> lane() & 1, mine.code);
  }

  __device__ static unsigned any_of_warp(unsigned bits) {
    for (int apart = 16; apart > 0; apart /= 2) bits |= __shfl_xor_sync(whole_warp, bits, apart);
    return bits;
  }

  // Cuts the lists of hubs into pieces, which the next round takes.
  __device__ void cut(bool mine, Index code, Index degree) {
    for (unsigned left = __ballot_sync(whole_warp, mine); left; left &= left - 1) {
      const int from = __ffs(left) - 1;
      const Index many = (__shfl_sync(whole_warp, degree, from) + piece - 1) / piece;
      const Index entry = __shfl_sync(whole_warp, code, from);
      const Count first = places(&counted->pieces[side], static_cast<unsigned>(many));
      Index* pieces = &lists.pieces[side][plan.buffer[side] ^ 1][2 * first];
      for (Index k = lane(); k < many; k += 32) {
        pieces[2 * k] = entry;
        pieces[2 * k + 1] = k;
      }
    }
  }

  // All of the list of column or row `self`, or none, where its tree has its path.
  __device__ void expand_whole(bool valid, Index code, Index self, Index root) {
    Vertex mine{code, root, 0, 0};
    Index degree = 0;
    if (valid) {
      mine.begin = graph.starts[side][self];
      degree = graph.starts[side][self + 1] - mine.begin;
      if (!forest.grows(root)) degree = 0;
    }
    if (__any_sync(whole_warp, degree > is_hub)) cut(degree > is_hub, code, degree);
    mine.degree = degree > is_hub ? 0 : static_cast<unsigned>(degree);
    expand(mine, true);
  }

  __device__ void expand_from_list(Count first, Count many) {
    Index code = 0, self = 0, root = 0;
    const bool valid = lane() < static_cast<long long>(many);
    if (valid) {
      code = seen(&lists.next[side][plan.buffer[side]][first + lane()]);
      self = side == cols ? column_of(code) : code;
      root = code < 0 ? self : seen(&forest.owner[code]);
    }
    expand_whole(valid, code, self, root);
  }

  __device__ void expand_from_queue() {
    Index code = 0, self = 0, root = 0;
    const unsigned many = queue.count < 32 ? queue.count : 32;
    const bool valid = lane() < static_cast<int>(many);
    if (valid) {
      code = queue.get(lane(), 0);
      self = queue.get(lane(), 1);
      root = queue.get(lane(), 2);
    }
    queue.drop(many);
    expand_whole(valid, code, self, root);
  }

  // A piece of a hub's list. A hub always stays on the border.
  __device__ void expand_piece(Count k) {
    const Index* entry = &lists.pieces[side][plan.buffer[side]][2 * k];
    const Index code = seen(&entry[0]), number = seen(&entry[1]);
    const Index self = side == cols ? column_of(code) : code;
    const Index root = code < 0 ? self : seen(&forest.owner[code]);
    const bool grows = forest.grows(root);
    const Index begin = graph.starts[side][self] + number * piece;
    const Index rest = graph.starts[side][self + 1] - begin;
    const bool whole = grows && lane() == 0;
    expand({code, root, begin, whole ? static_cast<unsigned>(rest < piece ? rest : piece) : 0u},
           false);
    note_border(whole && number == 0, code);
  }

  // The share of warp `mine` of `all` in this side's round.
  __device__ void run(Count mine, Count all) {
    for (Count k = mine; k < plan.pieces[side]; k += all) expand_piece(k);
    const Count open = plan.next[side];
    const Count each = open > 32 * all ? 32 : (open + all - 1) / all;
    for (Count k = mine * each; k < open; k += all * each) {
      expand_from_list(k, each < open - k ? each : open - k);
      for (int step = 0; step < plan.steps && queue.count; ++step) expand_from_queue();
    }
    queue.spill(queue.count, next(), &counted->next[side]);
    store_border();
    store_paths();
  }
};
