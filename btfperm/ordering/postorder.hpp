// SPDX-License-Identifier: BSD-3-Clause
// postorder: an elimination order in which each subtree of the elimination tree is contiguous
//
// Idea        If pivots stay on the diagonal, a column is updated only by columns in its subtree of
//             the elimination tree of B + B'. In a postorder, these columns come directly before
//             it, so their entries are adjacent in the factors and still in the cache. The fill
//             does not change, because neighbours in the filled graph keep their relative order in
//             any order in which parents follow their children.
// Cost        nearly linear in the entries. Memory: a few arrays of the nodes
// Paper       Liu: The role of elimination trees in sparse factorization, SIMAX 11 (1990)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "backends/cpu/workspace.hpp"
#include "ordering/blocks.hpp"

namespace btfperm {

// Finds the postorder of a forest of n nodes. Node k takes weight[k] places, and the children of a
// node keep their order. parent[k] is larger than k, or -1 for a root. Sets begin[k] to the first
// place of node k. `size` and `end` are workspace of n numbers.
template <class I>
void find_postorder(I n, const I* parent, const I* weight, I* size, I* end, I* begin) {
  std::copy(weight, weight + n, size);
  I last = 0;  // the end of the last tree to which no places are assigned
  for (I k = 0; k < n; ++k) (parent[k] < 0 ? last : size[parent[k]]) += size[k];
  for (I k = n; k-- > 0;) {
    I& above = parent[k] < 0 ? last : end[parent[k]];
    begin[k] = above - weight[k];
    above -= size[k];
    end[k] = begin[k];  // the places of the children of k end where those of k begin
  }
}

template <class I>
class Postorder {
 public:
  Postorder(I size, Workspace& workspace) {
    for (I** array : {&rank_, &parent_, &root_, &weight_, &size_, &begin_}) {
      *array = workspace.take<I>(size);
    }
  }

  // Replaces the order of a block by a postorder of the elimination tree of B + B' for that order.
  // `rows` holds the entries of the block by rows.
  void apply(const DiagonalBlock<I>& block, const BlockRows<I>& rows, I* order) {
    const I n = block.n;
    for (I k = 0; k < n; ++k) rank_[order[k]] = k;
    std::fill(parent_, parent_ + n, I{-1});
    std::fill(root_, root_ + n, I{-1});
    for (I k = 0; k < n; ++k) {
      const I v = order[k];
      for (std::int64_t p = block.indptr[v]; p < block.indptr[v + 1]; ++p) {
        join(rank_[block.indices[p]], k);
      }
      for (std::int64_t p = rows.start[v]; p < rows.start[v + 1]; ++p) {
        join(rank_[rows.cols[p]], k);
      }
    }
    std::fill(weight_, weight_ + n, I{1});
    find_postorder(n, parent_, weight_, size_, root_, begin_);
    std::copy(order, order + n, rank_);
    for (I k = 0; k < n; ++k) order[begin_[k]] = rank_[k];
  }

 private:
  // Makes node k the parent of the root of the tree that contains node j < k, unless the tree
  // contains k already.
  void join(I j, I k) {
    while (j >= 0 && j < k) {
      const I above = root_[j];
      root_[j] = k;
      if (above < 0) parent_[j] = k;
      j = above;
    }
  }

  I *rank_, *parent_;
  I* root_;  // a node above this one, near the root of its tree; -1 for a root
  I *weight_, *size_, *begin_;
};

}  // namespace btfperm
