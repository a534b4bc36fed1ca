// SPDX-License-Identifier: BSD-3-Clause
// counting sort: stable, by keys below 256
//
// Idea        Each block counts the keys of its tiles; running totals over keys first and tiles
//             second say where each tile's share of each key begins. Then each warp goes through
//             its part of a tile in order and knows its place among equal keys by asking the other
//             lanes.
// Paper       a pass of M. Zagha, G. E. Blelloch, "Radix sort for vector multiprocessors", SC 1991
// Cost        one launch: three passes over the keys, scattered writes
// Prefer it   where keys are levels, mostly few; a library's sort where there are more
// Races       none: the places of a tile, and of a warp in it, are its own

#include "backends/gpu/running_totals.cuh"

constexpr int digits = 256;
constexpr int warps = 8;            // of a block
constexpr int steps = 16;           // of 32 keys, that a warp goes through
constexpr int part = 32 * steps;    // keys of a warp
constexpr int tile = warps * part;  // keys of a block

// The places of keys below `below`, in order. counts[key * tiles + tile]: first how often, then
// where the first one goes.
extern "C" __global__ void __launch_bounds__(256, 4)
    sort_places(Index n, const Index* keys, Index below, Index tiles, Index* counts,
                Index* of_blocks, Index* places, Count* barrier) {
  __shared__ Index next[warps][digits];  // first counts, then places
  const int warp = warp_id(), lane = lane_id();
  // Keys of the warp's part of a tile, counted by the warp.
  const auto count_part = [&](long long begin, long long end) {
    for (int d = lane; d < digits; d += 32) next[warp][d] = 0;
    __syncwarp();
    for (long long k = begin + lane; k < end; k += 32)
      atomicAdd(reinterpret_cast<Place*>(&next[warp][static_cast<int>(keys[k])]), 1u);
    __syncthreads();
  };
  const auto begin_of = [=](long long t) { return t * tile + warp * part; };
  const auto end_of = [=](long long t) {
    const long long end = begin_of(t) + part;
    return end < n ? end : static_cast<long long>(n);
  };
  for (long long t = blockIdx.x; t < tiles; t += gridDim.x) {
    count_part(begin_of(t), end_of(t));
    for (int d = threadIdx.x; d < below; d += blockDim.x) {
      Index count = 0;
      for (int w = 0; w < warps; ++w) count += next[w][d];
      counts[static_cast<long long>(d) * tiles + t] = count;
    }
    __syncthreads();  // all are read before the next tile
  }
  grid_barrier(barrier);
  running_totals(
      static_cast<long long>(below) * tiles, of_blocks, barrier,
      [=](long long k) { return seen(&counts[k]); },
      [=](long long k, Index before, Index) { counts[k] = before; });
  grid_barrier(barrier);
  for (long long t = blockIdx.x; t < tiles; t += gridDim.x) {
    const long long begin = begin_of(t), end = end_of(t);
    count_part(begin, end);
    for (int d = threadIdx.x; d < below; d += blockDim.x) {
      Index place = seen(&counts[static_cast<long long>(d) * tiles + t]);
      for (int w = 0; w < warps; ++w) {
        const Index count = next[w][d];
        next[w][d] = place;
        place += count;
      }
    }
    __syncthreads();
    for (int step = 0; step < steps; ++step) {
      const long long k = begin + step * 32 + lane;
      const bool inside = k < end;
      const int d = inside ? static_cast<int>(keys[k]) : digits;
      const unsigned same = __match_any_sync(whole_warp, d);
      const int before = rank_in(same);
      Index place = 0;
      if (inside) place = next[warp][d] + before;
      __syncwarp();
      if (inside && before == 0) next[warp][d] += __popc(same);
      __syncwarp();
      if (inside) places[place] = static_cast<Index>(k);
    }
  }
}
