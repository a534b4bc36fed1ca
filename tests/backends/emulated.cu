// SPDX-License-Identifier: BSD-3-Clause
// Kernels with known results, and kernels with a mistake, to test the emulation of a device
#include "backends/gpu/append.cuh"
#include "backends/gpu/grid_barrier.cuh"
#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"

constexpr unsigned all = 0xffffffffu;

// Eight results for each thread of a warp. A thread's value is its lane.
extern "C" __global__ void words(Index* out) {
  const int lane = threadIdx.x % 32;
  Index* mine = out + 8 * threadIdx.x;
  mine[0] = __shfl_sync(all, lane, (lane + 5) % 32);
  mine[1] = __shfl_sync(all, lane, 1, 8);
  mine[2] = __shfl_down_sync(all, lane, 3);
  mine[3] = __shfl_up_sync(all, lane, 3, 16);
  mine[4] = __shfl_xor_sync(all, lane, 6);
  mine[5] = __popc(__ballot_sync(all, lane < 11));
  mine[6] = __ffs(__match_any_sync(all, lane / 10)) - 1;
  mine[7] = __any_sync(all, lane == 31) + 2 * __any_sync(all, lane > 31);
}

// The lanes that are active together with each lane.
extern "C" __global__ void together(unsigned* masks) { masks[threadIdx.x] = __activemask(); }

// Each thread appends those of its numbers that are no multiples of 3; lanes that arrive together
// share one atomic operation.
extern "C" __global__ void append(Index n, Index* list, Count* size) {
  for (long long k = first_item(); k < n; k += item_stride())
    if (k % 3) list[place_at_end(size)] = static_cast<Index>(k);
}

// The sum over a block, by halving. If `careless`, there is no barrier between the steps.
extern "C" __global__ void sum(Index careless, const Index* in, Index* out) {
  __shared__ Index part[256];
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (unsigned half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half)
      show(&part[threadIdx.x], seen(&part[threadIdx.x]) + part[threadIdx.x + half]);
    if (!careless) __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = part[0];
}

// Each block must see what all blocks wrote before the barrier; counts the writes it misses.
extern "C" __global__ void meet(Count* barrier, Index* written, Index* missing) {
  for (int turn = 1; turn <= 20; ++turn) {
    if (threadIdx.x == 0) show(&written[blockIdx.x], static_cast<Index>(turn));
    grid_barrier(barrier);
    for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x)
      if (seen(&written[b]) < turn) atomicAdd(missing, 1);
    grid_barrier(barrier);
  }
}

extern "C" __global__ void count_carelessly(Index* count) { show(count, seen(count) + 1); }

extern "C" __global__ void two_barriers() {
  if (threadIdx.x % 2)
    __syncthreads();
  else
    __syncthreads();
}

extern "C" __global__ void a_lane_stays_away() {
  if (threadIdx.x == 7)
    __syncthreads();
  else
    __syncwarp();
}

extern "C" __global__ void not_in_its_own_mask() { __ballot_sync(1u, true); }

extern "C" __global__ void write_at(Index place, Index* out) { out[place] = 1; }
