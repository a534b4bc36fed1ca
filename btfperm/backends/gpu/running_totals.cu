// SPDX-License-Identifier: BSD-3-Clause
// running totals: each word with all before it
//
// Idea        Each block sums its part; then it sums what the parts before it have, and goes
//             through its own again, a tile at a time.
// Cost        two readings and a writing, two launches: 37 us (a million words) to 54 (twelve
//             million), where CuPy's cumsum took 55 to 58, each with the wait for it
// Races       none

#include "backends/gpu/index.cuh"

constexpr int threads = 512;  // of a block, as in running_totals.py
constexpr int words = 4;      // of a thread in a tile
constexpr long long tile = threads * words;
constexpr unsigned warp = 0xffffffffu;

// The sum over the block, for all its threads, and in `before` what those before this one have.
__device__ inline Index sum_of_block(Index mine, Index* before) {
  __shared__ Index sums[threads / 32];
  const int lane = threadIdx.x % 32;
  Index up_to = mine;
  for (int apart = 1; apart < 32; apart *= 2) {
    const Index other = __shfl_up_sync(warp, up_to, apart);
    if (lane >= apart) up_to += other;
  }
  __syncthreads();  // the sums of the last call have been read
  if (lane == 31) sums[threadIdx.x / 32] = up_to;
  __syncthreads();
  Index all = 0, lower = 0;
  for (int w = 0; w < threads / 32; ++w) {
    if (w == static_cast<int>(threadIdx.x / 32)) lower = all;
    all += sums[w];
  }
  *before = lower + up_to - mine;
  return all;
}

extern "C" __global__ void sum_parts(long long n, long long part, const Index* array, Index* sums) {
  const long long begin = blockIdx.x * part;
  const long long end = begin + part < n ? begin + part : n;
  Index mine = 0, before;
  for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) mine += array[i];
  const Index all = sum_of_block(mine, &before);
  if (threadIdx.x == 0) sums[blockIdx.x] = all;
}

extern "C" __global__ void total_parts(long long n, long long part, const Index* array,
                                       const Index* sums, Index* totals) {
  Index mine = 0, before;
  for (int b = threadIdx.x; b < static_cast<int>(blockIdx.x); b += blockDim.x) mine += sums[b];
  Index total = sum_of_block(mine, &before);
  const long long begin = blockIdx.x * part;
  const long long end = begin + part < n ? begin + part : n;
  for (long long base = begin; base < end; base += tile) {
    const long long from = base + threadIdx.x * words;
    Index own[words];
    mine = 0;
    for (int k = 0; k < words; ++k) mine += own[k] = from + k < end ? array[from + k] : 0;
    const Index all = sum_of_block(mine, &before);
    before += total;
    for (int k = 0; k < words; ++k) {
      before += own[k];
      if (from + k < end) totals[from + k] = before;
    }
    total += all;
  }
}
