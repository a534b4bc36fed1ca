// SPDX-License-Identifier: BSD-3-Clause
// The index type of every kernel: int where rows, columns and entries fit, else long long.
#pragma once

using Index = BTFPERM_INDEX;
using Place = unsigned BTFPERM_INDEX;  // an Index as atomicAdd takes it
using Count = unsigned long long;      // entries read, paths, ...: what counters hold

// A thread's first item, and how far its items lie apart: neighbours in a warp are neighbours in
// memory. In 64 bits, because items and threads together may pass 2^31.
__device__ inline long long first_item() {
  return static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ inline long long item_stride() { return static_cast<long long>(gridDim.x) * blockDim.x; }
