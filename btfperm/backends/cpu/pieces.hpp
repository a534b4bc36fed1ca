// SPDX-License-Identifier: BSD-3-Clause
// Pieces: long passes over an array that can be ended in between
#pragma once

#include "backends/cpu/budget.hpp"

namespace btfperm {

// Thrown out of a pass in the middle of which the budget ended: what it was making is not whole.
struct Unfinished {};

// body(0) ... body(count - 1), with a look at the budget between pieces of some milliseconds.
// Throws Unfinished when the budget ends it.
template <class I, class Body>
void in_pieces(I count, Budget& budget, Body body) {
  constexpr I piece = 1 << 19;
  for (I first = 0; first < count;) {
    const I last = count - first > piece ? first + piece : count;
    for (; first < last; ++first) body(first);
    if (!budget.look()) throw Unfinished();
  }
}

}  // namespace btfperm
