// SPDX-License-Identifier: BSD-3-Clause
// Counters to which all threads add. The threads of a warp, or of a block, first add up their
// numbers, so that one thread adds the sum. All lanes of a warp must call add_over_warp together,
// and all threads of a block must call the other functions.
#pragma once

#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"
#include "backends/gpu/warp.cuh"

__device__ inline void add_over_warp(Count* total, Count mine) {
  if (!__any_sync(whole_warp, mine != 0)) return;
  mine = sum_to_first_lane(mine);
  if (lane_id() == 0) atomicAdd(total, mine);
}

// Adds the sum of `mine` over the block to `total`, by one thread.
__device__ inline void add_over_block(Count* total, Count mine) {
  __shared__ Count sum;
  __syncthreads();  // the sum of the last call has been read
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  add_over_warp(&sum, mine);
  __syncthreads();
  if (threadIdx.x == 0 && sum > 0) atomicAdd(total, sum);
}

// Raises `largest` to the maximum of `mine` over the block, by one thread.
__device__ inline void max_over_block(Count* largest, Count mine) {
  __shared__ Count most;
  __syncthreads();
  if (threadIdx.x == 0) most = 0;
  __syncthreads();
  if (mine > seen(&most)) atomicMax(&most, mine);
  __syncthreads();
  if (threadIdx.x == 0 && most > seen(largest)) atomicMax(largest, most);
}
