// SPDX-License-Identifier: BSD-3-Clause
// Prefetch: loads memory into the cache before it is needed
//
// GCC regards a function that only prefetches as one without effect, and removes calls of it that
// are not inlined yet. The empty assembler statement counts as an effect, so the calls remain.
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
