// SPDX-License-Identifier: BSD-3-Clause
// coarse: horizontal | square | vertical, on the device
//
// Idea        What an alternating search reaches from the unmatched columns is the horizontal part,
//             what it reaches from the unmatched rows the vertical one. Both searches run in the
//             same levels: an item of the queue is a column, or a row. An unmatched vertex at the
//             far end would be an augmenting path, so the search proves the matching maximum, too.
// Paper       A. Pothen, C.-J. Fan, ACM TOMS 16 (1990), section 2; by levels as in coarse.hpp's
//             parallel form
// Cost        O(entries of the horizontal columns and of the vertical rows), a barrier a level
// Encodings   col_part[j] = 0 square, 1 horizontal, 2 vertical, as in coarse.hpp. Queue: j >= 0 a
//             column reached from the unmatched columns, ~i a row reached from the unmatched rows.
//             row_bits: which rows were reached from a column; few enough to stay near a
//             multiprocessor, which spares two distant accesses where most rows are met again
// Races       a column is claimed by atomicCAS, so it is queued once; `found` is only ever raised.
//             A bit that is seen late costs a look at the column

#include "backends/gpu/append.cuh"
#include "backends/gpu/by_levels.cuh"
#include "backends/gpu/counting.cuh"

constexpr int horizontal = 1, vertical = 2;

extern "C" __global__ void queue_unmatched(Index m, Index n, const Index* row_match,
                                           const Index* col_match, int* col_part, Index* items,
                                           Count* end) {
  __shared__ Basket<1> found;
  found.begin();
  for (long long j = first_item(); j < n; j += item_stride()) {
    const bool free = col_match[j] < 0;
    col_part[j] = free ? horizontal : 0;
    if (free) found.put({static_cast<Index>(j)}, {items}, end);
  }
  for (long long i = first_item(); i < m; i += item_stride())
    if (row_match[i] < 0) found.put({~static_cast<Index>(i)}, {items}, end);
  found.end({items}, end);
}

// The row lists may be in any order; null where no row is unmatched. `row_bits` is null where rows
// are short.
extern "C" __global__ void reach_parts(Levels* levels, Index lanes, const Index* indptr,
                                       const Index* indices, const Index* row_indptr,
                                       const Index* row_indices, const Index* row_match,
                                       const Index* col_match, int* col_part, unsigned* row_bits,
                                       Index* items) {
  const auto open = [=](Index item, const Round&, bool) {
    if (item >= 0) return List{item, indptr[item], indptr[item + 1]};
    return List{item, row_indptr[~item], row_indptr[~item + 1]};
  };
  const auto visit = [=](Index item, long long p, const Queue& queue) {
    const bool by_column = item >= 0;
    const Index end = by_column ? indices[p] : row_indices[p];
    const bool noted = by_column && row_bits;
    if (noted && row_bits[end / 32] >> end % 32 & 1) return;
    const Index j = by_column ? row_match[end] : end;
    if (j < 0) {
      raise(&levels->found, Count{1});
      return;
    }
    const int part = by_column ? horizontal : vertical;
    const int before = seen(&col_part[j]);
    if (before == part) return;
    const int found = before ? before : atomicCAS(&col_part[j], 0, part);
    if (found == 0) {
      queue.push(by_column ? j : ~col_match[j]);
      if (noted) atomicOr(&row_bits[end / 32], 1u << end % 32);
    } else if (found != part)  // the searches meet
      raise(&levels->found, Count{1});
  };
  search_by_levels(levels, items, static_cast<int>(lanes), open, visit);
}

// Columns of the horizontal part, and of the vertical one.
extern "C" __global__ void count_parts(Index n, const int* col_part, Count* counts) {
  Count horizontal_ones = 0, vertical_ones = 0;
  for (long long j = first_item(); j < n; j += item_stride()) {
    horizontal_ones += col_part[j] == horizontal;
    vertical_ones += col_part[j] == vertical;
  }
  add_over_block(&counts[0], horizontal_ones);
  add_over_block(&counts[1], vertical_ones);
}
