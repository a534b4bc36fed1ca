// SPDX-License-Identifier: BSD-3-Clause
// The entries of one rank by rows
//
// Idea        The list of a row, or of a ghost, contains the columns of this rank that have an
//             entry in the row. So a rank makes these lists without a message; the other columns of
//             the row are in the lists of the ranks that own these columns.
// Cost        O(rows + ghosts + entries of the rank), and as much memory
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "backends/cpu/workspace.hpp"

namespace btfperm {

// The columns of this rank, with local row numbers (`backends/mpi/ghosts.hpp`), and the matching.
template <class I>
struct OwnedBipartite {
  std::int64_t n_rows, n_cols, n_ghosts;
  const std::int64_t* indptr;
  const I* items;
  const I* ghosts;  // their numbers in the whole matrix, ascending
  const std::int64_t *row_bounds, *col_bounds;
  int rank, ranks;
  I *row_match, *col_match;  // numbers of the whole matrix
};

// An array of `count` + 1 numbers from 0 to `n_items`, such as the starts of `count` lists in an
// array of all their items. The numbers have 32 bits if these suffice.
class ListStarts {
 public:
  void make(Workspace& memory, std::int64_t count, std::int64_t n_items) {
    const auto places = static_cast<std::size_t>(count + 1);
    count_ = count;
    short_ = nullptr;
    long_ = nullptr;
    if (n_items <= std::numeric_limits<std::int32_t>::max()) {
      short_ = memory.take<std::int32_t>(places);
      std::fill(short_, short_ + places, 0);
    } else {
      long_ = memory.take<std::int64_t>(places);
      std::fill(long_, long_ + places, 0);
    }
  }

  std::int64_t operator[](std::int64_t list) const {
    return short_ != nullptr ? short_[list] : long_[list];
  }

  // To make the starts of lists, the caller calls `count` for the list of each item, then `add_up`,
  // and then `next` for the list of each item, which returns the places of a list from its last one
  // to its first one. Afterwards, list k begins at `[k]`.
  void count(std::int64_t list) { short_ != nullptr ? ++short_[list] : ++long_[list]; }
  void add_up() {
    for (std::int64_t k = 1; k <= count_; ++k) {
      if (short_ != nullptr) {
        short_[k] += short_[k - 1];
      } else {
        long_[k] += long_[k - 1];
      }
    }
  }
  void set(std::int64_t place, std::int64_t value) {
    if (short_ != nullptr) {
      short_[place] = static_cast<std::int32_t>(value);
    } else {
      long_[place] = value;
    }
  }
  std::int64_t next(std::int64_t list) {
    return short_ != nullptr ? --short_[list] : --long_[list];
  }

 private:
  std::int32_t* short_ = nullptr;
  std::int64_t* long_ = nullptr;
  std::int64_t count_ = 0;
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
    cols_ = memory_.take<I>(static_cast<std::size_t>(n_entries_));
    begin_.make(memory_, n_local_, n_entries_);
    for (std::int64_t p = 0; p < n_entries_; ++p) begin_.count(A.items[p]);
    begin_.add_up();
    for (std::int64_t c = A.n_cols; c-- > 0;) {
      for (std::int64_t p = A.indptr[c + 1]; p-- > A.indptr[c];) {
        cols_[begin_.next(A.items[p])] = static_cast<I>(c);
      }
    }
    is_made_ = true;
  }

  const I* begin(I r) const { return cols_ + begin_[r]; }
  const I* end(I r) const { return cols_ + begin_[r + 1]; }
  std::int64_t length(I r) const { return begin_[r + 1] - begin_[r]; }

 private:
  Workspace memory_;
  ListStarts begin_;
  I* cols_ = nullptr;
  std::int64_t n_local_ = 0, n_entries_ = 0;
  bool is_made_ = false;
};

}  // namespace btfperm
