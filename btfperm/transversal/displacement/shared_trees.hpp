// SPDX-License-Identifier: BSD-3-Clause
// shared trees: ms-bfs (ms_bfs.hpp) by several threads, level by level
//
// Idea        In each phase, an alternating tree grows from every unmatched column. The columns of
//             a level are divided among all threads, even if they are in one large tree; one thread
//             processes levels of few columns. Then the matching is augmented along all paths in
//             parallel, because trees are disjoint. A phase without a path proves that none exists.
// Paper       ours; A. Azad, A. Buluc, A. Pothen, "A parallel tree grafting algorithm for maximum
//             cardinality matching in bipartite graphs", IPDPS 2015, without grafting and bottom-up
//             steps. These need the row lists, which cost more than they save if there are few
//             trees
// Cost        O(nnz) for each phase, in which a column joins at most one tree and is visited once;
//             n phases in the worst case; finish_by_trees.hpp stops it after 8 + sqrt(n) phases
//             (`max_phases`). Workspace: 3 n + max_roots
// Prefer it   for a matching that is nearly maximum, with several threads; ms-bfs-graft if many
//             columns are unmatched. On one thread it takes 1.74 times as long as ms_bfs.hpp in
//             the geometric mean (2026-11-26-serial-shared-field)
// Encodings   tree[j].root = base + k: column j is in the tree of the k-th root of this phase; less
//             than `base`: in no tree of this phase; `closed`: the row matched to column j is in
//             the cover already. row_match[i] = -2: unmatched, and the leaf of a tree
// Races       A thread claims column j by a compare-and-swap of tree[j].root, and only this thread
//             writes tree[j].parent. A thread claims an unmatched row by a compare-and-swap of
//             row_match[i] from -1 to -2, and then the leaf of its tree in the same way. If the
//             tree has a leaf already, the thread restores -1. Another thread that skipped the row
//             in the meantime may miss a path. But then the phase has found the path of that leaf,
//             so another phase follows. A thread that reads an outdated leaf only extends a tree
//             that has a path
#pragma once

#include <omp.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "backends/cpu/atomics.hpp"
#include "backends/cpu/frontier.hpp"
#include "backends/cpu/parallel.hpp"
#include "backends/cpu/prefetch.hpp"
#include "transversal/interface.hpp"

namespace btfperm {

template <class I>
class SharedTrees {
 public:
  // Trees do not grow into the rows that `row_in_cover` marks. The caller guarantees that no
  // augmenting path contains one of them. Roots are numbered from `first_root` on.
  SharedTrees(const PatternView<I>& A, Matching<I> M, const std::uint8_t* row_in_cover, int threads,
              I max_roots, I first_root, Workspace& workspace, Budget& budget, Counters& counters)
      : A_(A),
        M_(M),
        threads_(threads),
        queue_(workspace.take<I>(A.n)),
        base_(first_root),
        budget_(budget),
        counters_(counters) {
    tree_ = workspace.take<Node>(A.n);
    leaf_ = workspace.take<I>(max_roots);
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
      for (I j = 0; j < A.n; ++j) tree_[j].root = -1;
#pragma omp for schedule(static)
      for (I i = 0; i < A.m; ++i) {
        if (row_in_cover[i] && M.row_match[i] >= 0) tree_[M.row_match[i]].root = closed;
      }
    }
  }

  // Grows trees from the listed columns, which must contain every unmatched column that may still
  // be matched. The list is reordered. Starts no phase after `max_phases` phases or `max_edges`
  // visited edges; an edge that one thread visits while the others wait counts once for each
  // thread. Returns true if no remaining column can be matched, or if the budget ended the search.
  bool run(I* unmatched, I count, std::int64_t max_phases, std::int64_t max_edges) {
    const std::int64_t before = counters_.edges;
    for (; count > 0; --max_phases) {
      const std::int64_t while_one_reads = read_alone_ * (threads_ - 1);
      if (max_phases == 0 || counters_.edges - before + while_one_reads >= max_edges) return false;
      base_ += n_roots_;
      if (base_ >= closed - count) forget();
      roots_ = unmatched;
      n_roots_ = count;
      if (phase() == 0 || budget_.stopped()) return true;
      I left = 0;
      for (I k = 0; k < count; ++k) {
        if (M_.col_match[unmatched[k]] < 0) std::swap(unmatched[left++], unmatched[k]);
      }
      count = left;
    }
    n_roots_ = 0;
    return true;
  }

