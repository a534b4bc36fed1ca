// SPDX-License-Identifier: BSD-3-Clause
// meeting-trees, before the search: match vertices with one unmatched neighbour
//
// Idea        A leaf is a column or row with exactly one unmatched neighbour, its support. Some
//             maximum matching contains the entry between them, so the kernel matches them. A
//             matched support no longer counts in the lists of its other neighbours, which may
//             become leaves; so the kernel repeats while it finds enough leaves. Each entry of the
//             vertices that are matched here is in the row or column of a support. Therefore the
//             search may ignore all these vertices: a minimum cover of the remaining ones, the
//             core, together with the supports is a minimum cover of the whole matrix. The kernel
//             does not store degrees, because a support usually has many neighbours whose degrees
//             it would have to update. Instead, each short list is scanned again until it finds two
//             unmatched neighbours.
// Paper       R. M. Karp, M. Sipser, "Maximum matchings in sparse random graphs", FOCS 1981, phase
//             one; on many threads: K. Kaya, J. Langguth, I. Panagiotas, B. Uçar, "Karp-Sipser
//             based kernels for bipartite graph matching", ALENEX 2020
// Cost        one launch. Each round costs a grid barrier and the inspection of two neighbours of
//             each listed vertex. The part of a list before its first unmatched neighbour is not
//             scanned again. Workspace: m + n indices, and 6 (m + n) indices for lists
// Prefer it   if most entries are in long lists and many lists have one entry, as in Kronecker
//             graphs. Otherwise, and if a column is matched already, the kernel returns after it
//             has read the lengths of all lists: if lists are short, greedy and the walks of
//             meeting_walks.cu match as many vertices in less time
// Encodings   vertex: column j as j, row i as -1 - i
//             place[j], place[n + i] = 2 + the position of the first unmatched neighbour in the
//             vertex's list, at the last scan; 0: there is none, or the vertex is matched as a
//             leaf. An unmatched vertex with at least 2 is in the core
//             col_match[j] = -2: reserved by a thread that tries to match column j
//             owner[i] = none, or in_cover or out_of_cover if row i was matched here, see Forest
// Invariants  a matched vertex stays matched, so place never decreases, except to 0
// Races       a thread reserves the column with one atomicCAS, then sets the row's mate with
//             another. If the row is already matched, the thread ends the reservation. A reserved
//             column counts as unmatched. A thread that tries to reserve it, too, tries again in
//             the next round

#include "backends/gpu/counting.cuh"
#include "backends/gpu/grid_barrier.cuh"
#include "backends/gpu/warp_queue.cuh"
#include "transversal/augmenting/forest.cuh"

constexpr int warps = 8;           // number of warps of a block
constexpr Index short_list = 256;  // vertices with more entries rarely become leaves
// A round is the last one if it lists at least this number of vertices for each pair that it
// matches.
constexpr Count max_listed_per_pair = 256;

using Leaves = WarpQueue<3, 128>;  // vertex, and two neighbours that were unmatched

struct Peeled {
  // Counts of three rounds in turn: vertices listed for the next round, and matched pairs.
  Count rounds[3][2];
  Count barrier;
  Count matched;       // columns matched before; if any, the kernel matches nothing
  Count leaves;        // number of leaves before the first round
  Count long_entries;  // number of entries in lists longer than short_list
  Count peeled;        // 0: the kernel matched nothing
  Count edges, core_cols, core_rows, n_rounds, pairs;
};
static_assert(sizeof(Peeled) == 16 * sizeof(Count));

enum Outcome { lost, paired, busy };

struct Core {
  Graph graph;
  Index *place, *owner;

  // Matches column j and row i if both are unmatched.
  __device__ Outcome pair(Index j, Index i) const {
    constexpr Place unmatched = ~Place{0}, reserved = unmatched - 1;
    Place* of_col = reinterpret_cast<Place*>(&graph.col_match[j]);
    const Place before = atomicCAS(of_col, unmatched, reserved);
    if (before != unmatched) return before == reserved ? busy : lost;
    Place* of_row = reinterpret_cast<Place*>(&graph.row_match[i]);
    const bool both = atomicCAS(of_row, unmatched, static_cast<Place>(j)) == unmatched;
    show(&graph.col_match[j], both ? i : Index{-1});
    return both ? paired : lost;
  }

  // Position of the first unmatched neighbour in v's list from position k on, or the size of the
  // list. The loads of a batch are issued together to hide their latency.
  __device__ Index next_unmatched(int side, Index v, Index k, Index size, Count* edges) const {
    constexpr int batch = 8;
    const Index* list = &graph.lists[side][graph.starts[side][v]];
    const Index* mates = side == 0 ? graph.row_match : graph.col_match;
    for (; k < size; k += batch) {
      Index mate[batch];
#pragma unroll
      for (int t = 0; t < batch; ++t) mate[t] = t < size - k ? seen(&mates[list[k + t]]) : 0;
      *edges += batch;
      for (int t = 0; t < batch; ++t)
        if (mate[t] < 0) return k + t;
    }
    return size;
  }

