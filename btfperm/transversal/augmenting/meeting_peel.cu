// SPDX-License-Identifier: BSD-3-Clause
// meeting-trees, before its search: what has one choice only is matched, and is done for good
//
// Idea        A column or row with one free neighbour, a leaf, is matched to it: there is a maximum
//             matching with this pair. That neighbour, its support, is lost to all others, which
//             may leave some of these with one choice; again until there is none. A cover that
//             holds the supports holds all entries of these pairs, so what follows may look at the
//             others alone, the core: its cover and the supports are a cover of all. Supports do
//             not tell their neighbours, as theirs are the long lists. Short lists are gone through
//             for two free neighbours again and again
// Paper       R. M. Karp, M. Sipser, "Maximum matchings in sparse random graphs", FOCS 1981, phase
//             one; on many threads: K. Kaya, J. Langguth, I. Panagiotas, B. Uçar, "Karp-Sipser
//             based kernels for bipartite graph matching", ALENEX 2020
// Cost        One launch; each turn a barrier and the free neighbours of the lists that are left,
//             each place of a list that is not free once. Workspace: m + n, and 6 (m + n) in lists
// Prefer it   where most entries are in long lists and many lists have one entry: of kron nothing
//             is left. It stops behind a look at all lengths else; where lists are short (er:22:3,
//             road) a third is left, but walks get there in less time
// Encodings   leaf: column j as j, row i as -1 - i
//             place[j], place[n + i] = 2 + the place in its list of the first free neighbour; 0:
//             none, or matched. At least 2 is in the core, if it is free
//             col_match[j] = -2: about to be matched, or not
//             owner[i] = none, or how row i was retired, see Forest
// Invariants  what is matched stays so: a neighbour that was not free need not be looked at again
// Races       a pair belongs to who first marks its column, then sets its row's mate; else the
//             column is given back. A marked column counts as free, and who finds it so comes again

#include "backends/gpu/grid_barrier.cuh"
#include "backends/gpu/warp_queue.cuh"
#include "transversal/augmenting/forest.cuh"

constexpr int warps = 8;           // of a block
constexpr Index short_list = 256;  // a longer one hardly ever comes down to one
constexpr Count hardly = 256;      // the end: one pair for so many that are left

using Leaves = WarpQueue<3, 128>;  // column or row, and two of its neighbours that were free

struct Peeled {
  Count rounds[3][2];  // in turns: left on the list, pairs
  Count barrier;
  Count matched;       // columns, before; then nothing is done
  Count leaves;        // at first
  Count long_entries;  // in lists that are not short
  Count peeled;        // 0: nothing was done
  Count edges, core_cols, core_rows, turns, pairs;
};
static_assert(sizeof(Peeled) == 16 * sizeof(Count));

enum Outcome { lost, paired, busy };

struct Core {
  Graph graph;
  Index *place, *owner;

  // Matches column j and row i, if both are free.
  __device__ Outcome pair(Index j, Index i) const {
    constexpr Place free = ~Place{0}, marked = free - 1;
    Place* of_col = reinterpret_cast<Place*>(&graph.col_match[j]);
    const Place before = atomicCAS(of_col, free, marked);
    if (before != free) return before == marked ? busy : lost;
    Place* of_row = reinterpret_cast<Place*>(&graph.row_match[i]);
    const bool both = atomicCAS(of_row, free, static_cast<Place>(j)) == free;
    show(&graph.col_match[j], both ? i : Index{-1});
    return both ? paired : lost;
  }

  // The first free neighbour from place k of v's list on, or the size of the list. Several are
  // asked for before the first is looked at.
  __device__ Index free_from(int side, Index v, Index k, Index size, Count* edges) const {
    constexpr int together = 8;
    const Index* list = &graph.lists[side][graph.starts[side][v]];
    const Index* mates = side == 0 ? graph.row_match : graph.col_match;
    for (; k < size; k += together) {
      Index mate[together];
#pragma unroll
      for (int t = 0; t < together; ++t) mate[t] = t < size - k ? seen(&mates[list[k + t]]) : 0;
      *edges += together;
      for (int t = 0; t < together; ++t)
        if (mate[t] < 0) return k + t;
    }
    return size;
  }

  // Matches v if it has one free neighbour left; whether it is to be looked at again, when one of
  // the two neighbours in `watched` is not free.
  __device__ bool look(int side, Index v, Index* watched, Count* pairs, Count* edges) const {
    const Index begin = graph.starts[side][v], size = graph.starts[side][v + 1] - begin;
    Index* resume = &place[side == 0 ? v : static_cast<long long>(graph.n) + v];
    const Index first = free_from(side, v, *resume - 2, size, edges);
    *resume = first < size ? first + 2 : 0;
    if (first == size) return false;
    const Index second = free_from(side, v, first + 1, size, edges);
    watched[0] = graph.lists[side][begin + first];
    watched[1] = second < size ? graph.lists[side][begin + second] : watched[0];
    if (second < size) return true;
    const Outcome outcome = side == 0 ? pair(v, watched[0]) : pair(watched[0], v);
    if (outcome == busy) return true;
    *resume = 0;
    if (outcome == lost) return false;
    owner[side == 0 ? watched[0] : v] = side == 0 ? Forest::in_cover : Forest::out_of_cover;
    ++*pairs;
    return false;
  }

