// SPDX-License-Identifier: BSD-3-Clause
// local-max: match edges of locally largest weight, on a GPU
//
// Idea        In each round, match every edge that is heavier than all edges with which it shares
//             an end, and remove the edges of matched vertices. Rounds repeat until no edge is
//             left. Edges of equal weight are compared by random numbers.
// Paper       M. Birn, V. Osipov, P. Sanders, C. Schulz, N. Sitchinava, "Efficient parallel and
//             external matching", Euro-Par 2013, section 3.3: a list of edges, segmented maxima,
//             prefix sums and compaction. The steps, and what is changed in them, are in
//             local_max.cuh. Changed: one launch runs many rounds, with barriers between the
//             steps. The order of the edges is that of local_max.hpp, with the same random numbers,
//             so the matching is the same. After `limit` times m edges were visited, the remaining
//             edges are matched along chains (local_max_chains.cu), with the result that they have
//             if the CPU sorts them, as local_max.hpp does
// Cost        O(m) expected for m edges if the weights are equal or random: the time of a round is
//             proportional to the entries left, also if one vertex has most of them. Memory: two
//             lists of 2 m entries, 2 m heads, 3 n indices
// Prefer it   from some 100,000 edges on, if there is a GPU
// Encodings   lists[turn] is the list of edges of this round, lists[1 - turn] that of the next
//             round; see local_max.cuh
// Invariants  at the start of a round, the list holds both entries of each edge between unmatched
//             vertices, in the order of the matrix, and at[v] = -1 for each of these vertices
// Races       see local_max.cuh; each mate has one writer, because the order of edges is strict

#include "backends/gpu/grid_barrier.cuh"
#include "backends/gpu/index.cuh"
#include "transversal/initial/local_max.cuh"

// Numbers for the host and for the next launch.
struct State {
  Count edges;   // number of visited edges
  Count rounds;  // number of complete rounds
  Count size;    // number of entries in the list
  Count turn;    // number of the list, 0 or 1, that the next round reads
  Count barrier;
};

// The random number of an edge in a round, which is EdgeOrder::tie of edge_order.hpp.
struct EdgeTie {
  Count round;

  __device__ Count operator()(Index v, Index u) const {
    return (v < u ? entry_hash(round, v, u) : entry_hash(round, u, v)) >> 32;
  }
};

// Makes the first list: all entries, without the diagonal. `heads` has the column of each entry.
extern "C" __global__ void __launch_bounds__(256, blocks_together)
    list_edges(Index entries, Index* heads, Index* indices, double* weight, Index* v, Index* u,
               double* listed_weight, Index* at, Index* of_blocks, State* state) {
  const Index size =
      compact({heads, indices, weight}, entries, {v, u, listed_weight}, at, of_blocks,
              &state->barrier, [](Index one, Index other) { return one != other; });
  if (first_item() == 0) state->size = static_cast<Count>(size);
}

// Runs rounds until no edge is left, or state->edges is at least `until`.
extern "C" __global__ void __launch_bounds__(256, 4)
    run_rounds(Count seed, Index renewed, Count until, Index* v0, Index* u0, double* weight0,
               Index* v1, Index* u1, double* weight1, Index* at, Index* mate, Index* round_of,
               Index* of_blocks, State* state) {
  const EdgeList lists[2] = {{v0, u0, weight0}, {v1, u1, weight1}};
  Count edges = state->edges, rounds = state->rounds, turn = state->turn;
  Index size = static_cast<Index>(state->size);
  while (size > 0 && edges < until) {
    edges += static_cast<Count>(size) / 2;
    ++rounds;
    const EdgeList E = lists[turn];
    const EdgeTie tie{mixed(mixed(seed) + (renewed ? rounds : 0))};
    find_heaviest(E, size, at, tie);
    grid_barrier(&state->barrier);
    find_mutual(E, size, at, E, at, [&](Index v, Index u) {
      mate[v] = u;
      round_of[v] = static_cast<Index>(rounds);
    });
    grid_barrier(&state->barrier);
    turn = 1 - turn;
    size = compact(E, size, lists[turn], at, of_blocks, &state->barrier,
                   [&](Index v, Index u) { return mate[v] == -1 && mate[u] == -1; });
    grid_barrier(&state->barrier);
  }
  if (first_item() != 0) return;
  state->edges = edges;
  state->rounds = rounds;
  state->size = static_cast<Count>(size);
  state->turn = turn;
}
