// SPDX-License-Identifier: BSD-3-Clause
// Appends to lists in global memory: the threads of a block reserve their places by one atomic
// operation. warp.cuh has functions that do so for the lanes of a warp
#pragma once

#include "backends/gpu/index.cuh"
#include "backends/gpu/warp.cuh"

// Collects up to `room` items of a block in shared memory; `end` appends them to the lists in
// global memory with one atomic operation. If there are more items, `put` appends each of these
// directly, with atomic operations of its own. An item has `kinds` numbers, and number k is
// appended to lists[k]. All threads of the block must call `begin` and `end`.
template <int kinds>
struct Basket {
  static constexpr int room = 1024;
  Index parts[kinds][room];
  int count;
  Count first;

  __device__ void begin() {
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
  }

  __device__ void put(const Index (&item)[kinds], Index* const (&lists)[kinds], Count* size) {
    const int place = atomicAdd(&count, 1);
    if (place < room) {
      for (int k = 0; k < kinds; ++k) parts[k][place] = item[k];
      return;
    }
    const Count far = place_at_end(size);
    for (int k = 0; k < kinds; ++k) lists[k][far] = item[k];
  }

  __device__ void end(Index* const (&lists)[kinds], Count* size) {
    __syncthreads();
    const int kept = count < room ? count : room;
    if (threadIdx.x == 0 && kept > 0) first = atomicAdd(size, static_cast<Count>(kept));
    __syncthreads();
    for (int k = 0; k < kinds; ++k)
      for (int p = threadIdx.x; p < kept; p += blockDim.x) lists[k][first + p] = parts[k][p];
  }
};
