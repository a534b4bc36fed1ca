// SPDX-License-Identifier: BSD-3-Clause
// Sharing: how large a piece of work must be before other threads are woken for it
//
// Each place has its own measured size. A test sets `share_always`: then the smallest matrices run
// what only large ones would.
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

// Threads for one algorithm on a matrix with so many entries: what shares its loops from their
// first column on waits at barriers, and a thread that others keep from its core holds up all.
// Measured on two busy cores (entries: karp-sipser, pothen-fan, p-dbfs, ms-bfs-graft in ms on one
// thread -> on two; d = 4, medians of 7): 2e3: .16 -> 76, .17 -> 43, .12 -> .35, .21 -> .37; 2e4:
// .63 -> 47, 1.2 -> 16, 1.1 -> 58, 6.0 -> 22; 5e4: 2.1 -> 94, 13 -> 175, 9.2 -> 125, 17 -> 50. Busy
// cores show no size from which on two threads gain; above this one a caller who asks for them has
// them.
inline int threads_for_search(std::int64_t entries, int threads) {
  constexpr std::int64_t cautious = 100'000;
  return entries < least_to_share(cautious) ? 1 : threads;
}

// Whether a whole search of a matrix with so many entries is faster on so many threads. Measured
// (16 cores of a Xeon; totals of start, search and certificate in ms on 1, 2, 4, 16 threads): .15 M
// entries, er_3e4_d5.0, 5.1, 6.9, 4.9, 3.0; .36 M, circuit_1e5, 11.9, 18.5, 12.4, 8.0; .5 M,
// rmat_s16, 12.9, 14.3, 9.5, 4.7; 10 M, circuit_3e6, 1290, 870, -, 210.
inline bool worth_sharing_search(std::int64_t entries, int threads) {
  constexpr std::int64_t measured = 1 << 22;  // entries times threads
  return threads > 1 && entries * std::min(threads, 16) >= least_to_share(measured);
}

}  // namespace btfperm
