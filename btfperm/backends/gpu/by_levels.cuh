// SPDX-License-Identifier: BSD-3-Clause
// by levels: a search by levels in one cooperative launch, without the host
//
// Idea        The queue contains all items in the order of their discovery. A round processes the
//             items that the preceding round pushed, divided among all blocks, and ends with a
//             barrier. A round is ordered if it processes exactly one level. In other rounds, a
//             block does not wait after its share of the items: it also processes, from its shared
//             memory, items that it has just discovered, for a few steps before the barrier,
//             because a step costs less than a round. If a round has fewer than `min_shared_items`
//             items, the first block processes it alone, and also the next levels until one has
//             more items; the other blocks wait at the barrier.
// Cost        one grid barrier or more for each round, and some five dependent memory accesses
// Invariants  The word to which all blocks add when they arrive at the barrier also counts the
//             pushed items and contains flags. Two such words are used in turn, because a fast
//             block may arrive at the next barrier before a slow one has read the word of this one.
// Races       atomicAdd assigns places in the queue, so the order within a round is arbitrary
#pragma once

#include "backends/gpu/append.cuh"
#include "backends/gpu/counting.cuh"
#include "backends/gpu/index.cuh"
#include "backends/gpu/lists.cuh"
#include "backends/gpu/visible.cuh"

constexpr Count min_shared_items = 64;           // with fewer items, one block processes a round
constexpr int own_room = 20480 / sizeof(Index);  // items in a list in the shared memory of a block
constexpr int own_steps = 8;         // maximum number of steps of a block in a round, see Idea
constexpr int lists_of_a_group = 4;  // maximum number of items in a step, for each group of lanes

// Parameters and state of a search. The host writes them before the launch and reads them after it.
struct Levels {
  Count level;       // the next level
  Count begin;       // the place of its first item in the queue
  Count end;         // the end of the queue
  Count narrow;      // the search ends if `window` levels had fewer items than this on average
  Count window;      // see narrow
  Count max_levels;  // maximum number of levels
  Count gave_up;     // 1: a limit ended the search, which could continue from level, begin, end
  Count found;       // raised by a calling kernel for its driver; search_by_levels ignores it
  Count in_order;    // all rounds before the first one with fewer items than this are ordered
  Count ordered;     // after the launch: the number of items processed in ordered rounds
  Count on_own;      // number of items that blocks processed without putting them in the queue
  Count n_huge[3];   // number of lists that the whole grid visits, for three rounds in turn
  Count met[2];      // arrivals at the barrier, and flags, for two barriers in turn
  Count reached[2];  // the level that a block working alone has reached, for two barriers in turn
  Count max_round_entries;   // the search ends before a round whose lists have this many entries
  Count entries;             // sum over all rounds whose entries is_heavy has counted
  Count huge[3][most_huge];  // the numbers of those lists, see n_huge
};

// A round is assumed to have at most this number of entries per item: with fewer items than
// max_round_entries divided by it, is_heavy does not count the entries.
constexpr Count entries_of_an_item = 64;

// If `ordered`, all items of the round are of this level. Else they are of this level or higher,
// and no later round is ordered. `narrow`: one block processes the round alone, level by level.
struct Round {
  Count level;
  bool ordered;
  bool narrow;
};

// Collects the items that a block discovers in its shared memory. The block later reserves places
// in the queue for all of them by one atomic operation, because atomic operations on one address
// are executed one after the other. Items that do not fit are written to the queue directly.
struct Queue {
  Index* items;  // the queue, and its end, in global memory
  Count* end;
  Index* own;  // the collected items, in shared memory, at most `room`
  int room;
  int* n_own;   // the number of pushed items, of which those beyond `room` were sent
  int* n_sent;  // the number of items written to the queue directly
  // There are few items. Then `visit` should change a word by an atomic operation at once: a load
  // before, which often shows that no change is needed, would only add its latency.
  bool hurried;

  __device__ void push(Index item) const {
    const int place = atomicAdd(n_own, 1);
    if (place < room)
      own[place] = item;
    else
      send(item);
  }

  __device__ void send(Index item) const {
    items[place_at_end(end)] = item;
    atomicAdd(n_sent, 1);
  }
};

// The parts of a word in `met`, from the lowest bits on: the number of blocks that have arrived,
// the number of blocks that left lists to the grid, one bit that is set if the first block ends the
// search, and the number of pushed items.
constexpr Count one_arrived = 1, one_huge = Count{1} << 16, one_gave_up = Count{1} << 31;
constexpr int pushed_shift = 32;

// The number of lanes for a list: more than `lanes` if there are more threads than the lists need.
__device__ inline int widened(int lanes, long long lists, long long threads) {
  const int widest = lanes < 8 ? 16 : 32;
  while (lanes < widest && 2 * lanes * lists <= threads) lanes *= 2;
  return lanes;
}

