// SPDX-License-Identifier: BSD-3-Clause
// counting sort: stable, by keys below 256
//
// Idea        The array of keys is divided into tiles, and a tile into one part for each warp of a
//             block. Each block counts how often each key occurs in its tiles. Prefix sums of these
//             counts, ordered by key and then by tile, give the first place of each key of each
//             tile. Then each warp processes its part of a tile in order, 32 keys at a time; the
//             lanes compare their keys to find their places among equal keys.
// Paper       a pass of M. Zagha, G. E. Blelloch, "Radix sort for vector multiprocessors", SC 1991
// Cost        one launch: three passes over the keys, scattered writes
// Prefer it   for keys with few values, such as levels; otherwise a library's sort
// Races       none: each warp of each tile has places of its own

#include "backends/gpu/running_totals.cuh"

constexpr int digits = 256;
constexpr int warps = 8;            // number of warps of a block
constexpr int steps = 16;           // number of steps of a warp, with 32 keys each
constexpr int part = 32 * steps;    // number of keys of a warp
constexpr int tile = warps * part;  // number of keys of a block

// Sorts the places 0 ... n - 1 by their keys, stably, and writes them to `places`. Each key is less
// than `below`. counts[key * tiles + tile] is first the number of occurrences of this key in this
// tile, then the place of the first of these occurrences in the sorted order.
extern "C" __global__ void __launch_bounds__(256, 4)
    sort_places(Index n, const Index* keys, Index below, Index tiles, Index* counts,
                Index* of_blocks, Index* places, Count* barrier) {
  __shared__ Index next[warps][digits];  // first counts, then places
  const int warp = warp_id(), lane = lane_id();
  // Counts the keys of the warp's part of a tile.
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
    __syncthreads();  // all threads have read the counts before the next tile overwrites them
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
