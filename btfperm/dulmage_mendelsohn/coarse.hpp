// SPDX-License-Identifier: BSD-3-Clause
// coarse: horizontal | square | vertical
//
// Idea        What an alternating search reaches from the unmatched columns is the horizontal
//             part, what it reaches from the unmatched rows the vertical part, the rest is square.
//             The split does not depend on which maximum matching was found.
// Paper       A. L. Dulmage, N. S. Mendelsohn, "Coverings of bipartite graphs", Canad. J. Math. 10
//             (1958); algorithm: A. Pothen, C.-J. Fan, ACM TOMS 16 (1990), section 2
// Cost        O(nnz). Workspace: max(m, n), and when rows are unmatched the row lists of the
//             columns outside the horizontal part
// Encodings   part bytes, see Part
#pragma once

#include <algorithm>

#include "transversal/interface.hpp"

namespace btfperm {

enum Part : std::uint8_t { square = 0, horizontal = 1, vertical = 2 };

// Marks with `part` what is reached from the unmatched vertices of one side: `lists` are the lists
// of that side, `match` its partners, `other_match` the partners of the other side. False when an
// unmatched vertex of the other side is reached (the matching was not maximum).
template <class I>
bool mark_reached(const PatternView<I>& lists, const I* match, const I* other_match, Part part,
                  std::uint8_t* own_part, std::uint8_t* other_part, I* queue, Budget& budget) {
  I tail = 0;
  for (I k = 0; k < lists.n; ++k) {
    if (match[k] >= 0) continue;
    own_part[k] = part;
    queue[tail++] = k;
  }
  for (I head = 0; head < tail; ++head) {
    const I k = queue[head];
    for (I p = lists.indptr[k]; p < lists.indptr[k + 1]; ++p) {
      const I other = lists.indices[p];
      if (other_part[other] == part) continue;
      other_part[other] = part;
      const I next = other_match[other];
      if (next < 0) return false;
      own_part[next] = part;
      queue[tail++] = next;
    }
    if (!budget.spend(lists.degree(k))) return false;
  }
  return true;
}

// Row lists of the columns outside the horizontal part: no other column has entries in the rows
// that the vertical search can reach. `indptr` has m + 1 places; returns the number of entries, and
// lists them when `indices` is not null.
template <class I>
I row_lists(const PatternView<I>& A, const std::uint8_t* col_part, I* indptr, I* indices) {
  if (indices == nullptr) {
    std::fill(indptr, indptr + A.m + 1, I{0});
    for (I j = 0; j < A.n; ++j) {
      if (col_part[j] == horizontal) continue;
      for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) ++indptr[A.indices[p] + 1];
    }
    for (I i = 0; i < A.m; ++i) indptr[i + 1] += indptr[i];
    return indptr[A.m];
  }
  for (I j = 0; j < A.n; ++j) {
    if (col_part[j] == horizontal) continue;
    for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) indices[indptr[A.indices[p]]++] = j;
  }
  for (I i = A.m; i > 0; --i) indptr[i] = indptr[i - 1];  // undo the advance
  indptr[0] = 0;
  return indptr[A.m];
}

// False: the matching is not maximum, or the budget ended the search.
template <class I>
bool coarse(const PatternView<I>& A, const Matching<I>& M, std::uint8_t* row_part,
            std::uint8_t* col_part, Budget& budget) {
  Workspace workspace;
  std::fill(row_part, row_part + A.m, std::uint8_t{square});
  std::fill(col_part, col_part + A.n, std::uint8_t{square});
  const I size = size_of(A, M);
  if (size == A.m && size == A.n) return true;
  I* queue = workspace.take<I>(std::max(A.m, A.n));
  if (size < A.n &&
      !mark_reached(A, M.col_match, M.row_match, horizontal, col_part, row_part, queue, budget)) {
    return false;
  }
  if (size == A.m) return true;
  I* row_indptr = workspace.take<I>(A.m + 1);
  I* row_indices = workspace.take<I>(row_lists<I>(A, col_part, row_indptr, nullptr));
  row_lists(A, col_part, row_indptr, row_indices);
  const PatternView<I> R{A.n, A.m, row_indptr, row_indices};
  return mark_reached(R, M.row_match, M.col_match, vertical, row_part, col_part, queue, budget);
}

}  // namespace btfperm
