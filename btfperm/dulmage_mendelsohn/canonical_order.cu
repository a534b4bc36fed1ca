// SPDX-License-Identifier: BSD-3-Clause
// canonical order, on the device: names and numbers of the blocks; canonical_order.hpp has the
// order
//
// Idea        A block is named by one member: a horizontal one by its smallest column, a square one
//             by its smallest column, a vertical one by its smallest row. Marks at the names of the
//             three parts, one part after the other, and their running totals number the blocks;
//             those of the square part then change places by their heights. A stable sort by these
//             numbers orders all columns, and another one all rows.
// Encodings   marks: n places for columns that name horizontal blocks, n for columns that name
//             square ones, m for rows that name vertical ones. col_part: as in coarse.cu, null
//             where all is square; leader: null where each square block is one column
// Races       words only fall or rise, by atomicMin and atomicMax; others are written once.

#include "backends/gpu/counting.cuh"
#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"

constexpr int horizontal = 1;

// The smallest original column of each component, at its name; n at first. What has no name (-1) is
// led by itself already.
extern "C" __global__ void find_leaders(Index count, const Index* name, const Index* own,
                                        Index* smallest) {
  for (long long v = first_item(); v < count; v += item_stride()) {
    if (name[v] < 0) continue;
    // `own` ascends: of the lanes of a warp with one name, the first has the smallest.
    const unsigned same = __match_any_sync(__activemask(), name[v]);
    if (threadIdx.x % 32 != __ffs(same) - 1) continue;
    Index* word = &smallest[name[v]];
    if (own[v] < seen(word)) atomicMin(word, own[v]);
  }
}

// What leads each column of a part of the graph, and how high its block stands (at the leader);
// block_height goes by the numbers of the names, or by the names where number is null.
extern "C" __global__ void lend_leaders(Index count, const Index* name, const Index* own,
                                        const Index* smallest, const Index* number,
                                        const Index* block_height, Index* leader, Index* height) {
  for (long long v = first_item(); v < count; v += item_stride()) {
    if (name[v] < 0) continue;
    const Index first = smallest[name[v]];
    leader[own[v]] = first;
    if (first == own[v]) height[first] = block_height[number ? number[name[v]] : name[v]];
  }
}

// m + 2 n marks; see above.
extern "C" __global__ void mark_names(Index m, Index n, const int* col_part, const Index* leader,
                                      const Index* col_root, const Index* row_root, Index* marks) {
  for (long long j = first_item(); j < n; j += item_stride()) {
    const int part = col_part ? col_part[j] : 0;
    marks[j] = part == horizontal && col_root[j] == j;
    marks[n + j] = part == 0 && (!leader || leader[j] == j);
  }
  for (long long i = first_item(); i < m; i += item_stride())
    marks[2LL * n + i] = row_root && row_root[i] == i;
}

// What the host reads.
struct Numbers {
  Count horizontal;  // blocks
  Count with_square;
  Count all;
  Count highest;  // of the square ones
};

extern "C" __global__ void note_numbers(Index m, Index n, const Index* totals, Numbers* numbers) {
  if (first_item() > 0) return;
  numbers->horizontal = n > 0 ? totals[n - 1] : 0;
  numbers->with_square = n > 0 ? totals[2LL * n - 1] : 0;
  numbers->all = totals[2LL * n + m - 1];
}

// The names of the square part, ascending, and the height of each; the highest of them.
extern "C" __global__ void list_square_names(Index n, const Index* totals, const Index* height,
                                             Index* names, Index* heights, Numbers* numbers) {
  const Index before = totals[n - 1];
  Index most = 0;
  for (long long j = first_item(); j < n; j += item_stride()) {
    const Index number = totals[n + j];
    if (number == totals[n + j - 1]) continue;
    names[number - 1 - before] = static_cast<Index>(j);
    heights[number - 1 - before] = height[j];
    if (height[j] > most) most = height[j];
  }
  max_over_block(&numbers->highest, static_cast<Count>(most));
}

extern "C" __global__ void turn_heights(Index count, Index highest, Index* heights) {
  for (long long b = first_item(); b < count; b += item_stride()) heights[b] = highest - heights[b];
}

// The number of each square block, at its name, from the order of the names.
extern "C" __global__ void renumber_square(Index count, Index first, const Index* order,
                                           const Index* names, Index n, Index* totals) {
  for (long long b = first_item(); b < count; b += item_stride())
    totals[1LL * n + names[order[b]]] = first + static_cast<Index>(b) + 1;
}

// The block of each column and of each row, these counted from `before_rows` on.
extern "C" __global__ void block_of_each(Index m, Index n, const Index* row_match,
                                         const Index* col_match, const int* col_part,
                                         const Index* leader, const Index* col_root,
                                         const Index* row_root, const Index* totals,
                                         Index before_rows, Index* col_block, Index* row_block) {
  const auto block_of_col = [=](Index j) {
    const int part = col_part ? col_part[j] : 0;
    if (part == 0) return totals[1LL * n + (leader ? leader[j] : j)] - 1;
    if (part == horizontal) return totals[col_root[j]] - 1;
    return totals[2LL * n + row_root[col_match[j]]] - 1;
  };
  for (long long j = first_item(); j < n; j += item_stride())
    col_block[j] = block_of_col(static_cast<Index>(j));
  for (long long i = first_item(); i < m; i += item_stride()) {
    const Index j = row_match[i];
    row_block[i] = before_rows + (j >= 0 ? block_of_col(j) : totals[2LL * n + row_root[i]] - 1);
  }
}

// What stands at each place of a list, or is matched to that.
extern "C" __global__ void look_up(Index count, const Index* places, const Index* words,
                                   const Index* match, Index* found) {
  for (long long k = first_item(); k < count; k += item_stride()) {
    const Index word = words[places[k]];
    found[k] = match ? match[word] : word;
  }
}
