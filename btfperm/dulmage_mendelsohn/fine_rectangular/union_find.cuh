// SPDX-License-Identifier: BSD-3-Clause
// union-find on the device: sets that many threads unite, each named by its smallest member
//
// Idea        A root points to itself, all others to smaller ones. Two sets are united by one
//             atomicCAS on the larger root; ways are shortened while they are walked.
// Paper       J. Jaiganesh, M. Burtscher, "A high-performance connected components implementation
//             for GPUs", HPDC 2018
// Races       A root is given up by atomicCAS alone and is none ever after. Else parent[v] always
//             names a smaller member of v's set: whoever writes it last, and a late value, lead to
//             the root, if by a longer way
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

// Makes v point to its root. Nobody shortens ways in the same launch: a late word of theirs would
// undo this.
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
