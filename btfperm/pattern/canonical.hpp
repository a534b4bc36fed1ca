// SPDX-License-Identifier: BSD-3-Clause
// canonical: turn any list of positions into sorted columns without duplicates
//
// Idea        Two counting sorts, first by rows and then by columns, leave each column sorted;
//             duplicates are then adjacent. The time is linear in entries + m + n.
// Shortcut    Most files list their entries by columns, with ascending rows. One pass detects this;
//             the list of rows is then the result. If only the columns are in order, or if most
//             rows are empty, each column is sorted by itself, and no array of length m is needed.
// Interrupts  The budget also ends passes over m rows or n columns, because a file of a few bytes
//             may declare 2^31 of them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/cpu/atomics.hpp"
#include "backends/cpu/parallel.hpp"
#include "backends/cpu/pieces.hpp"
#include "pattern/pattern.hpp"

namespace btfperm {

enum class Order : int { canonical = 0, unsorted = 1, duplicates = 2, invalid = 3 };

// Checks compressed columns with `capacity` row indices. If they are invalid, `where` is the first
// column whose boundaries are wrong, or the position of the first row index out of range. Throws
// Unfinished when the budget ends the check.
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

// array[k] = 0 for k = 0 ... count - 1. Throws Unfinished when the budget ends the call.
template <class I>
void clear(I* array, I count, Budget& budget) {
  in_pieces(count, budget, [=](I k) { array[k] = 0; });
}

// Turns the lengths of lists, array[k + 1] of list k, into the places where the lists start. Throws
// Unfinished when the budget ends the call.
template <class I>
void sum_up(I* array, I count, Budget& budget) {
  in_pieces(count, budget, [=](I k) { array[k + 1] += array[k]; });
}

// Called after the entries were placed: each start has then advanced to the end of its list, which
// is the start of the next list. This function moves the starts back by one list.
template <class I>
void step_back(I* starts, I count, Budget& budget) {
  in_pieces(count, budget, [=](I k) { starts[count - k] = starts[count - k - 1]; });
  starts[0] = 0;
}

// Row lists of a pattern (or column lists of its transpose); each list ascends, whatever the order
// inside the columns of A. out_indptr has m + 1 places.
template <class I>
void transpose(const PatternView<I>& A, I* out_indptr, I* out_indices, Budget& budget) {
  clear(out_indptr, A.m, budget);
  out_indptr[A.m] = 0;
  in_pieces(A.nnz(), budget, [&](I p) { ++out_indptr[A.indices[p] + 1]; });
  sum_up(out_indptr, A.m, budget);
  in_pieces(A.n, A.indptr + 1, budget, [&](I j) {
    for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) out_indices[out_indptr[A.indices[p]]++] = j;
  });
  step_back(out_indptr, A.m, budget);
}

// Drops repeated neighbours of sorted columns in place; returns the number of entries left.
template <class I>
I merge_duplicates(I n, I* indptr, I* indices, Budget& budget) {
  I n_entries = 0;
  I begin = indptr[0];
  in_pieces(n, indptr + 1, budget, [&](I j) {
    const I end = indptr[j + 1];
    const I first = n_entries;
    for (I p = begin; p < end; ++p) {
      if (n_entries == first || indices[n_entries - 1] != indices[p])
        indices[n_entries++] = indices[p];
    }
    begin = end;
    indptr[j + 1] = n_entries;
  });
  return n_entries;
}

// Position of the first entry outside m x n, or -1. Throws Unfinished when the budget ends the
// call.
template <class I>
std::int64_t first_out_of_range(I m, I n, I nnz, const I* rows, const I* cols, Budget& budget) {
  std::int64_t first = -1;
  in_pieces(nnz, budget, [&](I p) {
    if ((rows[p] < 0 || rows[p] >= m || cols[p] < 0 || cols[p] >= n) && first < 0) first = p;
  });
  return first;
}

