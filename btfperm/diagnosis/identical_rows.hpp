// SPDX-License-Identifier: BSD-3-Clause
// identical_rows: rows with entries in the same columns
//
// Idea        All rows are in one class at first. Each column splits classes: the rows of a class
//             with an entry in the column move to a new class. Rows of one class after the last
//             column have identical patterns. No hash is needed, and no row lists.
// Paper       J. A. Tomlin, J. S. Welch, "Finding duplicate rows in a linear programming model",
//             Oper. Res. Lett. 5 (1986). Ours: if a class has only one row, the row is removed
// Cost        O(m + n + nnz), one pass over the entries; 5 indices for each row. The number of the
//             class of a row, and the fields of this class, are prefetched
// Encodings   row_class[i] = -1: no other row can be identical to row i; 0: row i has no entry in
//             the columns visited so far
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/pieces.hpp"
#include "backends/cpu/prefetch.hpp"
#include "backends/cpu/workspace.hpp"
#include "pattern/pattern.hpp"

namespace btfperm {

template <class I>
struct RowClass {
  I size;
  I column;  // the last visited column with an entry in a row of the class
  I other;   // the new class of its rows with an entry in that column; in an unused class, the next
             // unused class
};

// Moves row i, which has an entry in column j, to the new class of the rows of its class that have
// an entry in column j.
template <class I>
void move_row(I i, I j, I* row_class, RowClass<I>* classes, I& unused) {
  const I c = row_class[i];
  if (c < 0) return;
  RowClass<I>& own = classes[c];
  if (own.size == 1 && own.column != j && c != 0) {  // the row is alone
    row_class[i] = -1;
    own.other = unused;
    unused = c;
    return;
  }
  if (own.column != j) {
    own.column = j;
    own.other = unused;
    unused = classes[unused].other;
    classes[own.other] = {0, -1, -1};
  }
  const I target = own.other;
  row_class[i] = target;
  ++classes[target].size;
  if (--own.size == 0 && c != 0) {
    own.other = unused;
    unused = c;
  }
}

// Prefetches the number of the class of the row `far` entries ahead, and the fields of the class of
// the row `near` entries ahead. The latter is useless if the class of that row changes before its
// turn.
template <class I>
void prefetch_classes(const PatternView<I>& A, I p, const I* row_class,
                      const RowClass<I>* classes) {
  constexpr I far = 48, near = 24;
  const I left = A.nnz() - p;
  if (left > far) prefetch(row_class + A.indices[p + far]);
  if (left > near) prefetch(classes + std::max(row_class[A.indices[p + near]], I{0}));
}

// Sets `result` (m): a number from 1 on for each set of rows with identical patterns; -1 for rows
// that are alone, and for empty rows.
template <class I>
void find_identical_rows(const PatternView<I>& A, I* result, Budget& budget) {
  Workspace workspace;
  I* const row_class = workspace.take<I>(A.m);
  // At most m classes have rows at the same time. Class 0 is never used again, and one spare class
  // keeps `unused` within the array.
  const std::size_t most = static_cast<std::size_t>(A.m) + 2;
  RowClass<I>* const classes = workspace.take<RowClass<I>>(most);
  for (std::size_t c = 0; c < most; ++c) classes[c] = {0, -1, static_cast<I>(c + 1)};
  classes[0] = {A.m, -1, -1};
  std::fill(row_class, row_class + A.m, I{0});
  I unused = 1;
  in_pieces(A.n, A.indptr, budget, [&](I j) {
    for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
      prefetch_classes(A, p, row_class, classes);
      move_row(A.indices[p], j, row_class, classes, unused);
    }
  });
  in_pieces(A.m, budget, [&](I i) {
    const I c = row_class[i];
    result[i] = c <= 0 || classes[c].size == 1 ? I{-1} : c;
  });
}

}  // namespace btfperm
