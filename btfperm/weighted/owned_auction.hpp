// SPDX-License-Identifier: BSD-3-Clause
// The part of one rank in an auction over MPI ranks
//
// Idea        The same auction as in auction.hpp, with duals in place of prices. A row is worth to
//             a column the value of their entry plus the dual of the row. A column bids for the row
//             that is worth most, and lowers the dual of this row until the row is worth epsilon
//             less than its second choice. The rank that owns a row holds its dual. For a ghost (a
//             row of another rank), this rank uses the last dual that it knows. Duals only fall, so
//             this dual may only be too high, and a bid based on it is legal if it is still below
//             the dual of the owner. The owner accepts exactly such bids.
//             In a step, the columns of a rank bid, one after the other, until all have a row or a
//             number of bids is reached. A bid for a ghost counts as accepted until the owner
//             refuses it. The lowest bid for each ghost is sent to the owner. The owner informs
//             only losers: the rank whose bid it refuses, or the rank whose column lost the row.
// Paper       D. P. Bertsekas, "The auction algorithm: a distributed relaxation method for the
//             assignment problem", Annals of Operations Research 14, 1988: bids by old prices are
//             legal. Ours: bids count as accepted until they are refused; only losers are informed
// Cost        O(length of the column) for a bid
// Lines       ranks exchange lines of three words, the last of which has the bits of a double. Rows
//             and columns have their numbers in the whole matrix. There are two kinds:
//               row - first, column, bid       a bid for a row; first: the receiver's first row
//               -1 - row, -1, dual             the receiver lost the row, if its bid was not lower
// Invariants  after all lines have arrived, at most one column has each row. The owner of the row
//             knows this column, and the rank of the column knows the dual of the row. A column's
//             row is worth at most epsilon less than its best choice
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "backends/cpu/budget.hpp"
#include "backends/mpi/buckets.hpp"
#include "weighted/owned_values.hpp"

namespace btfperm {

template <class I>
class OwnedAuction {
 public:
  // `dual` has a place for each row of the rank and for each ghost; row_match for each row.
  // match_at[c] becomes the position of the matched entry of column c, or -1.
  OwnedAuction(const OwnedValues<I>& A, const I* ghosts, const std::int64_t* row_bounds,
               const std::int64_t* col_bounds, int rank, int ranks, double* dual, I* row_match,
               std::int64_t* match_at)
      : A_(A),
        ghosts_(ghosts),
        n_ghosts_(A.n_local - A.n_rows),
        row_owners_(row_bounds, ranks),
        col_owners_(col_bounds, ranks),
        row_first_(row_bounds[rank]),
        col_first_(col_bounds[rank]),
        rank_(rank),
        dual_(dual),
        row_match_(row_match),
        match_at_(match_at),
        ghost_match_(static_cast<std::size_t>(n_ghosts_), I{-1}),
        is_touched_(static_cast<std::size_t>(n_ghosts_), 0) {}

  Outbox<std::int64_t>& outbox() { return outbox_; }
  std::int64_t waiting() const { return static_cast<std::int64_t>(queue_.size() - head_); }
  std::int64_t bids() const { return bids_; }

  // Begins a phase: a column whose row is worth less than its best choice minus epsilon loses the
  // row, although row_match does not change. Then all columns of the blocks that have no row are in
  // the queue. All lines must have arrived, and the duals of the ghosts must be those of their
  // owners.
  void begin(double epsilon, Budget& budget) {
    queue_.clear();
    head_ = 0;
    for (std::int64_t c = 0; c < A_.n_cols; ++c) {
      if (A_.col_block[c] < 0) continue;
      const std::int64_t p = match_at_[c];
      if (p >= 0) {
        const I r = A_.items[p];
        if (A_.value[p] + dual_[r] >= choice(c).worth - epsilon) continue;
        match_at_[c] = -1;
        if (r >= A_.n_rows) ghost_match_[r - A_.n_rows] = -1;
      }
      queue_.push_back(static_cast<I>(c));
      if (!budget.spend(A_.indptr[c + 1] - A_.indptr[c])) return;
    }
  }

  // Processes the lines that arrived; then columns bid until all have a row, or until `most` bids
  // were made. Returns the number of entries visited.
  std::int64_t bid(std::int64_t n_lines, const std::int64_t* lines, double epsilon,
                   std::int64_t most, Budget& budget) {
    for (std::int64_t k = 0; k < n_lines; ++k) accept(lines + 3 * k);
    std::int64_t edges = 0;
    for (; head_ < queue_.size() && most > 0; --most) {
      const I c = queue_[head_++];
      edges += make_bid(c, epsilon);
      if (!budget.spend(A_.indptr[c + 1] - A_.indptr[c])) break;
      if (head_ > 4096 && 2 * head_ > queue_.size()) drop_front();
    }
    if (head_ == queue_.size()) drop_front();
    for (const I g : touched_) {
      is_touched_[g] = 0;
      const I c = ghost_match_[g];
      const std::int64_t row = ghosts_[g];
      const int to = row_owners_.of(row);
      outbox_.put(to, row - row_owners_.first_of(to), col_first_ + c,
                  std::bit_cast<std::int64_t>(dual_[A_.n_rows + g]));
    }
    touched_.clear();
    return edges;
  }

