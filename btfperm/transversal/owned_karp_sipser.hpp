// SPDX-License-Identifier: BSD-3-Clause
// One rank's part of karp-sipser over MPI ranks
//
// Idea        A rank stores the degrees of its rows and columns: the numbers of their unmatched
//             neighbours. If a row or column has degree one, and its neighbour belongs to the same
//             rank, the rank matches them. It repeats this until it has no such row or column, or
//             until it has collected as many lines (messages) for other ranks as the caller
//             permits. If the neighbour belongs to another rank, a row of degree one claims its
//             column, and a column of degree one proposes to its row. Only the owner of a column
//             matches it to a row that claims it, and only the owner of a row accepts a proposal.
//             In some steps, columns of higher degree choose a row, too.
// Sums        `sum` is the exclusive or of the numbers of the unmatched neighbours. If the degree
//             is one, it is the number of the only neighbour, so that no list is searched for it.
// Order       A column that has proposed waits until its row is announced as matched, to this
//             column or to another one. Until then, claims of other rows on this column wait, too.
//             A row that claims a column waits for one of two lines: the column has accepted the
//             claim, or the degree of the row becomes zero, because the column was matched to
//             another row. If a column proposes to a row that claims it, both owners match them.
// Lines       (target, a, b). The target is a position on the receiving rank
//               row, sum, change            the degree and the sum of the row change; change != 0
//                                           and sum is the exclusive or of the columns
//               row, column, 0              the column proposes to the row
//               row, -1 - column, 0         the column has accepted the claim of the row
//               -1 - column, number, 0      the row of this number, a ghost of the receiver, claims
//                                           the column
//               -1 - number, column, 1      the row of this number, a ghost of the receiver, is
//                                           matched
// Memory      Ghosts have no degree here: each change is sent as a line of its own. For each of its
//             rows, a rank stores the ranks that have it as a ghost; these find its place among
//             their ghosts by its number (`GhostPlaces`).
// Cost        O(entries of the rank). A step has at most about as many lines as the caller permits.
// Invariants  after the lines of a step, degree and sum of a column of this rank are those of its
//             rows that are not known to be matched. The degree of a row counts every unmatched
//             column; it may also count columns of which the lines have not arrived yet
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/prefetch.hpp"
#include "backends/cpu/workspace.hpp"
#include "backends/mpi/buckets.hpp"
#include "transversal/owned_copies.hpp"
#include "transversal/owned_rows.hpp"

namespace btfperm {

template <class I>
class OwnedKarpSipser {
 public:
  // The local number of a row is its position, that of a ghost is n_rows plus its place.
  OwnedKarpSipser(const OwnedBipartite<I>& A, OwnedRows<I>& by_row, const Copies<I>& copies,
                  const std::uint8_t* ghost_matched)
      : A_(A),
        by_row_(by_row),
        row_owners_(A.row_bounds, A.ranks),
        col_owners_(A.col_bounds, A.ranks),
        col_first_(static_cast<I>(A.col_bounds[A.rank])),
        copies_(memory_, A.n_rows, copies),
        places_(memory_, A),
        rows_(memory_.take<Vertex>(static_cast<std::size_t>(A.n_rows))),
        cols_(memory_.take<Vertex>(static_cast<std::size_t>(A.n_cols))),
        wanted_(memory_.take<I>(static_cast<std::size_t>(A.n_cols))),
        ghost_matched_(memory_.take<std::uint8_t>(static_cast<std::size_t>(A.n_ghosts))) {
    std::copy(ghost_matched, ghost_matched + A.n_ghosts, ghost_matched_);
    if (!by_row.is_made()) by_row.make(A_);
  }

  Outbox<I>& outbox() { return outbox_; }

  // The number of unmatched columns with an unmatched neighbour.
  std::int64_t left() const { return left_; }

  // The number of rows and columns of degree one that the next step must match.
  std::int64_t waiting() const { return static_cast<std::int64_t>(forced_.size()); }

