// SPDX-License-Identifier: BSD-3-Clause
// The index type of every kernel: int where rows, columns and entries fit, else long long.
#pragma once

using Index = BTFPERM_INDEX;
using Place = unsigned BTFPERM_INDEX;  // an Index as atomicAdd needs it: without a sign
using Count = unsigned long long;      // the type of counters: visited entries, paths, ...

// The first item of a thread, and the distance between the items of a thread: the lanes of a warp
// have consecutive items. The type has 64 bits, because an item plus the distance may exceed 2^31.
__device__ inline long long first_item() {
  return static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ inline long long item_stride() { return static_cast<long long>(gridDim.x) * blockDim.x; }
