// SPDX-License-Identifier: BSD-3-Clause
// Prefetch: has memory on its way before it is needed
//
// GCC takes a function that only prefetches for one without effect, and leaves its calls out,
// unless it was inlined before it was looked at. The empty statement is an effect.
#pragma once

namespace btfperm {

inline void prefetch(const void* place) {
  __builtin_prefetch(place);
  asm volatile("");
}

inline void prefetch_to_write(const void* place) {
  __builtin_prefetch(place, 1);
  asm volatile("");
}

}  // namespace btfperm
