// SPDX-License-Identifier: BSD-3-Clause
// block graph, on the device: which entries lie outside the fine blocks; see block_graph.hpp
//
// Races: atomicAdd assigns the places in the list, in any order.

#include "backends/gpu/append.cuh"
#include "backends/gpu/lists.cuh"

// Lists the keys (block of the column, block of the row); their number goes to `count`.
extern "C" __global__ void list_outside(Index n, Index lanes, const Index* indptr,
                                        const Index* indices, const Index* row_block,
                                        const Index* col_block, Count* keys, Count* count) {
  const auto visit = [=](Index j, long long p) {
    const Index k = row_block[indices[p]], l = col_block[j];
    if (k != l) keys[place_at_end(count)] = static_cast<Count>(l) << 32 | static_cast<unsigned>(k);
  };
  share_all_lists(n, indptr, static_cast<int>(lanes), visit);
}
