// SPDX-License-Identifier: BSD-3-Clause
// local-max: match the edges that remain after many rounds, along chains of edges, on a GPU
//
// Idea        Let the order of the edges stay fixed. Then an edge belongs to the matching if and
//             only if no heavier edge at one of its ends does. An edge {v, u} that is the heaviest
//             edge of v and the second heaviest edge of u has only one heavier edge at its ends,
//             the heaviest edge of u. So it belongs to the matching if and only if that edge does
//             not. A link from v to u stands for this. The links form chains. If the edge at the
//             end of a chain is the heaviest edge of both of its ends, it is matched, and so is
//             every second edge of the chain. The ends are found by pointer jumping: each step
//             replaces the links of a vertex v to u and of u to t by a link of v to t. Matched
//             vertices leave the list, and the next links are found, as in the rounds of local-max.
// Paper       Not in a paper. Chains replace rounds of Birn et al. that match few edges: a path of
//             increasing weights is one chain, which takes log n steps instead of n / 2 rounds.
//             Pointer jumping: J. C. Wyllie, "The complexity of parallel computations", Cornell
//             University, 1979. The matching is that of rounds with the ties of the current round,
//             because a strict order of the edges has only one locally dominant matching
// Cost        O(m + n log n) for each pass over the list, which holds m edges. Memory: the lists of
//             local_max.cu, and 2 n indices
// Encodings   link[v]: the vertex at which a part of the chain of v ends, if the part has an even
//             number of edges, otherwise the complement of this vertex. at[v] and second[v]: the
//             places of the two heaviest edges of v in the list
// Invariants  at the start of a pass, the list holds both entries of each edge between unmatched
//             vertices, and at[v] = -1 for each of these vertices. Each vertex is the end of at
//             most one link, and weights increase along a chain, so chains are disjoint paths
// Races       a link that another thread shortens is valid before and after. Each mate has one
//             writer, because the matched edges of a pass are disjoint

#include "backends/gpu/grid_barrier.cuh"
#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"
#include "transversal/initial/local_max.cuh"

// Numbers for the host and for the next launch.
struct State {
  Count edges;       // number of visited edges
  Count size;        // number of entries in the list
  Count turn;        // number of the list, 0 or 1, that the next pass reads
  Count changed[3];  // whether a step of pointer jumping has changed a link; three steps in turn
  Count barrier;
};

// The random number of an edge, as in local_max.cu.
struct EdgeTie {
  Count round;

  __device__ Count operator()(Index v, Index u) const {
    return (v < u ? entry_hash(round, v, u) : entry_hash(round, u, v)) >> 32;
  }
};

__device__ inline bool is_odd(Index link) { return link < 0; }
__device__ inline Index end_of(Index link) { return link < 0 ? ~link : link; }

// Calls visit(v) for each vertex of the list.
template <class Visit>
__device__ void for_each_vertex(const EdgeList& E, long long size, const Visit& visit) {
  for (long long k = first_item(); k < size; k += item_stride()) {
    if (k == 0 || E.v[k - 1] != E.v[k]) visit(E.v[k]);
  }
}

// Computes at[v], second[v] and link[v] for each vertex v of the list. While the second heaviest
// edges are searched, the heaviest ones have negative weights.
template <class Tie>
__device__ void find_links(const EdgeList& E, long long size, Index n, Index* at, Index* second,
                           Index* link, const Tie& tie, Count* barrier) {
  for (long long v = first_item(); v < n; v += item_stride()) link[v] = static_cast<Index>(v);
  find_heaviest(E, size, at, tie);
  grid_barrier(barrier);
  for_each_vertex(E, size, [&](Index v) {
    E.weight[at[v]] = -E.weight[at[v]];
    second[v] = -1;
  });
  grid_barrier(barrier);
  find_heaviest(E, size, second, tie);
  grid_barrier(barrier);
  for_each_vertex(E, size, [&](Index v) {
    E.weight[at[v]] = -E.weight[at[v]];
    const Index u = E.u[at[v]];
    if (E.u[at[u]] != v && E.u[second[u]] == v) link[v] = ~u;
  });
  grid_barrier(barrier);
}

// Replaces each link by one to the end of its chain. `turn` is the element of state->changed for
// the next step, which is zero.
__device__ inline void jump(Index* link, Index n, int& turn, State* state) {
  bool is_done = false;
  while (!is_done) {
    bool changed = false;
    for (long long v = first_item(); v < n; v += item_stride()) {
      const Index own = seen(&link[v]), next = seen(&link[end_of(own)]);
      if (end_of(next) == end_of(own)) continue;
      show(&link[v], is_odd(own) ? ~next : next);
      changed = true;
    }
    if (changed) raise(&state->changed[turn], Count{1});
    const int following = (turn + 1) % 3;
    if (first_item() == 0) show(&state->changed[following], Count{0});
    grid_barrier(&state->barrier);
    is_done = seen(&state->changed[turn]) == 0;
    turn = following;
  }
}

// Matches chains until no edge is left, or state->edges is at least `until`. All passes are a part
// of the round with the number `round`. `weight0` and `weight1` are not null.
extern "C" __global__ void __launch_bounds__(256, 4)
    match_chains(Count seed, Index renewed, Index round, Count until, Index n, Index* v0, Index* u0,
                 double* weight0, Index* v1, Index* u1, double* weight1, Index* at, Index* second,
                 Index* link, Index* mate, Index* round_of, Index* of_blocks, State* state) {
  const EdgeList lists[2] = {{v0, u0, weight0}, {v1, u1, weight1}};
  Count edges = state->edges, turn = state->turn;
  Index size = static_cast<Index>(state->size);
  const EdgeTie tie{mixed(mixed(seed) + (renewed ? round : 0))};
  int turn_of_step = 0;
  while (size > 0 && edges < until) {
    edges += static_cast<Count>(size) / 2;
    const EdgeList E = lists[turn];
    find_links(E, size, n, at, second, link, tie, &state->barrier);
    jump(link, n, turn_of_step, state);
    for_each_vertex(E, size, [&](Index v) {
      const Index end = end_of(link[v]);
      if (is_odd(link[v]) || E.u[at[E.u[at[end]]]] != end) return;
      const Index u = E.u[at[v]];
      mate[v] = u;
      round_of[v] = round;
      if (v == end) return;  // u is an end, too
      mate[u] = v;
      round_of[u] = round;
    });
    grid_barrier(&state->barrier);
    turn = 1 - turn;
    size = compact(E, size, lists[turn], at, of_blocks, &state->barrier,
                   [&](Index v, Index u) { return mate[v] == -1 && mate[u] == -1; });
    grid_barrier(&state->barrier);
  }
  if (first_item() != 0) return;
  state->edges = edges;
  state->size = static_cast<Count>(size);
  state->turn = turn;
}
