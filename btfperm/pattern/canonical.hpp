// SPDX-License-Identifier: BSD-3-Clause
// canonical: turn any list of positions into sorted columns without duplicates
//
// Idea        Distributing the entries over rows, then over columns (two counting sorts) leaves
//             each column sorted; duplicates are then neighbours. Linear in entries + m + n.
// Shortcut    Most files list their entries by columns, rows ascending: one look proves that, and
//             the row list is the answer as it stands.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/cpu/atomics.hpp"
#include "backends/cpu/parallel.hpp"
#include "backends/cpu/pieces.hpp"
#include "pattern/pattern.hpp"

namespace btfperm {

enum class Order : int { canonical = 0, unsorted = 1, duplicates = 2, invalid = 3 };

// What one pass over compressed columns finds, by all threads; `where` is the first column whose
// boundaries are wrong, or the first position outside the rows. Throws Unfinished when the budget
// ends it.
template <class I>
Order check_columns(const PatternView<I>& A, I capacity, int threads, Budget& budget,
                    std::int64_t& where) {
  where = 0;
  if (A.indptr[0] != 0) return Order::invalid;
  I wrong = A.n;
  for_parts(A.n, threads, budget, [&](I j) {
    if (A.indptr[j + 1] < A.indptr[j] || A.indptr[j + 1] > capacity) lower(wrong, j);
  });
  if (wrong < A.n) {
    where = wrong;
    return Order::invalid;
  }
  Order found = Order::canonical;
  I outside = A.nnz();
  const bool shared = threads > 1 && A.n >= least_to_share(worth_sharing);
  on_team(threads, shared, [&](int t, int team) {
    Order own = Order::canonical;
    I own_outside = A.nnz();
    in_own_pieces(Share<I>(A.n, t, team), A.indptr + 1, t, budget, [&](I j) {
      I last = -1;
      for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
        const I i = A.indices[p];
        if (i < 0 || i >= A.m) own_outside = std::min(own_outside, p);
        if (i <= last) own = std::max(own, i == last ? Order::duplicates : Order::unsorted);
        last = i;
      }
    });
    raise(found, own);
    lower(outside, own_outside);
  });
  if (budget.stopped()) throw Unfinished();
  if (outside == A.nnz()) return found;
  where = outside;
  return Order::invalid;
}

// Row lists of a pattern (or column lists of its transpose); each list ascends, whatever the order
// inside the columns of A. out_indptr has m + 1 places.
template <class I>
void transpose(const PatternView<I>& A, I* out_indptr, I* out_indices, Budget& budget) {
  std::fill(out_indptr, out_indptr + A.m + 1, I{0});
  in_pieces(A.nnz(), budget, [&](I p) { ++out_indptr[A.indices[p] + 1]; });
  for (I i = 0; i < A.m; ++i) out_indptr[i + 1] += out_indptr[i];
  in_pieces(A.n, A.indptr + 1, budget, [&](I j) {
    for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) out_indices[out_indptr[A.indices[p]]++] = j;
  });
  for (I i = A.m; i > 0; --i) out_indptr[i] = out_indptr[i - 1];  // undo the advance
  out_indptr[0] = 0;
}

// Drops repeated neighbours of sorted columns in place; returns the number of entries left.
template <class I>
I merge_duplicates(I n, I* indptr, I* indices, Budget& budget) {
  I kept = 0;
  I begin = indptr[0];
  in_pieces(n, indptr + 1, budget, [&](I j) {
    const I end = indptr[j + 1];
    const I first = kept;
    for (I p = begin; p < end; ++p) {
      if (kept == first || indices[kept - 1] != indices[p]) indices[kept++] = indices[p];
    }
    begin = end;
    indptr[j + 1] = kept;
  });
  return kept;
}

// Position of the first entry outside m x n, or -1.
template <class I>
std::int64_t first_out_of_range(I m, I n, I nnz, const I* rows, const I* cols) {
  for (I p = 0; p < nnz; ++p) {
    if (rows[p] < 0 || rows[p] >= m || cols[p] < 0 || cols[p] >= n) return p;
  }
  return -1;
}

