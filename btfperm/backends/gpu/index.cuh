// SPDX-License-Identifier: BSD-3-Clause
// The index type of every kernel: int where rows, columns and entries fit, else long long.
#pragma once

using Index = BTFPERM_INDEX;
using Place = unsigned BTFPERM_INDEX;  // the type of atomicAdd for an Index
using Count = unsigned long long;      // of counters: visited entries, paths, ...

// The first item of a thread, and the distance between its items: the lanes of a warp have
// consecutive items. In 64 bits, because an item plus the distance may exceed 2^31.
__device__ inline long long first_item() {
  return static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ inline long long item_stride() { return static_cast<long long>(gridDim.x) * blockDim.x; }
