// SPDX-License-Identifier: BSD-3-Clause
// ms-bfs-graft: maximum transversal by multi-source BFS with tree grafting
//
// Idea        Alternating trees grow from all unmatched columns at once, level by level. A level is
//             searched top-down, from the columns of the frontier, or bottom-up, from the unvisited
//             rows; a rule that compares their numbers decides (alpha). When the frontier is empty,
//             the matching is augmented along all paths found. If the trees without a path are
//             large enough, the next phase continues with them: rows of the other trees are grafted
//             onto them, and the columns matched to these rows are the next frontier. Otherwise all
//             trees start again.
// Paper       A. Azad, A. Buluc, A. Pothen, "A parallel tree grafting algorithm for maximum
//             cardinality matching in bipartite graphs", IPDPS 2015, algorithms 3 to 7. X are the
//             columns, Y the rows. Changed: algorithm 4 tests once for each column x whether its
//             tree is active, and then adds all unvisited neighbours of x to the tree. Here the
//             visit of the list of x ends when its tree has a path, so that other trees can take
//             the remaining rows; whole=1 visits the whole list as in the paper. Only one thread
//             processes a small level. activeX, the number of columns of active trees, is the
//             number of unmatched columns plus the number of rows of active trees: each of these
//             columns is either a root or the mate of such a row
// Cost        O(m + n + nnz) for each phase, and for each bottom-up step in it, which visits the
//             lists of the unvisited rows; n phases in the worst case. Workspace: the row lists
//             (nnz + m + 1), m bytes, 4 m + 5 n; with several threads 2 nnz more while the row
//             lists are made
// Prefer it   on many cores for large matrices, and if many columns remain unmatched;
//             guided-displacement on one core
// Options     alpha: a level is searched bottom-up if the frontier has at least 1/alpha as many
//             columns as there are unvisited rows; rows are grafted if the trees without a path
//             have more than 1/alpha as many columns as there are rows to graft; direction: 0
//             searches each level top-down; graft: 0 builds all trees again in each phase; whole: 1
//             as in algorithm 4; frontiers: 1 reports the size of the frontier of each level
//             (figure 8 of the paper)
// Encodings   root[x] = -1: column x is in no tree. leaf[root] = -1: the tree is active; else the
//             unmatched row at the end of its path (the paper calls the tree renewable).
//             visited[y] = 1: row y is in a tree
// Invariants  at the start of a phase: 1. frontier columns are in active trees; 2. columns of
//             active trees outside the frontier have only visited rows
// Races       visited[y] is claimed by one thread atomically (top-down), or only the thread of row
//             y writes it (bottom-up). Two threads may set leaf[root] at once; both rows are ends
//             of paths of this tree. root[x] may be read while another thread sets it: the reader
//             then finds x in no active tree or in its new tree, and both are correct. A thread
//             that reads an old value of leaf[root] only adds rows to a tree that has a path
#pragma once

#include <omp.h>

#include <algorithm>

#include "backends/cpu/atomics.hpp"
#include "backends/cpu/first_touch.hpp"
#include "backends/cpu/frontier.hpp"
#include "backends/cpu/parallel.hpp"
#include "backends/cpu/prefetch.hpp"
#include "backends/cpu/shared_loop.hpp"
#include "backends/cpu/step_time.hpp"
#include "pattern/transpose_by_parts.hpp"
#include "transversal/interface.hpp"
#include "transversal/options.hpp"

namespace btfperm {

template <class I>
class MsBfsGraft {
 public:
  MsBfsGraft(const PatternView<I>& A, Matching<I> M, const Options& options, Workspace& workspace,
             Budget& budget, Counters& counters)
      : A_(A),
        M_(M),
        alpha_(std::max(1.0, options.get("alpha"))),
        direction_(options.get("direction") != 0),
        graft_(options.get("graft") != 0),
        whole_(options.get("whole") != 0),
        frontiers_(options.get("frontiers") != 0),
        threads_(std::max(1, options.threads)),
        frontier_(workspace.take<I>(A.n)),
        next_(workspace.take<I>(A.n)),
        free_(workspace.take<I>(A.n)),
        rows_(workspace.take<I>(A.m)),
        left_rows_(workspace.take<I>(A.m)),
        budget_(budget),
        counters_(counters) {
    row_root_ = workspace.take<I>(A.m);
    parent_ = workspace.take<I>(A.m);
    visited_ = workspace.take<std::uint8_t>(A.m);
    col_root_ = workspace.take<I>(A.n);
    leaf_ = workspace.take<I>(A.n);
    I* row_indptr = workspace.take<I>(A.m + 1);
    I* row_indices = workspace.take<I>(A.nnz());
    first_touch(parent_, A.m, threads_, budget);
    first_touch(row_indices, A.nnz(), threads_, budget);
    transpose_by_parts(A, threads_, row_indptr, row_indices, budget);
    R_ = {A.n, A.m, row_indptr, row_indices};
  }

