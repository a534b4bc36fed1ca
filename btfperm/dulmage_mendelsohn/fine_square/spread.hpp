// SPDX-License-Identifier: BSD-3-Clause
// Propagation of labels and of heights over the vertices of one rank
//
// Idea        Local numbers below `count` are the vertices that this rank owns; it also has their
//             lists. The higher numbers are ghosts, which other ranks own
//             (backends/mpi/ghosts.hpp). The rank processes its own vertices until no label
//             changes, and lists the ghosts whose label has changed. So one exchange is enough for
//             many steps of the search. Heights need no order by levels: it is enough that a vertex
//             is peeled after all its successors.
// Cost        O(edges) for heights and for reachability; for the largest label, the list of a
//             vertex is visited again after each change of the label of this vertex.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "backends/cpu/budget.hpp"

namespace btfperm {

// The vertices of one rank, and their lists by local numbers. `active` is 0 for vertices that are
// no longer part of the digraph.
template <class I>
struct OwnedDigraph {
  std::int64_t count, n_ghosts;
  const std::int64_t* indptr;
  const I* targets;
  const std::uint8_t* active;

  bool owns(I v) const { return v < count; }
};

// The ghosts whose label or degree has changed.
template <class I>
class Touched {
 public:
  explicit Touched(const OwnedDigraph<I>& G)
      : first_(static_cast<I>(G.count)), is_listed_(static_cast<std::size_t>(G.n_ghosts), 0) {}

  void put(I v) {
    count_ += is_listed_[v - first_] == 0;
    is_listed_[v - first_] = 1;
  }

  std::size_t count() const { return count_; }

  // Writes the positions of the changed ghosts among all ghosts, ascending.
  void list(I* places) const {
    const std::uint8_t* const begin = is_listed_.data();
    const std::uint8_t* const end = begin + is_listed_.size();
    const std::uint8_t* at = begin;
    for (std::size_t k = 0; k < count_; ++k, ++at) {  // memchr skips many bytes at once
      at = static_cast<const std::uint8_t*>(std::memchr(at, 1, static_cast<std::size_t>(end - at)));
      places[k] = static_cast<I>(at - begin);
    }
  }

 private:
  I first_;
  std::size_t count_ = 0;
  std::vector<std::uint8_t> is_listed_;
};

// Offers the label values[k] to the vertex seeds[k] and propagates labels along the lists. If
// `within` is null, an active vertex or a ghost accepts each label that is larger than its label;
// otherwise it accepts only the label within[v], once. `label` and `within` have an element for
// each vertex and each ghost.
template <class I>
void spread(const OwnedDigraph<I>& G, const I* within, I* label, std::int64_t n_seeds,
            const I* seeds, const I* values, Touched<I>& touched, Budget& budget) {
  std::vector<I> work;
  const auto accepts = [&](I v, I value) {
    return within == nullptr ? value > label[v] : within[v] == value && label[v] != value;
  };
  const auto offer = [&](I v, I value) {
    if (!accepts(v, value) || (G.owns(v) && !G.active[v])) return;
    label[v] = value;
    if (G.owns(v)) {
      work.push_back(v);
    } else {
      touched.put(v);
    }
  };
  for (std::int64_t k = 0; k < n_seeds; ++k) offer(seeds[k], values[k]);
  while (!work.empty()) {
    const I v = work.back();
    work.pop_back();
    for (std::int64_t p = G.indptr[v]; p < G.indptr[v + 1]; ++p) offer(G.targets[p], label[v]);
    if (!budget.spend(G.indptr[v + 1] - G.indptr[v] + 1)) return;
  }
}

// Peels the vertices `ready`, whose degree is 0, and those whose degree becomes 0. degree[v] is the
// number of vertices that are not peeled and have v in their lists; it becomes -1 when v is peeled.
// The height of each vertex in the list of a peeled vertex v becomes at least the height of v plus
// one. The degree of a ghost starts at 0; afterwards, -degree is the number that its owner must
// subtract.
template <class I>
void peel_owned(const OwnedDigraph<I>& G, I* degree, I* height, std::int64_t n_ready,
                const I* ready, Touched<I>& touched, Budget& budget) {
  std::vector<I> work(ready, ready + n_ready);
  while (!work.empty()) {
    const I v = work.back();
    work.pop_back();
    degree[v] = -1;
    for (std::int64_t p = G.indptr[v]; p < G.indptr[v + 1]; ++p) {
      const I u = G.targets[p];
      if (G.owns(u) && !G.active[u]) continue;
      height[u] = std::max<I>(height[u], height[v] + 1);
      --degree[u];
      if (!G.owns(u)) {
        touched.put(u);
      } else if (degree[u] == 0) {
        work.push_back(u);
      }
    }
    if (!budget.spend(G.indptr[v + 1] - G.indptr[v] + 1)) return;
  }
}

}  // namespace btfperm
