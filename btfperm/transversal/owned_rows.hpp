// SPDX-License-Identifier: BSD-3-Clause
// The entries of one rank by rows
//
// Idea        The list of a row, or of a ghost, contains the columns of this rank that have an
//             entry in the row. So a rank makes these lists without a message; the other columns of
//             the row are in the lists of the ranks that own these columns. Most ghosts have one or
//             two columns, so that an array of the starts of their lists would be as long as the
//             lists; `PackedStarts` needs about three bits for each list and each item instead.
// Cost        O(rows + ghosts + entries of the rank). Memory: a number for each entry, and bits
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "backends/cpu/workspace.hpp"
#include "backends/mpi/ascending.hpp"

namespace btfperm {

// The columns of this rank, with local row numbers (`backends/mpi/ghosts.hpp`), and the matching.
template <class I>
struct OwnedBipartite {
  std::int64_t n_rows, n_cols, n_ghosts;
  const std::int64_t* indptr;
  const I* items;
  const AscendingNumbers<I>* ghosts;  // their numbers in the whole matrix
  const std::int64_t *row_bounds, *col_bounds;
  int rank, ranks;
  I *row_match, *col_match;  // numbers of the whole matrix

  I number_of_ghost(std::int64_t g) const { return (*ghosts)[g]; }
};

// The starts of `count` lists while they are made from their items: an array of `count` + 1 numbers
// from 0 to `n_items`. The numbers have 32 bits if these suffice.
class ListStarts {
 public:
  ListStarts(Workspace& memory, std::int64_t count, std::int64_t n_items) : count_(count) {
    const auto places = static_cast<std::size_t>(count + 1);
    if (n_items <= std::numeric_limits<std::int32_t>::max()) {
      short_ = memory.take<std::int32_t>(places);
      std::fill(short_, short_ + places, 0);
    } else {
      long_ = memory.take<std::int64_t>(places);
      std::fill(long_, long_ + places, 0);
    }
  }

  std::int64_t size() const { return count_; }
  std::int64_t operator[](std::int64_t list) const {
    return short_ != nullptr ? short_[list] : long_[list];
  }

  // To make lists, the caller calls `count` for the list of each item, then `add_up`, after which
  // `[k]` is the end of list k, and then `next` for the list of each item, which returns the places
  // of a list from its last one to its first one.
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
  std::int64_t next(std::int64_t list) {
    return short_ != nullptr ? --short_[list] : --long_[list];
  }

 private:
  std::int32_t* short_ = nullptr;
  std::int64_t* long_ = nullptr;
  std::int64_t count_;
};

// The starts of lists in an array of all their items, as bits: a list is a 1, followed by a 0 for
// each of its items. A last 1 ends the bits. The positions of some of the 1s are stored, so that
// the 1 of a list is found in a few words behind one of them. If each list is read once, this takes
// O(lists + items) in total.
class PackedStarts {
 public:
  // `starts` after `add_up`.
  void make(Workspace& memory, const ListStarts& starts) {
    const std::int64_t count = starts.size(), n_items = count > 0 ? starts[count - 1] : 0;
    const auto words = static_cast<std::size_t>((n_items + count) / 64 + 1);
    bits_ = memory.take<std::uint64_t>(words);
    known_ = memory.take<std::int64_t>(static_cast<std::size_t>(count / spacing + 1));
    std::fill(bits_, bits_ + words, std::uint64_t{0});
    for (std::int64_t k = 0; k <= count; ++k) {
      const std::int64_t at = (k > 0 ? starts[k - 1] : 0) + k;
      bits_[at / 64] |= std::uint64_t{1} << (at % 64);
      if (k % spacing == 0) known_[k / spacing] = at;
    }
  }

  struct Range {
    std::int64_t begin, end;
  };

  // The places of the items of a list.
  Range operator[](std::int64_t list) const {
    const std::int64_t known = known_[list / spacing];
    std::int64_t at = known / 64;
    std::uint64_t word = bits_[at] & (~std::uint64_t{0} << (known % 64));
    // The lists between the known one and this one.
    for (std::int64_t before = list % spacing; before > 0; --before) {
      word &= word - 1;
      while (word == 0) word = bits_[++at];
    }
    const std::int64_t first = 64 * at + std::countr_zero(word);
    word &= word - 1;
    while (word == 0) word = bits_[++at];
    const std::int64_t next = 64 * at + std::countr_zero(word);
    return {first - list, next - list - 1};
  }

 private:
  static constexpr std::int64_t spacing = 16;
  std::uint64_t* bits_ = nullptr;
  std::int64_t* known_ = nullptr;  // the position of the 1 of each list whose number is divisible
                                   // by `spacing`
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
    Workspace temporary;
    ListStarts starts(temporary, n_local_, n_entries_);
    for (std::int64_t p = 0; p < n_entries_; ++p) starts.count(A.items[p]);
    starts.add_up();
    starts_.make(memory_, starts);
    for (std::int64_t c = A.n_cols; c-- > 0;) {
      for (std::int64_t p = A.indptr[c + 1]; p-- > A.indptr[c];) {
        cols_[starts.next(A.items[p])] = static_cast<I>(c);
      }
    }
    is_made_ = true;
  }

  // The columns of a row or ghost.
  std::span<const I> operator[](I r) const {
    const auto [begin, end] = starts_[r];
    return {cols_ + begin, static_cast<std::size_t>(end - begin)};
  }

 private:
  Workspace memory_;
  PackedStarts starts_;
  I* cols_ = nullptr;
  std::int64_t n_local_ = 0, n_entries_ = 0;
  bool is_made_ = false;
};

}  // namespace btfperm
