// SPDX-License-Identifier: BSD-3-Clause
// edges as pairs (head, tail), put into lists of predecessors
#pragma once

#include "backends/gpu/index.cuh"

// How often each vertex is a head, and how often a tail; both are zero at first. Many edges are a
// giant's: the lanes of a warp that count the same go to memory together.
__device__ inline void count_ends_of(Index count, const Index* heads, const Index* tails, Index* in,
                                     Index* out) {
  const auto add = [](Index* counts, Index v) {
    const unsigned same = __match_any_sync(__activemask(), v);
    if (threadIdx.x % 32 == __ffs(same) - 1)
      atomicAdd(reinterpret_cast<Place*>(&counts[v]), static_cast<Place>(__popc(same)));
  };
  for (long long e = first_item(); e < count; e += item_stride()) {
    add(in, heads[e]);
    add(out, tails[e]);
  }
}

// Each tail to the list of its head; next[v] is where the list of v goes on.
__device__ inline void place_tails_of(Index count, const Index* heads, const Index* tails,
                                      Index* next, Index* pred) {
  const int lane = threadIdx.x % 32;
  for (long long e = first_item(); e < count; e += item_stride()) {
    const unsigned same = __match_any_sync(__activemask(), heads[e]);
    const int first = __ffs(same) - 1;
    Place place = 0;
    if (lane == first)
      place =
          atomicAdd(reinterpret_cast<Place*>(&next[heads[e]]), static_cast<Place>(__popc(same)));
    pred[__shfl_sync(same, place, first) + __popc(same & ((1u << lane) - 1))] = tails[e];
  }
}
