// SPDX-License-Identifier: BSD-3-Clause
// A barrier for all blocks of a launch. The launch must be cooperative (`launch_together` of
// compile.py), so that all blocks run at the same time.
#pragma once

#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"

// The word must be zero before the first launch; later launches continue with the value that it has
// then. Each block adds 1 to its lower 32 bits; the first block instead adds 2^31 minus the number
// of the other blocks. So bit 31 changes when all blocks have arrived. After the barrier, every
// thread sees what all threads wrote before it.
__device__ inline void grid_barrier(Count* word) {
  unsigned* const arrived = reinterpret_cast<unsigned*>(word);
  __syncthreads();
  if (threadIdx.x == 0) {
    constexpr unsigned turned = 1u << 31;
    __threadfence();
    const unsigned before = atomicAdd(arrived, blockIdx.x == 0 ? turned - (gridDim.x - 1) : 1u);
    while (((before ^ seen(arrived)) & turned) == 0) {
    }
    __threadfence();
  }
  __syncthreads();
}
