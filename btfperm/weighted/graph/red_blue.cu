// SPDX-License-Identifier: BSD-3-Clause
// red-blue: blue vertices propose to red vertices, on a GPU
//
// Idea        In each round a hash colours every unmatched vertex blue or red. Each blue vertex
//             proposes to a red neighbour, and each red vertex accepts one of the proposals to it.
//             The edges of accepted proposals are matched. A vertex without an unmatched neighbour
//             is dead. The algorithm ends when all vertices are matched or dead.
// Paper       B. O. Fagginger Auer, R. H. Bisseling, "A GPU algorithm for greedy graph matching",
//             Facing the Multicore-Challenge II, 2012: algorithm 3 with random or weighted select,
//             colours by algorithm 4, the reduced hash; sigma, r and p have their names there.
//             Changed as in red_blue.hpp: select starts from a random place of the list, while the
//             paper renumbers the vertices at random (place=first starts from the first place);
//             only vertices that are neither matched nor dead are visited; r is odd. Also changed:
//             the paper has one thread for a list. Here a group of lanes visits a short list. A
//             long list is divided into parts, one warp visits each part, and the warp that ends
//             last compares the results of all parts. One launch runs many rounds, with barriers
//             between the steps. Random numbers are those of red_blue.hpp, so the matching is the
//             same
// Cost        O(n + m) expected for m edges on random graphs, in some 20 to 40 rounds. Memory: 6 n
//             indices, results included, and less than m / 2 bytes for the parts
// Prefer it   for comparison with local-max, whose matching is heavier
// Matrices    As an initializer of a matrix (weighted/bipartite_graph_gpu.py), all weights are 1,
//             so select is random. The lists of the rows are in no particular order, so two runs
//             may find different matchings
// Options     as in red_blue.hpp
// Encodings   colour[v] = 1: blue, 2: red, 0: neither, as v is matched or dead. sigma[v]: the
//             vertex that v proposes to, or accepts; -1: none; -2: v is dead
// Invariants  alive holds the vertices that are neither matched nor dead, in ascending order. The
//             parts of a list are successive items of `parts`, in the order of their places
// Races       a thread writes colour, sigma and mate of its own vertices only, and reads only words
//             that no thread writes in this step: a red vertex reads sigma of blue ones. Each warp
//             that visits a part of a list stores its result before it adds one to `ended` of the
//             first part of this list. The warp that adds the last one reads all results and writes
//             sigma

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
  Count edges;   // number of visited edges
  Count rounds;  // number of complete rounds
  Count size;    // number of vertices in `alive`
  Count turn;    // which of the two lists is `alive`
  Count parts;   // number of parts of long lists
  Count barrier;
};

struct Graph {
  const Index* indptr;
  const Index* indices;
  const double* weight;  // null if weights are not compared
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
      : lanes(size), lane(static_cast<int>(threadIdx.x) & (size - 1)), mask(group_of(size)) {}

  __device__ bool any(bool holds) const { return __ballot_sync(mask, holds) != 0; }
};

// The result of a search: the chosen neighbour w, no_vertex if none suits, or dead if none is
// alive. `place` is the distance of w from the place at which the search starts.
struct Choice {
  double weight;
  Index w;
  Index place;
};

// A part of a long list, which begins at distance `from` from this place. In the first part of a
// list, `ended` is the number of parts of this list whose visit has ended in this step. The
// driver allocates bytes for parts, so it must know the size of this struct.
struct Part {
  Choice best;
  Index v;
  Index from;
  Count ended;
};

__device__ inline bool is_better(const Choice& one, const Choice& other) {
  if (one.w < 0 || other.w < 0) return one.w > other.w;
  return one.weight != other.weight ? one.weight > other.weight : one.place < other.place;
}

// The best of the choices of all lanes of the group. All lanes get the result.
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

// The vertices of one colour select neighbours: blue vertices select red ones, and red vertices
// select blue ones that propose to them.
template <Index of_colour>
struct Step {
  bool weighted;
  bool from_first;  // select starts from the first place of a list, otherwise from a random one
  Count draw;
  const Index* colour;
  const Index* sigma;

  __device__ bool selects(Index v) const { return colour[v] == of_colour; }

  __device__ bool suits(Index v, Index w) const {
    return of_colour == blue ? colour[w] == red : colour[w] == blue && sigma[w] == v;
  }
};

// The first neighbour of v that suits, from the place of the list at which select starts; if
// weighted, the first with the heaviest edge. Only places whose distance from there is at least
// `from` and less than `upto` are visited. All lanes get the result.
template <Index of_colour>
__device__ Choice select(const Graph& G, const Step<of_colour>& step, Index v, Index from,
                         Index upto, const Group& group, Count* edges) {
  const Index begin = G.indptr[v], degree = G.indptr[v + 1] - begin;
  Choice best{0, dead, 0};
  if (degree == 0) return best;
  const Count drawn = step.from_first ? 0 : mixed(step.draw ^ static_cast<Count>(v));
  const Index first = static_cast<Index>(drawn % static_cast<Count>(degree));
  bool found = false;
  for (Index k = from + group.lane; k - group.lane < upto && !found; k += group.lanes) {
    if (k < upto) {
      const Index p = begin + (k < degree - first ? first + k : k - (degree - first));
      const Index w = G.indices[p];
      ++*edges;
      if (w != v && step.colour[w] != neither) {
        if (best.w == dead) best.w = no_vertex;
        const Choice here{step.weighted ? G.weight[p] : 1.0, w, k};
        if (is_better(here, best) && step.suits(v, w)) best = here;
      }
    }
    found = !step.weighted && group.any(best.w >= 0);
  }
  return best_of(group, best);
}