  // Matches v if it has only one unmatched neighbour left. Returns whether the caller must list v
  // again: because v has at least two unmatched neighbours, which are stored in `watched`, or
  // because another thread has reserved the column.
  __device__ bool match_leaf(int side, Index v, Index* watched, Count* pairs, Count* edges) const {
    const Index begin = graph.starts[side][v], size = graph.starts[side][v + 1] - begin;
    Index* resume = &place[side == 0 ? v : static_cast<long long>(graph.n) + v];
    const Index first = next_unmatched(side, v, *resume - 2, size, edges);
    *resume = first < size ? first + 2 : 0;
    if (first == size) return false;
    const Index second = next_unmatched(side, v, first + 1, size, edges);
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

  // As match_leaf, for a vertex v that was listed with the neighbours `watched`. Usually both are
  // still unmatched; then v must be listed again, and its list is not scanned.
  __device__ bool match_listed_leaf(int side, Index v, Index* watched, Count* pairs,
                                    Count* edges) const {
    const Index *mine = side == 0 ? graph.col_match : graph.row_match,
                *mates = side == 0 ? graph.row_match : graph.col_match;
    const bool is_unmatched = seen(&mine[v]) < 0;
    const bool first = seen(&mates[watched[0]]) < 0, second = seen(&mates[watched[1]]) < 0;
    if (!is_unmatched) return false;
    if (first && second && watched[0] != watched[1]) return true;
    return match_leaf(side, v, watched, pairs, edges);
  }
};

// Reads all list lengths, sets `place` and `owner`, and returns whether peeling is worthwhile.
__device__ bool is_worthwhile(const Core& core, Count both, Count vertices_per_leaf,
                              Peeled* counters) {
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
  add_over_warp(&counters->matched, matched);
  add_over_warp(&counters->leaves, leaves);
  add_over_warp(&counters->long_entries, long_entries);
  grid_barrier(&counters->barrier);
  const Count entries = static_cast<Count>(core.graph.starts[0][core.graph.n]);
  return !seen(&counters->matched) && seen(&counters->leaves) * vertices_per_leaf >= both &&
         seen(&counters->long_entries) > entries;  // more than half: each entry is in two lists
}

// The first round scans all short lists, each further round those of the vertices that the round
// before has listed. Returns the number of rounds.
__device__ Count peel_in_rounds(const Core& core, Index* lists, Leaves queue, Count both,
                                Peeled* counters, Count* edges) {
  const Count all = static_cast<Count>(gridDim.x) * warps;
  const Count warp = static_cast<Count>(warp_id()) * gridDim.x + blockIdx.x;
  Count n_listed = both;
  for (Count round = 0;; ++round) {
    const Index* list = lists + (round % 2 ? 3 * both : 0);
    Index* next = lists + (round % 2 ? 0 : 3 * both);
    Count* counted = counters->rounds[(round + 1) % 3];
    if (blockIdx.x == 0 && threadIdx.x < 2) counters->rounds[(round + 2) % 3][threadIdx.x] = 0;
    Count pairs = 0;
    for (Count first = 32 * warp; first < n_listed; first += 32 * all) {
      const Count k = first + lane_id();
      Index code = 0, watched[2] = {0, 0};
      bool more = k < n_listed;
      if (more && round) {
        code = seen(&list[3 * k]);
        for (int t = 0; t < 2; ++t) watched[t] = seen(&list[3 * k + 1 + t]);
        more =
            core.match_listed_leaf(code < 0, code < 0 ? -1 - code : code, watched, &pairs, edges);
      } else if (more) {
        const bool row = k >= static_cast<Count>(core.graph.n);
        const Index v = static_cast<Index>(row ? k - static_cast<Count>(core.graph.n) : k);
        const Index size = core.graph.starts[row][v + 1] - core.graph.starts[row][v];
        code = row ? -1 - v : v;
        more = size && size <= short_list &&
               seen(row ? &core.graph.row_match[v] : &core.graph.col_match[v]) < 0 &&
               core.match_leaf(row, v, watched, &pairs, edges);
      }
      queue.make_room(next, &counted[0]);
      queue.put(more, code, watched[0], watched[1]);
    }
    queue.spill(queue.count, next, &counted[0]);
    add_over_warp(&counted[1], pairs);
    grid_barrier(&counters->barrier);
    n_listed = seen(&counted[0]);
    if (seen(&counted[1]) * max_listed_per_pair <= n_listed) return round + 1;
  }
}

// Matches leaves in rounds. Matches nothing if a column is matched already, if fewer than one
// vertex in `vertices_per_leaf` has a list of one entry, or if not most entries are in long lists.
// `lists` has 6 (m + n) elements.
extern "C" __global__ void __launch_bounds__(32 * warps, 4)
    peel(Index m, Index n, const Index* indptr, const Index* indices, const Index* row_indptr,
         const Index* row_indices, Index* row_match, Index* col_match, Index* place, Index* owner,
         Index* lists, Count vertices_per_leaf, Peeled* counters) {
  __shared__ Index queues[warps][3][128];
  const Core core{
      {m, n, {indptr, row_indptr}, {indices, row_indices}, row_match, col_match}, place, owner};
  const Count both = static_cast<Count>(m) + static_cast<Count>(n);
  if (!is_worthwhile(core, both, vertices_per_leaf, counters)) return;
  Count edges = 0, core_cols = 0, core_rows = 0, pairs = 0;
  const Count n_rounds = peel_in_rounds(core, lists, {queues[warp_id()]}, both, counters, &edges);
  for (long long k = first_item(); k < static_cast<long long>(both); k += item_stride()) {
    const bool row = k >= n;
    const Index mate = seen(row ? &row_match[k - n] : &col_match[k]);
    if (mate == -1 && seen(&place[k]) > 1) ++(row ? core_rows : core_cols);
    if (!row && mate != -1) ++pairs;
  }
  add_over_warp(&counters->core_cols, core_cols);
  add_over_warp(&counters->core_rows, core_rows);
  add_over_warp(&counters->pairs, pairs);
  add_over_warp(&counters->edges, edges);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    counters->peeled = 1;
    counters->n_rounds = n_rounds;
  }
}
