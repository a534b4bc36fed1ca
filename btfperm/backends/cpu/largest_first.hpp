// SPDX-License-Identifier: BSD-3-Clause
// The order in which threads take blocks: the one with the most entries first
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace btfperm {

struct SizedBlock {
  std::int64_t block;
  std::int64_t size;  // rows or columns; after largest_first: of the largest block from this one on
  std::int64_t entries;
};

// Sorts the blocks by decreasing number of entries, equal ones by number, and sets each `size`.
inline void largest_first(std::vector<SizedBlock>& blocks) {
  std::sort(blocks.begin(), blocks.end(), [](const SizedBlock& a, const SizedBlock& b) {
    return a.entries != b.entries ? a.entries > b.entries : a.block < b.block;
  });
  for (std::size_t k = blocks.size(); k-- > 1;) {
    blocks[k - 1].size = std::max(blocks[k - 1].size, blocks[k].size);
  }
}

}  // namespace btfperm
