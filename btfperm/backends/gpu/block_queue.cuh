// SPDX-License-Identifier: BSD-3-Clause
// A queue of one block in shared memory. In each step, the warps take the items of the preceding
// step and add items for the next one. Items that do not fit go to a list in global memory.
#pragma once

#include "backends/gpu/warp_queue.cuh"

// The state of a block's queue, in shared memory; zero at first.
struct QueueEnds {
  unsigned head;  // the first item of this step
  unsigned many;  // the number of items of this step
  unsigned tail;  // the end of the items of the next step, which follow those of this step
  Count place;    // where `store` writes to the list
};

// An item has `words` numbers, and the queue has room for `room` items.
template <int words, unsigned room>
struct BlockQueue {
  static_assert((room & (room - 1)) == 0, "a power of two");

  Index (*items)[room];  // [words][room], in shared memory
  QueueEnds* ends;
  Index* list;  // in global memory, for items that do not fit
  Count* size;  // the number of items in the list

  // One of the numbers of item k of this step.
  __device__ Index get(unsigned k, int word) const { return items[word][(ends->head + k) % room]; }

  // Each lane of a warp adds one item or none.
  template <class... Words>
  __device__ void put(bool mine, Words... item) const {
    const unsigned who = __ballot_sync(whole_warp, mine);
    if (who == 0) return;
    const unsigned place = add_once(&ends->tail, __popc(who)) + rank_in(who);
    const bool fits = place - ends->head < room;
    int word = 0;
    if (mine && fits) ((items[word++][place % room] = item), ...);
    const unsigned over = __ballot_sync(whole_warp, mine && !fits);
    if (over == 0) return;
    Index* to = &list[words * (add_once(size, __popc(over)) + rank_in(over))];
    if (mine && !fits) ((to[word++] = item), ...);
  }

  // As WarpQueue::make_room; does nothing, because `put` writes items that do not fit to the list.
  __device__ void make_room(Index*, Count*) const {}

  // Begins the next step and returns the number of its items. All threads of the block must call
  // this.
  __device__ unsigned next_step() const {
    __syncthreads();
    if (threadIdx.x == 0) {
      const unsigned had_room = room - ends->many;  // beside the items of the step that ends
      ends->head += ends->many;
      const unsigned put_in = ends->tail - ends->head;
      ends->many = put_in < had_room ? put_in : had_room;
      ends->tail = ends->head + ends->many;
    }
    __syncthreads();
    return ends->many;
  }

  // Moves the items of this step to the list. All threads of the block must call this.
  __device__ void store() const {
    const unsigned many = ends->many;
    if (many == 0) return;
    if (threadIdx.x == 0) ends->place = atomicAdd(size, static_cast<Count>(many));
    __syncthreads();
    for (unsigned k = threadIdx.x; k < words * many; k += blockDim.x)
      list[words * ends->place + k] = get(k / words, k % words);
    next_step();
  }
};
