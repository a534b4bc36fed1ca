// SPDX-License-Identifier: BSD-3-Clause
// edges as pairs (head, tail), sorted into lists of predecessors
#pragma once

#include "backends/gpu/index.cuh"
#include "backends/gpu/running_totals.cuh"
#include "backends/gpu/warp.cuh"

// Counts how often each vertex is a head, and how often a tail; both counts must be zero before. A
// giant component has many of the edges, so the lanes of a warp that count the same vertex combine.
__device__ inline void count_ends_of(Index count, const Index* heads, const Index* tails, Index* in,
                                     Index* out) {
  for (long long e = first_item(); e < count; e += item_stride()) {
    count_by_key(heads[e], &in[heads[e]]);
    count_by_key(tails[e], &out[tails[e]]);
  }
}

// Replaces the degree of each vertex v in starts[v + 1] by the end of its list, and sets next[v] to
// its start. Returns the number of edges. See running_totals for the other arguments.
__device__ __forceinline__ Index degrees_to_starts(Index vertices, Index* starts, Index* next,
                                                   Index* of_blocks, Count* barrier) {
  return running_totals(
      vertices, of_blocks, barrier, [=](long long v) { return seen(&starts[v + 1]); },
      [=](long long v, Index before, Index degree) {
        next[v] = before;
        starts[v + 1] = before + degree;
      });
}

// Appends each tail to the list of its head; next[v] is the next place in the list of v.
__device__ inline void place_tails_of(Index count, const Index* heads, const Index* tails,
                                      Index* next, Index* pred) {
  for (long long e = first_item(); e < count; e += item_stride()) {
    const unsigned same = __match_any_sync(__activemask(), heads[e]);
    pred[take_place(same, reinterpret_cast<Place*>(&next[heads[e]]))] = tails[e];
  }
}