  void run() {
    forget_trees();
    fill(leaf_, A_.n, I{-1}, threads_, budget_);
    free_.collect(A_.n, threads_for(A_.n), budget_, [&](I x, auto& free) {
      if (M_.col_match[x] < 0 && A_.degree(x) > 0) free.push(x);
      return 0;
    });
    start_from_free_columns();
    while (free_.size() > 0) {
      ++counters_.phases;
      grow_forest();
      if (frontiers_) counters_.add_frontier(0);
      const I found = augment();  // also if the budget ended the search
      if (found == 0 || budget_.stopped()) return;
      rebuild_frontier();
    }
  }

 private:
  const I share_from = least_to_share<I>(64);  // smaller loops run on one thread

  // The number of threads for a loop, and the number of iterations that a thread takes at a time.
  int threads_for(I count) const { return count < share_from ? 1 : threads_; }
  I block_of(I count) const { return std::max(I{4}, block_for(count, threads_, I{256})); }

  // Step 1: levels, until the frontier is empty.
  void grow_forest() {
    bool listed = false;  // rows_ holds the unvisited rows
    for (; frontier_.size() > 0 && !budget_.stopped(); frontier_.swap(next_)) {
      const double most = static_cast<double>(unvisited_) / alpha_;
      if (frontiers_) counters_.add_frontier(frontier_.size());
      next_.clear();
      if (!direction_ || static_cast<double>(frontier_.size()) < most) {
        const StepTime time(counters_.top_down_us);
        ++counters_.top_down_steps;
        top_down();
      } else {
        const StepTime time(counters_.bottom_up_us);
        ++counters_.bottom_up_steps;
        if (!listed) list_unvisited();
        listed = true;
        bottom_up();
        rows_.swap(left_rows_);
      }
    }
  }

  void top_down() {
    const I size = frontier_.size();
    const I block = block_of(size);
    std::int64_t edges = 0;
    I reached = 0;
#pragma omp parallel num_threads(threads_for(size)) reduction(+ : edges, reached)
    {
      typename Frontier<I>::Private mine(next_);
      const bool spends = omp_get_thread_num() == 0;
      const int team = omp_get_num_threads();
#pragma omp for schedule(dynamic, block)
      for (I k = 0; k < size; ++k) {
        if (budget_.stopped()) continue;
        fetch_ahead(k, size);
        const I x = frontier_[k];
        const I root = col_root_[x];
        if (load(leaf_[root]) >= 0) continue;  // the tree has a path
        const I begin = A_.indptr[x];
        const I end = A_.indptr[x + 1];
        I p = begin;
        for (; p < end; ++p) {
          const I y = A_.indices[p];
          if (team > 1) {
            if (!claim(visited_[y])) continue;
          } else {
            if (visited_[y] != 0) continue;
            visited_[y] = 1;
          }
          ++reached;
          join(y, x, root, mine);
          if (!whole_ && load(leaf_[root]) >= 0) break;
        }
        const I read = std::min<I>(p + 1, end) - begin;
        edges += read;
        if (spends) budget_.spend(static_cast<std::int64_t>(read) * team);
      }
    }
    unvisited_ -= reached;
    counters_.edges += edges;
  }

  // Prefetches the data of the columns after frontier_[k].
  void fetch_ahead(I k, I size) const {
    if (k + 8 < size) {
      const I x = frontier_[k + 8];
      prefetch(&A_.indptr[x]);
      prefetch(&col_root_[x]);
    }
    if (k + 4 < size) {
      const I x = frontier_[k + 4];
      prefetch(&A_.indices[A_.indptr[x]]);
      prefetch(&leaf_[col_root_[x]]);
    }
  }

  // Searches the list of each row of rows_ for a parent, a column in an active tree; rows without a
  // parent are appended to left_rows_. Used for growth and for grafting.
  void bottom_up() {
    const I size = rows_.size();
    const I block = block_of(size);
    std::int64_t edges = 0;
    I reached = 0;
    left_rows_.clear();
#pragma omp parallel num_threads(threads_for(size)) reduction(+ : edges, reached)
    {
      typename Frontier<I>::Private mine(next_);
      typename Frontier<I>::Private left(left_rows_);
      const bool spends = omp_get_thread_num() == 0;
      const int team = omp_get_num_threads();
#pragma omp for schedule(dynamic, block)
      for (I k = 0; k < size; ++k) {
        if (budget_.stopped()) continue;
        const I y = rows_[k];
        if (visited_[y] != 0) continue;  // visited by a top-down step since rows_ was made
        const I begin = R_.indptr[y];
        const I end = R_.indptr[y + 1];
        I p = begin;
        for (; p < end; ++p) {
          const I x = R_.indices[p];
          const I root = load(col_root_[x]);
          if (root < 0 || load(leaf_[root]) >= 0) continue;
          visited_[y] = 1;
          ++reached;
          join(y, x, root, mine);
          break;
        }
        if (p == end) left.push(y);
        const I read = std::min<I>(p + 1, end) - begin;
        edges += read;
        // An empty list costs time, too.
        if (spends) budget_.spend(static_cast<std::int64_t>(read + 1) * team);
      }
    }
    unvisited_ -= reached;
    counters_.edges += edges;
    counters_.bottom_up_edges += edges;
  }