  // Marks the rows that alternating paths from the remaining unmatched columns reach.
  void mark_cover(std::uint8_t* row_in_cover) const {
    if (n_roots_ == 0) return;
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (I i = 0; i < A_.m; ++i) {
      const I j = M_.row_match[i];
      row_in_cover[i] |= j >= 0 && tree_[j].root >= base_;
    }
  }

 private:
  struct Node {
    I root;
    I parent;
  };
  static constexpr I closed = std::numeric_limits<I>::max();
  static constexpr I leaf_row = -2;

  // Grows the trees and augments along their paths. Returns the number of paths.
  I phase() {
    ++counters_.phases;
    queue_.assign(n_roots_);
    hand_out(0, n_roots_);
    std::int64_t edges = 0;
    I found = 0;
    std::int64_t length = 0;
    std::int64_t longest = 0;
#pragma omp parallel num_threads(threads_) reduction(+ : edges, found, length) \
    reduction(max : longest)
    {
#pragma omp for schedule(static)
      for (I k = 0; k < n_roots_; ++k) {
        queue_.places()[k] = roots_[k];
        tree_[roots_[k]].root = base_ + k;
        leaf_[k] = -1;
      }
      edges = grow();
#pragma omp for schedule(dynamic, 16)
      for (I k = 0; k < n_roots_; ++k) {
        if (leaf_[k] < 0) continue;
        const std::int64_t path = augment_along(M_, leaf_[k], tree_[roots_[k]].parent,
                                                [&](I j, I) { return tree_[j].parent; });
        ++found;
        length += path;
        longest = std::max(longest, path);
      }
    }
    counters_.edges += edges;
    counters_.augmentations += found;
    counters_.path_edges += length;
    counters_.longest_path = std::max(counters_.longest_path, longest);
    return found;
  }

  // Grows all levels; every thread of the team calls it. Returns the number of edges that the
  // calling thread visited.
  std::int64_t grow() {
    const int team = omp_get_num_threads();
    const int spends_for = omp_get_thread_num() == 0 ? team : 0;
    std::int64_t edges = 0;
    while (begin_ < end_) {
      {
        typename Frontier<I>::Private mine(queue_);
        for (;;) {
          const std::int64_t first = drawn_.fetch_add(chunk_, std::memory_order_relaxed);
          if (first >= end_ || budget_.stopped()) break;
          const I last = static_cast<I>(std::min<std::int64_t>(first + chunk_, end_));
          edges += grow_from(static_cast<I>(first), last, spends_for, mine);
        }
      }
      barrier_.wait(team);
      if (spends_for > 0) edges += next_level();
      barrier_.wait(team);
    }
    return edges;
  }

  // Advances to the next level with enough columns for several threads; the calling thread
  // processes the smaller levels before it alone. Returns the number of edges that it visited.
  std::int64_t next_level() {
    std::int64_t edges = 0;
    for (;;) {
      begin_ = end_;
      end_ = budget_.stopped() ? begin_ : queue_.size();
      if (begin_ == end_ || end_ - begin_ >= share_from_) break;
      typename Frontier<I>::Private mine(queue_);
      edges += grow_from(begin_, end_, 1, mine);
    }
    read_alone_ += edges;
    hand_out(begin_, end_);
    return edges;
  }

  // Makes the columns at places begin ... end - 1 of the queue the current level.
  void hand_out(I begin, I end) {
    begin_ = begin;
    end_ = end;
    chunk_ = std::clamp<I>((end - begin) / (4 * threads_), 8, 128);
    drawn_.store(begin, std::memory_order_relaxed);
  }

