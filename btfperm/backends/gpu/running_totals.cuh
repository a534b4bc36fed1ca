// SPDX-License-Identifier: BSD-3-Clause
// Prefix sums within one cooperative launch. A prefix sum of CuPy would need separate launches, and
// the host would have to poll for the total
#pragma once

#include "backends/gpu/counting.cuh"
#include "backends/gpu/grid_barrier.cuh"
#include "backends/gpu/index.cuh"

// The number of blocks of 256 threads that a multiprocessor should run at the same time, so that
// some warps run while others wait for memory. With compute capability 7.5, it can run four.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
constexpr int blocks_together = 4;
#else
constexpr int blocks_together = 6;
#endif

// Each item k has a number many(k). Calls take(k, before, number) for each item k, where `number`
// is many(k) and `before` is the sum of the numbers of all items before k. Returns the sum of all
// numbers. many(k) is called twice and must return the same number. `of_blocks` is workspace with
// an element for each block. A grid barrier must separate two calls. All threads of the launch must
// call this function.
template <class Many, class Take>
__device__ Index running_totals(long long items, Index* of_blocks, Count* barrier, const Many& many,
                                const Take& take) {
  __shared__ Count of_warps[32], before_block, of_all;
  const int lane = lane_id(), warp = warp_id(), warps = blockDim.x / 32;
  const long long all_warps = static_cast<long long>(gridDim.x) * warps;
  const long long part = (items + 32 * all_warps - 1) / (32 * all_warps) * 32;
  const long long own = (static_cast<long long>(blockIdx.x) * warps + warp) * part;
  const long long begin = own < items ? own : items;
  const long long end = begin + part < items ? begin + part : items;
  Count mine = 0;
  for (long long k = begin + lane; k < end; k += 32) mine += static_cast<Count>(many(k));
  mine = sum_to_first_lane(mine);
  if (lane == 0) of_warps[warp] = mine;
  if (threadIdx.x == 0) before_block = of_all = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    Count sum = 0;
    for (int w = 0; w < warps; ++w) sum += of_warps[w];
    of_blocks[blockIdx.x] = static_cast<Index>(sum);
  }
  grid_barrier(barrier);
  Count before = 0, all = 0;
  for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) {
    const Count sum = static_cast<Count>(__ldcg(&of_blocks[b]));
    all += sum;
    if (b < blockIdx.x) before += sum;
  }
  add_over_warp(&before_block, before);
  add_over_warp(&of_all, all);
  __syncthreads();
  Count place = before_block;
  for (int w = 0; w < warp; ++w) place += of_warps[w];
  for (long long first = begin; first < end; first += 32) {
    const long long k = first + lane;
    const Count value = k < end ? static_cast<Count>(many(k)) : 0;
    const Count upto = sum_up_to_lane(value);
    if (k < end) take(k, static_cast<Index>(place + upto - value), static_cast<Index>(value));
    place += __shfl_sync(whole_warp, upto, 31);
  }
  const Index result = static_cast<Index>(of_all);
  __syncthreads();  // all threads have read of_all before the next call overwrites it
  return result;
}
