// SPDX-License-Identifier: BSD-3-Clause
// max-id: many small components at once, by names that travel along the edges
//
// Idea        Each vertex learns the largest number of those that reach it (from), and of those
//             that it reaches (to). Where both are the same number, that is the name of its
//             component. Edges between vertices with different pairs lie in no cycle; without
//             them, and without what is named, all begins again with what is left.
// Paper       forward-backward coloring as in G. M. Slota, S. Rajamanickam, K. Madduri, IPDPS
//             2014, with both directions at once: G. Alabandi, W. Sands, G. Biros, M. Burtscher,
//             "A GPU algorithm for detecting strongly connected components", SC 2023 (ECL-SCC)
// Cost        a sweep over the edges that are left for each step a number must travel; shortcuts
//             (from[from[v]]) halve the way. Long components take many: the sweeps are limited
// Encodings   edges as pairs (tail, head); name[v] = -1 until a component is known
// Races       from and to only grow, by atomicMax; a late value costs another sweep

#include "backends/gpu/append.cuh"
#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"

__device__ inline bool lift(Index* word, Index value) {
  return seen(word) < value && atomicMax(word, value) < value;
}

// What has a name keeps its pair, so that its edges are seen to be done with.
extern "C" __global__ void begin_round(Index n, const Index* name, Index* from, Index* to) {
  for (long long v = first_item(); v < n; v += item_stride())
    if (name[v] < 0) from[v] = to[v] = static_cast<Index>(v);
}

// `changed` gets this sweep's number where anything grew.
extern "C" __global__ void sweep(Index count, const Index* tails, const Index* heads, Index* from,
                                 Index* to, Count number, Count* changed) {
  bool grew = false;
  for (long long e = first_item(); e < count; e += item_stride()) {
    const Index u = tails[e], v = heads[e];
    const Index a = seen(&from[u]), b = seen(&to[v]);
    grew |= lift(&from[v], seen(&from[a]));
    grew |= lift(&to[u], seen(&to[b]));
  }
  if (grew) raise(changed, number);
}

// Names what is found: from and to agree.
extern "C" __global__ void settle(Index n, const Index* from, const Index* to, Index* name) {
  for (long long v = first_item(); v < n; v += item_stride())
    if (name[v] < 0 && from[v] == to[v]) name[v] = from[v];
}

// The edges inside what is not found yet and cannot be told apart.
extern "C" __global__ void keep_edges(Index count, const Index* tails, const Index* heads,
                                      const Index* from, const Index* to, Index* new_tails,
                                      Index* new_heads, Count* kept) {
  for (long long e = first_item(); e < count; e += item_stride()) {
    const Index u = tails[e], v = heads[e];
    if (from[u] == to[u] || from[u] != from[v] || to[u] != to[v]) continue;
    const Count place = place_at_end(kept);
    new_tails[place] = u;
    new_heads[place] = v;
  }
}
