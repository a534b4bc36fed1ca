// SPDX-License-Identifier: BSD-3-Clause
// singles-first: columns of one entry choose first, then greedy
//
// Idea        A column with a single entry has no choice: some maximum transversal gives it its row
//             (or that row to another such column). Greedy, which goes by number, often hands that
//             row to a column that had others, and the search then has to take it back, on a chain
//             through every column there is.
// Paper       ours; it is the first step of R. M. Karp, M. Sipser, "Maximum matchings in sparse
//             random graphs", FOCS 1981, on the degrees as they are, so that no row lists are
//             needed
// Cost        n + O(nnz) time: reads the column pointers once more than greedy. Workspace: m bytes
// Prefer it   always first; rather use greedy for comparison with others
// Encodings   as greedy
#pragma once

#include <algorithm>

#include "transversal/initial/greedy.hpp"

namespace btfperm {

template <class I>
void singles_first(const PatternView<I>& A, Matching<I> M, const Options& options,
                   Workspace& workspace, Budget& budget, Counters& counters, Proof& proof) {
  constexpr I block = 256;
  I single[block];  // gathered first, because whether a column is one cannot be predicted
  I singles = 0;
  for (I first = 0; first < A.n;) {
    const I last = first + std::min<I>(block, A.n - first);
    I here = 0;
    for (I j = first; j < last; ++j) here += A.indptr[j + 1] - A.indptr[j] == 1;
    I count = 0;
    for (I j = first; count < here; ++j) {
      single[count] = j;
      count += A.indptr[j + 1] - A.indptr[j] == 1;
    }
    for (I k = 0; k < count; ++k) {
      const I j = single[k];
      const I i = A.indices[A.indptr[j]];
      if (M.row_match[i] < 0 && M.col_match[j] < 0) M.match(i, j);
    }
    singles += count;
    first = last;
  }
  counters.edges += singles;
  if (!budget.spend(singles)) return;
  greedy(A, M, options, workspace, budget, counters, proof);
}

}  // namespace btfperm
