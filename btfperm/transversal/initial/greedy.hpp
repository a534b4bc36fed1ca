// SPDX-License-Identifier: BSD-3-Clause
// greedy: the cheap matching
//
// Idea        Each column in order takes its first free row. The result is maximal, at least half
//             of the maximum, and on matrices in natural order often the maximum itself.
// Paper       I. S. Duff, "On algorithms for obtaining a maximum transversal", ACM TOMS 7 (1981),
//             section 2 (cheap assignment)
// Cost        O(nnz) time, no workspace; reads .5 to .7 of the entries in practice
// Prefer it   always first; rather use karp-sipser when it leaves much and columns are short
// Encodings   row_match[i] = -1: row i is free; col_match[j] = -1: column j is free
#pragma once

#include "transversal/interface.hpp"

namespace btfperm {

template <class I>
void greedy(const PatternView<I>& A, Matching<I> M, Budget& budget, Counters& counters) {
  for (I j = 0; j < A.n; ++j) {
    if (M.col_match[j] >= 0) continue;
    I p = A.indptr[j];
    const I end = A.indptr[j + 1];
    while (p < end && M.row_match[A.indices[p]] >= 0) ++p;
    if (p < end) M.match(A.indices[p], j);  // the first free row
    const I read = p - A.indptr[j] + 1;
    counters.edges += read;
    if (!budget.spend(read)) return;
  }
}

}  // namespace btfperm
