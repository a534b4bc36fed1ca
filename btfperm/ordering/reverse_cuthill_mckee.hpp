// SPDX-License-Identifier: BSD-3-Clause
// rcm: reverse Cuthill-McKee, an order with a small bandwidth
//
// Idea       A breadth-first search on the graph of B + B' for a block B appends the neighbours of
//            a node by ascending degree. In this order, entries are near the diagonal. The reverse
//            order has the same bandwidth and usually a smaller profile. The search starts at a
//            node that is far from another one, see find_end(): then it has many short levels.
// Paper      E. Cuthill, J. McKee, Proc. 24th ACM National Conference, 1969. The reverse order and
//            the choice of the start: A. George, J. W. H. Liu, ACM TOMS 5, 1979
// Cost       O(entries log(largest degree)) after the searches for a start, which are few
// Prefer it  for solvers that store a band or a profile, and for incomplete factors; for LU, amd
//            has less fill
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "backends/cpu/workspace.hpp"
#include "ordering/blocks.hpp"

namespace btfperm {

template <class I>
class ReverseCuthillMckee {
 public:
  ReverseCuthillMckee(I size, std::int64_t entries, Workspace& workspace)
      : rows_(size, entries, workspace),
        start_(workspace.take<std::int64_t>(static_cast<std::size_t>(size) + 1)),
        neighbours_(workspace.take<I>(2 * entries)),
        seen_(workspace.take<I>(size)),
        queue_(workspace.take<I>(size)) {}

  // Sets the order of the places of the block; false if the limit ends first.
  template <class Limit>
  bool order(const DiagonalBlock<I>& block, I* order, Limit& limit) {
    read(block);
    const I n = block.n;
    std::fill(seen_, seen_ + n, I{0});
    search_ = 0;
    ordered_ = -1;
    I done = 0;
    for (I first = 0; first < n; ++first) {
      if (seen_[first] == ordered_) continue;
      I root = first;
      if (!find_end(root, limit)) return false;
      const I count = search(root, ordered_, order + done, true);
      if (!limit.spend(count)) return false;
      done += count;
    }
    std::reverse(order, order + n);
    return true;
  }

 private:
  I degree(I node) const { return static_cast<I>(start_[node + 1] - start_[node]); }

  // Stores the graph of B + B' without its loops.
  void read(const DiagonalBlock<I>& block) {
    rows_.read(block);
    std::fill(seen_, seen_ + block.n, I{-1});
    std::int64_t to = 0;
    const auto append = [&](I node, const I* first, const I* last) {
      for (; first < last; ++first) {
        if (seen_[*first] == node) continue;
        seen_[*first] = node;
        neighbours_[to++] = *first;
      }
    };
    for (I node = 0; node < block.n; ++node) {
      start_[node] = to;
      seen_[node] = node;
      append(node, block.indices + block.indptr[node], block.indices + block.indptr[node + 1]);
      append(node, rows_.cols + rows_.start[node], rows_.cols + rows_.start[node + 1]);
    }
    start_[block.n] = to;
  }

  // Moves `root` to a node far from another one, by a few searches. Each search begins at a node of
  // the smallest degree in the last level of the search before it. The last search is the first one
  // that has not more levels than its predecessor.
  template <class Limit>
  bool find_end(I& root, Limit& limit) {
    for (I longest = -1;;) {
      const I count = search(root, ++search_, queue_, false);
      std::int64_t work = 0;
      for (I k = 0; k < count; ++k) work += degree(queue_[k]);
      if (!limit.spend(work)) return false;
      if (levels_ <= longest) return true;
      longest = levels_;
      root = *std::min_element(queue_ + last_level_, queue_ + count,
                               [&](I a, I b) { return degree(a) < degree(b); });
    }
  }

  // Breadth-first search over the nodes that have no place in the order yet. Lists the nodes that
  // it reaches in `found` and marks them; returns their number.
  I search(I root, I mark, I* found, bool by_degree) {
    found[0] = root;
    seen_[root] = mark;
    I count = 1;
    levels_ = 0;
    last_level_ = 0;
    for (I begin = 0, end = 1; begin < end; begin = end, end = count) {
      last_level_ = begin;
      ++levels_;
      for (I k = begin; k < end; ++k) {
        const I first = count;
        for (std::int64_t p = start_[found[k]]; p < start_[found[k] + 1]; ++p) {
          const I node = neighbours_[p];
          if (seen_[node] == mark || seen_[node] == ordered_) continue;
          seen_[node] = mark;
          found[count++] = node;
        }
        if (by_degree) {
          std::sort(found + first, found + count, [&](I a, I b) {
            return degree(a) != degree(b) ? degree(a) < degree(b) : a < b;
          });
        }
      }
    }
    return count;
  }

  BlockRows<I> rows_;
  std::int64_t* start_;
  I* neighbours_;
  I* seen_;  // the last search that reached each node; ordered_ if the node has its place
  I* queue_;
  I search_ = 0;
  I ordered_ = -1;
  I levels_ = 0;
  I last_level_ = 0;  // where the last level begins
};

}  // namespace btfperm
