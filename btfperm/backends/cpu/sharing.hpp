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

// Whether a whole search of a matrix with so many entries is faster on so many threads. Measured
// (16 cores of a Xeon; totals of start, search and certificate in ms on 1, 2, 4, 16 threads): .15 M
// entries, er_3e4_d5.0, 5.1, 6.9, 4.9, 3.0; .36 M, circuit_1e5, 11.9, 18.5, 12.4, 8.0; .5 M,
// rmat_s16, 12.9, 14.3, 9.5, 4.7; 10 M, circuit_3e6, 1290, 870, -, 210.
inline bool worth_sharing_search(std::int64_t entries, int threads) {
  constexpr std::int64_t measured = 1 << 22;  // entries times threads
  return threads > 1 && entries * std::min(threads, 16) >= least_to_share(measured);
}

}  // namespace btfperm
