// SPDX-License-Identifier: BSD-3-Clause
// ms-bfs-graft: maximum transversal by multi-source BFS with tree grafting
//
// Idea        Alternating trees grow from all free columns at once, level by level, top-down or
//             bottom-up, whichever reads less. When the frontier is empty, the paths found are
//             flipped. Trees without a path stay as they are: rows of the trees that were used up
//             are grafted onto them, and their mates are the next frontier.
// Paper       A. Azad, A. Buluc, A. Pothen, "A parallel tree grafting algorithm for maximum
//             cardinality matching in bipartite graphs", IPDPS 2015, algorithms 3 to 7. X are the
//             columns, Y the rows. Levels too small to share are left to one thread.
// Cost        O(nnz) a phase, n phases at worst. Workspace: the row lists (nnz + m + 1), m bytes,
//             5 m + 3 n
// Prefer it   on many cores, and where a large part stays unmatched; rather use guided-displacement
//             on one
// Options     alpha (5): bottom-up when the frontier exceeds 1/alpha of the unvisited rows;
//             direction (1): 0 always goes top-down; graft (1): 0 grows all trees anew each phase
// Encodings   root[x] = -1 not in a tree; leaf[root] = -1 the tree is active, else the free row at
//             the end of its path (the tree is then renewable); visited[y] = 1 in a tree
// Invariants  at the top of a phase: 1. frontier columns lie in active trees; 2. an active tree's
//             columns outside the frontier have only visited rows
// Races       visited[y] is claimed by one thread atomically (top-down) or belongs to one thread
//             (bottom-up). leaf[root] may be set by two threads at once: either row is the end of a
//             path of that tree. root[x] may be read while it is set: x counts as in the tree or
//             not, and both are right. A thread that misses a fresh leaf grows a tree for nothing.
#pragma once

#include <omp.h>

#include <algorithm>
#include <chrono>

