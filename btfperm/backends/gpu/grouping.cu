// SPDX-License-Identifier: BSD-3-Clause
// grouping: the members of each group, ascending, from the group of each
//
// Idea        Sizes by counting, their running totals are the places. Most groups have one member,
//             which goes to its place. The members of the few large groups are told apart by a
//             stable counting sort; those of the others are put down in any order, and a warp a
//             group orders them by how many are smaller.
// Cost        five passes, five more where there are large groups, the squares of the other sizes
// Prefer it   to a sort where all groups but a few are small
// Encodings   starts[k] is the place of group k's first member
// Races       counters are only added to; places in a group are handed out in any order

#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"

constexpr Index largest = 1024;  // group that a warp orders, as in grouping.py

// sizes[1 + k]; zero at first. A block keeps count of the group of its first item: of the many
// members of a giant few go to memory.
extern "C" __global__ void count_members(Index n, const Index* group, Index* sizes) {
  __shared__ Index kept;
  __shared__ Place kept_size;
  if (threadIdx.x == 0) {
    kept = first_item() < n ? group[first_item()] : -1;
    kept_size = 0;
  }
  __syncthreads();
  const Index own = kept;
  Place own_size = 0;
  for (long long i = first_item(); i < n; i += item_stride()) {
    const Index k = group[i];
    if (k == own) {
      ++own_size;
      continue;
    }
    const unsigned same = __match_any_sync(__activemask(), k);
    if (threadIdx.x % 32 == __ffs(same) - 1)
      atomicAdd(reinterpret_cast<Place*>(&sizes[1 + k]), static_cast<Place>(__popc(same)));
  }
  if (own_size > 0) atomicAdd(&kept_size, own_size);
  __syncthreads();
  if (threadIdx.x == 0 && kept_size > 0)
    atomicAdd(reinterpret_cast<Place*>(&sizes[1 + own]), kept_size);
}

// The groups that are too large for a warp, as many as the lists have room for: which, and their
// sizes; how many there are.
extern "C" __global__ void find_large(Index groups, const Index* starts, Index room, Count* count,
                                      Count* which, Count* sizes) {
  for (long long k = first_item(); k < groups; k += item_stride()) {
    const Index size = starts[k + 1] - starts[k];
    if (size <= largest) continue;
    const Count place = atomicAdd(count, Count{1});
    if (place >= static_cast<Count>(room)) continue;
    which[place] = static_cast<Count>(k);
    sizes[place] = static_cast<Count>(size);
  }
}

// The place in `which` of each member's group, or `count` for all that are not large.
extern "C" __global__ void class_members(Index n, const Index* group, Index count,
                                         const Count* which, Index* classes) {
  for (long long i = first_item(); i < n; i += item_stride()) {
    Index own = count;
    for (Index c = 0; c < count; ++c)
      if (static_cast<Count>(group[i]) == which[c]) own = c;
    classes[i] = own;
  }
}

// The members of the large groups, sorted by those places, each to its own.
extern "C" __global__ void place_large(Index total, const Index* classes, const Index* sorted,
                                       const Count* which, const Count* sizes, const Index* starts,
                                       Index* members) {
  for (long long k = first_item(); k < total; k += item_stride()) {
    long long place = k;
    for (Index c = 0; c < classes[k]; ++c) place -= static_cast<long long>(sizes[c]);
    members[starts[which[classes[k]]] + place] = sorted[k];
  }
}

// `taken` is zero at first; what is in no order yet goes to `unordered`.
extern "C" __global__ void place_members(Index n, const Index* group, const Index* starts,
                                         Index* taken, Index* unordered, Index* members) {
  for (long long i = first_item(); i < n; i += item_stride()) {
    const Index k = group[i], start = starts[k], size = starts[k + 1] - start;
    if (size == 1)
      members[start] = static_cast<Index>(i);
    else if (size <= largest)
      unordered[start + atomicAdd(reinterpret_cast<Place*>(&taken[k]), 1u)] = static_cast<Index>(i);
  }
}

// A warp takes `each` groups, at most 32, and orders one after the other.
extern "C" __global__ void order_members(Index groups, Index each, const Index* starts,
                                         const Index* unordered, Index* members) {
  constexpr unsigned warp = 0xffffffffu;
  constexpr int shares = 4, at_once = 32 * shares;  // members of a lane, of the warp
  const int lane = threadIdx.x % 32;
  for (long long w = first_item() / 32; w * each < groups; w += item_stride() / 32) {
    const long long k = w * each + lane;
    const bool own = lane < each && k < groups;
    const Index from = own ? starts[k] : 0, to = own ? starts[k + 1] : 0;
    unsigned left = __ballot_sync(warp, to - from > 1 && to - from <= largest);
    for (; left; left &= left - 1) {
      const int whose = __ffs(left) - 1;
      const Index begin = __shfl_sync(warp, from, whose), end = __shfl_sync(warp, to, whose);
      for (long long p = begin; p < end; p += at_once) {
        Index own[shares], smaller[shares];
        for (int k = 0; k < shares; ++k) {
          const long long place = p + 32 * k + lane;
          own[k] = place < end ? unordered[place] : 0;
          smaller[k] = 0;
        }
#pragma unroll 8
        for (Index q = begin; q < end; ++q) {
          const Index other = unordered[q];
          for (int k = 0; k < shares; ++k) smaller[k] += other < own[k];
        }
        for (int k = 0; k < shares; ++k)
          if (p + 32 * k + lane < end) members[begin + smaller[k]] = own[k];
      }
    }
  }
}