  // Counts the degrees of the columns and this rank's part of the degrees of its rows.
  void start() {
    std::fill(rows_, rows_ + A_.n_rows, Vertex{0, 0});
    std::fill(cols_, cols_ + A_.n_cols, Vertex{0, 0});
    std::fill(wanted_, wanted_ + A_.n_cols, I{-1});
    for (std::int64_t c = 0; c < A_.n_cols; ++c) {
      if (A_.col_match[c] >= 0) continue;
      for (std::int64_t p = A_.indptr[c]; p < A_.indptr[c + 1]; ++p) {
        const I r = A_.items[p];
        if (is_matched(r)) continue;
        change(cols_[c], 1, r);
        if (r < A_.n_rows) change(rows_[r], 1, number_of(c));
      }
      left_ += cols_[c].degree > 0;
    }
  }

  // Makes the lines with this rank's part of the degrees of the ghosts begin .. end - 1.
  void send_degrees(std::int64_t begin, std::int64_t end) {
    for (std::int64_t g = begin; g < end; ++g) {
      if (ghost_matched_[g] != 0) continue;
      Vertex part{0, 0};
      for (const I c : by_row_[static_cast<I>(A_.n_rows + g)]) {
        if (A_.col_match[c] < 0) change(part, 1, number_of(c));
      }
      if (part.degree != 0) send_to_row(static_cast<I>(g), part.sum, part.degree);
    }
  }

  // Adds the degrees that other ranks have counted for rows of this rank, before the first step.
  void add_degrees(std::int64_t n_lines, const I* lines) {
    for (std::int64_t k = 0; k < n_lines; ++k) {
      change(rows_[lines[3 * k]], lines[3 * k + 2], lines[3 * k + 1]);
    }
  }

  // Processes the received lines and matches rows and columns of degree one, until the rank has no
  // such row or column, or has collected about `most` lines for other ranks. Then at most `choices`
  // columns choose a row: first those with at most `first` unmatched rows, then others. Returns the
  // number of visited entries.
  std::int64_t step(std::int64_t n_lines, const I* lines, std::int64_t choices, I first,
                    std::int64_t most, Budget& budget) {
    edges_ = 0;
    most_ = most;
    for (std::int64_t k = 0; k < n_lines; ++k) {
      if (k + 8 < n_lines) prefetch_target(lines + 3 * (k + 8));
      accept(lines + 3 * k);
    }
    if (is_first_) {
      is_first_ = false;
      for (I r = 0; r < A_.n_rows; ++r) {
        if (rows_[r].degree == 1) forced_.push_back(r);
      }
      for (I c = 0; c < A_.n_cols; ++c) {
        if (cols_[c].degree == 1) forced_.push_back(-1 - c);
      }
    }
    std::vector<std::pair<I, I>> waiting;
    waiting.swap(waiting_);
    for (const auto& [r, c] : waiting) claim(r, c);
    match_forced(budget);
    if (first > 0) choose_rows(first, choices, budget);
    choose_rows(std::numeric_limits<I>::max(), choices, budget);
    send_changes();
    return edges_;
  }

  // After the last step: stores the mates that the lines of this step report, so that row_match and
  // col_match agree over all ranks. Matches nothing else.
  void settle(std::int64_t n_lines, const I* lines) {
    for (std::int64_t k = 0; k < n_lines; ++k) {
      const I* const line = lines + 3 * k;
      if (line[0] >= 0 && line[1] < 0) {
        A_.row_match[line[0]] = -1 - line[1];
      } else if (line[0] < 0 && line[2] == 1) {
        const std::int64_t c = std::int64_t{line[1]} - col_first_;
        if (c >= 0 && c < A_.n_cols) A_.col_match[c] = -1 - line[0];
      }
    }
  }

 private:
  struct Vertex {
    I degree, sum;
  };
  bool is_full() const {
    return outbox_.size() + static_cast<std::int64_t>(changed_.size()) >= most_;
  }

  I number_of(std::int64_t c) const { return static_cast<I>(col_first_ + c); }
  I number_of_row(I r) const { return static_cast<I>(A_.row_bounds[A_.rank] + r); }

  bool is_matched(I r) const {
    return r < A_.n_rows ? A_.row_match[r] >= 0 : ghost_matched_[r - A_.n_rows] != 0;
  }

  static void change(Vertex& vertex, I by, I neighbour) {
    vertex.degree = static_cast<I>(vertex.degree + by);
    vertex.sum = static_cast<I>(vertex.sum ^ neighbour);
  }

