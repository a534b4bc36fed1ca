// SPDX-License-Identifier: BSD-3-Clause
// Places at the end of lists that all threads append to: the threads of a block take them together.
// warp.cuh has the same for the lanes of a warp.
#pragma once

#include "backends/gpu/index.cuh"
#include "backends/gpu/warp.cuh"

// What the threads of a block find, kept in their shared memory until the end: the block asks once.
// An item has `kinds` parts, each with a list of its own. Every thread must begin and end it.
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
