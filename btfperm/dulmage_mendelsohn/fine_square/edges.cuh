// SPDX-License-Identifier: BSD-3-Clause
// edges tail -> head in two arrays, `tails` and `heads`, and their sorting into lists of
// predecessors: the list of a vertex holds the tails of the edges with this head
#pragma once

#include "backends/gpu/index.cuh"
#include "backends/gpu/running_totals.cuh"
#include "backends/gpu/warp.cuh"

// Counts in in[v] and out[v] how often v is a head and a tail; both must be zero before. A vertex
// that stands for a giant component is the head or tail of many edges, so the lanes of a warp that
// count the same vertex add their sum with one atomic operation.
__device__ inline void count_ends_of(Index count, const Index* heads, const Index* tails, Index* in,
                                     Index* out) {
  for (long long e = first_item(); e < count; e += item_stride()) {
    count_by_key(heads[e], &in[heads[e]]);
    count_by_key(tails[e], &out[tails[e]]);
  }
}

// Before the call, starts[v + 1] is the degree of vertex v. The call replaces it by the end of the
// list of v, and sets next[v] to the start of the list. Returns the number of edges. See
// running_totals for the other arguments.
__device__ __forceinline__ Index degrees_to_starts(Index vertices, Index* starts, Index* next,
                                                   Index* of_blocks, Count* barrier) {
  return running_totals(
      vertices, of_blocks, barrier, [=](long long v) { return seen(&starts[v + 1]); },
      [=](long long v, Index before, Index degree) {
        next[v] = before;
        starts[v + 1] = before + degree;
      });
}

// Appends each tail to the list of its head; next[v] is the next place in the list of v. The lanes
// of a warp with the same head take their places with one atomic operation.
__device__ inline void place_tails_of(Index count, const Index* heads, const Index* tails,
                                      Index* next, Index* pred) {
  for (long long e = first_item(); e < count; e += item_stride()) {
    const unsigned same = __match_any_sync(__activemask(), heads[e]);
    pred[take_place(same, reinterpret_cast<Place*>(&next[heads[e]]))] = tails[e];
  }
}
