// SPDX-License-Identifier: BSD-3-Clause
// All blocks of a launch wait for each other. The launch must be cooperative (`launch_together` of
// compile.py), so that all of them run at once.
#pragma once

#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"

// The word is zero before the first launch and is left as the next one wants it. Each block adds
// one, the first one what is missing to 2^31: the highest bit turns when all are there. What any
// thread wrote before, every thread sees after.
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
