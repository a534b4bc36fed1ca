// SPDX-License-Identifier: BSD-3-Clause
// The steps of a round of local-max on a GPU, for the initializer and the algorithm for graphs
//
// Idea        Each edge is stored twice, once for each of its two vertices, in a list that is
//             ordered by vertices. So the edges of a vertex are a segment of the list, and a
//             segmented maximum finds the heaviest edge of each vertex. An edge that is the
//             heaviest of both its vertices is matched. Prefix sums compact the list.
// Paper       Birn et al., Euro-Par 2013, section 3.3: the CRCW algorithm of section 2 by segmented
//             prefix sums, prefix sums, gather and scatter. Changed: in the paper, an edge is a
//             record with two pointers to it; here it is stored for both vertices, and the
//             neighbour identifies the heaviest edge of a vertex. The maximum of a segment that
//             several warps share is computed with atomic operations
// Cost        O(entries of the list) for each step, whatever the lengths of the segments: each warp
//             has an equal part of the list
// Encodings   at[v]: the place of the heaviest edge of v in the list; -1: none yet
// Races       only at[v] of a segment that several warps share; atomicCAS replaces a place only by
//             that of a heavier edge
#pragma once

#include "backends/gpu/index.cuh"
#include "backends/gpu/running_totals.cuh"
#include "backends/gpu/visible.cuh"
#include "backends/gpu/warp.cuh"
#include "transversal/initial/vertex_hash.cuh"

struct EdgeList {
  Index* v;        // ascending
  Index* u;        // the neighbour
  double* weight;  // null: all weights are 1
};

// An edge in the list of one of its vertices; place -1: none.
struct Candidate {
  double weight;
  Count tie;  // a random number, which orders edges of equal weight
  Index u;
  Index place;
};

// Edges of equal weight are ordered by random numbers, and then by the number of the neighbour.
__device__ inline bool is_heavier(const Candidate& one, const Candidate& other) {
  if (one.place == -1 || other.place == -1) return one.place != -1;
  if (one.weight != other.weight) return one.weight > other.weight;
  return one.tie != other.tie ? one.tie > other.tie : one.u < other.u;
}

// tie(v, u) returns the random number of the edge, which must be the same as tie(u, v).
template <class Tie>
__device__ Candidate candidate_at(const EdgeList& E, long long place, const Tie& tie) {
  const Index v = E.v[place], u = E.u[place];
  return {E.weight ? E.weight[place] : 1.0, tie(v, u), u, static_cast<Index>(place)};
}

__device__ inline Candidate shuffled_up(const Candidate& mine, int apart) {
  return {__shfl_up_sync(whole_warp, mine.weight, apart),
          __shfl_up_sync(whole_warp, mine.tie, apart), __shfl_up_sync(whole_warp, mine.u, apart),
          __shfl_up_sync(whole_warp, mine.place, apart)};
}

__device__ inline Candidate of_last_lane(const Candidate& mine) {
  return {__shfl_sync(whole_warp, mine.weight, 31), __shfl_sync(whole_warp, mine.tie, 31),
          __shfl_sync(whole_warp, mine.u, 31), __shfl_sync(whole_warp, mine.place, 31)};
}

// Stores a place in at[v] unless the edge there is heavier.
template <class Tie>
__device__ void combine(const EdgeList& E, const Candidate& mine, Index* at, const Tie& tie) {
  Place* const word = reinterpret_cast<Place*>(at);
  Index held = seen(at);
  while (held == -1 || is_heavier(mine, candidate_at(E, held, tie))) {
    const Index before = static_cast<Index>(
        atomicCAS(word, static_cast<Place>(held), static_cast<Place>(mine.place)));
    if (before == held) return;
    held = before;
  }
}

// The segmented maximum: computes at[v], which must be -1 before, for each v of the list. A warp
// visits its part 32 edges at a time. If the last segment of 32 edges continues in the next ones,
// its maximum so far is carried over.
template <class Tie>
__device__ void find_heaviest(const EdgeList& E, long long size, Index* at, const Tie& tie) {
  const long long warps = item_stride() / 32, warp = first_item() / 32;
  const long long part = (size + 32 * warps - 1) / (32 * warps) * 32;
  const long long begin = warp * part, end = begin + part < size ? begin + part : size;
  if (begin >= end) return;
  const int lane = lane_id();
  const Candidate none{0, 0, -1, -1};
  const Index first_v = E.v[begin], last_v = E.v[end - 1];
  const auto finish = [&](Index v, const Candidate& best) {
    if (v == first_v || v == last_v)
      combine(E, best, &at[v], tie);
    else
      at[v] = best.place;
  };
  Index open_v = -1;  // the vertex of the preceding edge, and the maximum of its segment so far
  Candidate open = none;
  for (long long k = begin; k < end; k += 32) {
    const bool inside = k + lane < end;
    const Index v = inside ? E.v[k + lane] : -1;
    Candidate best = inside ? candidate_at(E, k + lane, tie) : none;
    const Index lowest_v = __shfl_sync(whole_warp, v, 0);
    if (lane == 0 && open_v != -1 && open_v != lowest_v) finish(open_v, open);
    if (v == open_v && is_heavier(open, best)) best = open;
    for (int apart = 1; apart < 32; apart *= 2) {
      const Index other_v = __shfl_up_sync(whole_warp, v, apart);
      const Candidate other = shuffled_up(best, apart);
      if (lane >= apart && other_v == v && is_heavier(other, best)) best = other;
    }
    const Index next_v = __shfl_down_sync(whole_warp, v, 1);
    if (inside && lane < 31 && next_v != v) finish(v, best);
    open_v = __shfl_sync(whole_warp, v, 31);
    open = of_last_lane(best);
  }
  if (lane == 0 && open_v != -1) finish(open_v, open);
}

// Calls match(v, u) for each vertex v of the list E whose heaviest edge {v, u} is also the heaviest
// edge of u. The edges of u are in the list `other`.
template <class Match>
__device__ void find_mutual(const EdgeList& E, long long size, const Index* at,
                            const EdgeList& other, const Index* other_at, const Match& match) {
  for (long long k = first_item(); k < size; k += item_stride()) {
    const Index v = E.v[k];
    if (k > 0 && E.v[k - 1] == v) continue;  // only the first edge of each segment
    const Index u = E.u[at[v]];
    if (other.u[other_at[u]] == v) match(v, u);
  }
}

// Copies the edges {v, u} for which stays(v, u) is true to `next`, in their order, and returns
// their number. Sets at[v] to -1 for the vertices v in `next`. A grid barrier must separate two
// calls.
template <class Stays>
__device__ Index compact(const EdgeList& E, long long size, const EdgeList& next, Index* at,
                         Index* of_blocks, Count* barrier, const Stays& stays) {
  return running_totals(
      size, of_blocks, barrier,
      [&](long long k) { return static_cast<Index>(stays(E.v[k], E.u[k])); },
      [&](long long k, Index before, Index is_copied) {
        if (!is_copied) return;
        next.v[before] = E.v[k];
        next.u[before] = E.u[k];
        if (E.weight) next.weight[before] = E.weight[k];
        at[E.v[k]] = -1;
      });
}
