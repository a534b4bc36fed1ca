// SPDX-License-Identifier: BSD-3-Clause
// Two steps put items in a block's queue. A third step takes out the items of the second step that
// fit; those that do not fit are in `list`
#include "backends/gpu/block_queue.cuh"

constexpr unsigned room = 64;

// Runs on one block. Step one puts in 0 ... first - 1. These stay in the queue while step two puts
// in 1000 ... 1000 + second - 1. `taken` receives the items that step three takes out.
extern "C" __global__ void two_steps(Index first, Index second, Index* taken, Index* list,
                                     Count* sizes) {
  __shared__ Index items[1][room];
  __shared__ QueueEnds ends;
  if (threadIdx.x == 0) ends = {};
  __syncthreads();
  const BlockQueue<1, room> queue{items, &ends, list, &sizes[1]};
  const Index own = static_cast<Index>(threadIdx.x), all = static_cast<Index>(blockDim.x);
  for (Index k = own; k - own < first; k += all) queue.put(k < first, k);
  queue.next_step();
  for (Index k = own; k - own < second; k += all) queue.put(k < second, 1000 + k);
  const unsigned many = queue.next_step();
  for (unsigned k = threadIdx.x; k < many; k += blockDim.x) taken[k] = queue.get(k, 0);
  if (threadIdx.x == 0) sizes[0] = many;
}
