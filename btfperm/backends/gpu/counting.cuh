// SPDX-License-Identifier: BSD-3-Clause
// Counters that all threads add to: summed over a warp first, so that one thread in 32 goes to
// memory. Every thread of the block must arrive.
#pragma once

#include "backends/gpu/index.cuh"

constexpr unsigned whole_warp = 0xffffffffu;

__device__ inline void add_over_warp(Count* total, Count mine) {
  if (!__any_sync(whole_warp, mine != 0)) return;
  for (int apart = 16; apart > 0; apart /= 2) mine += __shfl_down_sync(whole_warp, mine, apart);
  if (threadIdx.x % 32 == 0) atomicAdd(total, mine);
}
