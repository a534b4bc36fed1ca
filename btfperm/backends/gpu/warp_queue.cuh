// SPDX-License-Identifier: BSD-3-Clause
// A queue of one warp in shared memory: its lanes add and take items together, without atomic
// operations. Items that do not fit go to a list in global memory, many at a time.
#pragma once

#include "backends/gpu/index.cuh"
#include "backends/gpu/warp.cuh"

// An item has `words` numbers; first in, first out. All lanes have the same head and count.
template <int words, unsigned room>
struct WarpQueue {
  static_assert((room & (room - 1)) == 0, "a power of two");

  Index (*items)[room];  // [words][room], in shared memory
  unsigned head = 0, count = 0;

  __device__ Index get(unsigned place, int word) const {
    return items[word][(head + place) % room];
  }

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

  // Moves the oldest items to the end of a list.
  __device__ void spill(unsigned many, Index* list, Count* size, Count offset = 0) {
    if (many) move(many, list, offset + add_once(size, many));
  }

  // Makes room for one item of each lane; if needed, moves items to the list.
  __device__ void make_room(Index* list, Count* size) {
    static_assert(room >= 64, "else it may still be too full");
    if (count + 32 > room) spill(count / 32 * 32, list, size);
  }
};
