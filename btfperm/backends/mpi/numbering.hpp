// SPDX-License-Identifier: BSD-3-Clause
// Numbering: gives the distinct numbers of a sequence the places 0, 1, ... in the order of their
// first occurrence
//
// Idea        A hash table with linear probing, at most half full, holds the place of each number.
//             The multiplier is that of Fibonacci hashing (Knuth, volume 3, section 6.4).
// Cost        O(1) expected for a number. A lookup reads one or two consecutive elements of the
//             table; `std::unordered_map` would follow pointers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace btfperm {

template <class I>
class Numbering {
 public:
  // The place of a number, which must not be negative, and whether this is its first occurrence.
  std::pair<I, bool> place_of(I number) {
    if (2 * (numbers_.size() + 1) > slots_.size()) enlarge();
    for (std::size_t at = home_of(number);; at = (at + 1) & (slots_.size() - 1)) {
      const I place = slots_[at];
      if (place < 0) {
        slots_[at] = static_cast<I>(numbers_.size());
        numbers_.push_back(number);
        return {slots_[at], true};
      }
      if (numbers_[place] == number) return {place, false};
    }
  }

  I operator[](std::int64_t place) const { return numbers_[place]; }

  void clear() {
    numbers_.clear();
    slots_.clear();
    shift_ = 64;
  }

 private:
  std::size_t home_of(I number) const {
    const auto word = static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15u;
    return static_cast<std::size_t>(word >> shift_);
  }

  void enlarge() {
    const std::size_t size = slots_.empty() ? 64 : 2 * slots_.size();
    shift_ = slots_.empty() ? 58 : shift_ - 1;
    slots_.assign(size, I{-1});
    for (std::size_t place = 0; place < numbers_.size(); ++place) {
      std::size_t at = home_of(numbers_[place]);
      while (slots_[at] >= 0) at = (at + 1) & (size - 1);
      slots_[at] = static_cast<I>(place);
    }
  }

  std::vector<I> numbers_;  // the number at each place
  std::vector<I> slots_;    // the hash table of places; -1: empty. Its size is a power of two
  int shift_ = 64;          // a product shifted right by this number is a slot
};

}  // namespace btfperm
