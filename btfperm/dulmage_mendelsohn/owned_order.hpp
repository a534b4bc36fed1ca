// SPDX-License-Identifier: BSD-3-Clause
// One rank's part of the canonical order over MPI ranks: counts instead of sorting
//
// Idea        The steps are those of canonical_order_mpi.py. For each block of which a rank has
//             members (rows or columns), `list_members` makes a line: (name, number of columns,
//             number of rows, smallest column or row). The owner of the names receives these lines
//             in the order of the sending ranks. There, `number_blocks` numbers the blocks by
//             their names; in each line, it replaces the name by this number, and the two counts by
//             those of the members of the block on lower ranks. On the owner of the smallest column
//             (or row) of a block, `number_in_levels` adds up, for each height, the blocks before
//             it.
// Cost        O(rows and columns of the rank + lines)
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace btfperm {

// Writes a line for each name: (name, number of columns, number of rows, smallest). Column cols[k]
// is in the block with the name names[of_cols[k]]; likewise for rows. `smallest` is the smallest of
// the columns, or of the rows if `by_rows`.
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

// `lines` are lines of list_members from all ranks, whose names are in first .. first + count - 1.
// In each line, replaces the name by the number of its block in the result, and the numbers of
// columns and rows by those on lower ranks; `smallest` does not change. Returns (name, columns,
// rows, smallest) of each block: the sums and the minimum over its lines.
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

// `items` holds (smallest, height, columns, rows) for each block whose smallest column (or row)
// this rank owns; `smallest` is in first .. first + count - 1. level[k] is the place of the height
// of block k among the distinct heights. Sets before[3 k ...] to the numbers of blocks, columns and
// rows of the same height before block k, in the order of the smallest columns (or rows), and
// sums[3 l ...] to these numbers for all blocks of level l.
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

// Sets positions[k] to the next position of the group of[k] of member k.
template <class I>
void hand_out(std::int64_t count, const I* of, I* next, I* positions) {
  for (std::int64_t k = 0; k < count; ++k) positions[k] = next[of[k]]++;
}

}  // namespace btfperm
