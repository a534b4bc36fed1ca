// SPDX-License-Identifier: BSD-3-Clause
// coarse: horizontal | square | vertical, on the device
//
// Idea        The rows and columns (vertices) that an alternating search reaches from the unmatched
//             columns are the horizontal part, those that it reaches from the unmatched rows are
//             the vertical part. Both searches run in the same levels: an item of the queue is a
//             column of the first search, or a row of the second one. If the searches met, there
//             would be an augmenting path; so they also prove that the matching is maximum. A round
//             with a large share of all entries can run from the other side: then the list of each
//             row (or column) that was not reached is visited until a reached column (or row) is
//             found.
// Paper       A. Pothen, C.-J. Fan, ACM TOMS 16 (1990), section 2; by levels as in the parallel
//             form of coarse.hpp; from the other side: S. Beamer, K. Asanovic, D. Patterson,
//             "Direction-optimizing breadth-first search", SC 2012
// Cost        O(m + n + entries of horizontal columns and vertical rows), a barrier for each level;
//             a round from the other side at most O(m + n + nnz), with one more launch and poll
// Encodings   col_part[j] = 0 square, 1 horizontal, 2 vertical, as in coarse.hpp. Queue: j >= 0 is
//             a column reached from the unmatched columns, ~i a row reached from the unmatched
//             rows. met: a bit for each row that was reached from a column, then one for each
//             column that was reached from a row. The bits are usually in the cache; they save the
//             accesses to memory for most vertices that are reached again
// Races       a column is claimed by atomicCAS, so it is queued once. In a round from the other
//             side, the thread of a vertex writes only the part of this vertex; it may read a part
//             that was written in the same round. Then levels are not exact, but parts are. `found`
//             only increases. If a bit is read before it is set, a column is visited without need

#include "backends/gpu/append.cuh"
#include "backends/gpu/by_levels.cuh"
#include "backends/gpu/counting.cuh"
#include "backends/gpu/grid_barrier.cuh"

constexpr int horizontal = 1, vertical = 2;

__device__ inline long long words_of_bits(Index m, Index n) {
  return (static_cast<long long>(m) + n) / 32 + 1;
}

// Initialises col_part and `met`, and queues the unmatched columns and rows that have entries. The
// row lists may be null if no row is unmatched.
extern "C" __global__ void queue_unmatched(Index m, Index n, const Index* indptr,
                                           const Index* row_indptr, const Index* row_match,
                                           const Index* col_match, int* col_part, unsigned* met,
                                           Index* items, Count* end) {
  __shared__ Basket<1> found;
  found.begin();
  for (long long j = first_item(); j < n; j += item_stride()) {
    const bool free = col_match[j] < 0;
    col_part[j] = free ? horizontal : 0;
    if (free && indptr[j] < indptr[j + 1]) found.put({static_cast<Index>(j)}, {items}, end);
  }
  for (long long i = first_item(); i < m; i += item_stride())
    if (row_match[i] < 0 && row_indptr[i] < row_indptr[i + 1])
      found.put({~static_cast<Index>(i)}, {items}, end);
  if (met)
    for (long long w = first_item(); w < words_of_bits(m, n); w += item_stride()) met[w] = 0;
  found.end({items}, end);
}

// Searches from the queued items. The row lists need not be sorted, and are null if no row is
// unmatched. `met` is null if lists are short. If the search is complete, writes the numbers of
// columns of the horizontal and of the vertical part to `counts`.
extern "C" __global__ void __launch_bounds__(512, 2)
    reach_parts(Levels* levels, Index lanes, Index m, const Index* indptr, const Index* indices,
                const Index* row_indptr, const Index* row_indices, const Index* row_match,
                const Index* col_match, int* col_part, unsigned* met, Index n, Count* counts,
                Index* items) {
  const auto open = [=](Index item, const Round&, bool) {
    if (item >= 0) return List{item, indptr[item], indptr[item + 1]};
    return List{item, row_indptr[~item], row_indptr[~item + 1]};
  };
  const auto bit_of = [=](bool by_column, Index end) {
    return by_column ? static_cast<long long>(end) : static_cast<long long>(m) + end;
  };
  const auto was_met = [=](bool by_column, Index end) {
    if (!met) return false;
    const long long bit = bit_of(by_column, end);
    return (met[bit / 32] >> bit % 32 & 1) != 0;
  };
  // Reaches column j by an entry whose other end is `end`: a row if `by_column`, else j itself.
  // `before` is the part of column j when it was last read.
  const auto reach = [=](bool by_column, Index end, Index j, int before, const Queue& queue) {
    const int part = by_column ? horizontal : vertical;
    if (before == part) return;
    const int found = before ? before : atomicCAS(&col_part[j], 0, part);
    if (found == 0) {
      queue.push(by_column ? j : ~col_match[j]);
      const long long bit = bit_of(by_column, end);
      if (met) atomicOr(&met[bit / 32], 1u << bit % 32);
    } else if (found != part)  // the two searches have met
      raise(&levels->found, Count{1});
  };
  const auto visit = [=](Index item, long long p, const Queue& queue) {
    const bool by_column = item >= 0;
    const Index end = by_column ? indices[p] : row_indices[p];
    if (was_met(by_column, end)) return;
    const Index j = by_column ? row_match[end] : end;
    if (j < 0)
      raise(&levels->found, Count{1});
    else
      reach(by_column, end, j, seen(&col_part[j]), queue);
  };
  const auto visit_several = [=](const Index(&of)[together], const long long (&places)[together],
                                 const Queue& queue) {
    Index ends[together], cols[together];
    int parts[together];
    bool open_yet[together];
#pragma unroll
    for (int t = 0; t < together; ++t)
      ends[t] = places[t] < 0 ? 0 : of[t] >= 0 ? indices[places[t]] : row_indices[places[t]];
#pragma unroll
    for (int t = 0; t < together; ++t)
      open_yet[t] = places[t] >= 0 && !was_met(of[t] >= 0, ends[t]);
#pragma unroll
    for (int t = 0; t < together; ++t)
      cols[t] = open_yet[t] && of[t] >= 0 ? row_match[ends[t]] : ends[t];
#pragma unroll
    for (int t = 0; t < together; ++t)
      parts[t] = open_yet[t] && cols[t] >= 0 ? seen(&col_part[cols[t]]) : 0;
#pragma unroll
    for (int t = 0; t < together; ++t) {
      if (!open_yet[t]) continue;
      if (cols[t] < 0)
        raise(&levels->found, Count{1});
      else
        reach(of[t] >= 0, ends[t], cols[t], parts[t], queue);
    }
  };
  if (!search_by_levels(levels, items, static_cast<int>(lanes), open, visit, visit_several)) return;
  Count horizontal_ones = 0, vertical_ones = 0;
  for (long long j = first_item(); j < n; j += item_stride()) {
    const int part = seen(&col_part[j]);
    horizontal_ones += part == horizontal;
    vertical_ones += part == vertical;
  }
  add_over_block(&counts[0], horizontal_ones);
  add_over_block(&counts[1], vertical_ones);
}