// Columns of a list of positions. On return `rows` holds the row indices of the result (its first
// indptr[n] places); `cols` is overwritten. `row_lists` (nnz) and `row_start` (m + 1) are
// workspace, asked for only when the list is not in order: `need` is called for them.
template <class I, class Need>
I columns_of_triplets(I m, I n, I nnz, I* rows, I* cols, I* indptr, Need need, Budget& budget) {
  std::fill(indptr, indptr + n + 1, I{0});
  bool by_column = true;
  bool ascending = true;
  in_pieces(nnz, budget, [&](I p) {
    ++indptr[cols[p] + 1];
    if (p > 0) {
      by_column &= cols[p - 1] <= cols[p];
      ascending &= cols[p - 1] != cols[p] || rows[p - 1] < rows[p];
    }
  });
  for (I j = 0; j < n; ++j) indptr[j + 1] += indptr[j];
  if (by_column && ascending) return nnz;
  if (by_column) {
    in_pieces(n, indptr + 1, budget,
              [&](I j) { std::sort(rows + indptr[j], rows + indptr[j + 1]); });
    return merge_duplicates(n, indptr, rows, budget);
  }
  // First by rows ...
  I* row_start = nullptr;
  I* row_lists = nullptr;
  need(row_start, row_lists);
  std::fill(row_start, row_start + m + 1, I{0});
  in_pieces(nnz, budget, [&](I p) { ++row_start[rows[p] + 1]; });
  for (I i = 0; i < m; ++i) row_start[i + 1] += row_start[i];
  in_pieces(nnz, budget, [&](I p) { row_lists[row_start[rows[p]]++] = cols[p]; });
  // ... then by columns, into the array that held the rows.
  I begin = 0;
  in_pieces(m, row_start, budget, [&](I i) {
    for (I q = begin; q < row_start[i]; ++q) rows[indptr[row_lists[q]]++] = i;
    begin = row_start[i];
  });
  for (I j = n; j > 0; --j) indptr[j] = indptr[j - 1];
  indptr[0] = 0;
  return merge_duplicates(n, indptr, rows, budget);
}

// Columns of a square matrix of which one entry of each symmetric pair is listed. `indices` has
// room for both. Each column is filled in the order of the list, which is ascending for files that
// list a triangle by columns; others are sorted.
template <class I>
I columns_of_triangle(I n, I nnz, const I* rows, const I* cols, I* indptr, I* indices,
                      Budget& budget) {
  std::fill(indptr, indptr + n + 1, I{0});
  in_pieces(nnz, budget, [&](I p) {
    ++indptr[cols[p] + 1];
    if (rows[p] != cols[p]) ++indptr[rows[p] + 1];
  });
  for (I j = 0; j < n; ++j) indptr[j + 1] += indptr[j];
  in_pieces(nnz, budget, [&](I p) {
    indices[indptr[cols[p]]++] = rows[p];
    if (rows[p] != cols[p]) indices[indptr[rows[p]]++] = cols[p];
  });
  for (I j = n; j > 0; --j) indptr[j] = indptr[j - 1];
  indptr[0] = 0;
  in_pieces(n, indptr + 1, budget, [&](I j) {
    I* begin = indices + indptr[j];
    I* end = indices + indptr[j + 1];
    if (!std::is_sorted(begin, end)) std::sort(begin, end);
  });
  return merge_duplicates(n, indptr, indices, budget);
}

// A with the entries of B (a subset of it) left out; returns the number of entries.
template <class I>
I difference(const PatternView<I>& A, const PatternView<I>& B, I* indptr, I* indices,
             Budget& budget) {
  I kept = 0;
  indptr[0] = 0;
  in_pieces(A.n, A.indptr + 1, budget, [&](I j) {
    I q = B.indptr[j];
    for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
      while (q < B.indptr[j + 1] && B.indices[q] < A.indices[p]) ++q;
      if (q == B.indptr[j + 1] || B.indices[q] != A.indices[p]) indices[kept++] = A.indices[p];
    }
    indptr[j + 1] = kept;
  });
  return kept;
}

}  // namespace btfperm
