// SPDX-License-Identifier: BSD-3-Clause
// max-id: many small components at once, by numbers that are propagated along the edges
//
// Idea        For each vertex, sweeps over the edges compute the largest number of a vertex that
//             reaches it, and the largest number of a vertex that it reaches. If both are the same
//             number, this is the name of its component. An edge between vertices whose results
//             differ is in no cycle. These edges and the edges of named vertices are removed, and
//             the next round begins. The smallest numbers are computed in the same sweeps, which
//             saves rounds.
// Paper       forward-backward coloring as in G. M. Slota, S. Rajamanickam, K. Madduri, IPDPS 2014,
//             with both directions at once: G. Alabandi, W. Sands, G. Biros, M. Burtscher, "A GPU
//             algorithm for detecting strongly connected components", SC 2023 (ECL-SCC); two orders
//             of the numbers at once are ours
// Cost        a sweep over the remaining edges propagates each number along at least one edge; a
//             shortcut doubles the distance reached. Components with long paths take many sweeps,
//             so the driver limits the number of visited edges
// Encodings   edges as pairs (tail, head); name[v] = -1 until a component is known
// Races       largest numbers only increase, by atomicMax, smallest only decrease, by atomicMin. In
//             `ask_further`, only one thread writes the numbers of a vertex. A thread that reads an
//             out-of-date number misses a change, which a later sweep finds

#include "backends/gpu/append.cuh"
#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"

// The numbers of a vertex: the largest and the smallest number of the vertices that reach it, and
// of those that it reaches. The alignment puts all four numbers into one sector of 32 bytes of
// memory, the unit of a transfer.
struct alignas(4 * sizeof(Index)) Learned {
  Index largest_from;
  Index largest_to;
  Index smallest_from;
  Index smallest_to;

  __device__ bool operator==(const Learned& other) const {
    return largest_from == other.largest_from && largest_to == other.largest_to &&
           smallest_from == other.smallest_from && smallest_to == other.smallest_to;
  }
  // The name of the component, or -1. If the largest vertex, or the smallest one, of both
  // directions is the same, it reaches this vertex and is reached by it, so it is in the component.
  __device__ Index name() const {
    return largest_from == largest_to     ? largest_from
           : smallest_from == smallest_to ? smallest_from
                                          : -1;
  }
};

// Reads the numbers in one or two loads that bypass the cache of the multiprocessor.
__device__ inline Learned now(const Learned* place) {
  if constexpr (sizeof(Index) == 4) {
    const int4 words = __ldcg(reinterpret_cast<const int4*>(place));
    return {words.x, words.y, words.z, words.w};
  } else {
    const longlong2* halves = reinterpret_cast<const longlong2*>(place);
    const longlong2 largest = __ldcg(&halves[0]), smallest = __ldcg(&halves[1]);
    return {static_cast<Index>(largest.x), static_cast<Index>(largest.y),
            static_cast<Index>(smallest.x), static_cast<Index>(smallest.y)};
  }
}

// Gives each vertex without a name its own number four times. A named vertex keeps its numbers,
// from which `keep_edges` derives that its edges are not needed.
extern "C" __global__ void begin_round(Index n, const Index* name, Learned* learned) {
  for (long long i = first_item(); i < n; i += item_stride()) {
    const Index v = static_cast<Index>(i);
    if (name[v] < 0) learned[v] = {v, v, v, v};
  }
}

// `number` is the number of this sweep. *changed becomes `number` if a number of a vertex changed.
extern "C" __global__ void sweep(Index count, const Index* tails, const Index* heads,
                                 Learned* learned, Count number, Count* changed) {
  bool more = false;
  for (long long e = first_item(); e < count; e += item_stride()) {
    Learned *u = &learned[tails[e]], *v = &learned[heads[e]];
    const Learned a = now(u), b = now(v);
    if (a.largest_from > b.largest_from)
      more |= atomicMax(&v->largest_from, a.largest_from) < a.largest_from;
    if (b.largest_to > a.largest_to) more |= atomicMax(&u->largest_to, b.largest_to) < b.largest_to;
    if (a.smallest_from < b.smallest_from)
      more |= atomicMin(&v->smallest_from, a.smallest_from) > a.smallest_from;
    if (b.smallest_to < a.smallest_to)
      more |= atomicMin(&u->smallest_to, b.smallest_to) > b.smallest_to;
  }
  if (more) raise(changed, number);
}

// The shortcuts: a vertex copies, for example, the number largest_from of the vertex that is its
// own largest_from. Every vertex that reaches that vertex also reaches this one.
extern "C" __global__ void ask_further(Index n, const Index* name, Learned* learned, Count number,
                                       Count* changed) {
  bool more = false;
  for (long long v = first_item(); v < n; v += item_stride()) {
    if (name[v] >= 0) continue;
    const Learned own = now(&learned[v]);
    const Learned further{seen(&learned[own.largest_from].largest_from),
                          seen(&learned[own.largest_to].largest_to),
                          seen(&learned[own.smallest_from].smallest_from),
                          seen(&learned[own.smallest_to].smallest_to)};
    if (further == own) continue;
    learned[v] = further;
    more = true;
  }
  if (more) raise(changed, number);
}

// Names the vertices whose components are known.
extern "C" __global__ void settle(Index n, const Learned* learned, Index* name) {
  for (long long v = first_item(); v < n; v += item_stride())
    if (name[v] < 0) name[v] = learned[v].name();
}

// Copies the edges between unnamed vertices that have the same four numbers.
extern "C" __global__ void keep_edges(Index count, const Index* tails, const Index* heads,
                                      const Learned* learned, Index* new_tails, Index* new_heads,
                                      Count* kept) {
  __shared__ Basket<2> found;
  found.begin();
  for (long long e = first_item(); e < count; e += item_stride()) {
    const Index u = tails[e], v = heads[e];
    const Learned own = learned[u];
    if (own.name() < 0 && own == learned[v]) found.put({u, v}, {new_tails, new_heads}, kept);
  }
  found.end({new_tails, new_heads}, kept);
}
