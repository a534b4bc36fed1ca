// SPDX-License-Identifier: BSD-3-Clause
// Sharing: the least size of work that is divided among threads
//
// Each use has its own measured size. A test sets `share_always`, so that the smallest matrices are
// divided among threads, too.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace btfperm {

inline std::atomic<bool> share_always{false};

template <class T>
T least_to_share(T measured) {
  return share_always.load(std::memory_order_relaxed) ? T{2} : measured;
}

// The number of threads with which an algorithm works on a matrix with this number of entries: one
// thread for fewer than `cautious` entries, else the caller's number. In an algorithm that shares
// its loops, threads wait for each other at barriers. On a machine that also runs other processes,
// a thread may lose its core, and then delays all others. For a small matrix, this may take longer
// than the search on one thread. If `share_always` is set, the bound is 2 entries, so that tests
// run small matrices on several threads.
inline int threads_for_search(std::int64_t entries, int threads) {
  constexpr std::int64_t cautious = 100'000;
  return entries < least_to_share(cautious) ? 1 : threads;
}

// Whether a search of a matrix with this number of entries is divided among this number of threads,
// instead of running on one. The bound applies to the product of the entries and the threads, of
// which at most 16 are counted: on two threads, the search of a matrix of medium size may take
// longer than on one, but on many threads it takes less time.
inline bool worth_sharing_search(std::int64_t entries, int threads) {
  constexpr std::int64_t measured = 1 << 22;  // entries times threads
  return threads > 1 && entries * std::min(threads, 16) >= least_to_share(measured);
}

}  // namespace btfperm
