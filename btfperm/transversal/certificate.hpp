// SPDX-License-Identifier: BSD-3-Clause
// certificate: the proof that a matching is maximum
//
// Idea        A set of rows and columns that touches every entry (a cover) is never smaller than a
//             matching. Kőnig: a maximum matching has a cover of its own size, one end of each of
//             its pairs. Which rows are in it, the search that failed last knows; `find_cover`
//             finds out where no search can say. `certify` trusts nothing but the entries.
// Paper       D. Konig, "Graphok es matrixok", Matematikai es Fizikai Lapok 38 (1931)
// Cost        find_cover O(nnz), workspace n. certify O(nnz + n log d), no workspace: it reads the
//             lists of columns outside the cover, and looks up one entry for each other column
// Encodings   in_cover bytes: 1 = in the cover
#pragma once

#include <algorithm>

#include "transversal/interface.hpp"

namespace btfperm {

// Marks the rows that an alternating search from the unmatched columns reaches. False: it reached
// an unmatched row, so the matching is not maximum (or the budget ended the search).
template <class I>
bool find_cover(const PatternView<I>& A, const Matching<I>& M, std::uint8_t* row_in_cover,
                Workspace& workspace, Budget& budget) {
  std::fill(row_in_cover, row_in_cover + A.m, std::uint8_t{0});
  I* queue = workspace.take<I>(A.n);
  I tail = 0;
  for (I j = 0; j < A.n; ++j) {
    if (M.col_match[j] < 0) queue[tail++] = j;
  }
  for (I head = 0; head < tail; ++head) {
    const I j = queue[head];
    for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
      const I i = A.indices[p];
      if (row_in_cover[i]) continue;
      row_in_cover[i] = 1;
      if (M.row_match[i] < 0) return false;
      queue[tail++] = M.row_match[i];
    }
    if (!budget.spend(A.degree(j))) return false;
  }
  return true;
}

// The other side of a minimum cover: of each matched pair, the end that the given side has not.
template <class I>
void complete_cover(I count, const I* match, const std::uint8_t* other_in_cover,
                    std::uint8_t* in_cover) {
  for (I k = 0; k < count; ++k) in_cover[k] = match[k] >= 0 && !other_in_cover[match[k]];
}

enum class Verdict : int {
  proven = 0,
  disagreement = 1,  // row_match and col_match do not say the same
  no_entry = 2,      // a matched pair is not among the entries
  cover_size = 3,    // the cover is larger than the matching
  uncovered = 4,     // an entry lies outside the cover
};

template <class I>
bool has_entry(const PatternView<I>& A, I i, I j) {
  const I* begin = A.indices + A.indptr[j];
  const I* end = A.indices + A.indptr[j + 1];
  std::ptrdiff_t step = 1;  // a start takes the first free row, so it is mostly near the front
  while (step < end - begin && begin[step] <= i) {
    begin += step;
    step *= 2;
  }
  const I* found = std::lower_bound(begin, std::min(begin + step, end), i);
  return found != end && *found == i;
}

// The matching is a matching of A: both arrays agree and all pairs are entries. `where` = column at
// fault, or -1.
template <class I>
Verdict check_matching(const PatternView<I>& A, const Matching<I>& M, I& where) {
  I pairs = 0;
  for (where = 0; where < A.n; ++where) {
    const I i = M.col_match[where];
    if (i == -1) continue;
    if (i < 0 || i >= A.m || M.row_match[i] != where) return Verdict::disagreement;
    if (!has_entry(A, i, where)) return Verdict::no_entry;
    ++pairs;
  }
  where = -1;
  for (I i = 0; i < A.m; ++i) pairs -= M.row_match[i] != -1;
  return pairs == 0 ? Verdict::proven : Verdict::disagreement;
}

// The whole proof. A cover of the size of the matching holds one end of each pair and nothing else:
// so from the rows that are in it follow the columns (col_in_cover, written here), and it remains
// to see that the pairs are entries, that both arrays agree, that no unmatched row is in the cover,
// and that columns outside have all their entries in rows of it.
template <class I>
Verdict certify(const PatternView<I>& A, const Matching<I>& M, const std::uint8_t* row_in_cover,
                std::uint8_t* col_in_cover, I& where) {
  I pairs = 0;
  for (where = 0; where < A.n; ++where) {
    const I j = where;
    const I i = M.col_match[j];
    if (i != -1) {
      if (i < 0 || i >= A.m || M.row_match[i] != j) return Verdict::disagreement;
      if (!has_entry(A, i, j)) return Verdict::no_entry;
      ++pairs;
    }
    col_in_cover[j] = i >= 0 && !row_in_cover[i];
    if (col_in_cover[j]) continue;
    bool covered = true;
    for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) covered &= row_in_cover[A.indices[p]] != 0;
    if (!covered) return Verdict::uncovered;
  }
  where = -1;
  I unmatched_in_cover = 0;
  for (I i = 0; i < A.m; ++i) {
    pairs -= M.row_match[i] != -1;
    unmatched_in_cover += row_in_cover[i] != 0 && M.row_match[i] == -1;
  }
  if (pairs != 0) return Verdict::disagreement;
  return unmatched_in_cover == 0 ? Verdict::proven : Verdict::cover_size;
}

}  // namespace btfperm
