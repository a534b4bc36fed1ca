// SPDX-License-Identifier: BSD-3-Clause
// owned pairs: matches columns of one rank to rows of the same rank, on its GPU
//
// Idea        First, match_diagonal matches each unmatched column to the row on the diagonal, if
//             that is an entry and the row is unmatched. Then match_first matches each unmatched
//             column to the first unmatched row of its list. Rows of other ranks, whose local
//             numbers are at least n_rows, are left out.
// Races       an atomic operation takes a row; only the warp of a column writes its mate

#include "backends/gpu/atomics.cuh"
#include "backends/gpu/counting.cuh"

// A warp takes an unmatched column c, and its lanes call visit(c, p, inside) for 32 entries p of
// the column at a time, until it returns true in all lanes. All lanes must call it together;
// `inside` is false for a lane whose p is past the end of the column.
template <class Visit>
__device__ void visit_unmatched(Index n_cols, const long long* indptr, const Index* col_match,
                                Count* edges, const Visit& visit) {
  Count visited = 0;
  for (long long c = first_item() / 32; c < n_cols; c += item_stride() / 32) {
    if (col_match[c] >= 0) continue;
    const long long end = indptr[c + 1];
    for (long long p = indptr[c] + lane_id(); __any_sync(whole_warp, p < end); p += 32) {
      visited += p < end;
      if (visit(static_cast<Index>(c), p, p < end)) break;
    }
  }
  add_over_warp(edges, visited);
}

extern "C" __global__ void match_diagonal(Index n_cols, Index n_rows, Index row_first,
                                          Index col_first, const long long* indptr,
                                          const Index* items, Index* row_match, Index* col_match,
                                          Count* edges) {
  visit_unmatched(n_cols, indptr, col_match, edges, [=](Index c, long long p, bool inside) {
    const long long diagonal = static_cast<long long>(c) + col_first - row_first;
    if (diagonal < 0 || diagonal >= n_rows) return true;
    const bool found = inside && items[p] == diagonal;
    if (found && take(&row_match[diagonal], c + col_first))
      col_match[c] = static_cast<Index>(diagonal) + row_first;
    return __any_sync(whole_warp, found) != 0;
  });
}

extern "C" __global__ void match_first(Index n_cols, Index n_rows, Index row_first, Index col_first,
                                       const long long* indptr, const Index* items,
                                       Index* row_match, Index* col_match, Count* edges) {
  visit_unmatched(n_cols, indptr, col_match, edges, [=](Index c, long long p, bool inside) {
    const Index r = inside ? items[p] : n_rows;
    unsigned left = __ballot_sync(whole_warp, r < n_rows && seen(&row_match[r]) < 0);
    for (; left; left &= left - 1) {
      const int whose = first_of(left);
      bool taken = false;
      if (static_cast<int>(lane_id()) == whose) {
        taken = take(&row_match[r], c + col_first);
        if (taken) col_match[c] = r + row_first;
      }
      if (__any_sync(whole_warp, taken)) return true;
    }
    return false;
  });
}
