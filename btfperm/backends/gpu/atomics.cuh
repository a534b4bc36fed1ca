// SPDX-License-Identifier: BSD-3-Clause
// What is claimed by the first who comes
#pragma once

#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"

// True for the one thread that finds `word` at -1 and puts `value` there. The look before spares
// most of the atomic operations.
__device__ inline bool take(Index* word, Index value) {
  constexpr Place free = ~Place{0};
  return seen(word) == -1 &&
         atomicCAS(reinterpret_cast<Place*>(word), free, static_cast<Place>(value)) == free;
}