// The arguments of search_by_levels. open(item, round, first) returns the List of an item. It is
// called several times for an item; `first` is true in one of these calls in each round. visit(i,
// p, queue) gets the field `item` of the List and the place p of an entry, and may push items to
// the queue. For searches in which most lists are short, a caller may also pass visit_many, which
// replaces `visit` in rounds that all blocks share (see share_short_lists). Without it,
// max_round_entries is not used.
struct OneByOne {};  // the type of the argument visit_many if the caller passes none
template <class VisitMany>
constexpr bool by_several = true;
template <>
constexpr bool by_several<OneByOne> = false;

// Returns whether the search is complete: no limit ended it. Then every block sees all that the
// other blocks wrote. The function is long because its steps share some twenty variables, which are
// in registers, and the shared memory of the block; steps that occur twice are local functions.
template <class Open, class Visit, class VisitMany = OneByOne>
__device__ bool search_by_levels(Levels* levels, Index* items, int lanes, const Open& open,
                                 const Visit& visit, const VisitMany& visit_many = {}) {
  __shared__ Index own[2][own_room];
  __shared__ int n_own[3], n_sent, n_put_off[2], left_huge;
  __shared__ Count first, arrivals, flagged_level;
  const bool leader = blockIdx.x == 0 && threadIdx.x == 0;
  const int max_lists = lists_of_a_group * blockDim.x / lanes;

  const Count narrow = levels->narrow, window = levels->window, max_levels = levels->max_levels;
  Count level = levels->level, begin = levels->begin, end = levels->end;
  const Count ordered = levels->in_order, max_round_entries = levels->max_round_entries;
  Count on_own = 0, met = 0, met_next = 0;       // used by the first thread of the block only
  Count watched = level, watched_taken = begin;  // start of the window: counts of the first block
  Round round{level, true, false};
  bool gave_up = false;
  int turn = 0, parity = 0;

  // All blocks wait for each other. Afterwards `arrivals` has the parts of a word in `met`, summed
  // over the blocks; `met` and `met_next` are the values of the two words before this barrier.
  const auto meet = [&](Count flags) {
    __syncthreads();
    if (threadIdx.x == 0) {
      Count* word = &levels->met[parity];
      __threadfence();
      atomicAdd(word, flags + one_arrived);
      Count now = seen(word) - met;
      for (int polls = 0; now % one_huge != gridDim.x; ++polls) {
        if (polls > 256) __nanosleep(100);
        now = seen(word) - met;
      }
      __threadfence();
      arrivals = now;
      now += met;
      met = met_next;
      met_next = now;
    }
    parity ^= 1;
    __syncthreads();
  };

  // Writes the items in a list of the block's shared memory to the queue. Returns the number of
  // items that the block has put in the queue in this round, as a part of the word for the barrier.
  const auto flush = [&](const Index* list, int found, int room) {
    const int count = found < room ? found : room;
    if (threadIdx.x == 0 && count > 0) first = atomicAdd(&levels->end, static_cast<Count>(count));
    __syncthreads();
    for (int k = threadIdx.x; k < count; k += blockDim.x) items[first + k] = list[k];
    return static_cast<Count>(count + n_sent) << pushed_shift;
  };

  // A Queue that collects items in one of the two lists in shared memory. If no step follows,
  // `room` is that of both lists together.
  const auto queue_to = [&](int list, int room, int counter, bool hurried = false) {
    return Queue{items, &levels->end, own[list], room, &n_own[counter], &n_sent, hurried};
  };

  const auto begin_round = [&] {
    if (threadIdx.x > 0) return;
    n_own[0] = n_own[1] = n_own[2] = 0;
    n_put_off[0] = n_put_off[1] = n_sent = left_huge = 0;
  };

  // Whether the lists of the next round have at least `max_round_entries` entries. It counts the
  // entries only if the round has many items, see entries_of_an_item.
  Count weighed = 0;
  const auto is_heavy = [&] {
    if constexpr (by_several<VisitMany>) {
      if ((end - begin) * entries_of_an_item < max_round_entries) return false;
      Count mine = 0;
      const long long stop = static_cast<long long>(end);
      for (long long k = begin + first_item(); k < stop; k += item_stride()) {
        const List list = open(__ldcg(&items[k]), round, false);
        mine += static_cast<Count>(list.to - list.from);
      }
      add_over_block(&levels->entries, mine);
      meet(0);
      const Count before = weighed;
      weighed = seen(&levels->entries);
      return weighed - before >= max_round_entries;
    }
    return false;
  };

  begin_round();
  meet(0);  // all blocks have read the parameters in `levels` before any block changes `levels`
  while (begin < end && !gave_up && !is_heavy()) {
    const bool alone = end - begin < min_shared_items;
    if (round.ordered) round = {level, end - begin >= ordered, alone};
    round.narrow = alone;
    Count flags = 0;
    Count* n_huge = &levels->n_huge[turn];
    if (leader) levels->n_huge[(turn + 1) % 3] = 0;
    if (!alone || blockIdx.x == 0) {
      const Queue queue = queue_to(0, 2 * own_room, 0, alone);
      Sharing sharing = Sharing::whole_grid(n_huge, levels->huge[turn]);
      if (alone) sharing.block = 0, sharing.blocks = 1;
      const long long threads = sharing.blocks * blockDim.x;
      const auto open_kth = [&](long long k, bool is_first) {
        const List list = open(__ldcg(&items[k]), round, is_first);
        if (list.to - list.from > longest_of_a_block) left_huge = 1;
        return list;
      };
      const auto visit_one = [&](Index item, long long p) { visit(item, p, queue); };
      if (!by_several<VisitMany> || alone)
        share_lists(begin, end, widened(lanes, end - begin, threads), sharing, open_kth, visit_one);
      else if constexpr (by_several<VisitMany>)
        share_short_lists(begin, end, sharing, open_kth,
                          [&](const Index(&of)[together], const long long (&places)[together]) {
                            visit_many(of, places, queue);
                          });
      int step = 0;
      for (; alone || !round.ordered; ++step) {
        const int count = n_own[step % 3];
        if (count == 0) break;
        if (alone) {
          if (left_huge || n_put_off[(step + 1) % 2] > 0) break;
          if (count >= 2 * static_cast<int>(min_shared_items)) break;
          if (level + step - watched >= window || level + step >= max_levels) break;
          if (round.ordered) round.level = level + step + 1;
        } else if (step == own_steps || count > max_lists) {
          break;
        }
        if (threadIdx.x == 0) n_own[(step + 2) % 3] = 0;
        const Index* from = own[step % 2];
        const Queue next = queue_to((step + 1) % 2, own_room, (step + 1) % 3, true);
        share_lists(
            0, count, widened(lanes, count, blockDim.x), Sharing::one_block(),
            [&](long long k, bool is_first) {
              List list = open(from[k], round, is_first);
              if (list.to - list.from > longest_of_a_block && !round.ordered) {
                if (is_first) next.send(from[k]), atomicAdd(&n_put_off[step % 2], 1);
                list.to = list.from;
              }
              return list;
            },
            [&](Index item, long long p) { visit(item, p, next); });
        if (threadIdx.x == 0) on_own += count;
      }
      flags = flush(own[step % 2], n_own[step % 3], step == 0 ? 2 * own_room : own_room);
      if (threadIdx.x == 0) on_own -= n_put_off[0] + n_put_off[1];
      flags += left_huge ? one_huge : 0;
      if (alone) level += step;
      if (alone && leader) show(&levels->reached[parity], level);
    }
    ++level;
    gave_up = level >= max_levels;
    if (level - watched >= window)
      gave_up |= end + on_own - watched_taken < narrow * (level - watched);
    meet(flags + (leader && gave_up ? one_gave_up : 0));
    Count all = arrivals;
    begin_round();
    if (alone && threadIdx.x == 0) flagged_level = seen(&levels->reached[parity ^ 1]);
    __syncthreads();
    if (alone) level = flagged_level + 1;
    if (level - watched >= window) {
      watched = level;
      watched_taken = end + on_own;
    }
    if (all & (one_gave_up - one_huge)) {  // blocks have left lists to the grid
      const Queue queue = queue_to(0, 2 * own_room, 0);
      const Count count = seen(n_huge);
      for (Count h = 0; h < count && h < most_huge; ++h) {
        const Index item = __ldcg(&items[__ldcg(&levels->huge[turn][h])]);
        const List list = open(item, round, false);
        for (long long p = list.from + first_item(); p < list.to; p += item_stride())
          visit(list.item, p, queue);
      }
      __syncthreads();
      meet(flush(own[0], n_own[0], 2 * own_room));
      all += arrivals >> pushed_shift << pushed_shift;
      begin_round();
    }
    turn = (turn + 1) % 3;
    gave_up = (all & one_gave_up) != 0;
    if (round.ordered && leader) levels->ordered = end;
    begin = end;
    end += all >> pushed_shift;
  }
  if (leader) {
    levels->level = level;
    levels->begin = begin;
    levels->gave_up = begin < end;
  }
  if (threadIdx.x == 0 && on_own > 0) atomicAdd(&levels->on_own, on_own);
  return begin >= end;
}
