// SPDX-License-Identifier: BSD-3-Clause
// block graph, on the device: lists the entries outside the fine blocks; block_graph_gpu.py makes
// the block graph of them
//
// Races       atomicAdd assigns the places in the list, in any order

#include "backends/gpu/append.cuh"
#include "backends/gpu/lists.cuh"

// Lists a key for each entry outside the blocks: the block of its column in the upper 32 bits, the
// block of its row in the lower ones. Adds their number to `count`.
extern "C" __global__ void list_outside(Index n, Index lanes, const Index* indptr,
                                        const Index* indices, const Index* row_block,
                                        const Index* col_block, Count* keys, Count* count) {
  const auto visit = [=](Index j, long long p) {
    const Index k = row_block[indices[p]], l = col_block[j];
    if (k != l) keys[place_at_end(count)] = static_cast<Count>(l) << 32 | static_cast<unsigned>(k);
  };
  share_all_lists(n, indptr, static_cast<int>(lanes), visit);
}
