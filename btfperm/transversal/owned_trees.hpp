// SPDX-License-Identifier: BSD-3-Clause
// Alternating trees over the rows and columns of one rank
//
// Idea        Trees grow from unmatched columns. A rank extends them through the rows and columns
//             that it owns, by a given number of levels. It collects messages, which are called
//             lines, for the owners of other rows and columns that the trees reach. So the trees
//             can grow by many levels between two exchanges. A row of another rank (a ghost) is
//             claimed at most once in a phase: `ghost_seen` marks it until `restart`, or until the
//             caller sets the marks again. Augmentation follows the part of each path that is on
//             this rank. `owned_growth.hpp` extends the trees.
// Roots       Roots have local numbers: that of a column of this rank is its position, that of a
//             root of another rank is n_cols plus its place in foreign_. When a rank first receives
//             a root of another rank, it sends the owner a line to subscribe to this root; the
//             owner reports the end of the tree to all subscribers, which then stop growing it.
// Lines       (target, a, b). The target is a position on the receiving rank, as -1 - position if
//             it is a column; a and b are numbers in the whole matrix. `-`: a field without meaning
//               row, parent, root           the column `parent` claims an unvisited row
//               -1 - column, root, -1       the column joins a tree
//               -1 - column, -, row         the tree of this root ends at an unmatched row
//               -1 - column, rank, -2       the rank subscribes to this root
//               -1, root, -3                the tree of this foreign root has ended
//             The lines of an augmentation:
//               row, -, -                   the path continues at this row
//               -1 - column, row, -         this row has been matched to this column
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "backends/cpu/workspace.hpp"
#include "backends/mpi/buckets.hpp"
#include "backends/mpi/numbering.hpp"
#include "transversal/owned_rows.hpp"

namespace btfperm {

template <class I>
class OwnedTrees {
 public:
  explicit OwnedTrees(const OwnedBipartite<I>& A)
      : A_(A),
        row_owners_(A.row_bounds, A.ranks),
        col_owners_(A.col_bounds, A.ranks),
        row_first_(static_cast<I>(A.row_bounds[A.rank])),
        col_first_(static_cast<I>(A.col_bounds[A.rank])),
        rows_(memory_.take<Row>(static_cast<std::size_t>(A.n_rows))),
        col_root_(memory_.take<I>(static_cast<std::size_t>(A.n_cols))),
        leaf_(memory_.take<I>(static_cast<std::size_t>(A.n_cols))),
        subscribers_(memory_.take<I>(static_cast<std::size_t>(A.n_cols))),
        ghost_seen_(memory_.take<std::uint8_t>(static_cast<std::size_t>(A.n_ghosts))) {
    for (std::int64_t r = 0; r < A.n_rows; ++r) rows_[r] = {unvisited(r), -1};
    std::fill(col_root_, col_root_ + A.n_cols, I{-1});
    std::fill(leaf_, leaf_ + A.n_cols, I{-1});
    std::fill(subscribers_, subscribers_ + A.n_cols, I{-1});
    tree_rows_.reserve(static_cast<std::size_t>(A.n_rows));  // they never hold two copies
    tree_cols_.reserve(static_cast<std::size_t>(A.n_cols));
  }

  bool has_row(std::int64_t r) const { return rows_[r].root >= 0; }
  bool has_col(std::int64_t c) const { return col_root_[c] >= 0; }
  Outbox<I>& outbox() { return outbox_; }

  // Deletes all trees and makes each unmatched column the root of a new tree.
  void restart() {
    for (const I r : tree_rows_) rows_[r].root = unvisited(r);
    for (const I c : tree_cols_) col_root_[c] = leaf_[c] = subscribers_[c] = -1;
    std::fill(ghost_seen_, ghost_seen_ + A_.n_ghosts, std::uint8_t{0});
    ghosts_seen_ = 0;
    is_graft_ = false;
    ended_.assign(static_cast<std::size_t>(A_.n_cols), 0);
    tree_rows_.clear();
    tree_cols_.clear();
    foreign_.clear();
    subscriptions_.clear();
    work_.clear();
    for (std::int64_t c = 0; c < A_.n_cols; ++c) {
      if (A_.col_match[c] < 0) join(static_cast<I>(c), static_cast<I>(c));
    }
  }

