// SPDX-License-Identifier: BSD-3-Clause
// red-blue: proposals of blue vertices to red ones on a GPU
//
// Idea        In each round a hash colours every unmatched row and column blue or red. A blue
//             vertex proposes to a red neighbour, a red vertex answers one of the proposals, and
//             two vertices that chose each other are matched. A vertex without an unmatched
//             neighbour is dead. The algorithm ends when all vertices are matched or dead.
// Paper       B. O. Fagginger Auer, R. H. Bisseling, "A GPU algorithm for greedy graph matching",
//             Facing the Multicore-Challenge II, 2012: algorithms 3 and 4, random matching, on the
//             bipartite graph: column j is vertex j, row i is vertex n + i; pi, sigma and r as in
//             the paper. Changed: `select` takes the first suitable neighbour from a random
//             position of the list on; the paper instead numbers the vertices at random before it
//             starts. There are no options: p is always 0.53406 (vertex_hash.cuh). r is odd, so
//             that the product of v and a power of r modulo 2^32 loses no bits of v. The hash of
//             vertex 0 does not depend on r, so column 0 is blue in all rounds
// Cost        a round launches four kernels for each side, over all its vertices; the thread of an
//             unmatched vertex visits its list up to the first suitable neighbour
// Prefer it   for comparison. Otherwise prefer greedy, which has no rounds
// Encodings   pi[v] = -1: blue, -2: red, -3: dead; else the mate. sigma[v] = -1: no neighbour, -3:
//             dead; else the neighbour to which v proposes or which it answers
// Invariants  if two vertices are matched, each is the sigma of the other; only the thread of a
//             vertex writes its sigma
// Races       none: a thread of a launch writes pi or sigma of its own vertex, and no thread of
//             this launch reads this word for another vertex

#include "backends/gpu/counting.cuh"
#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"
#include "transversal/initial/vertex_hash.cuh"

constexpr Index blue = -1, red = -2, dead = -3, no_partner = -1;

// Counters for the host.
struct State {
  Count edges;
  Count alive;  // number of the last round with a vertex that was neither matched nor dead
};

// The vertices of a side are numbered from `first` on.
extern "C" __global__ void colour(Count round, Index r, Index vertices, Index first, Index* pi,
                                  State* state) {
  for (long long v = first_item(); v < vertices; v += item_stride()) {
    if (pi[v] != blue && pi[v] != red) continue;
    raise(&state->alive, round);
    pi[v] = is_blue(static_cast<unsigned>(first + v), static_cast<unsigned>(r)) ? blue : red;
  }
}

// The first suitable neighbour of v from a random position on; dead if no neighbour is unmatched.
template <class Suits>
__device__ Index select(Index v, Index r, const Index* indptr, const Index* indices,
                        const Index* other_pi, Suits suits, Count* edges) {
  const Index begin = indptr[v], size = indptr[v + 1] - begin;
  if (size == 0) return dead;
  const Count drawn = mixed(static_cast<Count>(r) << 32 ^ static_cast<Count>(v));
  const Index first = static_cast<Index>(drawn % static_cast<Count>(size));
  Index result = dead;
  for (Index k = 0; k < size; ++k) {
    const Index w = indices[begin + (k < size - first ? first + k : k - (size - first))];
    ++*edges;
    if (other_pi[w] != blue && other_pi[w] != red) continue;
    result = no_partner;
    if (suits(w)) return w;
  }
  return result;
}

extern "C" __global__ void propose(Index vertices, Index r, const Index* indptr,
                                   const Index* indices, const Index* pi, const Index* other_pi,
                                   Index* sigma, State* state) {
  Count edges = 0;
  for (long long k = first_item(); k < vertices; k += item_stride()) {
    const Index v = static_cast<Index>(k);
    sigma[v] = no_partner;
    if (pi[v] != blue) continue;
    const auto is_red = [=](Index w) { return other_pi[w] == red; };
    sigma[v] = select(v, r, indptr, indices, other_pi, is_red, &edges);
  }
  add_over_warp(&state->edges, edges);
}

extern "C" __global__ void respond(Index vertices, Index r, const Index* indptr,
                                   const Index* indices, const Index* pi, const Index* other_pi,
                                   Index* sigma, const Index* other_sigma, State* state) {
  Count edges = 0;
  for (long long k = first_item(); k < vertices; k += item_stride()) {
    const Index v = static_cast<Index>(k);
    if (pi[v] != red) continue;
    const auto proposes = [=](Index w) { return other_pi[w] == blue && other_sigma[w] == v; };
    sigma[v] = select(v, r, indptr, indices, other_pi, proposes, &edges);
  }
  add_over_warp(&state->edges, edges);
}

extern "C" __global__ void match(Index vertices, const Index* sigma, const Index* other_sigma,
                                 Index* pi) {
  for (long long v = first_item(); v < vertices; v += item_stride()) {
    const Index w = sigma[v];
    if (w == dead) pi[v] = dead;
    if (w >= 0 && other_sigma[w] == v) pi[v] = w;
  }
}

extern "C" __global__ void uncolour(Index vertices, Index* pi) {
  for (long long v = first_item(); v < vertices; v += item_stride())
    if (pi[v] < 0) pi[v] = -1;
}
