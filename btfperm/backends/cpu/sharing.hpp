// SPDX-License-Identifier: BSD-3-Clause
// Sharing: how large a piece of work must be before other threads are woken for it
//
// Each place has its own measured size. A test sets `share_always`: then the smallest matrices run
// what only large ones would.
#pragma once

#include <atomic>

namespace btfperm {

inline std::atomic<bool> share_always{false};

template <class T>
T least_to_share(T measured) {
  return share_always.load(std::memory_order_relaxed) ? T{2} : measured;
}

}  // namespace btfperm