  // The same for v from the list, which most often has nothing new.
  __device__ bool look_again(int side, Index v, Index* watched, Count* pairs, Count* edges) const {
    const Index *mine = side == 0 ? graph.col_match : graph.row_match,
                *mates = side == 0 ? graph.row_match : graph.col_match;
    const bool is_free = seen(&mine[v]) < 0;
    const bool first = seen(&mates[watched[0]]) < 0, second = seen(&mates[watched[1]]) < 0;
    if (!is_free) return false;
    if (first && second && watched[0] != watched[1]) return true;
    return look(side, v, watched, pairs, edges);
  }
};

// Goes through all lists for their lengths: whether it is worth while.
__device__ bool is_worth(const Core& core, Count both, Count few, Peeled* told) {
  Count matched = 0, leaves = 0, long_entries = 0;
  for (long long k = first_item(); k < static_cast<long long>(both); k += item_stride()) {
    const int side = k >= core.graph.n;
    const Index v = static_cast<Index>(side ? k - core.graph.n : k);
    const Index size = core.graph.starts[side][v + 1] - core.graph.starts[side][v];
    core.place[k] = size ? 2 : 0;
    if (side)
      core.owner[v] = Forest::none;
    else
      matched += core.graph.col_match[v] != -1;
    leaves += size == 1;
    if (size > short_list) long_entries += static_cast<Count>(size);
  }
  add_over_warp(&told->matched, matched);
  add_over_warp(&told->leaves, leaves);
  add_over_warp(&told->long_entries, long_entries);
  grid_barrier(reinterpret_cast<unsigned*>(&told->barrier));
  const Count entries = static_cast<Count>(core.graph.starts[0][core.graph.n]);
  return !seen(&told->matched) && seen(&told->leaves) * few >= both &&
         seen(&told->long_entries) > entries;  // of both sides
}

// All short lists, then those that had more than one free neighbour: how many turns.
__device__ Count peel_in_turns(const Core& core, Index* lists, Leaves queue, Count both,
                               Peeled* told, Count* edges) {
  const Count all = static_cast<Count>(gridDim.x) * warps;
  const Count warp = static_cast<Count>(threadIdx.x / 32) * gridDim.x + blockIdx.x;
  Count many = both;
  for (Count turn = 0;; ++turn) {
    const Index* list = lists + (turn % 2 ? 3 * both : 0);
    Index* next = lists + (turn % 2 ? 0 : 3 * both);
    Count* counted = told->rounds[(turn + 1) % 3];
    if (blockIdx.x == 0 && threadIdx.x < 2) told->rounds[(turn + 2) % 3][threadIdx.x] = 0;
    Count pairs = 0;
    for (Count first = 32 * warp; first < many; first += 32 * all) {
      const Count k = first + threadIdx.x % 32;
      Index code = 0, watched[2] = {0, 0};
      bool more = k < many;
      if (more && turn) {
        code = seen(&list[3 * k]);
        for (int t = 0; t < 2; ++t) watched[t] = seen(&list[3 * k + 1 + t]);
        more = core.look_again(code < 0, code < 0 ? -1 - code : code, watched, &pairs, edges);
      } else if (more) {
        const bool row = k >= static_cast<Count>(core.graph.n);
        const Index v = static_cast<Index>(row ? k - static_cast<Count>(core.graph.n) : k);
        const Index size = core.graph.starts[row][v + 1] - core.graph.starts[row][v];
        code = row ? -1 - v : v;
        more = size && size <= short_list &&
               seen(row ? &core.graph.row_match[v] : &core.graph.col_match[v]) < 0 &&
               core.look(row, v, watched, &pairs, edges);
      }
      queue.make_room(next, &counted[0]);
      queue.put(more, code, watched[0], watched[1]);
    }
    queue.spill(queue.count, next, &counted[0]);
    add_over_warp(&counted[1], pairs);
    grid_barrier(reinterpret_cast<unsigned*>(&told->barrier));
    many = seen(&counted[0]);
    if (seen(&counted[1]) * hardly <= many) return turn + 1;
  }
}

// lists: 6 (m + n). Nothing is done where a column is matched, fewer than one in `few` columns and
// rows has one entry, or most entries are in short lists.
extern "C" __global__ void __launch_bounds__(32 * warps, 4)
    peel(Index m, Index n, const Index* indptr, const Index* indices, const Index* row_indptr,
         const Index* row_indices, Index* row_match, Index* col_match, Index* place, Index* owner,
         Index* lists, Count few, Peeled* told) {
  __shared__ Index queues[warps][3][128];
  const Core core{
      {m, n, {indptr, row_indptr}, {indices, row_indices}, row_match, col_match}, place, owner};
  const Count both = static_cast<Count>(m) + static_cast<Count>(n);
  if (!is_worth(core, both, few, told)) return;
  Count edges = 0, core_cols = 0, core_rows = 0, pairs = 0;
  const Count turns = peel_in_turns(core, lists, {queues[threadIdx.x / 32]}, both, told, &edges);
  for (long long k = first_item(); k < static_cast<long long>(both); k += item_stride()) {
    const bool row = k >= n;
    const Index mate = seen(row ? &row_match[k - n] : &col_match[k]);
    if (mate == -1 && seen(&place[k]) > 1) ++(row ? core_rows : core_cols);
    if (!row && mate != -1) ++pairs;
  }
  add_over_warp(&told->core_cols, core_cols);
  add_over_warp(&told->core_rows, core_rows);
  add_over_warp(&told->pairs, pairs);
  add_over_warp(&told->edges, edges);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    told->peeled = 1;
    told->turns = turns;
  }
}