  // Prefetches the data of the row or ghost of a line.
  void prefetch_target(const I* line) const {
    if (line[0] >= 0) {
      prefetch(rows_ + line[0]);
      prefetch(A_.row_match + line[0]);
    } else if (line[2] == 1) {
      places_.prefetch_place(-1 - std::int64_t{line[0]});
    }
  }

  void accept(const I* line) {
    if (line[0] >= 0 && line[2] != 0) {
      const I r = line[0];
      change(rows_[r], line[2], line[1]);
      if (rows_[r].degree == 1 && A_.row_match[r] < 0) forced_.push_back(r);
    } else if (line[0] >= 0 && line[1] < 0) {
      A_.row_match[line[0]] = -1 - line[1];
    } else if (line[0] >= 0) {
      accept_proposal(line[0], line[1]);
    } else if (line[2] == 0) {
      claim(static_cast<I>(A_.n_rows + places_[line[1]]), -1 - line[0]);
    } else {
      learn_mate(places_[-1 - std::int64_t{line[0]}], line[1]);
    }
  }

  void accept_proposal(I r, I col) {
    if (A_.row_match[r] >= 0) return;  // this rank has already announced the mate of the row
    A_.row_match[r] = col;
    change(rows_[r], -1, col);
    remove_row(r);
    announce(r);
  }

  // Row r, of degree one, claims column c.
  void claim(I r, I c) {
    if (A_.col_match[c] >= 0) return;
    if (wanted_[c] >= 0 && wanted_[c] != r) {
      waiting_.push_back({r, c});
    } else if (r < A_.n_rows) {
      if (A_.row_match[r] < 0) match_own(r, c);
    } else {
      const I g = static_cast<I>(r - A_.n_rows);
      ghost_matched_[g] = 1;
      match_column(c, A_.number_of_ghost(g));
      send_to_row(g, -1 - number_of(c), 0);
      remove_row(r);
    }
  }

  // Processes the announcement that the row of a ghost is matched to a column.
  void learn_mate(I g, I col) {
    if (ghost_matched_[g] != 0) return;  // this rank itself has matched the row
    ghost_matched_[g] = 1;
    const std::int64_t c = std::int64_t{col} - col_first_;
    if (c >= 0 && c < A_.n_cols) match_column(static_cast<I>(c), A_.number_of_ghost(g));
    remove_row(static_cast<I>(A_.n_rows + g));
  }

  void match_forced(Budget& budget) {
    const std::int64_t before = edges_;
    while (!forced_.empty() && !is_full()) {
      const I k = forced_.back();
      forced_.pop_back();
      if (k >= 0) {
        if (A_.row_match[k] < 0 && rows_[k].degree == 1) match_row(k, rows_[k].sum);
      } else if (const I c = -1 - k;
                 A_.col_match[c] < 0 && wanted_[c] < 0 && cols_[c].degree == 1) {
        match_or_propose(c, cols_[c].sum);
      }
    }
    budget.spend(edges_ - before);
  }

  // Matches a row of degree one to its column, or claims the column at its owner.
  void match_row(I r, I col) {
    const int owner = col_owners_.of(col);
    const std::int64_t c = std::int64_t{col} - col_owners_.first_of(owner);
    if (owner == A_.rank) {
      claim(r, static_cast<I>(c));
      return;
    }
    outbox_.put(owner, static_cast<I>(-1 - c), number_of_row(r), 0);
  }

  void match_or_propose(I c, I r) {
    if (r < A_.n_rows) {
      match_own(r, c);
    } else {
      wanted_[c] = r;
      send_to_row(static_cast<I>(r - A_.n_rows), number_of(c), 0);
    }
  }

  // Lets at most `choices` columns of at most this degree choose a row, and subtracts their number.
  void choose_rows(I degree, std::int64_t& choices, Budget& budget) {
    for (std::int64_t tested = 0;
         tested < A_.n_cols && choices > 0 && !is_full() && !budget.stopped(); ++tested, ++next_) {
      if (next_ == A_.n_cols) next_ = 0;
      const I c = static_cast<I>(next_);
      if (A_.col_match[c] >= 0 || wanted_[c] >= 0) continue;
      if (cols_[c].degree == 0 || cols_[c].degree > degree) continue;
      --choices;
      choose_row(c);
      match_forced(budget);
    }
  }

