// SPDX-License-Identifier: BSD-3-Clause
// ms-bfs: breadth-first trees from all unmatched columns at once
//
// Idea        In each phase one alternating tree grows from every unmatched column, level by level;
//             a row joins one tree only. A tree that reaches an unmatched row stops growing. At the
//             end of the phase, the matching is augmented along the path in each such tree. A phase
//             that finds no path proves that none exists.
// Paper       A. Azad, A. Buluc, A. Pothen, "A parallel tree grafting algorithm for maximum
//             cardinality matching in bipartite graphs", IPDPS 2015 (MS-BFS, without grafting).
//             Changed: algorithm 4 of the paper tests once for each column whether its tree has a
//             path, and then visits its whole list. Here an unmatched row also ends the visit of a
//             list, because a tree needs only one path
// Cost        O(m + n + nnz) for each phase, n phases in the worst case. Workspace: m bytes, 4 n
// Prefer it   usually on one thread, if a published search is needed; push-relabel if ms-bfs takes
//             many phases, and pothen-fan if columns are long
// Encodings   leaf[root] = the unmatched row that the tree of `root` has reached, or -1. tree[j]:
//             the root of the tree of column j, and its parent, the column from which it was
//             reached. A root has no parent, so tree[root].parent is used for another purpose: the
//             column from which leaf[root] was reached
// Invariants  tree[j].root is valid for the columns in the queue of this phase
#pragma once

#include <algorithm>
#include <limits>

#include "backends/cpu/prefetch.hpp"
#include "transversal/interface.hpp"

namespace btfperm {

template <class I>
class MsBfs {
 public:
  // Trees do not grow into the rows that `row_in_cover` marks. The caller guarantees that no
  // augmenting path contains one of them.
  MsBfs(const PatternView<I>& A, Matching<I> M, const std::uint8_t* row_in_cover,
        Workspace& workspace, Budget& budget, Counters& counters)
      : A_(A), M_(M), row_in_cover_(row_in_cover), budget_(budget), counters_(counters) {
    visited_ = workspace.take<std::uint8_t>(A.m);
    tree_ = workspace.take<Node>(A.n);
    leaf_ = workspace.take<I>(A.n);
    queue_ = workspace.take<I>(A.n);
  }

  void run() {
    for (I j = 0; j < A_.n; ++j) {
      if (M_.col_match[j] < 0) queue_[n_roots_++] = j;
    }
    constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
    finish(any, any);
  }

  // Runs phases from the unmatched columns in a list, which must contain each one that may still be
  // matched. Starts no phase after `max_phases` phases or `max_edges` visited edges. Returns true
  // if no remaining column can be matched, or if the budget ended the search.
  bool run(const I* unmatched, I count, std::int64_t max_phases, std::int64_t max_edges) {
    std::copy(unmatched, unmatched + count, queue_);
    n_roots_ = count;
    return finish(max_phases, max_edges);
  }

  // Marks the rows that the last phase reached from the remaining unmatched columns. If this phase
  // found no path, these are the rows of a minimum cover.
  void mark_cover(std::uint8_t* row_in_cover) const {
    if (n_roots_ == 0) return;
    for (I i = 0; i < A_.m; ++i) row_in_cover[i] |= visited_[i];
  }

 private:
  struct Node {
    I root;
    I parent;
  };

  // Runs phases from the columns in the first n_roots_ places of the queue; see `run`.
  bool finish(std::int64_t max_phases, std::int64_t max_edges) {
    const std::int64_t before = counters_.edges;
    for (; n_roots_ > 0 && max_phases > 0 && counters_.edges - before < max_edges; --max_phases) {
      if (phase() == 0 || budget_.stopped()) return true;
      I left = 0;
      for (I k = 0; k < n_roots_; ++k) {
        if (M_.col_match[queue_[k]] < 0) queue_[left++] = queue_[k];
      }
      n_roots_ = left;
    }
    return n_roots_ == 0;
  }

  // Grows the trees and augments along their paths. Returns the number of paths.
  I phase() {
    ++counters_.phases;
    std::copy(row_in_cover_, row_in_cover_ + A_.m, visited_);
    budget_.spend(A_.m);
    for (I k = 0; k < n_roots_; ++k) {
      tree_[queue_[k]].root = queue_[k];
      leaf_[queue_[k]] = -1;
    }
    const I found = grow();
    for (I k = 0; k < n_roots_; ++k) {
      if (leaf_[queue_[k]] >= 0) augment(queue_[k]);
    }
    return found;
  }

  // Grows the trees; returns the number of trees that reached an unmatched row. (Local copies of
  // the pointers, because the compiler must assume that a write to a byte, such as visited[i], may
  // change any member.)
  I grow() {
    const I* const indptr = A_.indptr;
    const I* const indices = A_.indices;
    const I* const row_match = M_.row_match;
    std::uint8_t* const visited = visited_;
    Node* const tree = tree_;
    I* const leaf = leaf_;
    I* const queue = queue_;
    constexpr std::int64_t between_polls = 1 << 14;
    const I n_roots = n_roots_;
    I tail = n_roots;
    I found = 0;
    std::int64_t read = 0;
    for (I head = 0; head < tail && found < n_roots; ++head) {
      if (head + 8 < tail) {
        prefetch(indptr + queue[head + 8]);
        prefetch(indices + indptr[queue[head + 4]]);
      }
      const I j = queue[head];
      const I root = tree[j].root;
      if (leaf[root] >= 0) continue;
      const I end = indptr[j + 1];
      const I begin = indptr[j];
      I p = begin;
      for (; p < end; ++p) {
        const I i = indices[p];
        if (visited[i]) continue;
        visited[i] = 1;
        const I below = row_match[i];
        if (below < 0) {
          leaf[root] = i;
          tree[root].parent = j;  // see Encodings
          ++found;
          break;
        }
        tree[below] = {root, j};
        queue[tail++] = below;
      }
      read += std::min<I>(p + 1, end) - begin;
      if (read > between_polls) {
        counters_.edges += read;
        if (!budget_.spend(read)) return found;
        read = 0;
      }
    }
    counters_.edges += read;
    budget_.spend(read);
    return found;
  }

  void augment(I root) {
    counters_.augmented(augment_along(M_, leaf_[root], tree_[root].parent,
                                      [&](I j, I) { return tree_[j].parent; }));
  }

  const PatternView<I>& A_;
  Matching<I> M_;
  const std::uint8_t* row_in_cover_;
  std::uint8_t* visited_;
  Node* tree_;
  I* leaf_;
  I* queue_;  // the first n_roots_ places hold the unmatched columns
  I n_roots_ = 0;
  Budget& budget_;
  Counters& counters_;
};

template <class I>
void ms_bfs(const PatternView<I>& A, Matching<I> M, const Options&, Workspace& workspace,
            Budget& budget, Counters& counters, Proof& proof) {
  MsBfs<I> search(A, M, proof.row_in_cover, workspace, budget, counters);
  search.run();
  search.mark_cover(proof.row_in_cover);
  proof.complete = !budget.stopped();
}

}  // namespace btfperm
