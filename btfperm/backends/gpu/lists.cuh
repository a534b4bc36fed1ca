// SPDX-License-Identifier: BSD-3-Clause
// Lists of very different lengths, shared among the threads of a launch
//
// A group of lanes goes through a list together. A list that would keep its group long is put off,
// and when all others are done the whole block goes through it: a few dense rows of a circuit
// matrix cost a level 14 ms otherwise, on an H200. What would keep a block long can be left to the
// whole grid.
#pragma once

#include "backends/gpu/index.cuh"

constexpr int steps_of_a_hub = 128;                // a group's steps through a list that is put off
constexpr int most_hubs = 256;                     // that a block puts off
constexpr long long longest_of_a_block = 1 << 15;  // entries; longer lists are left to the grid
constexpr Count most_huge = 32;                    // that are left to it in one walk

// Entries from ... to - 1 of some list, and what is to be known of the list at each.
struct List {
  Index item;
  long long from;
  long long to;
};

// The threads that share a walk: all, or those of one block. Lists that are left to the grid are
// noted in `huge`, n_huge of them, for a walk of their own; null: there is none.
struct Sharing {
  long long block;
  long long blocks;
  Count* n_huge;
  Count* huge;

  __device__ static Sharing whole_grid(Count* n_huge = nullptr, Count* huge = nullptr) {
    return {blockIdx.x, gridDim.x, n_huge, huge};
  }
  __device__ static Sharing one_block() { return {0, 1, nullptr, nullptr}; }

  __device__ bool leave_to_grid(long long k, long long length) const {
    if (!n_huge || length <= longest_of_a_block) return false;
    const Count place = atomicAdd(n_huge, Count{1});
    if (place < most_huge) huge[place] = static_cast<Count>(k);
    return place < most_huge;
  }
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
    const List list = open(k, lane == 0);
    if (list.to - list.from > steps_of_a_hub * lanes) {
      int put_off = 0;
      if (lane == 0 && sharing.leave_to_grid(k, list.to - list.from)) {
        put_off = 1;
      } else if (lane == 0) {
        const int place = atomicAdd(&n_hubs, 1);
        put_off = place < most_hubs;
        if (put_off) hubs[place] = k;
      }
      if (__shfl_sync(group, put_off, 0, lanes)) continue;
    }
    for (long long p = list.from + lane; p < list.to; p += lanes) visit(list.item, p);
  }
  __syncthreads();
  const int count = n_hubs < most_hubs ? n_hubs : most_hubs;
  for (int h = 0; h < count; ++h) {
    const List list = open(hubs[h], false);
    for (long long p = list.from + threadIdx.x; p < list.to; p += blockDim.x) visit(list.item, p);
  }
  __syncthreads();
}

// The same for lists 0 ... count - 1 of compressed columns, or rows, with their number as item.
template <class Visit>
__device__ void share_all_lists(Index count, const Index* indptr, int lanes, const Visit& visit) {
  const auto open = [=](long long k, bool) {
    return List{static_cast<Index>(k), indptr[k], indptr[k + 1]};
  };
  share_lists(0, count, lanes, Sharing::whole_grid(), open, visit);
}
