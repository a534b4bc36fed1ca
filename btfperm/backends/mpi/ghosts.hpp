// SPDX-License-Identifier: BSD-3-Clause
// Local numbers of the rows or columns in the lists of a rank
//
// Idea        A rank owns the numbers first .. last - 1, which become 0 .. last - first - 1. The
//             others in its lists are its ghosts: in ascending order, they have the next local
//             numbers. So an array of owned and ghost values is indexed by local numbers, and has
//             at most as many places as the rank has rows (or columns) and entries in sum.
// Cost        O(items): a bit for each number of the whole matrix if there are not many more of
//             them than items; otherwise O(items log items).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "backends/cpu/budget.hpp"

namespace btfperm {

// Renumbers the items, all in 0 .. range - 1, in place. Returns the old numbers of the ghosts.
template <class I>
std::vector<I> number_ghosts(std::int64_t first, std::int64_t last, std::int64_t range,
                             std::int64_t count, I* items, Budget& budget) {
  const auto is_own = [&](I item) { return item >= first && item < last; };
  std::vector<I> ghosts;
  if (range <= 16 * count) {  // the bits and their counts take at most 4 bytes for each item
    const std::int64_t words = range / 64 + 1;
    std::vector<std::uint64_t> bits(static_cast<std::size_t>(words), 0);
    std::vector<I> before(static_cast<std::size_t>(words));
    for (std::int64_t k = 0; k < count; ++k) {
      if (!is_own(items[k])) bits[items[k] / 64] |= std::uint64_t{1} << (items[k] % 64);
    }
    std::size_t n_ghosts = 0;
    for (const std::uint64_t word : bits) n_ghosts += static_cast<std::size_t>(std::popcount(word));
    ghosts.reserve(n_ghosts);
    for (std::int64_t w = 0; w < words; ++w) {
      before[w] = static_cast<I>(ghosts.size());
      for (std::uint64_t left = bits[w]; left != 0; left &= left - 1) {
        ghosts.push_back(static_cast<I>(w * 64 + std::countr_zero(left)));
      }
    }
    if (!budget.spend(count)) return ghosts;
    const I shift = static_cast<I>(last - first);
    for (std::int64_t k = 0; k < count; ++k) {
      if (is_own(items[k])) {
        items[k] = static_cast<I>(items[k] - first);
        continue;
      }
      const std::uint64_t lower = (std::uint64_t{1} << (items[k] % 64)) - 1;
      const std::int64_t w = items[k] / 64;
      items[k] = static_cast<I>(shift + before[w] + std::popcount(bits[w] & lower));
    }
    return ghosts;
  }
  std::copy_if(items, items + count, std::back_inserter(ghosts), [&](I i) { return !is_own(i); });
  std::sort(ghosts.begin(), ghosts.end());
  ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
  if (!budget.spend(count)) return ghosts;
  for (std::int64_t k = 0; k < count; ++k) {
    const auto place = std::lower_bound(ghosts.begin(), ghosts.end(), items[k]) - ghosts.begin();
    items[k] = static_cast<I>(is_own(items[k]) ? items[k] - first : last - first + place);
  }
  return ghosts;
}

}  // namespace btfperm
