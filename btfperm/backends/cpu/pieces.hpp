// SPDX-License-Identifier: BSD-3-Clause
// Pieces: long passes over an array that a budget can end
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/cpu/budget.hpp"

namespace btfperm {

// Thrown by a pass during which the budget ended: its result is incomplete.
struct Unfinished {};

constexpr std::int64_t piece = 1 << 18;  // iterations or entries, which take some milliseconds

// The end of the piece that starts at iteration `first`, at most `last`. If iteration k visits a
// list of entries, ends[k] is the end of this list in the array of all entries: then the lists of a
// piece, except its first list, have fewer than `piece` entries in total.
template <class I>
I end_of_piece(I first, I last, const I* ends = nullptr) {
  const I most = last - first > piece ? static_cast<I>(first + piece) : last;
  if (ends == nullptr) return most;
  const std::int64_t entries = std::int64_t{ends[first]} + piece;
  return static_cast<I>(std::lower_bound(ends + first + 1, ends + most, entries) - ends);
}

// Calls body(0) ... body(count - 1) and polls the budget between pieces. Throws Unfinished if the
// budget ends the loop. `ends`: see end_of_piece.
template <class I, class Body>
void in_pieces(I count, const I* ends, Budget& budget, Body body) {
  for (I first = 0; first < count;) {
    const I last = end_of_piece(first, count, ends);
    for (; first < last; ++first) body(first);
    if (!budget.poll()) throw Unfinished();
  }
}

template <class I, class Body>
void in_pieces(I count, Budget& budget, Body body) {
  in_pieces(count, static_cast<const I*>(nullptr), budget, body);
}

}  // namespace btfperm