  // One step of the augmentation along the paths of all ended trees, from the ends of the paths to
  // the roots. The first step (`is_start`) begins at the ends and returns how many of these trees
  // have a root of this rank; later steps continue where the lines say, and return 0.
  std::int64_t augment(std::int64_t n_lines, const I* lines, bool is_start) {
    std::int64_t paths = 0;
    if (is_start) {
      for (const I c : tree_cols_) {
        const I row = leaf_[c];
        if (row < 0) continue;
        ++paths;
        continue_at(row);
      }
    }
    for (std::int64_t k = 0; k < n_lines; ++k) {
      const I* const line = lines + 3 * k;
      if (line[0] >= 0) {
        follow(line[0]);
      } else if (const I before = exchange_mate(-1 - line[0], line[1]); before >= 0) {
        continue_at(before);
      }
    }
    return paths;
  }

  // Releases the rows and columns of ended trees. Returns the number of rows that it released, and
  // the number of columns that are still in trees.
  std::pair<std::int64_t, std::int64_t> release() {
    const auto is_over = [this](I root) { return ended_[root] != 0; };
    released_.clear();
    lists_released_ = true;
    const std::size_t before = tree_rows_.size();
    std::erase_if(tree_rows_, [&](I r) {
      if (!is_over(rows_[r].root)) return false;
      rows_[r].root = unvisited(r);
      list_released(r);
      return true;
    });
    std::erase_if(tree_cols_, [&](I c) {
      if (!is_over(col_root_[c])) return false;
      col_root_[c] = leaf_[c] = -1;
      return true;
    });
    return {static_cast<std::int64_t>(before - tree_rows_.size()),
            static_cast<std::int64_t>(tree_cols_.size())};
  }

  // Marks exactly the ghosts with seen[g] = 1 as claimed, after `release`. Ghosts that were marked
  // before and are not now count as released.
  void set_ghosts_seen(const std::uint8_t* seen) {
    ghosts_seen_ = 0;
    for (std::int64_t g = 0; g < A_.n_ghosts; ++g) {
      if (ghost_seen_[g] != 0 && seen[g] == 0) list_released(static_cast<I>(A_.n_rows + g));
      ghost_seen_[g] = seen[g];
      ghosts_seen_ += seen[g];
    }
  }

  // Makes `grow` expand all columns of the remaining trees again, which grafts unvisited rows onto
  // them. These columns have visited all rows of their lists, so only rows in `released_` can be
  // unvisited.
  void regrow() {
    work_ = tree_cols_;
    is_graft_ = lists_released_;
  }

 protected:
  static constexpr I unmatched = -2;  // the root of a row that is unvisited and unmatched
  static constexpr I joins = -1, subscribes = -2, has_ended = -3;  // values of b in lines

  bool owns_col(I number) const {
    return number >= col_first_ && number < col_first_ + static_cast<I>(A_.n_cols);
  }
  bool owns_row(I number) const {
    return number >= row_first_ && number < row_first_ + static_cast<I>(A_.n_rows);
  }

  I number_of_root(I root) const {
    return root < static_cast<I>(A_.n_cols) ? root + col_first_ : foreign_[root - A_.n_cols];
  }

  void send_to_col(I number, I a, I b) {
    const int rank = col_owners_.of(number);
    outbox_.put(rank, static_cast<I>(-1 - (number - col_owners_.first_of(rank))), a, b);
  }

  I unvisited(std::int64_t r) const { return A_.row_match[r] < 0 ? unmatched : I{-1}; }

  // The local number of a root. Subscribes to a root of another rank when it is first received.
  I local_root(I number) {
    if (owns_col(number)) return number - col_first_;
    const auto [place, is_new] = foreign_.place_of(number);
    if (is_new) {
      ended_.push_back(0);
      send_to_col(number, static_cast<I>(A_.rank), subscribes);
    }
    return static_cast<I>(A_.n_cols + place);
  }

  void accept(const I* line) {
    if (line[0] >= 0) {
      if (rows_[line[0]].root >= 0) return;
      const I root = local_root(line[2]);
      if (ended_[root] == 0) visit(line[0], line[1], root);
      return;
    }
    const I c = -1 - line[0];
    if (line[2] >= 0) {
      end(c, line[2]);
    } else if (line[2] == joins) {
      join(c, local_root(line[1]));
    } else if (line[2] == has_ended) {
      ended_[local_root(line[1])] = 1;
    } else if (ended_[c] != 0) {
      outbox_.put(static_cast<int>(line[1]), -1, c + col_first_, has_ended);
    } else {
      subscriptions_.push_back({static_cast<std::int32_t>(line[1]), subscribers_[c]});
      subscribers_[c] = static_cast<I>(subscriptions_.size() - 1);
    }
  }

