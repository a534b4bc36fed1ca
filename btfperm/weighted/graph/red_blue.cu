// SPDX-License-Identifier: BSD-3-Clause
// red-blue: blue vertices propose to red vertices, on a GPU
//
// Idea        In each round a hash colours every unmatched vertex blue or red. Each blue vertex
//             proposes to a red neighbour, and each red vertex accepts one proposal; these pairs
//             are matched. A vertex without an unmatched neighbour is dead. The algorithm ends
//             when all vertices are matched or dead.
// Paper       B. O. Fagginger Auer, R. H. Bisseling, "A GPU algorithm for greedy graph matching",
//             Facing the Multicore-Challenge II, 2012: algorithm 3 with random or weighted select,
//             colours by algorithm 4, the reduced hash; sigma, r and p as there. Changed as in
//             red_blue.hpp: select starts from a random place of the list in the place of a random
//             numbering, only vertices that are neither matched nor dead are visited, r is odd.
//             Further, a group of lanes visits a list, the paper has one thread for it; and one
//             launch runs many rounds, with barriers between the steps. Random numbers are those
//             of red_blue.hpp, so the matching is the same
// Cost        O(n + m) expected on random graphs, in some 20 to 40 rounds. As in the paper, a long
//             list holds up a round: one group of lanes visits it. Memory: 6 n, results included
// Prefer it   for comparison with local-max, whose matching is heavier
// Encodings   colour[v] = 1: blue, 2: red, 0: neither, as v is matched or dead. sigma[v]: the
//             vertex that v proposes to, or accepts; -1: none; -2: v is dead
// Invariants  alive holds the vertices that are neither matched nor dead, in ascending order
// Races       none: in each step, a thread writes colour, sigma and mate of its own vertices only,
//             and reads those that this step does not write: red vertices read sigma of blue ones

#include "backends/gpu/counting.cuh"
#include "backends/gpu/grid_barrier.cuh"
#include "backends/gpu/index.cuh"
#include "backends/gpu/running_totals.cuh"
#include "backends/gpu/warp.cuh"
#include "transversal/initial/vertex_hash.cuh"

constexpr Index neither = 0, blue = 1, red = 2;
constexpr Index no_vertex = -1, dead = -2;

// Numbers for the host and for the next launch.
struct State {
  Count edges;   // visited
  Count rounds;  // complete ones
  Count size;    // of alive
  Count turn;    // which of the two lists
  Count barrier;
};

struct Graph {
  const Index* indptr;
  const Index* indices;
  const double* weight;  // null: all weights are 1
};

// colour_r(v), with the numbers of red_blue.hpp.
__device__ inline Index colour_of(Index v, Count draw, Count threshold) {
  const Count number = static_cast<Count>(v) + 1;
  const unsigned r = static_cast<unsigned>(draw ^ (number >> 32 << 1)) | 1u;
  return reduced_md5(static_cast<unsigned>(number), r) < threshold ? blue : red;
}

// The lanes that visit a list together; `mask` has their bits.
struct Group {
  int lanes;
  int lane;
  unsigned mask;

  __device__ explicit Group(int size)
      : lanes(size),
        lane(static_cast<int>(threadIdx.x) & (size - 1)),
        mask((size == 32 ? whole_warp : (1u << size) - 1) << (threadIdx.x & 31 & ~(size - 1))) {}

  __device__ bool any(bool holds) const { return __ballot_sync(mask, holds) != 0; }
};

// A neighbour that suits; place: its distance from the random place at which the search starts.
struct Choice {
  double weight;
  Index w;
  Index place;
};

__device__ inline bool is_better(const Choice& one, const Choice& other) {
  if (one.w < 0 || other.w < 0) return one.w >= 0;
  return one.weight != other.weight ? one.weight > other.weight : one.place < other.place;
}

__device__ inline Choice best_of(const Group& group, Choice best) {
  for (int apart = group.lanes / 2; apart > 0; apart /= 2) {
    const int from = group.lane ^ apart;
    const Choice other{__shfl_sync(group.mask, best.weight, from, group.lanes),
                       __shfl_sync(group.mask, best.w, from, group.lanes),
                       __shfl_sync(group.mask, best.place, from, group.lanes)};
    if (is_better(other, best)) best = other;
  }
  return best;
}

