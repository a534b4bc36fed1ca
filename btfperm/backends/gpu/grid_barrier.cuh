// SPDX-License-Identifier: BSD-3-Clause
// A barrier for all blocks of a launch, which must all run at once: a cooperative launch.
#pragma once

// Every thread arrives; `word` is 0 before the first launch. The blocks together add 2^31, so its
// highest bit turns over when the last one has come, and nobody resets it. What was written before
// the barrier is seen behind it, by loads that do not stop at this multiprocessor's own cache.
__device__ inline void meet_all_blocks(unsigned* word) {
  __syncthreads();
  if (threadIdx.x == 0) {
    constexpr unsigned turns = 0x80000000u;
    __threadfence();
    const unsigned mine = blockIdx.x == 0 ? turns - (gridDim.x - 1) : 1;
    const unsigned before = atomicAdd(word, mine);
    while (((before ^ *const_cast<const volatile unsigned*>(word)) & turns) == 0) {
    }
    __threadfence();
  }
  __syncthreads();
}
