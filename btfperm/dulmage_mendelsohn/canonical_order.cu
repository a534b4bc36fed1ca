// SPDX-License-Identifier: BSD-3-Clause
// canonical order, on the device: the keys that are sorted; see canonical_order.hpp for the order
//
// Races: words only fall, by atomicMin; of words that several threads write, all write the same.

#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"

using Key = unsigned long long;

// The smallest original column of each named component; n at first.
extern "C" __global__ void find_leaders(Index count, const Index* name, const Index* own,
                                        Index* smallest) {
  for (long long v = first_item(); v < count; v += item_stride()) {
    Index* word = &smallest[name[v]];
    if (own[v] < seen(word)) atomicMin(word, own[v]);
  }
}

// What leads each column of a part of the graph, and how high its block stands (at the leader).
extern "C" __global__ void lend_leaders(Index count, const Index* name, const Index* own,
                                        const Index* smallest, const Index* block_height,
                                        Index* leader, Index* height) {
  for (long long v = first_item(); v < count; v += item_stride()) {
    const Index first = smallest[name[v]];
    leader[own[v]] = first;
    if (first == own[v]) height[first] = block_height[name[v]];
  }
}

// Keys of the blocks: falling height, then smallest column. No height is above `above`.
extern "C" __global__ void block_keys(Index count, const Index* leaders, const Index* height,
                                      Index above, Key* keys) {
  for (long long b = first_item(); b < count; b += item_stride())
    keys[b] =
        static_cast<Key>(above - height[leaders[b]]) << 32 | static_cast<unsigned>(leaders[b]);
}

// The place among the blocks, at each leader.
extern "C" __global__ void rank_leaders(Index count, const Key* keys, Index* rank) {
  for (long long b = first_item(); b < count; b += item_stride())
    rank[static_cast<Index>(keys[b] & 0xffffffffu)] = static_cast<Index>(b);
}

// Keys of columns: place of the block, then the column; of rows: likewise, by their columns.
extern "C" __global__ void member_keys(Index count, const Index* members, const Index* match,
                                       const Index* leader, const Index* rank, Key* keys) {
  for (long long k = first_item(); k < count; k += item_stride()) {
    const Index v = members[k];
    const Index lead = leader[match ? match[v] : v];
    keys[k] = static_cast<Key>(rank ? rank[lead] : lead) << 32 | static_cast<unsigned>(v);
  }
}

// The lower half of each key; through a match, what is opposite it.
extern "C" __global__ void lower_halves(Index count, const Key* keys, const Index* match,
                                        Index* members) {
  for (long long k = first_item(); k < count; k += item_stride()) {
    const Index v = static_cast<Index>(keys[k] & 0xffffffffu);
    members[k] = match ? match[v] : v;
  }
}
