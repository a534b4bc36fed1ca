// SPDX-License-Identifier: BSD-3-Clause
// Words that only the first of several threads may change
#pragma once

#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"

// Replaces -1 by `value`; returns true to the one thread that did so. The preceding load avoids
// most of the atomic operations.
__device__ inline bool take(Index* word, Index value) {
  constexpr Place free = ~Place{0};
  return seen(word) == -1 &&
         atomicCAS(reinterpret_cast<Place*>(word), free, static_cast<Place>(value)) == free;
}
