// SPDX-License-Identifier: BSD-3-Clause
// union-find on the device: sets that many threads unite, each named by its smallest member
//
// Idea        A set is a tree. Its root, the smallest member, has itself as parent; every other
//             member has a smaller member as parent. One atomicCAS on the larger root unites two
//             sets. A search for a root shortens its path.
// Paper       J. Jaiganesh, M. Burtscher, "A high-performance connected components implementation
//             for GPUs", HPDC 2018
// Races       Only atomicCAS changes the parent of a root, and a vertex never becomes a root again.
//             For other vertices, parent[v] is always a smaller member of the set of v. So a thread
//             that reads an out-of-date parent also reaches the root, on a longer path
#pragma once

#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"

__device__ inline Index find_root(Index* parent, Index v) {
  Index up = seen(&parent[v]);
  while (up != v) {
    const Index above = seen(&parent[up]);
    if (above != up) show(&parent[v], above);
    v = up;
    up = above;
  }
  return v;
}

// Makes the root the parent of v. No thread may call find_root for these sets at the same time,
// because its late store could replace the root by an earlier parent.
__device__ inline void flatten_way(Index* parent, Index v) {
  Index root = seen(&parent[v]);
  while (root != seen(&parent[root])) root = seen(&parent[root]);
  show(&parent[v], root);
}

// Unites the sets of u and v.
__device__ inline void unite(Index* parent, Index u, Index v) {
  u = find_root(parent, u);
  v = find_root(parent, v);
  while (u != v) {
    if (u < v) {
      const Index larger = v;
      v = u;
      u = larger;
    }
    const Index before = static_cast<Index>(atomicCAS(
        reinterpret_cast<Place*>(&parent[u]), static_cast<Place>(u), static_cast<Place>(v)));
    if (before == u) return;
    u = find_root(parent, before);
  }
}
