// SPDX-License-Identifier: BSD-3-Clause
// Lanes of a warp: their numbers, sets of lanes, sums over lanes, and atomic operations that one
// lane executes for several
//
// A set of lanes is a word with one bit for each lane. If several lanes add to one address, one of
// them adds the sum, because atomic operations on one address are executed one after the other. A
// block must have a multiple of 32 threads.
#pragma once

#include "backends/gpu/index.cuh"

constexpr unsigned whole_warp = 0xffffffffu;

// The number of this thread in its warp, and of the warp in its block.
__device__ __forceinline__ unsigned lane_id() { return threadIdx.x % 32; }
__device__ __forceinline__ unsigned warp_id() { return threadIdx.x / 32; }

// The lowest lane of a set that is not empty.
__device__ __forceinline__ int first_of(unsigned lanes) { return __ffs(lanes) - 1; }

// The set of lanes in the group of this lane. Warps are divided into groups of `lanes` lanes, a
// power of two up to 32.
__device__ __forceinline__ unsigned group_of(int lanes) {
  return (lanes == 32 ? whole_warp : (1u << lanes) - 1) << (threadIdx.x & 31 & ~(lanes - 1));
}

// The number of lanes of a set that are lower than this one.
__device__ __forceinline__ int rank_in(unsigned lanes) {
  return __popc(lanes & ((1u << lane_id()) - 1));
}

// -- the following need the whole warp ----------------------------------------------------------

// The sum over all lanes. Only lane 0 gets it.
template <class Word>
__device__ __forceinline__ Word sum_to_first_lane(Word mine) {
  for (int apart = 16; apart > 0; apart /= 2) mine += __shfl_down_sync(whole_warp, mine, apart);
  return mine;
}

// The sum over the lanes up to and including this one.
template <class Word>
__device__ __forceinline__ Word sum_up_to_lane(Word mine) {
  for (int apart = 1; apart < 32; apart *= 2) {
    const Word before = __shfl_up_sync(whole_warp, mine, apart);
    if (static_cast<int>(lane_id()) >= apart) mine += before;
  }
  return mine;
}

// The bitwise OR of `bits` over all lanes.
__device__ __forceinline__ unsigned any_of_warp(unsigned bits) {
  for (int apart = 16; apart > 0; apart /= 2) bits |= __shfl_xor_sync(whole_warp, bits, apart);
  return bits;
}

// Each lane has a list, and the lists of lanes 0, 1, ... form one sequence; `upto` is the result of
// sum_up_to_lane for their sizes. Returns the lane whose list contains entry `place` of this
// sequence, or an arbitrary lane if `place` is past its end.
__device__ __forceinline__ int lane_at(unsigned place, unsigned upto) {
  int found = 0;
  for (int half = 16; half > 0; half /= 2)
    if (__shfl_sync(whole_warp, upto, found + half - 1) <= place) found += half;
  return found & 31;
}

// Adds `number`, which must be the same in all lanes, to a word once for the whole warp. Returns
// the previous value of the word.
template <class Word>
__device__ __forceinline__ Word add_once(Word* word, unsigned number) {
  Word before = 0;
  if (lane_id() == 0) before = atomicAdd(word, static_cast<Word>(number));
  return __shfl_sync(whole_warp, before, 0);
}

// -- the following need only the lanes that call them -------------------------------------------

// Adds 1 to a word for each lane of the set `lanes`; all these lanes must call this with the same
// word. Returns a different value to each lane, as if each had called atomicAdd.
template <class Word>
__device__ __forceinline__ Word take_place(unsigned lanes, Word* word) {
  const int first = first_of(lanes);
  Word place = 0;
  if (static_cast<int>(lane_id()) == first)
    place = atomicAdd(word, static_cast<Word>(__popc(lanes)));
  return __shfl_sync(lanes, place, first) + rank_in(lanes);
}

// Reserves the next place at the end of a list to which all threads append; returns this place.
__device__ __forceinline__ Count place_at_end(Count* size) {
  return take_place(__activemask(), size);
}

// For each distinct key of the calling lanes, one lane calls add(same), where `same` is the set of
// the lanes with this key.
template <class Key, class Add>
__device__ __forceinline__ void once_by_key(Key key, const Add& add) {
  const unsigned same = __match_any_sync(__activemask(), key);
  if (static_cast<int>(lane_id()) == first_of(same)) add(same);
}

// Adds 1 to a word for each calling lane. Lanes with the same key must have the same word.
__device__ __forceinline__ void count_by_key(Index key, Index* word) {
  once_by_key(key, [word](unsigned same) {
    atomicAdd(reinterpret_cast<Place*>(word), static_cast<Place>(__popc(same)));
  });
}
