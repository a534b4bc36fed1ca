// SPDX-License-Identifier: BSD-3-Clause
// A queue of one warp in shared memory. All lanes add and take items in the same call, so no atomic
// operations are needed. Items that do not fit are moved to a list in global memory, many at a time
#pragma once

#include "backends/gpu/index.cuh"
#include "backends/gpu/warp.cuh"

// An item has `words` numbers, and the queue has room for `room` items; first in, first out. `head`
// and `count` have the same values in all lanes, which must call each method together.
template <int words, unsigned room>
struct WarpQueue {
  static_assert((room & (room - 1)) == 0, "a power of two");

  Index (*items)[room];  // [words][room], in shared memory
  unsigned head = 0, count = 0;

  // One of the numbers of an item; `place` counts from the oldest item.
  __device__ Index get(unsigned place, int word) const {
    return items[word][(head + place) % room];
  }

  // Removes the oldest items.
  __device__ void drop(unsigned many) {
    __syncwarp();
    head += many;
    count -= many;
  }

  // Each lane adds one item or none.
  template <class... Words>
  __device__ void put(bool mine, Words... item) {
    const unsigned who = __ballot_sync(whole_warp, mine);
    if (mine) {
      const unsigned place = (head + count + rank_in(who)) % room;
      int word = 0;
      ((items[word++][place] = item), ...);
    }
    count += __popc(who);
    __syncwarp();
  }

  // Moves the oldest items to a list, from place `first` on.
  __device__ void move(unsigned many, Index* list, Count first) {
    for (unsigned k = lane_id(); k < words * many; k += 32)
      list[words * first + k] = get(k / words, k % words);
    drop(many);
  }

  // Moves the oldest items to the end of a list, whose items begin at place `offset`.
  __device__ void spill(unsigned many, Index* list, Count* size, Count offset = 0) {
    if (many) move(many, list, offset + add_once(size, many));
  }

  // Makes room for one item of each lane; if needed, moves items to the list.
  __device__ void make_room(Index* list, Count* size) {
    static_assert(room >= 64, "else it may still be too full");
    if (count + 32 > room) spill(count / 32 * 32, list, size);
  }
};