  // Claims rows for the columns in places first ... last - 1 of the queue. Returns the sum of the
  // lengths of the lists that it visits.
  std::int64_t grow_from(I first, I last, int spends_for, typename Frontier<I>::Private& reached) {
    std::int64_t edges = 0;
    for (I k = first; k < last; ++k) {
      prefetch_ahead(k, last);
      const I j = queue_[k];
      const I root = tree_[j].root;
      if (load(leaf_[root - base_]) >= 0) continue;  // the tree has a path
      for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
        const I i = A_.indices[p];
        const I below = load(M_.row_match[i]);
        if (below == leaf_row) continue;
        if (below < 0) {
          if (!end_in(i, j, root)) continue;
          break;
        }
        if (!join(below, root)) continue;
        tree_[below].parent = j;
        reached.push(below);
      }
      edges += A_.degree(j);
    }
    if (spends_for > 0) budget_.spend(edges * spends_for);
    return edges;
  }

  // Claims column j for the tree of `root`. Returns true to the one thread that succeeds, false if
  // j is in a tree or closed.
  bool join(I j, I root) {
    std::atomic_ref<I> mark(tree_[j].root);
    I seen = mark.load(std::memory_order_relaxed);
    return seen < base_ && mark.compare_exchange_strong(seen, root, std::memory_order_relaxed);
  }

  // Claims the unmatched row i, which column j has reached, as the end of a path in the tree of j.
  // Returns true if this tree has a path afterwards, false if row i was claimed before.
  bool end_in(I i, I j, I root) {
    I unmatched = -1;
    std::atomic_ref<I> mate(M_.row_match[i]);
    if (!mate.compare_exchange_strong(unmatched, leaf_row, std::memory_order_relaxed)) return false;
    if (take(leaf_[root - base_], i)) {
      tree_[roots_[root - base_]].parent = j;
    } else {
      mate.store(-1, std::memory_order_relaxed);  // the tree has a leaf already
    }
    return true;
  }

  // Removes all columns from trees, so that roots can be numbered from 0 on again.
  void forget() {
    base_ = 0;
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (I j = 0; j < A_.n; ++j) {
      if (tree_[j].root != closed) tree_[j].root = -1;
    }
  }

  // Prefetches the data of the next columns in the queue.
  void prefetch_ahead(I k, I last) const {
    if (k + 12 < last) prefetch(A_.indptr + queue_[k + 12]);
    if (k + 8 < last) prefetch(A_.indices + A_.indptr[queue_[k + 8]]);
    if (k + 5 < last) {
      for_first_rows(queue_[k + 5], [&](I i) { prefetch(M_.row_match + i); });
    }
    if (k + 2 < last) {
      for_first_rows(queue_[k + 2], [&](I i) {
        const I below = load(M_.row_match[i]);
        if (below >= 0) prefetch_to_write(tree_ + below);
      });
    }
  }

  template <class Action>
  void for_first_rows(I j, Action action) const {
    const I* list = A_.indices + A_.indptr[j];
    const I count = std::min<I>(A_.degree(j), 8);
    for (I p = 0; p < count; ++p) action(list[p]);
  }

  const PatternView<I>& A_;
  Matching<I> M_;
  int threads_;
  Frontier<I> queue_;  // all levels of a phase, one after the other
  I begin_ = 0;        // the current level: its first place, and the place behind its last one
  I end_ = 0;
  I chunk_ = 1;                                  // the number of columns that a thread takes
  const I share_from_ = least_to_share<I>(256);  // one thread processes levels of fewer columns
  Barrier barrier_;
  std::atomic<std::int64_t> drawn_{0};  // the place of the first column that no thread has taken
  I* roots_ = nullptr;
  I n_roots_ = 0;
  I base_;
  Node* tree_;
  I* leaf_;                      // for each root, the row at the end of a path in its tree, or -1
  std::int64_t read_alone_ = 0;  // edges that one thread visited while the others waited
  Budget& budget_;
  Counters& counters_;
};

}  // namespace btfperm
