// SPDX-License-Identifier: BSD-3-Clause
// Ascending numbers in one or two bytes each
//
// Idea        The numbers are divided into blocks of 16. Of each block, the first number is stored,
//             and the differences of its numbers from this one, in one byte each or in two. A block
//             with a larger difference is stored whole.
// Cost        1.25 bytes for each 32-bit number if most blocks span less than 256, 2.25 if most
//             span less than 65,536. A number is found by two accesses.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace btfperm {

template <class I>
class AscendingNumbers {
 public:
  // `numbers` holds `count` numbers in ascending order, none of which is negative. Throws
  // std::bad_alloc.
  AscendingNumbers(std::int64_t count, const I* numbers) : count_(count) {
    const std::int64_t with_bytes = n_whole<std::uint8_t>(numbers);
    const std::int64_t with_shorts = n_whole<std::uint16_t>(numbers);
    const std::int64_t size = block * static_cast<std::int64_t>(sizeof(I));
    const bool is_short = with_bytes * size <= with_shorts * size + count;
    first_.resize(static_cast<std::size_t>(n_blocks()));
    whole_.resize(static_cast<std::size_t>(block * (is_short ? with_bytes : with_shorts)));
    is_short ? fill(numbers, bytes_) : fill(numbers, shorts_);
  }

  std::int64_t size() const { return count_; }

  I operator[](std::int64_t k) const {
    const I first = first_[k / block];
    if (first < 0) return whole_[(-1 - std::int64_t{first}) * block + k % block];
    return static_cast<I>(first + (shorts_.empty() ? bytes_[k] : shorts_[k]));
  }

  // The place of the first number that is not below `number` among those at begin .. end - 1, or
  // `end`.
  std::int64_t first_not_below(std::int64_t number, std::int64_t begin, std::int64_t end) const {
    while (begin < end) {
      const std::int64_t middle = begin + (end - begin) / 2;
      if ((*this)[middle] < number) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  }

 private:
  static constexpr std::int64_t block = 16;

  std::int64_t n_blocks() const { return (count_ + block - 1) / block; }

  // Whether the differences of a block exceed the type D.
  template <class D>
  bool is_whole(const I* numbers, std::int64_t b) const {
    const std::int64_t last = std::min(count_, (b + 1) * block) - 1;
    return numbers[last] - numbers[b * block] > std::numeric_limits<D>::max();
  }

  template <class D>
  std::int64_t n_whole(const I* numbers) const {
    std::int64_t found = 0;
    for (std::int64_t b = 0; b < n_blocks(); ++b) found += is_whole<D>(numbers, b);
    return found;
  }

  template <class D>
  void fill(const I* numbers, std::vector<D>& differences) {
    differences.resize(static_cast<std::size_t>(count_));
    std::int64_t n_whole = 0;
    for (std::int64_t b = 0; b < n_blocks(); ++b) {
      const std::int64_t begin = b * block, end = std::min(count_, begin + block);
      if (is_whole<D>(numbers, b)) {
        std::copy(numbers + begin, numbers + end, whole_.begin() + n_whole * block);
        first_[b] = static_cast<I>(-1 - n_whole++);
        continue;
      }
      first_[b] = numbers[begin];
      for (std::int64_t k = begin; k < end; ++k) {
        differences[k] = static_cast<D>(numbers[k] - numbers[begin]);
      }
    }
  }

  std::int64_t count_;
  // Not in pages of a Workspace: a rank has an object for each other rank, which may be short.
  std::vector<I> first_;  // for each block: its first number, or -1 - k if it is block k of whole_
  std::vector<I> whole_;
  std::vector<std::uint8_t> bytes_;  // the differences, in one of the two arrays
  std::vector<std::uint16_t> shorts_;
};

}  // namespace btfperm
