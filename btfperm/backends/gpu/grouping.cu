// SPDX-License-Identifier: BSD-3-Clause
// grouping: the members of each group, ascending, from the group of each item
//
// Idea        The first launch counts the size of each group; the prefix sums of the sizes are the
//             starts of the groups. The second launch writes the members. The member of a group of
//             size 1 is written to the start of the group. For each of the few large groups, every
//             warp counts the members in its share of the items; the sums of these counts over the
//             preceding warps are the places of the members. The members of all other groups are
//             first written in any order; then a warp sorts each of these groups: the place of a
//             member is the number of smaller members.
// Cost        two launches; two passes over the items, three if there are large groups, and work in
//             proportion to the squares of the sizes of the small groups
// Prefer it   to a sort if all groups but a few are small
// Races       threads only add to counters; atomic operations assign the places in a group, in any
//             order

#include "backends/gpu/running_totals.cuh"

constexpr Index largest = 1024;  // maximum size of a group that a warp sorts
constexpr int most_large = 16;   // maximum number of larger groups; else grouping.py sorts instead

// The members of group k are at from(k) ... to(k) - 1 of `members`. The groups from `half` on have
// items of the second kind (columns after rows); if all items are of one kind, `half` is the number
// of groups. In `words`, the starts of the second kind count from 0 again, so from() and to() add
// `first` to them.
struct Starts {
  Index* words;
  Index half;
  Index first;  // number of items of the first kind

  __device__ Index* end(Index k) const { return &words[k + (k >= half) + 1]; }
  __device__ Index shift(Index k) const { return k >= half ? first : 0; }
  __device__ Index from(Index k) const { return *(end(k) - 1) + shift(k); }
  __device__ Index to(Index k) const { return *end(k) + shift(k); }
};

// The groups that are too large for a warp: how many there are, and which, up to `most_large`.
struct Large {
  Count barrier;  // see grid_barrier
  Count count;
  Count which[most_large];
};

// Computes the starts of the groups, and sets `taken` to 0 for place_groups. Each block counts the
// members of one group, that of its first item, in shared memory, so that a group with most of the
// items needs few atomic operations in global memory.
extern "C" __global__ void __launch_bounds__(256, blocks_together)
    size_groups(Index n, const Index* group, Index groups, Index half, Index first, Index* words,
                Index* taken, Index* of_blocks, Large* large) {
  __shared__ Index kept;
  __shared__ Place kept_size;
  const Starts starts{words, half, first};
  Count* barrier = &large->barrier;
  for (long long k = first_item(); k < groups; k += item_stride())
    *starts.end(static_cast<Index>(k)) = taken[k] = 0;
  if (first_item() == 0) {
    words[0] = 0;
    if (half < groups) words[half + 1] = 0;
  }
  if (threadIdx.x == 0) {
    kept = first_item() < n ? group[first_item()] : -1;
    kept_size = 0;
  }
  grid_barrier(barrier);
  const Index own = kept;
  Place own_size = 0;
  for (long long i = first_item(); i < n; i += item_stride()) {
    const Index k = group[i];
    if (k == own) {
      ++own_size;
      continue;
    }
    count_by_key(k, starts.end(k));
  }
  if (own_size > 0) atomicAdd(&kept_size, own_size);
  __syncthreads();
  if (threadIdx.x == 0 && kept_size > 0)
    atomicAdd(reinterpret_cast<Place*>(starts.end(own)), kept_size);
  grid_barrier(barrier);
  running_totals(
      groups, of_blocks, barrier,
      [=](long long k) { return seen(starts.end(static_cast<Index>(k))); },
      [=](long long at, Index before, Index size) {
        const Index k = static_cast<Index>(at);
        *starts.end(k) = before + size - starts.shift(k);
        if (size <= largest) return;
        const Count place = atomicAdd(&large->count, Count{1});
        if (place < most_large) large->which[place] = static_cast<Count>(k);
      });
}

// Sorts the members of each group of 2 to `largest` members. A warp takes `each` groups, at most
// 32, and sorts them one after the other.
__device__ inline void order_members(Index groups, Index each, const Starts& starts,
                                     const Index* unordered, Index* members) {
  // The numbers of members that a lane, and a warp, handle at once.
  constexpr int shares = 4, at_once = 32 * shares;
  const int lane = lane_id();
  for (long long w = first_item() / 32; w * each < groups; w += item_stride() / 32) {
    const long long k = w * each + lane;
    const bool own = lane < each && k < groups;
    const Index from = own ? starts.from(static_cast<Index>(k)) : 0;
    const Index to = own ? starts.to(static_cast<Index>(k)) : 0;
    unsigned left = __ballot_sync(whole_warp, to - from > 1 && to - from <= largest);
    for (; left; left &= left - 1) {
      const int whose = first_of(left);
      const Index begin = __shfl_sync(whole_warp, from, whose),
                  end = __shfl_sync(whole_warp, to, whose);
      for (long long p = begin; p < end; p += at_once) {
        Index own[shares], smaller[shares];
        for (int k = 0; k < shares; ++k) {
          const long long place = p + 32 * k + lane;
          own[k] = place < end ? __ldcg(&unordered[place]) : 0;
          smaller[k] = 0;
        }
#pragma unroll 8
        for (Index q = begin; q < end; ++q) {
          const Index other = __ldcg(&unordered[q]);
          for (int k = 0; k < shares; ++k) smaller[k] += other < own[k];
        }
        for (int k = 0; k < shares; ++k)
          if (p + 32 * k + lane < end) members[begin + smaller[k]] = own[k];
      }
    }
  }
}