#include "backends/cpu/atomics.hpp"
#include "backends/cpu/frontier.hpp"
#include "backends/cpu/parallel.hpp"
#include "pattern/canonical.hpp"
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
        alpha_(std::max(1.0, options.get("alpha", 5))),
        direction_(options.get("direction", 1) != 0),
        graft_(options.get("graft", 1) != 0),
        threads_(std::max(1, options.threads)),
        frontier_(workspace.take<I>(A.n)),
        next_(workspace.take<I>(A.n)),
        budget_(budget),
        counters_(counters) {
    row_root_ = workspace.take<I>(A.m);
    parent_ = workspace.take<I>(A.m);
    rows_ = workspace.take<I>(A.m);
    visited_ = workspace.take<std::uint8_t>(A.m);
    col_root_ = workspace.take<I>(A.n);
    leaf_ = workspace.take<I>(A.n);
    free_ = workspace.take<I>(A.n);
    spare_ = workspace.take<I>(A.m);
    I* row_indptr = workspace.take<I>(A.m + 1);
    I* row_indices = workspace.take<I>(A.nnz());
    if (threads_ > 1) {
      transpose_shared(A, threads_, row_indptr, row_indices);
    } else {
      transpose(A, row_indptr, row_indices, BudgetPoll{budget});
    }
    R_ = {A.n, A.m, row_indptr, row_indices};
  }

  void run() {
    fill(row_root_, A_.m, I{-1}, threads_);
    fill(visited_, A_.m, std::uint8_t{0}, threads_);
    fill(col_root_, A_.n, I{-1}, threads_);
    fill(leaf_, A_.n, I{-1}, threads_);
    n_free_ = select(
        A_.n, threads_, free_, [&](I x) { return M_.col_match[x] < 0 && A_.degree(x) > 0; },
        [](I x) { return x; });
    unvisited_ = A_.m;
    start_from_free_columns();
    while (n_free_ > 0) {
      ++counters_.phases;
      grow_forest();
      const I found = augment();  // what was found is kept when the budget ends the search
      if (found == 0 || budget_.stopped()) return;
      rebuild_frontier();
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  static void count_time(std::int64_t& microseconds, Clock::time_point begin) {
    microseconds +=
        std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin).count();
  }

  const I share_from = least_to_share<I>(1024);  // smaller loops are not worth waking threads for

  // Step 1: levels, until the frontier is empty.
  void grow_forest() {
    bool listed = false;  // rows_ holds the unvisited rows
    while (frontier_.size() > 0) {
      const double most = static_cast<double>(unvisited_) / alpha_;
      const auto begin = Clock::now();
      next_.clear();
      if (!direction_ || static_cast<double>(frontier_.size()) < most) {
        top_down();
        ++counters_.top_down_steps;
        count_time(counters_.top_down_us, begin);
      } else {
        if (!listed) {
          n_rows_ = list_rows([&](I y) { return visited_[y] == 0; });
          listed = true;
        }
        bottom_up();
        n_rows_ = keep_unvisited();
        ++counters_.bottom_up_steps;
        count_time(counters_.bottom_up_us, begin);
      }
      frontier_.swap(next_);
      if (budget_.stopped()) return;
    }
  }

  void top_down() {
    const I size = frontier_.size();
    std::int64_t edges = 0;
    I reached = 0;
#pragma omp parallel num_threads(threads_) if (size >= share_from) reduction(+ : edges, reached)
    {
      typename Frontier<I>::Private mine(next_);
      const bool spends = omp_get_thread_num() == 0;
      const int team = omp_get_num_threads();
#pragma omp for schedule(dynamic, 128)
      for (I k = 0; k < size; ++k) {
        if (budget_.stopped()) continue;
        const I x = frontier_[k];
        const I root = col_root_[x];
        if (load(leaf_[root]) >= 0) continue;  // the tree has its path
        for (I p = A_.indptr[x]; p < A_.indptr[x + 1]; ++p) {
          const I y = A_.indices[p];
          if (team > 1) {
            if (!claim(visited_[y])) continue;
          } else {
            if (visited_[y] != 0) continue;
            visited_[y] = 1;
          }
          ++reached;
          if (join(y, x, root, mine)) break;
        }
        edges += A_.degree(x);
        if (spends) budget_.spend(static_cast<std::int64_t>(A_.degree(x)) * team);
      }
    }
    unvisited_ -= reached;
    counters_.edges += edges;
  }

  // Each row of rows_ looks for a parent in an active tree. Serves growth and grafting alike.
  void bottom_up() {
    std::int64_t edges = 0;
    I reached = 0;
#pragma omp parallel num_threads(threads_) if (n_rows_ >= share_from) reduction(+ : edges, reached)
    {
      typename Frontier<I>::Private mine(next_);
      const bool spends = omp_get_thread_num() == 0;
      const int team = omp_get_num_threads();
#pragma omp for schedule(dynamic, 256)
      for (I k = 0; k < n_rows_; ++k) {
        if (budget_.stopped()) continue;
        const I y = rows_[k];
        if (visited_[y] != 0) continue;  // by a top-down step since the list was made
        I p = R_.indptr[y];
        for (; p < R_.indptr[y + 1]; ++p) {
          const I x = R_.indices[p];
          const I root = load(col_root_[x]);
          if (root < 0 || load(leaf_[root]) >= 0) continue;
          visited_[y] = 1;
          ++reached;
          join(y, x, root, mine);
          break;
        }
        const I read = p - R_.indptr[y] + 1;
        edges += read;
        if (spends) budget_.spend(static_cast<std::int64_t>(read) * team);
      }
    }
    unvisited_ -= reached;
    counters_.edges += edges;
  }

  // Algorithm 5: row y becomes a child of column x. True when it ends an augmenting path.
  bool join(I y, I x, I root, typename Frontier<I>::Private& queue) {
    parent_[y] = x;
    row_root_[y] = root;
    const I mate = M_.row_match[y];
    if (mate < 0) {
      store(leaf_[root], y);
      return true;
    }
    store(col_root_[mate], root);
    queue.push(mate);
    return false;
  }

  // Step 2: flips the path of every tree that has one; the number of paths.
  I augment() {
    const auto begin = Clock::now();
    I found = 0;
    std::int64_t length = 0;
    std::int64_t longest = 0;
#pragma omp parallel for num_threads(threads_) if (n_free_ >= share_from) schedule(dynamic, 64) \
    reduction(+ : found, length) reduction(max : longest)
    for (I k = 0; k < n_free_; ++k) {
      if (leaf_[free_[k]] < 0) continue;
      const std::int64_t edges = flip(leaf_[free_[k]]);
      ++found;
      length += edges;
      longest = std::max(longest, edges);
    }
    counters_.augmentations += found;
    counters_.path_edges += length;
    counters_.longest_path = std::max(counters_.longest_path, longest);
    count_time(counters_.augment_us, begin);
    return found;
  }

  std::int64_t flip(I y) {
    for (std::int64_t length = 1;; length += 2) {
      const I x = parent_[y];
      const I above = M_.col_match[x];
      M_.match(y, x);
      if (above < 0) return length;  // x is the root
      y = above;
    }
  }

  // Step 3, algorithm 7.
  void rebuild_frontier() {
    auto begin = Clock::now();
    I active = 0;
#pragma omp parallel for num_threads(threads_) if (A_.n >= share_from) schedule(static) \
    reduction(+ : active)
    for (I x = 0; x < A_.n; ++x) active += col_root_[x] >= 0 && leaf_[col_root_[x]] < 0;
    n_rows_ = list_rows([&](I y) { return row_root_[y] >= 0 && leaf_[row_root_[y]] >= 0; });
#pragma omp parallel for num_threads(threads_) if (n_rows_ >= share_from) schedule(static)
    for (I k = 0; k < n_rows_; ++k) {
      visited_[rows_[k]] = 0;
      row_root_[rows_[k]] = -1;
    }
    unvisited_ += n_rows_;
    I left = 0;
    for (I k = 0; k < n_free_; ++k) {
      if (M_.col_match[free_[k]] < 0) free_[left++] = free_[k];
    }
    n_free_ = left;
    count_time(counters_.statistics_us, begin);
    begin = Clock::now();
    if (graft_ && static_cast<double>(active) > static_cast<double>(n_rows_) / alpha_) {
      next_.clear();
      bottom_up();
      frontier_.swap(next_);
      ++counters_.grafts;
    } else {
      forget_trees();
      start_from_free_columns();
    }
    count_time(counters_.graft_us, begin);
  }

  void forget_trees() {
#pragma omp parallel for num_threads(threads_) if (A_.m >= share_from) schedule(static)
    for (I y = 0; y < A_.m; ++y) {
      visited_[y] = 0;
      row_root_[y] = -1;
    }
#pragma omp parallel for num_threads(threads_) if (A_.n >= share_from) schedule(static)
    for (I x = 0; x < A_.n; ++x) col_root_[x] = -1;
    unvisited_ = A_.m;
  }

  void start_from_free_columns() {
    for (I k = 0; k < n_free_; ++k) {
      col_root_[free_[k]] = free_[k];
      frontier_.places()[k] = free_[k];
    }
    frontier_.assign(n_free_);
  }

  // Rows that fulfil a condition, into rows_, ascending.
  template <class Condition>
  I list_rows(Condition holds) {
    return select(A_.m, threads_, rows_, holds, [](I y) { return y; });
  }

  I keep_unvisited() {
    const I kept = select(
        n_rows_, threads_, spare_, [&](I k) { return visited_[rows_[k]] == 0; },
        [&](I k) { return rows_[k]; });
    std::swap(rows_, spare_);
    return kept;
  }

  const PatternView<I>& A_;
  PatternView<I> R_{};  // the row lists
  Matching<I> M_;
  double alpha_;
  bool direction_;
  bool graft_;
  int threads_;
  Frontier<I> frontier_;
  Frontier<I> next_;
  I* row_root_;
  I* parent_;  // of a row: the column it was reached from
  I* rows_;    // what a bottom-up step goes through
  I* spare_;
  I n_rows_ = 0;
  std::uint8_t* visited_;
  I unvisited_ = 0;  // numUnvisitedY
  I* col_root_;
  I* leaf_;
  I* free_;  // free columns
  I n_free_ = 0;
  Budget& budget_;
  Counters& counters_;
};

template <class I>
void ms_bfs_graft(const PatternView<I>& A, Matching<I> M, const Options& options,
                  Workspace& workspace, Budget& budget, Counters& counters, Proof&) {
  MsBfsGraft<I>(A, M, options, workspace, budget, counters).run();
}

}  // namespace btfperm
