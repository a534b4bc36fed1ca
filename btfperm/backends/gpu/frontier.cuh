// SPDX-License-Identifier: BSD-3-Clause
// A list that grows while kernels run: items that one launch appends are read by the next launch.
#pragma once

#include "backends/gpu/index.cuh"
#include "backends/gpu/warp.cuh"

struct Frontier {
  Index* items;
  Count* size;

  // Appends an item. The list must have room for it.
  __device__ void push(Index item) const { items[place_at_end(size)] = item; }
};
