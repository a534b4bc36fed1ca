// SPDX-License-Identifier: BSD-3-Clause
// Lists of very different lengths, shared among the threads of a launch
//
// A group of lanes visits a list together. A block defers long lists, up to a number, and all its
// threads visit them after the other lists; otherwise a few dense rows of a circuit matrix would
// delay a whole level. A list that is too long for a block can be left to the whole grid.
#pragma once

#include "backends/gpu/index.cuh"
#include "backends/gpu/warp.cuh"

// A hub is a list that a block defers, because a group would need more than this number of steps.
constexpr int steps_of_a_hub = 128;
constexpr int most_hubs = 256;                     // maximum number of hubs of a block
constexpr long long longest_of_a_block = 1 << 15;  // entries; longer lists are left to the grid
constexpr Count most_huge = 32;  // maximum number of lists that are left to the grid in one call

// A list is the entries at places from ... to - 1. The function open() also chooses a number
// `item`, which `visit` gets with each entry of the list.
struct List {
  Index item;
  long long from;
  long long to;
};

// The threads that share the lists: all threads of the grid, or those of one block. If n_huge is
// not null, lists longer than longest_of_a_block are left to the grid, up to most_huge of them:
// such a list is not visited, but its number is written to `huge`, so that the caller can have the
// whole grid visit it. n_huge counts the lists longer than longest_of_a_block.
struct Sharing {
  long long block;   // the number of this block among those that share the lists
  long long blocks;  // their number
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

// Calls visit(item, p) for each entry p of the lists begin ... end - 1, except lists that are left
// to the grid, see Sharing. A group of `lanes` threads visits a list together; `lanes` is a power
// of two up to 32. Each thread that visits list k calls open(k, first), which returns the list;
// `first` is true in exactly one call for each list. All threads of the blocks in `sharing` must
// call this function.
template <class Open, class Visit>
__device__ void share_lists(long long begin, long long end, int lanes, Sharing sharing,
                            const Open& open, const Visit& visit) {
  __shared__ int n_hubs;
  __shared__ long long hubs[most_hubs];
  if (threadIdx.x == 0) n_hubs = 0;
  __syncthreads();
  const int lane = threadIdx.x & (lanes - 1), groups = blockDim.x / lanes;
  const unsigned group = group_of(lanes);
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

constexpr int together = 4;  // entries that a lane loads before it uses the first of them
// Maximum number of entries of a list that a warp visits completely; the block defers longer lists.
constexpr unsigned longest_of_a_warp = 1024;

// As share_lists, but for many lists, most of them short. Each lane of a warp opens one list, and
// the lanes of the warp visit the entries of these lists as one sequence. Each call visit(items,
// places) gets `together` entries, so that a lane can load all of them before it uses the first.
// Where places[t] is negative, there is no entry t.
template <class Open, class Visit>
__device__ void share_short_lists(long long begin, long long end, Sharing sharing, const Open& open,
                                  const Visit& visit) {
  __shared__ int n_hubs;
  __shared__ long long hubs[most_hubs];
  if (threadIdx.x == 0) n_hubs = 0;
  __syncthreads();
  const int lane = lane_id(), warps = blockDim.x / 32;
  const long long all = sharing.blocks * warps;
  const long long mine = warp_id() * sharing.blocks + sharing.block;
  const long long each = end - begin >= 32 * all ? 32 : (end - begin + all - 1) / all;
  for (long long first = begin + mine * each; first < end; first += all * each) {
    List list{0, 0, 0};
    if (lane < each && first + lane < end) list = open(first + lane, true);
    bool whole = list.to - list.from <= longest_of_a_warp;
    if (!whole && !sharing.leave_to_grid(first + lane, list.to - list.from)) {
      const int place = atomicAdd(&n_hubs, 1);
      if (place < most_hubs)
        hubs[place] = first + lane;
      else  // the block cannot defer more lists: the warp visits this one part by part
        whole = true;
    }
    if (!whole) list.to = list.from;
    while (__any_sync(whole_warp, list.from < list.to)) {
      const long long left = list.to - list.from;
      const unsigned size =
          left < longest_of_a_warp ? static_cast<unsigned>(left) : longest_of_a_warp;
      const unsigned upto = sum_up_to_lane(size);
      const unsigned total = __shfl_sync(whole_warp, upto, 31);
      const long long base = list.from - (upto - size);
      for (unsigned step = 0; step < total; step += 32 * together) {
        Index items[together];
        long long places[together];
#pragma unroll
        for (int t = 0; t < together; ++t) {
          const unsigned place = step + 32 * t + lane;
          const int from = lane_at(place, upto);
          items[t] = __shfl_sync(whole_warp, list.item, from);
          places[t] = __shfl_sync(whole_warp, base, from) + place;
          if (place >= total) places[t] = -1;
        }
        visit(items, places);
      }
      list.from += size;
    }
  }
  __syncthreads();
  const int count = n_hubs < most_hubs ? n_hubs : most_hubs;
  for (int h = 0; h < count; ++h) {
    const List list = open(hubs[h], false);
    for (long long p = list.from + threadIdx.x; p < list.to; p += together * blockDim.x) {
      Index items[together];
      long long places[together];
#pragma unroll
      for (int t = 0; t < together; ++t) {
        const long long place = p + t * static_cast<long long>(blockDim.x);
        items[t] = list.item;
        places[t] = place < list.to ? place : -1;
      }
      visit(items, places);
    }
  }
  __syncthreads();
}

// Calls share_lists for the lists 0 ... count - 1 of compressed columns or rows, on the whole grid;
// the item is the number of the list.
template <class Visit>
__device__ void share_all_lists(Index count, const Index* indptr, int lanes, const Visit& visit) {
  const auto open = [=](long long k, bool) {
    return List{static_cast<Index>(k), indptr[k], indptr[k + 1]};
  };
  share_lists(0, count, lanes, Sharing::whole_grid(), open, visit);
}