// The first neighbour of v that `suits`, from a random place of the list on; if weighted, the first
// with the heaviest edge. no_vertex: none suits; dead: none is alive. All lanes get the result.
template <class Suits>
__device__ Index select(const Graph& G, Index v, bool weighted, Count draw, const Group& group,
                        const Index* colour, const Suits& suits, Count* edges) {
  const Index begin = G.indptr[v], degree = G.indptr[v + 1] - begin;
  if (degree == 0) return dead;
  const Index first =
      static_cast<Index>(mixed(draw ^ static_cast<Count>(v)) % static_cast<Count>(degree));
  Choice best{0, no_vertex, 0};
  bool has_alive = false, found = false;
  for (Index k = group.lane; k - group.lane < degree && !found; k += group.lanes) {
    if (k < degree) {
      const Index p = begin + (k < degree - first ? first + k : k - (degree - first));
      const Index w = G.indices[p];
      ++*edges;
      if (w != v && colour[w] != neither) {
        has_alive = true;
        const Choice here{weighted && G.weight ? G.weight[p] : 1.0, w, k};
        if (is_better(here, best) && suits(w)) best = here;
      }
    }
    found = !weighted && group.any(best.w >= 0);
  }
  best = best_of(group, best);
  const bool is_dead = !group.any(has_alive);
  return best.w >= 0 ? best.w : is_dead ? dead : no_vertex;
}

// Calls choose(v) in all lanes of a group for each alive vertex of a colour, and stores its result.
template <class Choose>
__device__ void each_of(Index of_colour, const Index* alive, Index size, const Index* colour,
                        const Group& group, Index* sigma, const Choose& choose) {
  for (long long k = first_item() / group.lanes; k < size; k += item_stride() / group.lanes) {
    const Index v = alive[k];
    if (colour[v] != of_colour) continue;
    const Index chosen = choose(v);
    if (group.lane == 0) sigma[v] = chosen;
  }
}

// Runs rounds until all vertices are matched or dead, or state->edges is at least `until`.
extern "C" __global__ void __launch_bounds__(256, 4)
    run_rounds(Index n, Count seed, Index weighted, Count threshold, Index lanes, Count until,
               const Index* indptr, const Index* indices, const double* weight, Index* alive0,
               Index* alive1, Index* colour, Index* sigma, Index* mate, Index* round_of,
               Index* of_blocks, State* state) {
  const Graph G{indptr, indices, weight};
  const Group group(static_cast<int>(lanes));
  Index* const lists[2] = {alive0, alive1};
  Count rounds = state->rounds, turn = state->turn, visited = state->edges;
  Index size = static_cast<Index>(state->size);
  while (size > 0 && visited < until) {
    const Index* const alive = lists[turn];
    const Count draw = mixed(mixed(seed) + ++rounds);
    Count edges = 0;
    for (long long k = first_item(); k < size; k += item_stride())
      colour[alive[k]] = colour_of(alive[k], draw, threshold);
    grid_barrier(&state->barrier);
    each_of(blue, alive, size, colour, group, sigma, [&](Index v) {
      return select(
          G, v, weighted, draw, group, colour, [&](Index w) { return colour[w] == red; }, &edges);
    });
    grid_barrier(&state->barrier);
    each_of(red, alive, size, colour, group, sigma, [&](Index v) {
      return select(
          G, v, weighted, draw, group, colour,
          [&](Index w) { return colour[w] == blue && sigma[w] == v; }, &edges);
    });
    add_over_block(&state->edges, edges);
    grid_barrier(&state->barrier);
    visited = seen(&state->edges);
    const auto stays = [&](long long k) {
      const Index w = sigma[alive[k]];
      return static_cast<Index>(w != dead && !(w >= 0 && sigma[w] == alive[k]));
    };
    size = running_totals(size, of_blocks, &state->barrier, stays,
                          [&](long long k, Index before, Index is_alive) {
                            const Index v = alive[k];
                            if (is_alive) {
                              lists[1 - turn][before] = v;
                              return;
                            }
                            colour[v] = neither;
                            if (sigma[v] == dead) return;
                            mate[v] = sigma[v];
                            round_of[v] = static_cast<Index>(rounds);
                          });
    turn = 1 - turn;
    grid_barrier(&state->barrier);
  }
  if (first_item() != 0) return;
  state->rounds = rounds;
  state->size = static_cast<Count>(size);
  state->turn = turn;
}
