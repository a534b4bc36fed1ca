// SPDX-License-Identifier: BSD-3-Clause
// Local numbers of the rows or columns in the lists of a rank
//
// Idea        The items of a rank are the row numbers in its columns (or the column numbers in its
//             rows). The rank owns the numbers first .. last - 1, whose local numbers are
//             0 .. last - first - 1. The other numbers in its lists are its ghosts; in ascending
//             order, they have the next local numbers. So an array that is indexed by local numbers
//             has at most as many elements as the rank has rows (or columns) and entries together.
// Cost        O(items) with a bit for each number of the whole matrix, if there are at most 16
//             numbers for each item; otherwise O(items log items) by sorting
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "backends/cpu/budget.hpp"

namespace btfperm {

// The local numbers of some items, all in 0 .. range - 1.
template <class I>
class LocalNumbers {
 public:
  LocalNumbers(std::int64_t first, std::int64_t last, std::int64_t range)
      : first_(first), last_(last), range_(range) {}

  // Finds the ghosts among the items, and allocates all memory that `list` and `renumber` need.
  void find_ghosts(std::int64_t count, const I* items, Budget& budget) {
    if (range_ <= 16 * count) {  // the bits and their counts take at most 4 bytes for each item
      mark_ghosts(count, items);
    } else {
      std::copy_if(items, items + count, std::back_inserter(sorted_),
                   [&](I item) { return !is_own(item); });
      std::sort(sorted_.begin(), sorted_.end());
      sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
      n_ghosts_ = sorted_.size();
    }
    budget.spend(count);
  }

  std::size_t n_ghosts() const { return n_ghosts_; }

  // Writes the numbers of the ghosts in the whole matrix, ascending. The caller keeps `ghosts`
  // until `renumber` has returned.
  void list(I* ghosts) {
    ghosts_ = ghosts;
    std::copy(sorted_.begin(), sorted_.end(), ghosts);
    sorted_ = {};
    std::size_t place = 0;
    for (std::size_t w = 0; w < bits_.size(); ++w) {
      before_[w] = static_cast<I>(place);
      for (std::uint64_t left = bits_[w]; left != 0; left &= left - 1) {
        ghosts[place++] =
            static_cast<I>(static_cast<std::int64_t>(w) * 64 + std::countr_zero(left));
      }
    }
  }

  // Replaces the items by their local numbers. It does not fail.
  void renumber(std::int64_t count, I* items) const {
    for (std::int64_t k = 0; k < count; ++k) {
      items[k] = static_cast<I>(is_own(items[k]) ? items[k] - first_
                                                 : last_ - first_ + place_of(items[k]));
    }
  }

 private:
  bool is_own(I item) const { return item >= first_ && item < last_; }

  void mark_ghosts(std::int64_t count, const I* items) {
    const auto words = static_cast<std::size_t>(range_ / 64 + 1);
    bits_.assign(words, 0);
    before_.resize(words);
    for (std::int64_t k = 0; k < count; ++k) {
      if (!is_own(items[k])) bits_[items[k] / 64] |= std::uint64_t{1} << (items[k] % 64);
    }
    for (const std::uint64_t word : bits_) {
      n_ghosts_ += static_cast<std::size_t>(std::popcount(word));
    }
  }

  std::int64_t place_of(I ghost) const {
    if (bits_.empty()) {
      return std::lower_bound(ghosts_, ghosts_ + n_ghosts_, ghost) - ghosts_;
    }
    const std::uint64_t lower = (std::uint64_t{1} << (ghost % 64)) - 1;
    return before_[ghost / 64] + std::popcount(bits_[ghost / 64] & lower);
  }

  std::int64_t first_, last_, range_;
  const I* ghosts_ = nullptr;  // the numbers that `list` has written
  std::size_t n_ghosts_ = 0;
  std::vector<I> sorted_;            // the ghosts, until `list`, if they are sorted
  std::vector<std::uint64_t> bits_;  // bit k is set if number k is a ghost; empty if it sorts
  std::vector<I> before_;  // for each word of bits_, the number of ghosts in earlier words
};

}  // namespace btfperm