 private:
  static constexpr double far = std::numeric_limits<double>::infinity();

  struct Choice {
    std::int64_t at;  // position of the best entry, or -1
    double worth;     // its value plus the dual of its row
    double second;    // the worth of the second choice, or minus infinity
  };

  Choice choice(std::int64_t c) const {
    Choice best{-1, -far, -far};
    for (std::int64_t p = A_.indptr[c]; p < A_.indptr[c + 1]; ++p) {
      const I r = A_.items[p];
      if (A_.row_block[r] != A_.col_block[c]) continue;
      const double worth = A_.value[p] + dual_[r];
      if (worth > best.worth) {
        best = {p, worth, best.worth};
      } else {
        best.second = std::max(best.second, worth);
      }
    }
    return best;
  }

  void drop_front() {
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }

  // Column c bids for its best row. Returns the number of entries visited.
  std::int64_t make_bid(I c, double epsilon) {
    const Choice best = choice(c);
    const std::int64_t edges = A_.indptr[c + 1] - A_.indptr[c];
    if (best.at < 0) return edges;  // a column without an entry in its block stays unmatched
    ++bids_;
    const I r = A_.items[best.at];
    const double gain = best.second == -far ? 0 : best.worth - best.second;
    // A bid must be lower than the dual, even if epsilon is too small for a difference.
    const double bid = std::min(dual_[r] - gain - epsilon, std::nextafter(dual_[r], -far));
    if (r < A_.n_rows) {
      give(r, col_first_ + c, bid, rank_);
    } else {
      const I g = r - static_cast<I>(A_.n_rows);
      if (ghost_match_[g] >= 0) release(ghost_match_[g]);
      ghost_match_[g] = c;
      dual_[r] = bid;
      if (is_touched_[g] == 0) touched_.push_back(g);
      is_touched_[g] = 1;
    }
    match_at_[c] = best.at;
    return edges;
  }

  // Column c loses its row and enters the queue.
  void release(I c) {
    match_at_[c] = -1;
    queue_.push_back(c);
  }

  // Gives row r of this rank to a column of rank `to`. `dual` is below the present dual of the row.
  void give(I r, std::int64_t col, double dual, int to) {
    const std::int64_t loser = row_match_[r];
    if (loser >= 0) {
      const int from = col_owners_.of(loser);
      if (from == rank_) {
        const I c = static_cast<I>(loser - col_first_);
        if (match_at_[c] >= 0 && A_.items[match_at_[c]] == r) release(c);
      } else if (from != to) {  // rank `to` already released its own column that it outbid
        report_loss(from, r, dual);
      }
    }
    row_match_[r] = static_cast<I>(col);
    dual_[r] = dual;
  }

  void report_loss(int to, I r, double dual) {
    outbox_.put(to, -1 - (row_first_ + r), -1, std::bit_cast<std::int64_t>(dual));
  }

  void accept(const std::int64_t* line) {
    const double dual = std::bit_cast<double>(line[2]);
    if (line[0] >= 0) {
      const I r = static_cast<I>(line[0]);
      const int from = col_owners_.of(line[1]);
      if (dual < dual_[r]) {
        give(r, line[1], dual, from);
      } else {
        report_loss(from, r, dual_[r]);
      }
      return;
    }
    const I row = static_cast<I>(-1 - line[0]);
    const I* const place = std::lower_bound(ghosts_, ghosts_ + n_ghosts_, row);
    if (place == ghosts_ + n_ghosts_ || *place != row) return;  // the binding refuses such lines
    const std::int64_t g = place - ghosts_;
    double& known = dual_[A_.n_rows + g];
    if (dual > known) return;  // this rank has sent a lower bid, which the owner will receive
    known = dual;
    if (ghost_match_[g] >= 0) release(ghost_match_[g]);
    ghost_match_[g] = -1;
  }

  const OwnedValues<I>& A_;
  const I* ghosts_;
  std::int64_t n_ghosts_;
  Owners row_owners_, col_owners_;
  std::int64_t row_first_, col_first_;
  int rank_;
  double* dual_;
  I* row_match_;                // the last column that got each row, as number of the matrix, or -1
  std::int64_t* match_at_;      // position of the matched entry of each column, or -1
  std::vector<I> ghost_match_;  // the column of this rank that has a ghost, or -1
  std::vector<std::uint8_t> is_touched_;
  std::vector<I> touched_;  // ghosts with a bid that was not sent yet
  std::vector<I> queue_;    // columns without a row, from head_ on
  std::size_t head_ = 0;
  std::int64_t bids_ = 0;
  Outbox<std::int64_t> outbox_;
};

}  // namespace btfperm
