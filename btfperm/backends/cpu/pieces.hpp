// SPDX-License-Identifier: BSD-3-Clause
// Pieces: long passes over an array that can be ended in between
#pragma once

#include "backends/cpu/budget.hpp"

namespace btfperm {

// Thrown out of a pass in the middle of which the budget ended: what it was making is not whole.
struct Unfinished {};

// Ends a pass when the budget ends: by Ctrl-C, by its time or by its work.
struct BudgetPoll {
  Budget& budget;
  void operator()() const {
    if (!budget.look()) throw Unfinished();
  }
};

// body(0) ... body(count - 1), with a look at `poll` between pieces of some milliseconds. `poll`
// may throw to end the pass.
template <class I, class Poll, class Body>
void in_pieces(I count, const Poll& poll, Body body) {
  constexpr I piece = 1 << 19;
  for (I first = 0; first < count;) {
    const I last = count - first > piece ? first + piece : count;
    for (; first < last; ++first) body(first);
    poll();
  }
}

}  // namespace btfperm