  static constexpr std::int64_t least_released = 1 << 16;  // a list that needs little memory

  // A list of most rows and ghosts would need much memory, and it would save no time: then nearly
  // all unvisited rows and ghosts are released ones.
  void list_released(I r) {
    const std::int64_t most = std::max(least_released, (A_.n_rows + A_.n_ghosts) / 16);
    if (static_cast<std::int64_t>(released_.size()) < most) {
      released_.push_back(r);
    } else {
      lists_released_ = false;
    }
  }

  void join(I c, I root) {
    if (col_root_[c] < 0) tree_cols_.push_back(c);
    col_root_[c] = root;
    work_.push_back(c);
  }

  // The tree of a root of this rank ends at an unmatched row.
  void end(I c, I row) {
    if (ended_[c] != 0) return;
    ended_[c] = 1;
    leaf_[c] = row;
    ++ended_now_;
    for (I s = subscribers_[c]; s >= 0; s = subscriptions_[s].next) {
      outbox_.put(subscriptions_[s].rank, -1, c + col_first_, has_ended);
    }
    subscribers_[c] = -1;
  }

  // Adds an unvisited row and its mate to a tree. If the row is unmatched, the tree ends there.
  void visit(I r, I parent, I root) {
    rows_[r] = {root, parent};
    tree_rows_.push_back(r);
    const I mate = A_.row_match[r];
    if (mate < 0) {
      if (root < static_cast<I>(A_.n_cols)) return end(root, r + row_first_);
      ended_[root] = 1;
      send_to_col(number_of_root(root), 0, r + row_first_);
    } else if (owns_col(mate)) {
      join(mate - col_first_, root);
    } else {
      send_to_col(mate, number_of_root(root), joins);
    }
  }

  void claim_ghost(I g, I c, I root) {
    if (ghost_seen_[g] != 0) return;
    ghost_seen_[g] = 1;
    ++ghosts_seen_;
    const I number = A_.number_of_ghost(g);
    const int rank = row_owners_.of(number);
    outbox_.put(rank, static_cast<I>(number - row_owners_.first_of(rank)), c + col_first_,
                number_of_root(root));
  }

  // Matches a column to a row. Returns the previous mate of the column.
  I exchange_mate(I c, I row) {
    const I before = A_.col_match[c];
    A_.col_match[c] = row;
    return before;
  }

  void continue_at(I row) {
    if (owns_row(row)) return follow(row - row_first_);
    const int rank = row_owners_.of(row);
    outbox_.put(rank, static_cast<I>(row - row_owners_.first_of(rank)), 0, 0);
  }

  // Augments along a path, from row r of this rank towards the root, until the path leaves the rank
  // or ends.
  void follow(I r) {
    while (true) {
      const I parent = rows_[r].parent;
      A_.row_match[r] = parent;
      if (!owns_col(parent)) return send_to_col(parent, r + row_first_, 0);
      const I before = exchange_mate(parent - col_first_, r + row_first_);
      if (before < 0) return;
      if (!owns_row(before)) return continue_at(before);
      r = before - row_first_;
    }
  }

  struct Row {
    I root, parent;
  };
  struct Subscription {
    std::int32_t rank;
    I next;
  };

  const OwnedBipartite<I> A_;
  Owners row_owners_, col_owners_;
  const I row_first_, col_first_;
  Workspace memory_;
  Row* const rows_;
  I* const col_root_;
  I* const leaf_;         // for each root, the row at which its tree ended, or -1
  I* const subscribers_;  // for each root, its first subscription, or -1
  std::uint8_t* const ghost_seen_;
  std::vector<std::uint8_t> ended_;  // by local number of a root: whether its tree has ended
  Numbering<I> foreign_;             // the roots of other ranks
  std::vector<Subscription> subscriptions_;
  std::vector<I> tree_rows_, tree_cols_;  // rows and columns in trees
  std::vector<I> work_;                   // columns whose lists must be visited
  // Own rows and ghosts that `release` made unvisited, unless they are too many for a list.
  std::vector<I> released_;
  bool lists_released_ = true;
  std::int64_t ghosts_seen_ = 0;
  bool is_graft_ = false;       // whether `work_` contains exactly what `regrow` put there
  std::int64_t ended_now_ = 0;  // trees with a root of this rank that ended in this call of `grow`
  Outbox<I> outbox_;
};

}  // namespace btfperm
