// SPDX-License-Identifier: BSD-3-Clause
// The order in which threads take diagonal blocks: the block with the most entries comes first
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace btfperm {

struct SizedBlock {
  std::int64_t block;
  // The number of rows or columns of the block. After largest_first: the maximum of this number
  // over this block and all later ones, which bounds the workspace that a thread still needs.
  std::int64_t size;
  std::int64_t entries;
};

// Sorts the blocks by decreasing number of entries, blocks with equally many by their number, and
// sets each `size`.
inline void largest_first(std::vector<SizedBlock>& blocks) {
  std::sort(blocks.begin(), blocks.end(), [](const SizedBlock& a, const SizedBlock& b) {
    return a.entries != b.entries ? a.entries > b.entries : a.block < b.block;
  });
  for (std::size_t k = blocks.size(); k-- > 1;) {
    blocks[k - 1].size = std::max(blocks[k - 1].size, blocks[k].size);
  }
}

}  // namespace btfperm
