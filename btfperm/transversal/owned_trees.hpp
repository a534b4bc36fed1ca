// SPDX-License-Identifier: BSD-3-Clause
// Alternating trees over the rows and columns of one rank
//
// Idea        Trees grow from unmatched columns. A rank extends them through the rows and columns
//             that it owns, a given number of levels deep, and collects lines (messages) for the
//             owners of the others; one exchange then serves many levels. A row of another rank (a
//             ghost) is claimed at most once in a phase: `ghost_seen` marks it until `restart` or
//             the caller sets the marks again. Augmentation follows each path through the rank.
// Roots       Roots have local numbers: a column of this rank its position, a root of another rank
//             n_cols + its place in foreign_. A rank that meets a foreign root subscribes to it at
//             its owner, which reports the end of its tree; so all ranks stop growing it.
// Lines       (target, a, b); target: a position at the receiver; others: numbers of the matrix
//               row, parent, root           the column `parent` claims an unvisited row
//               -1 - column, root, -1       the column joins a tree
//               -1 - column, -, row         the tree of this root ends at an unmatched row
//               -1 - column, rank, -2       the rank subscribes to this root
//               -1, root, -3                the tree of this foreign root has ended
//             and, of an augmentation:
//               row, -, -                   the path continues at this row
//               -1 - column, row, -         the row is matched to this column now
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/prefetch.hpp"
#include "backends/cpu/workspace.hpp"
#include "backends/mpi/buckets.hpp"

namespace btfperm {

// The columns of this rank with local row numbers, and the arrays of the search.
template <class I>
struct OwnedBipartite {
  std::int64_t n_rows, n_cols, n_ghosts;
  const std::int64_t* indptr;
  const I* items;
  const I* ghosts;  // their numbers, ascending
  const std::int64_t *row_bounds, *col_bounds;
  int rank, ranks;
  I *row_match, *col_match;  // numbers of the whole matrix
};

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
  }

  bool has_row(std::int64_t r) const { return rows_[r].root >= 0; }
  bool has_col(std::int64_t c) const { return col_root_[c] >= 0; }
  std::uint8_t* ghost_seen() { return ghost_seen_; }
  Outbox<I>& outbox() { return outbox_; }

  // Forgets all trees; the unmatched columns are the roots of new ones.
  void restart() {
    for (const I r : tree_rows_) rows_[r].root = unvisited(r);
    for (const I c : tree_cols_) col_root_[c] = leaf_[c] = subscribers_[c] = -1;
    std::fill(ghost_seen_, ghost_seen_ + A_.n_ghosts, std::uint8_t{0});
    ended_.assign(static_cast<std::size_t>(A_.n_cols), 0);
    tree_rows_.clear();
    tree_cols_.clear();
    foreign_.clear();
    place_of_.clear();
    subscriptions_.clear();
    work_.clear();
    for (std::int64_t c = 0; c < A_.n_cols; ++c) {
      if (A_.col_match[c] < 0) join(static_cast<I>(c), static_cast<I>(c));
    }
  }

  // Processes the lines that arrived, and expands at most `most` columns, of at most `depth` levels
  // of this rank; later calls expand the others. Returns the number of trees of this rank's roots
  // that have ended in this call, and adds the visited entries to `edges`.
  std::int64_t grow(std::int64_t n_lines, const I* lines, std::int64_t depth, std::int64_t most,
                    std::int64_t& edges, Budget& budget) {
    ended_now_ = 0;
    for (std::int64_t k = 0; k < n_lines; ++k) {
      if (k + 8 < n_lines) prefetch_target(lines[3 * (k + 8)]);
      accept(lines + 3 * k);
    }
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

  // Augments along the paths of all ended trees, from their ends to their roots. `is_start`: this
  // is the first step; it returns the number of paths of this rank's roots, later steps return 0.
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
    const std::size_t before = tree_rows_.size();
    std::erase_if(tree_rows_, [&](I r) {
      if (!is_over(rows_[r].root)) return false;
      rows_[r].root = unvisited(r);
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

  // All columns of trees grow again, which grafts unvisited rows onto them.
  void regrow() { work_ = tree_cols_; }

 private:
  static constexpr I unmatched = -2;  // as a root: the row is unvisited, and unmatched
  static constexpr I joins = -1, subscribes = -2, has_ended = -3;

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

  // Takes an unmatched row of this rank if there is one, else all unvisited rows. So a tree that
  // ends leaves the other rows to other trees. Returns the number of entries visited, or one more.
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

  // The local number of a root.
  I local_root(I number) {
    if (owns_col(number)) return number - col_first_;
    const auto [place, is_new] =
        place_of_.try_emplace(number, static_cast<I>(A_.n_cols + foreign_.size()));
    if (is_new) {
      foreign_.push_back(number);
      ended_.push_back(0);
      send_to_col(number, static_cast<I>(A_.rank), subscribes);
    }
    return place->second;
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

  // An unvisited row joins a tree, and so does its mate.
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
    const int rank = row_owners_.of(A_.ghosts[g]);
    outbox_.put(rank, static_cast<I>(A_.ghosts[g] - row_owners_.first_of(rank)), c + col_first_,
                number_of_root(root));
  }

  // Matches a column to a row. Returns the row to which it was matched before.
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

  // Augments from a row of this rank on, until the path leaves the rank or ends.
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
  I* const leaf_;         // of a root: the row at which its tree ended
  I* const subscribers_;  // of a root: the first of its subscriptions
  std::uint8_t* const ghost_seen_;
  std::vector<std::uint8_t> ended_;
  std::vector<I> foreign_;             // numbers of the roots of other ranks
  std::unordered_map<I, I> place_of_;  // their local numbers
  std::vector<Subscription> subscriptions_;
  std::vector<I> tree_rows_, tree_cols_;  // those in trees
  std::vector<I> work_;                   // columns whose lists must be visited
  std::int64_t ended_now_ = 0;
  Outbox<I> outbox_;
};

}  // namespace btfperm
