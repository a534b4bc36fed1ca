// SPDX-License-Identifier: BSD-3-Clause
// union-find on the device: sets that many threads unite, each named by its smallest member
//
// Idea        A root points to itself, every other member to a smaller one. One atomicCAS on the
//             larger root unites two sets. A search for a root shortens its path.
// Paper       J. Jaiganesh, M. Burtscher, "A high-performance connected components implementation
//             for GPUs", HPDC 2018
// Races       Only atomicCAS changes the parent of a root, and a vertex never becomes a root again.
//             For other vertices, parent[v] is always a smaller member of the set of v, so that an
//             out-of-date value also leads to the root, by a longer path
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

// Makes v point to its root. No thread may shorten paths in the same launch, because its late store
// would undo this.
__device__ inline void flatten_way(Index* parent, Index v) {
  Index root = seen(&parent[v]);
  while (root != seen(&parent[root])) root = seen(&parent[root]);
  show(&parent[v], root);
}

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