// One round from the other side. If at least half of its items are columns, the list of each row
// that was not reached is searched for a horizontal column, and the items that are rows are moved
// to the next round. Otherwise, the list of each column that was not reached is searched for a
// vertical row, and the items that are columns are moved to the next round. The vertices that are
// reached are the other items of the next round. One thread searches the first 8 entries of a list,
// and its warp the others.
struct Asked {
  Count columns;  // number of items of the round that are columns
  Count barrier;
};

extern "C" __global__ void ask_back(Index m, Index n, const Index* indptr, const Index* indices,
                                    const Index* row_indptr, const Index* row_indices,
                                    const Index* row_match, const Index* col_match, int* col_part,
                                    unsigned* met, const Index* round, Index size, Asked* asked,
                                    Index* items, Count* end, Count* wrong) {
  constexpr int ahead = 4;
  constexpr long long alone = 2 * ahead;  // entries that one thread visits before its warp does
  __shared__ Basket<1> found;
  Count columns = 0;
  for (long long k = first_item(); k < size; k += item_stride()) columns += round[k] >= 0;
  add_over_block(&asked->columns, columns);
  grid_barrier(&asked->barrier);
  const bool rows_ask = 2 * seen(&asked->columns) >= static_cast<Count>(size);
  found.begin();
  for (long long k = first_item(); k < size; k += item_stride())
    if ((round[k] >= 0) != rows_ask) found.put({round[k]}, {items}, end);

  const int part = rows_ask ? horizontal : vertical, lane = lane_id();
  const Index* starts = rows_ask ? row_indptr : indptr;
  const Index* lists = rows_ask ? row_indices : indices;
  const long long askers = rows_ask ? m : n;
  const auto is_reached = [=](Index other) {
    if (rows_ask) return seen(&col_part[other]) == horizontal;
    const Index j = row_match[other];
    return j < 0 || seen(&col_part[j]) == vertical;
  };
  // Whether one of the entries from ... to - 1, with stride `apart`, was reached.
  const auto any = [=](long long from, long long to, int apart) {
    bool yes = false;
    for (long long p = from; p < to && !yes; p += ahead * apart) {
#pragma unroll
      for (int t = 0; t < ahead; ++t)
        if (p + t * apart < to && is_reached(lists[p + t * apart])) yes = true;
    }
    return yes;
  };
  for (long long first = first_item() - lane; first < askers; first += item_stride()) {
    const Index k = static_cast<Index>(first + lane);
    Index j = -1;
    long long from = 0, to = 0;
    if (first + lane < askers) {
      j = rows_ask ? row_match[k] : k;
      const int before = j < 0 ? 0 : col_part[j];
      if (before != part) from = starts[k], to = starts[k + 1];
    }
    const long long own = to - from < alone ? to : from + alone;
    bool yes = any(from, own, 1);
    for (unsigned left = __ballot_sync(whole_warp, !yes && own < to); left; left &= left - 1) {
      const int whose = first_of(left);
      const long long begin = __shfl_sync(whole_warp, own, whose);
      const long long stop = __shfl_sync(whole_warp, to, whose);
      const bool one = any(begin + lane, stop, 32);
      if (__any_sync(whole_warp, one) && lane == whose) yes = true;
    }
    if (!yes) continue;
    if (j < 0 || col_part[j] != 0 || (!rows_ask && col_match[j] < 0)) {
      // The vertex is unmatched, or the other search has reached it: there is an augmenting path.
      *wrong = 1;
      continue;
    }
    show(&col_part[j], part);
    found.put({rows_ask ? j : ~col_match[j]}, {items}, end);
    if (met) {
      const long long bit = rows_ask ? k : static_cast<long long>(m) + k;
      atomicOr(&met[bit / 32], 1u << bit % 32);
    }
  }
  found.end({items}, end);
}