// Sets sigma of the alive vertices of a colour that have short lists.
template <Index of_colour>
__device__ void visit_short(const Graph& G, const Step<of_colour>& step, const Index* alive,
                            Index size, Index longest, const Group& group, Index* sigma,
                            Count* edges) {
  for (long long k = first_item() / group.lanes; k < size; k += item_stride() / group.lanes) {
    const Index v = alive[k];
    if (!step.selects(v)) continue;
    const Index degree = G.indptr[v + 1] - G.indptr[v];
    if (degree > longest) continue;
    const Choice chosen = select(G, step, v, 0, degree, group, edges);
    if (group.lane == 0) sigma[v] = chosen.w;
  }
}

// Divides the lists of more than `longest` entries into parts of `part_size` entries. Whole warps
// must call this.
__device__ void divide_long(const Graph& G, Index n, Index longest, Index part_size, Part* parts,
                            Count* n_parts) {
  for (long long k = first_item(); k - lane_id() < n; k += item_stride()) {
    const Index own = k < n ? G.indptr[k + 1] - G.indptr[k] : 0;
    unsigned lanes = __ballot_sync(whole_warp, own > longest);
    for (; lanes != 0; lanes &= lanes - 1) {
      const int lane = first_of(lanes);
      const Index degree = __shfl_sync(whole_warp, own, lane);
      const Index v = static_cast<Index>(k - lane_id()) + lane;
      const Index many = (degree - 1) / part_size + 1;
      const Count first = add_once(n_parts, static_cast<unsigned>(many));
      for (Index j = lane_id(); j < many; j += 32)
        parts[first + j] = {{0, dead, 0}, v, j * part_size, 0};
    }
  }
}

// Visits the long lists of the vertices of a colour, one warp for each part, and sets sigma.
// Successive parts go to different thread blocks.
template <Index of_colour>
__device__ void visit_long(const Graph& G, const Step<of_colour>& step, Part* parts, Count n_parts,
                           Index part_size, Index* sigma, Count* edges) {
  const Group warp(32);
  const Count stride = static_cast<Count>(gridDim.x) * (blockDim.x / 32);
  for (Count k = blockIdx.x + static_cast<Count>(gridDim.x) * warp_id(); k < n_parts; k += stride) {
    const Index v = parts[k].v, from = parts[k].from;
    if (!step.selects(v)) continue;
    const Index degree = G.indptr[v + 1] - G.indptr[v];
    const Index upto = degree - from > part_size ? from + part_size : degree;
    Choice best = select(G, step, v, from, upto, warp, edges);
    const Count many = static_cast<Count>((degree - 1) / part_size + 1);
    Part* const first = parts + (k - static_cast<Count>(from / part_size));
    bool is_last = false;
    if (warp.lane == 0) {
      parts[k].best = best;
      __threadfence();
      is_last = atomicAdd(&first->ended, Count{1}) == many - 1;
      __threadfence();
    }
    if (!warp.any(is_last)) continue;
    for (Count j = warp.lane; j < many; j += 32) {
      const Choice other{__ldcg(&first[j].best.weight), __ldcg(&first[j].best.w),
                         __ldcg(&first[j].best.place)};
      if (is_better(other, best)) best = other;
    }
    best = best_of(warp, best);
    if (warp.lane == 0) {
      sigma[v] = best.w;
      first->ended = 0;
    }
  }
}

// Runs rounds until all vertices are matched or dead, or the number of visited edges is at least
// `until`.
extern "C" __global__ void __launch_bounds__(256, 4)
    run_rounds(Index n, Count seed, Index weighted, Index from_first, Count threshold, Index lanes,
               Index longest, Index part_size, Count until, const Index* indptr,
               const Index* indices, const double* weight, Index* alive0, Index* alive1,
               Index* colour, Index* sigma, Index* mate, Index* round_of, Index* of_blocks,
               Part* parts, State* state) {
  const Graph G{indptr, indices, weight};
  const Group group(static_cast<int>(lanes));
  Index* const lists[2] = {alive0, alive1};
  Count rounds = state->rounds, turn = state->turn, visited = state->edges;
  Index size = static_cast<Index>(state->size);
  if (rounds == 0) {
    divide_long(G, n, longest, part_size, parts, &state->parts);
    grid_barrier(&state->barrier);
  }
  const Count n_parts = seen(&state->parts);
  while (size > 0 && visited < until) {
    const Index* const alive = lists[turn];
    const Count draw = mixed(mixed(seed) + ++rounds);
    Count edges = 0;
    for (long long k = first_item(); k < size; k += item_stride())
      colour[alive[k]] = colour_of(alive[k], draw, threshold);
    grid_barrier(&state->barrier);
    const Step<blue> by_blue{weighted != 0, from_first != 0, draw, colour, sigma};
    visit_long(G, by_blue, parts, n_parts, part_size, sigma, &edges);
    visit_short(G, by_blue, alive, size, longest, group, sigma, &edges);
    grid_barrier(&state->barrier);
    const Step<red> by_red{weighted != 0, from_first != 0, draw, colour, sigma};
    visit_long(G, by_red, parts, n_parts, part_size, sigma, &edges);
    visit_short(G, by_red, alive, size, longest, group, sigma, &edges);
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