// Columns of a list of positions. On return `rows` holds the row indices of the result (its first
// indptr[n] places); `cols` is only read. `take(count)` allocates workspace, only when the list is
// not ordered by columns: nnz places, and m + 1 unless most rows are empty.
template <class I, class Take>
I columns_of_triplets(I m, I n, I nnz, I* rows, I* cols, I* indptr, Take take, Budget& budget) {
  constexpr I sparse = 8;  // rows per entry; with more, sorting costs less than passes over rows
  clear(indptr, n, budget);
  indptr[n] = 0;
  bool by_column = true;
  bool ascending = true;
  in_pieces(nnz, budget, [&](I p) {
    ++indptr[cols[p] + 1];
    if (p > 0) {
      by_column &= cols[p - 1] <= cols[p];
      ascending &= cols[p - 1] != cols[p] || rows[p - 1] < rows[p];
    }
  });
  sum_up(indptr, n, budget);
  if (by_column && ascending) return nnz;
  I* const row_lists = by_column ? nullptr : take(nnz);
  if (!by_column && m / sparse > nnz) {
    in_pieces(nnz, budget, [&](I p) { row_lists[indptr[cols[p]]++] = rows[p]; });
    step_back(indptr, n, budget);
    in_pieces(nnz, budget, [&](I p) { rows[p] = row_lists[p]; });
    by_column = true;
  }
  if (by_column) {
    in_pieces(n, indptr + 1, budget,
              [&](I j) { std::sort(rows + indptr[j], rows + indptr[j + 1]); });
    return merge_duplicates(n, indptr, rows, budget);
  }
  // First by rows ...
  I* const row_start = take(m + 1);
  clear(row_start, m, budget);
  row_start[m] = 0;
  in_pieces(nnz, budget, [&](I p) { ++row_start[rows[p] + 1]; });
  sum_up(row_start, m, budget);
  in_pieces(nnz, budget, [&](I p) { row_lists[row_start[rows[p]]++] = cols[p]; });
  // ... then by columns, into the array that held the rows.
  I begin = 0;
  in_pieces(m, row_start, budget, [&](I i) {
    for (I q = begin; q < row_start[i]; ++q) rows[indptr[row_lists[q]]++] = i;
    begin = row_start[i];
  });
  step_back(indptr, n, budget);
  return merge_duplicates(n, indptr, rows, budget);
}

// Columns of a square matrix of which one entry of each symmetric pair is listed. `indices` has
// room for both. Each column is filled in the order of the list, which is ascending for files that
// list a triangle by columns; others are sorted.
template <class I>
I columns_of_triangle(I n, I nnz, const I* rows, const I* cols, I* indptr, I* indices,
                      Budget& budget) {
  clear(indptr, n, budget);
  indptr[n] = 0;
  in_pieces(nnz, budget, [&](I p) {
    ++indptr[cols[p] + 1];
    if (rows[p] != cols[p]) ++indptr[rows[p] + 1];
  });
  sum_up(indptr, n, budget);
  in_pieces(nnz, budget, [&](I p) {
    indices[indptr[cols[p]]++] = rows[p];
    if (rows[p] != cols[p]) indices[indptr[rows[p]]++] = cols[p];
  });
  step_back(indptr, n, budget);
  in_pieces(n, indptr + 1, budget, [&](I j) {
    I* begin = indices + indptr[j];
    I* end = indices + indptr[j + 1];
    if (!std::is_sorted(begin, end)) std::sort(begin, end);
  });
  return merge_duplicates(n, indptr, indices, budget);
}

// The entries of A that are not entries of B; returns their number.
template <class I>
I difference(const PatternView<I>& A, const PatternView<I>& B, I* indptr, I* indices,
             Budget& budget) {
  I n_entries = 0;
  indptr[0] = 0;
  in_pieces(A.n, A.indptr + 1, budget, [&](I j) {
    I q = B.indptr[j];
    for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
      while (q < B.indptr[j + 1] && B.indices[q] < A.indices[p]) ++q;
      if (q == B.indptr[j + 1] || B.indices[q] != A.indices[p]) indices[n_entries++] = A.indices[p];
    }
    indptr[j + 1] = n_entries;
  });
  return n_entries;
}

// The place of each entry (rows[k], cols[k]) of a list in the canonical columns A, or -1 if A lacks
// the entry. Returns the number of entries found. Positions outside the shape are not found.
//
// The search in a column first tries the last place found there and its successor, so a list of all
// entries in which the rows of each column ascend takes linear time, with duplicates too. In other
// lists, an entry may take a bisection of its column. `take(n)` allocates the last places, unless
// most columns are empty: then nearly every entry takes a bisection.
template <class I, class Take>
std::int64_t places_of_entries(const PatternView<I>& A, std::int64_t count, const I* rows,
                               const I* cols, I* places, Take take, Budget& budget) {
  constexpr I sparse = 8;  // columns per entry; with more, bisections cost less memory and time
  I* const last = A.n / sparse > count ? nullptr : take(A.n);
  if (last != nullptr) in_pieces(A.n, budget, [&](I j) { last[j] = A.indptr[j]; });
  std::int64_t n_found = 0;
  in_pieces(count, budget, [&](std::int64_t k) {
    const I i = rows[k];
    const I j = cols[k];
    places[k] = -1;
    if (j < 0 || j >= A.n) return;
    const I end = A.indptr[j + 1];
    I p = last == nullptr ? A.indptr[j] : last[j];
    if (p < end && A.indices[p] != i) ++p;
    if (p >= end || A.indices[p] != i) {
      const I* const first = A.indices + A.indptr[j];
      p = static_cast<I>(std::lower_bound(first, A.indices + end, i) - A.indices);
      if (p >= end || A.indices[p] != i) return;
    }
    if (last != nullptr) last[j] = p;
    places[k] = p;
    ++n_found;
  });
  return n_found;
}

}  // namespace btfperm
