// SPDX-License-Identifier: BSD-3-Clause
// canonical order, on the device: names and numbers of the blocks; canonical_order.hpp defines the
// order
//
// Idea        The name of a block is one of its members: the smallest column of a horizontal or
//             square block, the smallest row of a vertical block. A sequence of marks has a 1 for
//             each row or column that is a name, for the three parts one after the other; the
//             prefix sums of the marks number the blocks. The square blocks are then renumbered by
//             their heights. Finally, a stable sort by these numbers orders the columns and the
//             rows. (No sort is needed if there is one block, or if each block is one row and one
//             column.)
// Encodings   the marks have n places for columns that name horizontal blocks, n for columns that
//             name square blocks, and m for rows that name vertical blocks. col_part: as in
//             coarse.cu, null if all columns are square; leader: null if each square block has one
//             column
// Races       words that several threads change are changed by atomicMin and atomicMax; each other
//             word has one writer

#include "backends/gpu/running_totals.cuh"

constexpr int horizontal = 1;

// For the `count` vertices of a part of the graph, writes the leader of each column, which is the
// smallest column of its block, and at the leader the height of the block. The column of vertex v
// is own[v], or v itself if `own` is null. Columns outside the part, or without a name (-1), are
// their own leaders, and their heights do not change. block_height is indexed by the numbers of the
// names, or by the names if `number` is null. `smallest` is workspace with an element for each
// vertex.
extern "C" __global__ void __launch_bounds__(256, blocks_together)
    lead_blocks(Index n, Index count, const Index* name, const Index* own, const Index* number,
                const Index* block_height, Index* smallest, Index* leader, Index* height,
                Count* barrier) {
  for (long long j = first_item(); j < n; j += item_stride()) leader[j] = static_cast<Index>(j);
  for (long long v = first_item(); v < count; v += item_stride()) smallest[v] = n;
  grid_barrier(barrier);
  const auto column = [=](long long v) { return own ? own[v] : static_cast<Index>(v); };
  const int lane = lane_id();
  for (long long begin = first_item() - lane; begin < count; begin += item_stride()) {
    const long long v = begin + lane;
    const Index own_name = v < count ? name[v] : -1;
    // Columns ascend: of the lanes with the same name, the first has the smallest column. All of
    // them execute the same iteration of the loop.
    const unsigned same = __match_any_sync(whole_warp, own_name);
    if (own_name < 0 || lane != first_of(same)) continue;
    Index* word = &smallest[own_name];
    if (column(v) < seen(word)) atomicMin(word, column(v));
  }
  grid_barrier(barrier);
  for (long long v = first_item(); v < count; v += item_stride()) {
    if (name[v] < 0) continue;
    const Index first = seen(&smallest[name[v]]);
    leader[column(v)] = first;
    if (first == column(v)) height[first] = block_height[number ? number[name[v]] : name[v]];
  }
}

// The numbers that the host reads.
struct Numbers {
  Count horizontal;   // number of horizontal blocks
  Count with_square;  // number of horizontal and square blocks
  Count all;          // number of all blocks
  Count highest;      // the largest height of a square block
  Count barrier;
};

// Numbers the names. totals[k] becomes the number, counted from 1, of the name at place k of the
// marks; other elements are not written. For each square block with number b, counted from 0,
// names[b] becomes its name, and heights[b] the largest height minus its own height, so that a sort
// by `heights` gives decreasing heights.
extern "C" __global__ void __launch_bounds__(256, blocks_together)
    number_names(Index m, Index n, const int* col_part, const Index* leader, const Index* col_root,
                 const Index* row_root, const Index* height, Index* totals, Index* names,
                 Index* heights, Index* of_blocks, Numbers* numbers) {
  Count* barrier = &numbers->barrier;
  const long long square = n, rows = 2LL * n, marks = rows + m;
  const auto is_name = [=](long long k) {
    if (k == marks) return false;
    if (k >= rows) return row_root && row_root[k - rows] == k - rows;
    const long long j = k < square ? k : k - square;
    const int part = col_part ? col_part[j] : 0;
    if (k < square) return part == horizontal && col_root[j] == j;
    return part == 0 && (!leader || leader[j] == j);
  };
  Index most = 0;
  const auto note = [&](long long k, Index before, Index named) {
    if (k == square) numbers->horizontal = static_cast<Count>(before);
    if (k == rows) numbers->with_square = static_cast<Count>(before);
    if (k == marks) numbers->all = static_cast<Count>(before);
    if (!named) return;
    totals[k] = before + 1;
    if (k < square || k >= rows) return;
    const Index j = static_cast<Index>(k - square);
    names[before] = j;
    heights[before] = height[j];
    if (height[j] > most) most = height[j];
  };
  running_totals(marks + 1, of_blocks, barrier, is_name, note);
  max_over_block(&numbers->highest, static_cast<Count>(most));
  grid_barrier(barrier);
  const Index highest = static_cast<Index>(seen(&numbers->highest));
  const long long end = static_cast<long long>(seen(&numbers->with_square));
  for (long long b = static_cast<long long>(seen(&numbers->horizontal)) + first_item(); b < end;
       b += item_stride())
    heights[b] = highest - heights[b];
}

// Renumbers the square blocks: the b-th one, counted from number `first` on, has the name
// names[order[b]].
extern "C" __global__ void renumber_square(Index count, Index first, const Index* order,
                                           const Index* names, Index n, Index* totals) {
  for (long long b = first_item(); b < count; b += item_stride())
    totals[1LL * n + names[order[b]]] = first + static_cast<Index>(b) + 1;
}

// Writes the number of the block of each column and of each row; `before_rows` is added to those of
// rows.
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

// Sets found[k] to words[places[k]], or to the mate of this row or column if `match` is not null.
extern "C" __global__ void look_up(Index count, const Index* places, const Index* words,
                                   const Index* match, Index* found) {
  for (long long k = first_item(); k < count; k += item_stride()) {
    const Index word = words[places[k]];
    found[k] = match ? match[word] : word;
  }
}
