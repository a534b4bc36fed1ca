// SPDX-License-Identifier: BSD-3-Clause
// red-blue: proposals of blue vertices to red ones on a GPU
//
// Idea        In each round every free row and column is blue or red by a hash. Blue ones propose
//             to a red neighbour, red ones answer one of the proposals, and who agree are a pair.
//             Who has no free neighbour left is dead; when all are matched or dead, it is done.
// Paper       B. O. Fagginger Auer, R. H. Bisseling, "A GPU algorithm for greedy graph matching",
//             Facing the Multicore-Challenge II, 2012: algorithms 3 and 4, random matching, on the
//             bipartite graph: column j is vertex j, row i is vertex n + i; pi, sigma and r as
//             there. Changed: select takes the first neighbour from a random place of the list on,
//             where the paper numbers the vertices at random before
// Cost        A round costs four kernels a side over all vertices, and a free one reads its list
//             until it finds what it looks for; some 20 to 40 rounds
// Prefer it   for comparison; rather use greedy, which needs one kernel
// Encodings   pi[v] = -1: blue, -2: red, -3: dead; else the partner. sigma[v] = -1: to nobody,
//             -3: dead; else to whom
// Invariants  a pair agrees: each is the other's sigma; blue ones and red ones write their own
// Races       none: a launch writes pi or sigma of the vertices whose threads it runs, and reads
//             the other array, or the other side

#include "backends/gpu/counting.cuh"
#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"
#include "transversal/initial/vertex_hash.cuh"

constexpr Index blue = -1, red = -2, dead = -3, nobody = -1;

// What the host reads.
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

// The first neighbour of v from a random place on that suits; dead when none is free.
template <class Suits>
__device__ Index select(Index v, Index r, const Index* indptr, const Index* indices,
                        const Index* other_pi, Suits suits, Count* edges) {
  const Index begin = indptr[v], size = indptr[v + 1] - begin;
  if (size == 0) return dead;
  const Count drawn = mixed(static_cast<Count>(r) << 32 ^ static_cast<Count>(v));
  const Index first = static_cast<Index>(drawn % static_cast<Count>(size));
  Index found = dead;
  for (Index k = 0; k < size; ++k) {
    const Index w = indices[begin + (k < size - first ? first + k : k - (size - first))];
    ++*edges;
    if (other_pi[w] != blue && other_pi[w] != red) continue;
    found = nobody;
    if (suits(w)) return w;
  }
  return found;
}

extern "C" __global__ void propose(Index vertices, Index r, const Index* indptr,
                                   const Index* indices, const Index* pi, const Index* other_pi,
                                   Index* sigma, State* state) {
  Count edges = 0;
  for (long long k = first_item(); k < vertices; k += item_stride()) {
    const Index v = static_cast<Index>(k);
    sigma[v] = nobody;
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
