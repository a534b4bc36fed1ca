// SPDX-License-Identifier: BSD-3-Clause
// The entries of one rank by rows
//
// Idea        The list of a row, also of a ghost, holds the columns of this rank with an entry in
//             this row. A rank makes these lists without a message: the entries of the row in the
//             columns of other ranks are in the lists of those ranks.
// Cost        O(rows + ghosts + entries of the rank), and as much memory
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "backends/cpu/workspace.hpp"

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
class OwnedRows {
 public:
  bool is_made() const { return is_made_; }
  bool fits(const OwnedBipartite<I>& A) const {
    return !is_made_ || (n_local_ == A.n_rows + A.n_ghosts && n_entries_ == A.indptr[A.n_cols]);
  }

  // Lists the columns of each row and ghost in ascending order.
  void make(const OwnedBipartite<I>& A) {
    n_local_ = A.n_rows + A.n_ghosts;
    n_entries_ = A.indptr[A.n_cols];
    memory_.give_back();
    begin_ = memory_.take<std::int64_t>(static_cast<std::size_t>(n_local_ + 1));
    cols_ = memory_.take<I>(static_cast<std::size_t>(n_entries_));
    std::fill(begin_, begin_ + n_local_ + 1, std::int64_t{0});
    for (std::int64_t p = 0; p < n_entries_; ++p) ++begin_[A.items[p]];
    for (std::int64_t r = 0, end = 0; r <= n_local_; ++r) begin_[r] = end += begin_[r];
    for (std::int64_t c = A.n_cols; c-- > 0;) {
      for (std::int64_t p = A.indptr[c + 1]; p-- > A.indptr[c];) {
        cols_[--begin_[A.items[p]]] = static_cast<I>(c);
      }
    }
    is_made_ = true;
  }

  const I* begin(I r) const { return cols_ + begin_[r]; }
  const I* end(I r) const { return cols_ + begin_[r + 1]; }
  std::int64_t length(I r) const { return begin_[r + 1] - begin_[r]; }

 private:
  Workspace memory_;
  std::int64_t* begin_ = nullptr;
  I* cols_ = nullptr;
  std::int64_t n_local_ = 0, n_entries_ = 0;
  bool is_made_ = false;
};

}  // namespace btfperm
