// SPDX-License-Identifier: BSD-3-Clause
// Pieces: long passes over an array that can be ended in between
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/cpu/budget.hpp"

namespace btfperm {

// Thrown out of a pass in the middle of which the budget ended: what it was making is not whole.
struct Unfinished {};

constexpr std::int64_t piece = 1 << 18;  // turns, or entries: some milliseconds

// Where the piece ends that begins with `first`, at the latest with the `last`. Where each turn
// reads a list, `ends` tells where each of them ends: of long ones a piece has few.
template <class I>
I end_of_piece(I first, I last, const I* ends = nullptr) {
  const I most = last - first > piece ? static_cast<I>(first + piece) : last;
  if (ends == nullptr) return most;
  const std::int64_t entries = std::int64_t{ends[first]} + piece;
  return static_cast<I>(std::lower_bound(ends + first + 1, ends + most, entries) - ends);
}

// body(0) ... body(count - 1), with a look at the budget between pieces. Throws Unfinished when the
// budget ends it.
template <class I, class Body>
void in_pieces(I count, const I* ends, Budget& budget, Body body) {
  for (I first = 0; first < count;) {
    const I last = end_of_piece(first, count, ends);
    for (; first < last; ++first) body(first);
    if (!budget.look()) throw Unfinished();
  }
}

template <class I, class Body>
void in_pieces(I count, Budget& budget, Body body) {
  in_pieces(count, static_cast<const I*>(nullptr), budget, body);
}

}  // namespace btfperm
