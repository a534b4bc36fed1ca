// SPDX-License-Identifier: BSD-3-Clause
// Growth of the alternating trees of one rank
//
// Idea        Each call of `grow` extends the trees of `owned_trees.hpp` by some levels.
// Direction   The first level of a call of `grow` is extended either top-down, from its columns, or
//             bottom-up: for each unvisited row and ghost, the first column in its list
//             (`owned_rows.hpp`) that is in a live tree becomes its parent. (A tree is live until
//             it has ended at an unmatched row.) After `regrow`, which grafts rows onto the
//             remaining trees, only rows that `release` has released can have such a column. Both
//             directions send the same lines: a ghost that gets a parent is sent to its owner. So
//             each rank chooses the direction on its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/prefetch.hpp"
#include "transversal/owned_rows.hpp"
#include "transversal/owned_trees.hpp"

namespace btfperm {

// by_rule: bottom-up if the lists by rows exist, and if it is expected to visit fewer entries.
enum class Direction : int { top_down = 0, by_rule = 1, bottom_up = 2 };

template <class I>
class GrowingTrees : public OwnedTrees<I> {
 public:
  // `by_row` holds the lists of the rows. With `Direction::bottom_up`, they are made if they do not
  // exist.
  GrowingTrees(const OwnedBipartite<I>& A, OwnedRows<I>& by_row, Direction direction)
      : OwnedTrees<I>(A), by_row_(by_row), direction_(direction) {}

  // Processes the received lines, and then expands at most `most` columns, in at most `depth`
  // levels of this rank, or adds about 4 * most rows to the trees; later calls expand the other
  // columns. Returns how many trees with a root
  // of this rank have ended in this call, and adds the number of visited entries to `edges`.
  std::int64_t grow(std::int64_t n_lines, const I* lines, std::int64_t depth, std::int64_t most,
                    std::int64_t& edges, Budget& budget) {
    ended_now_ = 0;
    for (std::int64_t k = 0; k < n_lines; ++k) {
      if (k + 8 < n_lines) prefetch_target(lines[3 * (k + 8)]);
      accept(lines + 3 * k);
    }
    if (n_lines > 0) is_graft_ = false;
    if (depth > 0 && is_bottom_up()) {
      bool is_complete = true;
      edges += expand_rows(most, is_complete, budget);
      depth = is_complete ? depth - 1 : 0;
    }
    is_graft_ = false;
    std::size_t head = 0;
    for (std::size_t level_end = work_.size(); head < level_end && depth > 0; ++head) {
      if (static_cast<std::int64_t>(head) == most) break;
      prefetch_behind(head);
      const I c = work_[head];
      const I root = col_root_[c];
      if (root >= 0 && ended_[root] == 0) {  // not released, and its tree has not ended
        const std::int64_t visited = expand(c, root);
        edges += visited;
        if (!budget.spend(visited)) break;
      }
      if (head + 1 == level_end) {
        level_end = work_.size();
        --depth;
      }
    }
    work_.erase(work_.begin(), work_.begin() + static_cast<std::ptrdiff_t>(head));
    return ended_now_;
  }

  // Number of columns that later calls of `grow` expand.
  std::int64_t waiting() const { return static_cast<std::int64_t>(work_.size()); }

  std::int64_t bottom_up_steps() const { return bottom_up_steps_; }
  std::int64_t bottom_up_edges() const { return bottom_up_edges_; }

 private:
  using Trees = OwnedTrees<I>;
  using Trees::A_, Trees::rows_, Trees::col_root_, Trees::ended_, Trees::ended_now_;
  using Trees::accept, Trees::visit, Trees::claim_ghost, Trees::unmatched, Trees::col_first_;
  using Trees::ghost_seen_, Trees::ghosts_seen_, Trees::tree_rows_, Trees::work_;
  using Trees::is_graft_, Trees::released_;

  // Expands column c of a tree. If its list has an unmatched row of this rank, the tree ends there,
  // and takes no other row, so that other trees can. Else the tree takes all unvisited rows of the
  // list. Returns the work: the number of visited entries, or one more.
  std::int64_t expand(I c, I root) {
    const std::int64_t first = A_.indptr[c], last = A_.indptr[c + 1];
    for (std::int64_t p = first; p < last; ++p) {
      const I r = A_.items[p];
      if (r >= A_.n_rows || rows_[r].root != unmatched) continue;
      visit(r, static_cast<I>(c + col_first_), root);
      return p - first + 1;
    }
    for (std::int64_t p = first; p < last; ++p) {
      const I r = A_.items[p];
      if (r >= A_.n_rows) {
        claim_ghost(r - static_cast<I>(A_.n_rows), c, root);
      } else if (rows_[r].root < 0) {
        visit(r, static_cast<I>(c + col_first_), root);
      }
    }
    return last - first + 1;
  }

  bool is_live(I c) const {
    const I root = col_root_[c];
    return root >= 0 && ended_[root] == 0;
  }
  bool is_unvisited(I r) const {
    return r < A_.n_rows ? rows_[r].root < 0 : ghost_seen_[r - A_.n_rows] == 0;
  }

  std::int64_t n_unvisited() const {  // rows and ghosts
    return A_.n_rows + A_.n_ghosts - static_cast<std::int64_t>(tree_rows_.size()) - ghosts_seen_;
  }

