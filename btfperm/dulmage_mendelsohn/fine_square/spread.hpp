// SPDX-License-Identifier: BSD-3-Clause
// Propagation of labels and of heights over the vertices of one rank
//
// Idea        A rank owns the vertices first .. first + count - 1 of a digraph and their lists of
//             targets. It processes its own vertices until no label changes any more, and collects
//             the labels for vertices of other ranks; so one exchange follows many steps of the
//             search. Heights need no level order: a vertex is peeled after all its successors,
//             whatever the order of the others.
// Cost        O(arcs) for heights and for reachability; for the largest label, O(arcs) for each
//             change of a label in the worst case.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "backends/cpu/budget.hpp"

namespace btfperm {

// The vertices of one rank. `targets` are numbers of the whole digraph; `active` is 0 for vertices
// that are no longer part of it.
template <class I>
struct OwnedDigraph {
  std::int64_t first, count;
  const std::int64_t* indptr;
  const I* targets;
  const std::uint8_t* active;

  bool owns(I vertex) const { return vertex >= first && vertex < first + count; }
};

// Values for vertices of other ranks.
template <class I>
struct Outbox {
  std::vector<I> targets, values;

  void put(I target, I value) {
    targets.push_back(target);
    values.push_back(value);
  }
};

// Gives seed k the label values[k] and propagates labels. A vertex accepts a larger label; with
// `within`, it accepts only the label within[v], once.
template <class I>
void spread(const OwnedDigraph<I>& G, const I* within, I* label, std::int64_t n_seeds,
            const I* seeds, const I* values, Outbox<I>& outbox, Budget& budget) {
  std::vector<I> work;
  const auto offer = [&](std::int64_t v, I value) {
    if (!G.active[v]) return;
    const bool accepts =
        within == nullptr ? value > label[v] : within[v] == value && label[v] != value;
    if (!accepts) return;
    label[v] = value;
    work.push_back(static_cast<I>(v));
  };
  for (std::int64_t k = 0; k < n_seeds; ++k) offer(seeds[k] - G.first, values[k]);
  while (!work.empty()) {
    const I v = work.back();
    work.pop_back();
    for (std::int64_t p = G.indptr[v]; p < G.indptr[v + 1]; ++p) {
      if (G.owns(G.targets[p])) {
        offer(G.targets[p] - G.first, label[v]);
      } else {
        outbox.put(G.targets[p], label[v]);
      }
    }
    if (!budget.spend(G.indptr[v + 1] - G.indptr[v] + 1)) return;
  }
}

// Peels the ready vertices, whose degree is 0, and those that become ready. degree[v] counts the
// successors that are not peeled; it becomes -1 when v is peeled. The lists hold predecessors, each
// of which gets at least the height of v plus one.
template <class I>
void peel_owned(const OwnedDigraph<I>& G, I* degree, I* height, std::int64_t n_ready,
                const I* ready, Outbox<I>& outbox, Budget& budget) {
  std::vector<I> work(ready, ready + n_ready);
  while (!work.empty()) {
    const I v = work.back();
    work.pop_back();
    degree[v] = -1;
    for (std::int64_t p = G.indptr[v]; p < G.indptr[v + 1]; ++p) {
      if (!G.owns(G.targets[p])) {
        outbox.put(G.targets[p], height[v] + 1);
        continue;
      }
      const std::int64_t u = G.targets[p] - G.first;
      if (!G.active[u]) continue;
      height[u] = std::max<I>(height[u], height[v] + 1);
      if (--degree[u] == 0) work.push_back(static_cast<I>(u));
    }
    if (!budget.spend(G.indptr[v + 1] - G.indptr[v] + 1)) return;
  }
}

}  // namespace btfperm
