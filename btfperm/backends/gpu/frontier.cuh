// SPDX-License-Identifier: BSD-3-Clause
// A list that grows at its end while kernels run: what a level reaches is read by the next launch.
#pragma once

#include "backends/gpu/index.cuh"

struct Frontier {
  Index* items;
  Count* size;

  // Appends an item. The lanes of a warp that come together take their places together, since one
  // address serves little more than a billion requests a second. The list must have the room.
  __device__ void push(Index item) const {
    const unsigned together = __activemask();
    const int lane = threadIdx.x % 32, first = __ffs(together) - 1;
    const int before = __popc(together & ((1u << lane) - 1));
    Count place = 0;
    if (lane == first) place = atomicAdd(size, static_cast<Count>(__popc(together)));
    items[__shfl_sync(together, place, first) + before] = item;
  }
};