  // Calls `f` with each unvisited row and ghost that may be in the list of a column in `work_`.
  template <class F>
  void for_unvisited(F f) const {
    if (is_graft_) {
      for (const I r : released_) {
        if (is_unvisited(r)) f(r);
      }
    } else {
      for (I r = 0; r < static_cast<I>(A_.n_rows + A_.n_ghosts); ++r) {
        if (is_unvisited(r)) f(r);
      }
    }
  }

  // Whether to extend the level in `work_` bottom-up. By rule: if this is expected to visit fewer
  // entries. A row is expected to visit (entries of the rank) / (entries of the columns in `work_`)
  // entries until it finds such a column, and at most its whole list. The rule requires that an
  // initializer has made the lists by rows: on most matrices, making them costs more than it saves.
  bool is_bottom_up() const {
    if (direction_ == Direction::top_down || work_.empty()) return false;
    if (direction_ == Direction::bottom_up) return true;
    if (!by_row_.is_made()) return false;
    std::int64_t by_columns = 0;
    for (const I c : work_) by_columns += is_live(c) ? A_.indptr[c + 1] - A_.indptr[c] : 0;
    std::int64_t by_rows = is_graft_ ? static_cast<std::int64_t>(released_.size()) : n_unvisited();
    if (by_columns <= by_rows) return false;  // each row needs at least one visit
    const std::int64_t expected = A_.indptr[A_.n_cols] / by_columns + 1;
    for_unvisited([&](I r) {
      if (by_rows >= by_columns) return;
      by_rows += std::min(expected, static_cast<std::int64_t>(by_row_[r].size()));
    });
    return by_rows < by_columns;
  }

  // Extends the trees bottom-up by all unvisited rows and ghosts in the lists of the columns in
  // `work_`. Unmatched rows come first, because each ends a tree. Returns the work: the number of
  // visited entries, plus one for each row. After 4 * most rows, or when the budget is spent, the
  // columns stay in `work_` for the next call, and `is_complete` becomes false.
  std::int64_t expand_rows(std::int64_t most, bool& is_complete, Budget& budget) {
    std::int64_t edges = 0;
    if (!by_row_.is_made()) {
      by_row_.make(A_);
      edges = A_.indptr[A_.n_cols];
    }
    const std::size_t n_before = work_.size();
    is_complete = budget.spend(edges);
    // In a graft, few rows are unvisited; a next call would have to test the others, too.
    constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();
    std::int64_t left = is_graft_ || most > no_limit / 4 ? no_limit : 4 * most;
    const auto take = [&](I r, auto&& found) {
      if (!is_complete) return;
      std::int64_t visited = 1;
      for (const I c : by_row_[r]) {
        if (is_live(c)) {
          found(r, c);
          --left;
          break;
        }
        ++visited;
      }
      edges += visited;
      is_complete = budget.spend(visited) && left > 0;
    };
    for_unvisited([&](I r) {
      if (r >= A_.n_rows || rows_[r].root != unmatched) return;
      take(r, [&](I row, I c) { visit(row, static_cast<I>(c + col_first_), col_root_[c]); });
    });
    // No tree ends from here on. The rows are collected first and visited afterwards, so that the
    // columns that join a tree are expanded in the next level.
    chosen_.clear();
    for_unvisited([&](I r) {
      if (r < A_.n_rows && rows_[r].root == unmatched) return;
      take(r, [&](I row, I c) { chosen_.push_back({row, c}); });
    });
    for (const auto& [r, c] : chosen_) {
      if (r < A_.n_rows) {
        visit(r, static_cast<I>(c + col_first_), col_root_[c]);
      } else {
        claim_ghost(r - static_cast<I>(A_.n_rows), c, col_root_[c]);
      }
    }
    if (is_complete)
      work_.erase(work_.begin(), work_.begin() + static_cast<std::ptrdiff_t>(n_before));
    ++bottom_up_steps_;
    bottom_up_edges_ += edges;
    return edges;
  }

  // Prefetches the data of the row or column of a line.
  void prefetch_target(I target) const {
    if (target >= 0) {
      prefetch(rows_ + target);
      prefetch(A_.row_match + target);
    } else {
      prefetch(col_root_ + (-1 - target));
    }
  }

  // Prefetches the data of the columns that follow in the queue.
  void prefetch_behind(std::size_t head) const {
    if (head + 12 < work_.size()) prefetch(A_.indptr + work_[head + 12]);
    if (head + 8 < work_.size()) prefetch(A_.items + A_.indptr[work_[head + 8]]);
    if (head + 4 >= work_.size()) return;
    const I c = work_[head + 4];
    const std::int64_t last = std::min(A_.indptr[c + 1], A_.indptr[c] + 8);
    for (std::int64_t p = A_.indptr[c]; p < last; ++p) {
      const I r = A_.items[p];
      if (r >= A_.n_rows) {
        prefetch(ghost_seen_ + (r - A_.n_rows));
      } else {
        prefetch(rows_ + r);
        prefetch(A_.row_match + r);
      }
    }
  }

  OwnedRows<I>& by_row_;
  const Direction direction_;
  std::vector<std::pair<I, I>> chosen_;  // a row and its parent
  std::int64_t bottom_up_steps_ = 0, bottom_up_edges_ = 0;
};

}  // namespace btfperm
