// SPDX-License-Identifier: BSD-3-Clause
// Sharing: the least size of work that is divided among threads
//
// Each use has its own measured size. A test sets `share_always`, so that the smallest matrices use
// the code of large ones.
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

// Threads for one algorithm on a matrix with this number of entries. In an algorithm that shares
// its loops, threads wait for each other at barriers, and a thread that has lost its core delays
// all. On two busy cores, random matrices of up to 50,000 entries were slower on two threads than
// on one with karp-sipser, pothen-fan, p-dbfs and ms-bfs-graft, most of them many times. On busy
// cores no size was found from which on two threads are faster; from 100,000 entries on, the
// caller's number of threads is used.
inline int threads_for_search(std::int64_t entries, int threads) {
  constexpr std::int64_t cautious = 100'000;
  return entries < least_to_share(cautious) ? 1 : threads;
}

// Whether a whole search of a matrix with this number of entries is faster on this number of
// threads. On 16 cores of a Xeon, er_3e4_d5.0, circuit_1e5 and rmat_s16 (150,000 to 500,000
// entries) are slower on two threads than on one and faster on 16; circuit_3e6 (10 million) is
// faster on two.
inline bool worth_sharing_search(std::int64_t entries, int threads) {
  constexpr std::int64_t measured = 1 << 22;  // entries times threads
  return threads > 1 && entries * std::min(threads, 16) >= least_to_share(measured);
}

}  // namespace btfperm
