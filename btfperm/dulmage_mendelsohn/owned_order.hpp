// SPDX-License-Identifier: BSD-3-Clause
// One rank's part of the canonical order over MPI ranks: counts instead of sorting
//
// Idea        A rank sends one line for each block of which it has members: (name, number of
//             columns, number of rows, smallest column or row). The owner of a name numbers its
//             blocks by name, and replaces in each line the name by that number, and the counts by
//             the members on lower ranks: lines arrive in the order of the ranks. Then the owner of
//             the smallest column (or row) of a block adds up, for each height, the blocks before
//             it.
// Cost        O(rows and columns of the rank + lines)
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace btfperm {

// Writes a line for each name: (name, columns, rows, smallest). Member k of the columns has the
// name names[of_cols[k]] and the number cols[k]; likewise for rows. `smallest`: the smallest number
// of the columns, or of the rows if `by_rows`.
template <class I>
void list_members(std::int64_t n_names, const I* names, std::int64_t n_cols, const I* of_cols,
                  const I* cols, std::int64_t n_rows, const I* of_rows, const I* rows, bool by_rows,
                  I* lines) {
  for (std::int64_t k = 0; k < n_names; ++k) {
    I* const line = lines + 4 * k;
    line[0] = names[k];
    line[1] = line[2] = 0;
    line[3] = std::numeric_limits<I>::max();
  }
  const auto count = [lines](std::int64_t members, const I* of, const I* numbers, int field,
                             bool is_key) {
    for (std::int64_t k = 0; k < members; ++k) {
      I* const line = lines + 4 * of[k];
      ++line[field];
      if (is_key) line[3] = std::min(line[3], numbers[k]);
    }
  };
  count(n_cols, of_cols, cols, 1, !by_rows);
  count(n_rows, of_rows, rows, 2, by_rows);
}

// Replaces in each line of list_members the name, from first .. first + count - 1, by the number of
// its block in the result, and columns and rows by those on lower ranks; `smallest` stays. Returns
// (name, columns, rows, smallest) of each block: the sums and the minimum over its lines.
template <class I>
std::vector<I> number_blocks(std::int64_t first, std::int64_t count, std::int64_t n_lines,
                             I* lines) {
  std::vector<I> number(static_cast<std::size_t>(count), I{-1});
  for (std::int64_t k = 0; k < n_lines; ++k) number[lines[4 * k] - first] = 0;
  I n_blocks = 0;
  for (I& block : number) {
    if (block == 0) block = n_blocks++;
  }
  std::vector<I> blocks(4 * static_cast<std::size_t>(n_blocks), 0);
  for (std::int64_t k = 0; k < n_lines; ++k) {
    I* const line = lines + 4 * k;
    const I b = number[line[0] - first];
    I* const block = blocks.data() + 4 * static_cast<std::int64_t>(b);
    const bool is_new = block[1] + block[2] == 0;
    block[0] = line[0];
    block[3] = is_new ? line[3] : std::min(block[3], line[3]);
    line[0] = b;
    for (int field = 1; field <= 2; ++field) {
      const I members = line[field];
      line[field] = block[field];
      block[field] += members;
    }
  }
  return blocks;
}

// items: (smallest, height, columns, rows) of each block whose smallest column (or row) this rank
// owns, which is in first .. first + count - 1. level[k]: the place of the height of block k among
// the heights. before[3 k ...]: the numbers of blocks, columns and rows of this height before block
// k, in the order of the smallest columns. sums[3 l ...]: those of all blocks of height l.
template <class I>
void number_in_levels(std::int64_t first, std::int64_t count, std::int64_t n_blocks, const I* items,
                      const I* level, std::int64_t* sums, I* before) {
  std::vector<I> block_at(static_cast<std::size_t>(count), I{-1});
  for (std::int64_t k = 0; k < n_blocks; ++k) block_at[items[4 * k] - first] = static_cast<I>(k);
  for (const I block : block_at) {
    if (block < 0) continue;
    const std::int64_t k = block;
    std::int64_t* const sum = sums + 3 * static_cast<std::int64_t>(level[k]);
    const I extent[3] = {1, items[4 * k + 2], items[4 * k + 3]};
    for (int field = 0; field < 3; ++field) {
      before[3 * k + field] = static_cast<I>(sum[field]);
      sum[field] += extent[field];
    }
  }
}

// Gives each member the next position of its group.
template <class I>
void hand_out(std::int64_t count, const I* of, I* next, I* positions) {
  for (std::int64_t k = 0; k < count; ++k) positions[k] = next[of[k]]++;
}

}  // namespace btfperm