  // Column c chooses, among its unmatched rows of this rank, the one with the fewest unmatched
  // columns, because this needs no message. If it has no such row, it chooses its first ghost.
  void choose_row(I c) {
    I chosen = -1;
    for (std::int64_t p = A_.indptr[c]; p < A_.indptr[c + 1]; ++p) {
      ++edges_;
      const I r = A_.items[p];
      if (is_matched(r)) continue;
      if (r >= A_.n_rows) {
        if (chosen < 0) chosen = r;
      } else if (chosen < 0 || chosen >= A_.n_rows || rows_[r].degree < rows_[chosen].degree) {
        chosen = r;
      }
    }
    if (chosen >= 0) match_or_propose(c, chosen);
  }

  void match_own(I r, I c) {
    A_.row_match[r] = number_of(c);
    change(rows_[r], -1, number_of(c));
    match_column(c, number_of_row(r));
    if (remove_row(r) < rows_[r].degree) announce(r);  // other ranks have unmatched columns of r
  }

  // Matches a column to a row that is marked as matched already, and updates its other rows.
  void match_column(I c, I row) {
    A_.col_match[c] = row;
    wanted_[c] = -1;
    --left_;
    edges_ += A_.indptr[c + 1] - A_.indptr[c];
    for (std::int64_t p = A_.indptr[c]; p < A_.indptr[c + 1]; ++p) {
      const I r = A_.items[p];
      if (is_matched(r)) continue;
      if (r >= A_.n_rows) {
        changed_.push_back({static_cast<I>(r - A_.n_rows), c});
        continue;
      }
      change(rows_[r], -1, number_of(c));
      if (rows_[r].degree == 1) forced_.push_back(r);
    }
  }

  // Removes a matched row or ghost from the degrees of the columns of this rank. Returns how many
  // of its columns on this rank are unmatched.
  std::int64_t remove_row(I r) {
    std::int64_t unmatched = 0;
    const std::span<const I> columns = by_row_[r];
    edges_ += static_cast<std::int64_t>(columns.size());
    for (const I c : columns) {
      if (A_.col_match[c] >= 0) continue;
      ++unmatched;
      if (wanted_[c] == r) wanted_[c] = -1;
      change(cols_[c], -1, r);
      left_ -= cols_[c].degree == 0;
      if (cols_[c].degree == 1) forced_.push_back(-1 - c);
    }
    // match_forced skips columns in forced_ whose degree is now 0.
    return unmatched;
  }

  // Reports the mate of a row to all ranks that have the row as a ghost.
  void announce(I r) {
    const I target = static_cast<I>(-1 - number_of_row(r));
    copies_.for_ranks(r, [&](int rank) { outbox_.put(rank, target, A_.row_match[r], 1); });
  }

  void send_to_row(I g, I a, I b) {
    const I number = A_.number_of_ghost(g);
    const int owner = row_owners_.of(number);
    outbox_.put(owner, static_cast<I>(number - row_owners_.first_of(owner)), a, b);
  }

  void send_changes() {
    for (const auto& [g, c] : changed_) {
      if (ghost_matched_[g] == 0) send_to_row(g, number_of(c), -1);
    }
    changed_.clear();
  }

  OwnedBipartite<I> A_;
  const OwnedRows<I>& by_row_;
  Owners row_owners_, col_owners_;
  I col_first_;
  Workspace memory_;
  const CopyRanks copies_;
  const GhostPlaces<I> places_;
  Vertex *rows_, *cols_;
  I* wanted_;                    // for each column, the ghost to which it has proposed, or -1
  std::uint8_t* ghost_matched_;  // for each ghost, whether it is known to be matched
  std::vector<I> forced_;        // rows r, and -1 - c for columns c, of degree one
  // Ghosts, and columns that were matched, of changes that were not sent yet.
  std::vector<std::pair<I, I>> changed_;
  std::vector<std::pair<I, I>> waiting_;  // claims (row, column) on columns that wait for an answer
  Outbox<I> outbox_;
  std::int64_t left_ = 0, next_ = 0, edges_ = 0, most_ = 0;
  bool is_first_ = true;
};

}  // namespace btfperm
