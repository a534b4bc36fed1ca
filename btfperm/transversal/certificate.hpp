// SPDX-License-Identifier: BSD-3-Clause
// certificate: the proof that a matching is maximum
//
// Idea        A set of rows and columns that touches every entry (a cover) is never smaller than a
//             matching. Kőnig: a maximum matching has a cover of its own size. `find_cover` makes
//             one; `check` trusts nothing but the entries.
// Paper       D. Konig, "Graphok es matrixok", Matematikai es Fizikai Lapok 38 (1931)
// Cost        find_cover O(nnz), workspace n; nothing to search when all columns or all rows are
//             matched. check O(nnz + n log d), no workspace: it reads only the lists of columns
//             outside the cover
// Encodings   in_cover bytes: 1 = in the cover
#pragma once

#include <algorithm>

#include "transversal/interface.hpp"

namespace btfperm {

// Everything an alternating search from the unmatched columns reaches is on the side of the rows,
// the rest on the side of the columns. False: an unmatched row was reached, so the matching is not
// maximum (or the budget ended the search).
template <class I>
bool find_cover(const PatternView<I>& A, const Matching<I>& M, std::uint8_t* row_in_cover,
                std::uint8_t* col_in_cover, Workspace& workspace, Budget& budget) {
  const I size = size_of(A, M);
  std::fill(row_in_cover, row_in_cover + A.m, std::uint8_t{size == A.m && size < A.n});
  std::fill(col_in_cover, col_in_cover + A.n, std::uint8_t{size < A.m || size == A.n});
  if (size == A.m || size == A.n) return true;

  I* queue = workspace.take<I>(A.n);
  I tail = 0;
  for (I j = 0; j < A.n; ++j) {
    if (M.col_match[j] >= 0) continue;
    col_in_cover[j] = 0;
    queue[tail++] = j;
  }
  for (I head = 0; head < tail; ++head) {
    const I j = queue[head];
    for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
      const I i = A.indices[p];
      if (row_in_cover[i]) continue;
      row_in_cover[i] = 1;
      const I next = M.row_match[i];
      if (next < 0) return false;
      col_in_cover[next] = 0;
      queue[tail++] = next;
    }
    if (!budget.spend(A.degree(j))) return false;
  }
  return true;
}

enum class Verdict : int {
  proven = 0,
  disagreement = 1,  // row_match and col_match do not say the same
  no_entry = 2,      // a matched pair is not among the entries
  cover_size = 3,    // the cover is larger than the matching
  uncovered = 4,     // an entry lies outside the cover
};

// The matching is a matching of A: both arrays agree and all pairs are entries. `where` = column
// (or, when only a row claims a partner, row) at fault.
template <class I>
Verdict check_matching(const PatternView<I>& A, const Matching<I>& M, I& where) {
  I columns = 0;
  for (I j = 0; j < A.n; ++j) {
    const I i = M.col_match[j];
    where = j;
    if (i == -1) continue;
    if (i < 0 || i >= A.m || M.row_match[i] != j) return Verdict::disagreement;
    const I* end = A.indices + A.indptr[j + 1];
    const I* found = std::lower_bound(A.indices + A.indptr[j], end, i);
    if (found == end || *found != i) return Verdict::no_entry;
    ++columns;
  }
  I rows = 0;
  for (I i = 0; i < A.m; ++i) rows += M.row_match[i] != -1;
  where = -1;
  return rows == columns ? Verdict::proven : Verdict::disagreement;
}

// The cover is one, and as small as the matching: with check_matching, the proof.
template <class I>
Verdict check_cover(const PatternView<I>& A, const Matching<I>& M, const std::uint8_t* row_in_cover,
                    const std::uint8_t* col_in_cover, I& where) {
  I cover = 0;
  for (I i = 0; i < A.m; ++i) cover += row_in_cover[i] != 0;
  for (I j = 0; j < A.n; ++j) cover += col_in_cover[j] != 0;
  where = -1;
  if (cover != size_of(A, M)) return Verdict::cover_size;
  for (I j = 0; j < A.n; ++j) {
    if (col_in_cover[j]) continue;
    for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
      if (!row_in_cover[A.indices[p]]) {
        where = j;
        return Verdict::uncovered;
      }
    }
  }
  return Verdict::proven;
}

}  // namespace btfperm
