// SPDX-License-Identifier: BSD-3-Clause
// union-find: which search trees belong to one component
//
// Idea        The trees of the coarse search cover the horizontal part, and the vertical part. An
//             entry between two trees connects their components, so it is enough to unite trees, of
//             which there are as many as unmatched vertices.
// Paper       R. E. Tarjan, "Efficiency of a good but not linear set union algorithm", J. ACM 22
//             (1975). Here the root with the smaller number remains the root, and a search for a
//             root halves its path. With several threads: S. V. Jayanti, R. E. Tarjan, "Concurrent
//             disjoint set union", Distrib. Comput. 34 (2021)
// Cost        O(k log trees) for k entries in the worst case, one access for each entry in practice
// Encodings   set[t] = the parent of search tree t in the tree of its component, which is smaller
//             than t; or t itself if t is the smallest search tree of its component
// Races       set[t] = t changes at most once, by compare and exchange. Later stores to set[t]
//             shorten paths; whichever thread stores last, set[t] is an ancestor of t
#pragma once

#include <atomic>
#include <utility>

#include "backends/cpu/atomics.hpp"

namespace btfperm {

// The smallest tree of the component of t.
template <class I>
I find_set(I* set, I t) {
  for (I up = load(set[t]); up != t; up = load(set[t])) {
    const I above = load(set[up]);
    if (above != up) store(set[t], above);
    t = above;
  }
  return t;
}

// Unites the components of a and b. Several threads may call this at the same time. Returns the
// smallest tree of the united component.
template <class I>
I unite(I* set, I a, I b) {
  for (;;) {
    a = find_set(set, a);
    b = find_set(set, b);
    if (a == b) return a;
    if (a > b) std::swap(a, b);
    I own = b;
    if (std::atomic_ref<I>(set[b]).compare_exchange_strong(own, a, std::memory_order_relaxed)) {
      return a;
    }
  }
}

}  // namespace btfperm