// The large groups, numbered from 0 as classes: of(k) is the class of group k, or -1 if it is not
// large.
struct Classes {
  Index which[most_large];
  int count;

  __device__ int of(Index k) const {
    for (int c = 0; c < count; ++c)
      if (which[c] == k) return c;
    return -1;
  }
};

// Writes all members to their places; items of the second kind are numbered from 0 again. Does
// nothing if there are more than `most_large` large groups. `of_blocks` is workspace with an
// element for each block and each large group.
extern "C" __global__ void __launch_bounds__(256, blocks_together)
    place_groups(Index n, const Index* group, Index groups, Index half, Index first, Index* words,
                 Index each, Index* taken, Index* unordered, Index* members, Index* of_blocks,
                 Large* large) {
  if (large->count > most_large) return;
  constexpr int most_warps = 8;
  __shared__ Classes classes;
  __shared__ Count of_warps[most_large][most_warps], before[most_large];
  const Starts starts{words, half, first};
  Count* barrier = &large->barrier;
  const int lane = lane_id(), warp = warp_id(), warps = blockDim.x / 32;
  if (threadIdx.x == 0) classes.count = static_cast<int>(large->count);
  if (threadIdx.x < most_large) {
    classes.which[threadIdx.x] = static_cast<Index>(large->which[threadIdx.x]);
    before[threadIdx.x] = 0;
    for (int w = 0; w < most_warps; ++w) of_warps[threadIdx.x][w] = 0;
  }
  __syncthreads();
  const long long all = static_cast<long long>(gridDim.x) * warps;
  const long long part = (n + 32 * all - 1) / (32 * all) * 32;
  const long long own = (static_cast<long long>(blockIdx.x) * warps + warp) * part;
  const long long end = own + part < n ? own + part : n;
  const auto name_of = [=](long long i) { return static_cast<Index>(i >= first ? i - first : i); };
  for (long long from = own; from < end; from += 32) {
    const long long i = from + lane;
    int in_class = -1;
    if (i < end) {
      const Index k = group[i], start = starts.from(k), size = starts.to(k) - start;
      if (size == 1)
        members[start] = name_of(i);
      else if (size > largest)
        in_class = classes.of(k);
      else
        unordered[start + atomicAdd(reinterpret_cast<Place*>(&taken[k]), 1u)] = name_of(i);
    }
    if (!__any_sync(whole_warp, in_class >= 0)) continue;
    for (int c = 0; c < classes.count; ++c) {
      const unsigned those = __ballot_sync(whole_warp, in_class == c);
      if (lane == 0) of_warps[c][warp] += __popc(those);
    }
  }
  __syncthreads();
  for (int c = threadIdx.x; c < classes.count; c += blockDim.x) {
    Count sum = 0;
    for (int w = 0; w < warps; ++w) sum += of_warps[c][w];
    of_blocks[static_cast<long long>(c) * gridDim.x + blockIdx.x] = static_cast<Index>(sum);
  }
  grid_barrier(barrier);
  for (int c = 0; c < classes.count; ++c) {
    Count mine = 0;
    for (unsigned b = threadIdx.x; b < blockIdx.x; b += blockDim.x)
      mine += static_cast<Count>(__ldcg(&of_blocks[static_cast<long long>(c) * gridDim.x + b]));
    add_over_warp(&before[c], mine);
  }
  __syncthreads();
  if (threadIdx.x < classes.count) {  // replaces each count by the place of the warp's first member
    Count place = before[threadIdx.x] + static_cast<Count>(starts.from(classes.which[threadIdx.x]));
    for (int w = 0; w < warps; ++w) {
      const Count many = of_warps[threadIdx.x][w];
      of_warps[threadIdx.x][w] = place;
      place += many;
    }
  }
  __syncthreads();
  for (long long from = own; classes.count > 0 && from < end; from += 32) {
    const long long i = from + lane;
    const int in_class = i < end ? classes.of(group[i]) : -1;
    for (int c = 0; c < classes.count; ++c) {
      const unsigned those = __ballot_sync(whole_warp, in_class == c);
      if (in_class == c) members[of_warps[c][warp] + rank_in(those)] = name_of(i);
      __syncwarp();
      if (lane == 0) of_warps[c][warp] += __popc(those);
      __syncwarp();
    }
  }
  order_members(groups, each, starts, unordered, members);
}
