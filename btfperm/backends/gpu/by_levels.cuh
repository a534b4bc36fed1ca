// SPDX-License-Identifier: BSD-3-Clause
// A search level by level in one cooperative launch, without the host
//
// Idea        The queue is the log: a level is what the level before it pushed. All blocks share a
//             level and meet at one barrier after it. A level of few items is left to one block,
//             which goes on alone, with its own much cheaper barrier, until there are more.
// Cost        a barrier a level (1 to 2 us on an H200), or about a third of that alone
// Invariants  What the k-th shared level pushes is counted in pushed[(k + 1) % 3]; that counter is
//             read after the barrier, while the next such level counts in the next one, and the
//             k-th itself clears the third: nobody reads or counts in it before the barrier. A
//             block that goes alone counts in its own memory, for others may still be reading
// Races       places in the queue are handed out by atomicAdd, so the order within a level is any
#pragma once

#include "backends/gpu/grid_barrier.cuh"
#include "backends/gpu/index.cuh"
#include "backends/gpu/lists.cuh"
#include "backends/gpu/visible.cuh"

constexpr Count few = 64;                // items that one block alone takes on
constexpr int pushes_of_a_block = 2048;  // that it collects before they go to the queue

// What a search is told, and where it stands: the host writes it before and reads it after.
struct Levels {
  Count level;        // the next one
  Count begin;        // of its items in the queue
  Count end;          //
  Count narrow;       // gives up when `window` levels had fewer items than this on average
  Count window;       //
  Count most;         // levels, then it gives up
  Count gave_up;      // 1: by one of these two; level, begin and end say where
  Count found;        // for the search itself to raise
  Count pushed[3];    // by the shared levels, in turns
  Count n_huge[3];    // items of a shared level whose lists are left to the grid, in turns
  Count arrived;      // at the barrier
  Count stand[2][3];  // level, begin, end after one block went alone: two in turns
  Count huge[3][most_huge];
};

// The items of a level go through here: collected by the block, then to the queue all at once,
// because one address serves little more than a billion requests a second.
struct Queue {
  Index* items;
  Count* pushed;
  long long end;
  Index* collected;  // shared by the block
  int* n_collected;

  __device__ void push(Index item) const {
    const int place = atomicAdd(n_collected, 1);
    if (place < pushes_of_a_block)
      collected[place] = item;
    else
      items[end + atomicAdd(pushed, Count{1})] = item;
  }

  // Every thread of the block must arrive.
  __device__ void flush(Count* first) const {
    __syncthreads();
    const int count = *n_collected < pushes_of_a_block ? *n_collected : pushes_of_a_block;
    if (threadIdx.x == 0 && count > 0) *first = atomicAdd(pushed, static_cast<Count>(count));
    __syncthreads();
    for (int k = threadIdx.x; k < count; k += blockDim.x) items[end + *first + k] = collected[k];
    __syncthreads();
    if (threadIdx.x == 0) *n_collected = 0;
  }
};

// open(item, level, first) gives the list of an item, see share_lists; visit(list item, p, queue)
// may push what it reaches.
template <class Open, class Visit>
__device__ void search_by_levels(Levels* levels, Index* items, int lanes, const Open& open,
                                 const Visit& visit) {
  __shared__ Index collected[pushes_of_a_block];
  __shared__ int n_collected;
  __shared__ Count first, pushed_alone, told[3];
  unsigned* arrived = reinterpret_cast<unsigned*>(&levels->arrived);
  const bool leader = blockIdx.x == 0 && threadIdx.x == 0;
  if (threadIdx.x == 0) n_collected = 0, pushed_alone = 0;
  __syncthreads();

  const Count narrow = levels->narrow, window = levels->window, most = levels->most;
  Count level = levels->level, begin = levels->begin, end = levels->end;
  Count watched = level, watched_begin = begin;  // where the window begins
  grid_barrier(arrived);                         // all have read before anyone writes

  const auto run_level = [&](Sharing sharing, Count* pushed) {
    const Queue queue{items, pushed, static_cast<long long>(end), collected, &n_collected};
    share_lists(
        begin, end, lanes, sharing,
        [&](long long k, bool is_first) { return open(__ldcg(&items[k]), level, is_first); },
        [&](Index item, long long p) { visit(item, p, queue); });
    queue.flush(&first);
  };
  const auto run_huge = [&](const Count* huge, Count count, Count* pushed) {
    const Queue queue{items, pushed, static_cast<long long>(end), collected, &n_collected};
    for (Count h = 0; h < count && h < most_huge; ++h) {
      const List list = open(__ldcg(&items[__ldcg(&huge[h])]), level, false);
      for (long long p = list.from + first_item(); p < list.to; p += item_stride())
        visit(list.item, p, queue);
    }
    queue.flush(&first);
  };
  const auto next_level = [&](Count pushed) {
    ++level;
    begin = end;
    end += pushed;
  };

  // Waits for all blocks; then `told` has what some words hold. One thread a block asks for them:
  // thousands of warps asking for the same words wait for each other longer than for the barrier.
  const auto meet_and_ask = [&](const Count* a, const Count* b, const Count* c) {
    grid_barrier(arrived);
    if (threadIdx.x == 0) {
      const Count words[3] = {seen(a), seen(b), seen(c)};
      for (int k = 0; k < 3; ++k) told[k] = words[k];
    }
    __syncthreads();
  };

  bool gave_up = false;
  int turn = 0, shared_level = 0;
  while (begin < end && !gave_up) {
    if (end - begin >= few) {
      if (leader) {
        levels->pushed[(shared_level + 2) % 3] = 0;
        levels->n_huge[(shared_level + 2) % 3] = 0;
      }
      shared_level = (shared_level + 1) % 3;
      Count *pushed = &levels->pushed[shared_level], *n_huge = &levels->n_huge[shared_level];
      run_level(Sharing::whole_grid(n_huge, levels->huge[shared_level]), pushed);
      meet_and_ask(pushed, n_huge, n_huge);
      if (told[1] > 0) {
        run_huge(levels->huge[shared_level], told[1], pushed);
        meet_and_ask(pushed, n_huge, n_huge);
      }
      next_level(told[0]);
    } else {
      Count* stand = levels->stand[turn];
      turn ^= 1;  // slow blocks may still read the other one
      if (blockIdx.x == 0) {
        do {
          run_level(Sharing::one_block(), &pushed_alone);
          __syncthreads();
          next_level(pushed_alone);
          __syncthreads();
          if (threadIdx.x == 0) pushed_alone = 0;
        } while (begin < end && end - begin < 2 * few && level - watched < window && level < most);
        if (leader) {
          show(&stand[0], level);
          show(&stand[1], begin);
          show(&stand[2], end);
        }
      }
      meet_and_ask(&stand[0], &stand[1], &stand[2]);
      level = told[0];
      begin = told[1];
      end = told[2];
    }
    gave_up = level >= most;
    if (level - watched >= window) {
      gave_up |= begin - watched_begin < narrow * (level - watched);
      watched = level;
      watched_begin = begin;
    }
  }
  if (leader) {
    levels->level = level;
    levels->begin = begin;
    levels->end = end;
    levels->gave_up = gave_up && begin < end;
  }
}
