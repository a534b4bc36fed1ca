// SPDX-License-Identifier: BSD-3-Clause
// Lists of very different lengths, shared among the threads of a launch
//
// A group of lanes goes through a list together. A list that would keep its group long is put off,
// and when all others are done the whole block goes through it: a few dense rows of a circuit
// matrix cost a level 14 ms otherwise, on an H200.
#pragma once

#include "backends/gpu/index.cuh"

constexpr int steps_of_a_hub = 128;  // a group's steps through a list that is put off
constexpr int most_hubs = 256;       // that a block puts off

// Entries from ... to - 1 of some list, and what is to be known of the list at each.
template <class Item>
struct List {
  Item item;
  long long from;
  long long to;
};

// The threads that share a walk: all, or those of one block.
struct Sharing {
  long long block;
  long long blocks;

  __device__ static Sharing whole_grid() { return {blockIdx.x, gridDim.x}; }
  __device__ static Sharing one_block() { return {0, 1}; }
};

// Calls visit(item, p) for each entry p of the lists begin ... end - 1; open(k, first) gives list k
// to every thread that goes through it, `first` being true for one of them. `lanes`, a power of two
// up to 32, go through a list. Every thread of the blocks that share must arrive.
template <class Open, class Visit>
__device__ void share_lists(long long begin, long long end, int lanes, Sharing sharing,
                            const Open& open, const Visit& visit) {
  __shared__ int n_hubs;
  __shared__ long long hubs[most_hubs];
  if (threadIdx.x == 0) n_hubs = 0;
  __syncthreads();
  const int lane = threadIdx.x & (lanes - 1), groups = blockDim.x / lanes;
  const unsigned group = (lanes == 32 ? ~0u : (1u << lanes) - 1)
                         << (threadIdx.x & 31 & ~(lanes - 1));
  for (long long k = begin + sharing.block * groups + threadIdx.x / lanes; k < end;
       k += sharing.blocks * groups) {
    const auto list = open(k, lane == 0);
    if (list.to - list.from > steps_of_a_hub * lanes) {
      int place = lane == 0 ? atomicAdd(&n_hubs, 1) : 0;
      place = __shfl_sync(group, place, 0, lanes);
      if (place < most_hubs) {
        if (lane == 0) hubs[place] = k;
        continue;
      }
    }
    for (long long p = list.from + lane; p < list.to; p += lanes) visit(list.item, p);
  }
  __syncthreads();
  const int count = n_hubs < most_hubs ? n_hubs : most_hubs;
  for (int h = 0; h < count; ++h) {
    const auto list = open(hubs[h], false);
    for (long long p = list.from + threadIdx.x; p < list.to; p += blockDim.x) visit(list.item, p);
  }
  __syncthreads();
}

// The same for lists 0 ... count - 1 of compressed columns, or rows, with their number as item.
template <class Visit>
__device__ void share_all_lists(Index count, const Index* indptr, int lanes, const Visit& visit) {
  const auto open = [=](long long k, bool) {
    return List<Index>{static_cast<Index>(k), indptr[k], indptr[k + 1]};
  };
  share_lists(0, count, lanes, Sharing::whole_grid(), open, visit);
}
