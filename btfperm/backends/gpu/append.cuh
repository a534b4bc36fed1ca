// SPDX-License-Identifier: BSD-3-Clause
// Places at the end of a list that all threads append to. The lanes of a warp that come together
// take theirs together, since one address serves little more than a billion requests a second.
#pragma once

#include "backends/gpu/index.cuh"

__device__ inline Count place_at_end(Count* size) {
  const unsigned together = __activemask();
  const int lane = threadIdx.x % 32, first = __ffs(together) - 1;
  Count place = 0;
  if (lane == first) place = atomicAdd(size, static_cast<Count>(__popc(together)));
  return __shfl_sync(together, place, first) + __popc(together & ((1u << lane) - 1));
}
