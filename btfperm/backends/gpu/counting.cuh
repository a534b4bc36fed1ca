// SPDX-License-Identifier: BSD-3-Clause
// Counters that all threads add to. Each warp, or block, first combines its own numbers. All lanes
// of a warp must call add_over_warp together, and all threads of a block the other functions.
#pragma once

#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"
#include "backends/gpu/warp.cuh"

__device__ inline void add_over_warp(Count* total, Count mine) {
  if (!__any_sync(whole_warp, mine != 0)) return;
  mine = sum_to_first_lane(mine);
  if (lane_id() == 0) atomicAdd(total, mine);
}

// The sum over the block, added by one thread.
__device__ inline void add_over_block(Count* total, Count mine) {
  __shared__ Count sum;
  __syncthreads();  // the sum of the last call has been read
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  add_over_warp(&sum, mine);
  __syncthreads();
  if (threadIdx.x == 0 && sum > 0) atomicAdd(total, sum);
}

// The maximum over the block, likewise; zero changes nothing.
__device__ inline void max_over_block(Count* largest, Count mine) {
  __shared__ Count most;
  __syncthreads();
  if (threadIdx.x == 0) most = 0;
  __syncthreads();
  if (mine > seen(&most)) atomicMax(&most, mine);
  __syncthreads();
  if (threadIdx.x == 0 && most > seen(largest)) atomicMax(largest, most);
}
