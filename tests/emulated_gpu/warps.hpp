// SPDX-License-Identifier: BSD-3-Clause
// Operations of a warp: all lanes of the mask that have not ended must arrive, from the same line
#pragma once

#include "fibers.hpp"

namespace fibers {

// Contributes a word. Returns combine(words, lanes that arrived) when all lanes of the mask have
// contributed.
template <class Combine>
auto meet(unsigned mask, std::uint64_t word, Place place, Combine combine) {
  Meeting& m = arrive(mask, word, place);
  if (!m.complete) wait(false, place);
  const auto result = combine(m.word, m.arrived);
  depart(m);
  return result;
}

template <class T>
std::uint64_t as_word(T value) {
  static_assert(sizeof(T) <= 8);
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof(T));
  return word;
}

template <class T>
T of_word(std::uint64_t word) {
  T value;
  std::memcpy(&value, &word, sizeof(T));
  return value;
}

// Returns the word of lane `from`; a fixed wrong value if lane `from` has ended or is not in the
// mask.
template <class T>
T given_by(unsigned mask, T value, Place place, int from) {
  return meet(mask, as_word(value), place, [&](const std::uint64_t* words, unsigned arrived) {
    return arrived >> from & 1 ? of_word<T>(words[from]) : of_word<T>(0xABABABABABABABABu);
  });
}

// Returns the word of lane `from` within its group of `width` lanes.
template <class T>
T shuffle(unsigned mask, T value, Place place, int from, int width = lanes) {
  const int first = static_cast<int>(lane()) & ~(width - 1);
  return given_by(mask, value, place, first | (from & (width - 1)));
}

// Returns the word of the lane at distance `by` in the group, in direction `way`, which is 1 or -1;
// the lane's own word if there is no such lane.
template <class T>
T shift(unsigned mask, T value, Place place, int way, int by, int width = lanes) {
  const int me = static_cast<int>(lane()), from = me + way * by;
  return given_by(mask, value, place, (from ^ me) & ~(width - 1) ? me : from);
}

inline unsigned ballot(unsigned mask, bool holds, Place place) {
  return meet(mask, holds, place, [](const std::uint64_t* words, unsigned arrived) {
    unsigned lanes_set = 0;
    for (unsigned k = 0; k < lanes; ++k) lanes_set |= (arrived >> k & 1 && words[k]) ? 1u << k : 0u;
    return lanes_set;
  });
}

template <class T>
unsigned match(unsigned mask, T value, Place place) {
  return meet(mask, as_word(value), place, [&](const std::uint64_t* words, unsigned arrived) {
    unsigned same = 0;
    for (unsigned k = 0; k < lanes; ++k) {
      same |= (arrived >> k & 1 && words[k] == as_word(value)) ? 1u << k : 0u;
    }
    return same;
  });
}

inline void sync_warp(Place place, unsigned mask = 0xffffffffu) {
  meet(mask, 0, place, [](const std::uint64_t*, unsigned) { return 0; });
}

}  // namespace fibers