  // Algorithm 5: row y becomes a child of column x, and the mate of y joins the tree, too.
  void join(I y, I x, I root, typename Frontier<I>::Private& queue) {
    parent_[y] = x;
    row_root_[y] = root;
    const I mate = M_.row_match[y];
    if (mate < 0) {
      store(leaf_[root], y);  // the end of an augmenting path
    } else {
      store(col_root_[mate], root);
      queue.push(mate);
    }
  }

  // Step 2: augments along the path of every tree that has one, and keeps the columns that are
  // still unmatched. Returns the number of paths.
  I augment() {
    const StepTime time(counters_.augment_us);
    const I size = free_.size();
    const I block = block_of(size);
    std::int64_t length = 0;
    std::int64_t longest = 0;
    next_.clear();
#pragma omp parallel num_threads(threads_for(size)) reduction(+ : length) reduction(max : longest)
    {
      typename Frontier<I>::Private still_free(next_);
#pragma omp for schedule(dynamic, block)
      for (I k = 0; k < size; ++k) {
        const I y = leaf_[free_[k]];
        if (y < 0) {
          still_free.push(free_[k]);
        } else {
          const auto before = [&](I, I held) { return parent_[held]; };
          const std::int64_t edges = augment_along(M_, y, parent_[y], before);
          length += edges;
          longest = std::max(longest, edges);
        }
      }
    }
    free_.swap(next_);
    const I found = size - free_.size();
    counters_.augmentations += found;
    counters_.path_edges += length;
    counters_.longest_path = std::max(counters_.longest_path, longest);
    return found;
  }

  // Step 3, algorithm 7: grafts rows onto the active trees, or starts all trees again.
  void rebuild_frontier() {
    const I active = free_.size() + release_used_trees();
    const StepTime time(counters_.graft_us);
    if (graft_ && static_cast<double>(active) > static_cast<double>(rows_.size()) / alpha_) {
      ++counters_.grafts;
      next_.clear();
      bottom_up();
      frontier_.swap(next_);
    } else {
      forget_trees();
      start_from_free_columns();
    }
  }

  // Removes all rows from the trees that had a path and lists these rows in rows_. Returns the
  // number of rows in active trees.
  I release_used_trees() {
    const StepTime time(counters_.statistics_us);
    rows_.clear();
    const auto active = rows_.collect(A_.m, threads_for(A_.m), budget_, [&](I y, auto& renewable) {
      if (row_root_[y] < 0) return 0;
      if (leaf_[row_root_[y]] < 0) return 1;
      visited_[y] = 0;
      row_root_[y] = -1;
      renewable.push(y);
      return 0;
    });
    unvisited_ += rows_.size();
    return static_cast<I>(active);
  }

  void forget_trees() {
    fill(visited_, A_.m, std::uint8_t{0}, threads_, budget_);
    fill(row_root_, A_.m, I{-1}, threads_, budget_);
    fill(col_root_, A_.n, I{-1}, threads_, budget_);
    unvisited_ = A_.m;
  }

  void start_from_free_columns() {
    const I size = free_.size();
#pragma omp parallel for num_threads(threads_for(size)) schedule(static)
    for (I k = 0; k < size; ++k) {
      col_root_[free_[k]] = free_[k];
      frontier_.places()[k] = free_[k];
    }
    frontier_.assign(size);
  }

  void list_unvisited() {
    rows_.clear();
    rows_.collect(A_.m, threads_for(A_.m), budget_, [&](I y, auto& unvisited) {
      if (visited_[y] == 0) unvisited.push(y);
      return 0;
    });
  }

  const PatternView<I>& A_;
  PatternView<I> R_{};  // the row lists
  Matching<I> M_;
  double alpha_;
  bool direction_;
  bool graft_;
  bool whole_;
  bool frontiers_;
  int threads_;
  Frontier<I> frontier_;
  Frontier<I> next_;
  Frontier<I> free_;       // unmatched columns
  Frontier<I> rows_;       // the rows of a bottom-up step, or of a graft
  Frontier<I> left_rows_;  // rows of `rows_` for which the step or graft found no parent
  I* row_root_;
  I* parent_;  // for each row, the column from which it was reached
  std::uint8_t* visited_;
  I unvisited_ = 0;  // number of unvisited rows, numUnvisitedY in the paper
  I* col_root_;
  I* leaf_;
  Budget& budget_;
  Counters& counters_;
};

template <class I>
void ms_bfs_graft(const PatternView<I>& A, Matching<I> M, const Options& options,
                  Workspace& workspace, Budget& budget, Counters& counters, Proof&) {
  MsBfsGraft<I>(A, M, options, workspace, budget, counters).run();
}

}  // namespace btfperm
