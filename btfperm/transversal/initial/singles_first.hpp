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
// Cost        n + O(nnz) time; reads the column pointers once more than greedy. Workspace: as
// greedy Prefer it   always first; rather use greedy for comparison with others Encodings   as
// greedy
#pragma once

#include "transversal/initial/greedy.hpp"

namespace btfperm {

template <class I>
void singles_first(const PatternView<I>& A, Matching<I> M, const Options& options,
                   Workspace& workspace, Budget& budget, Counters& counters, Proof& proof) {
  I read = 0;
  for (I j = 0; j < A.n; ++j) {
    if (A.degree(j) != 1 || M.col_match[j] >= 0) continue;
    const I i = A.indices[A.indptr[j]];
    ++read;
    if (M.row_match[i] < 0) M.match(i, j);
  }
  counters.edges += read;
  if (!budget.spend(read)) return;
  greedy(A, M, options, workspace, budget, counters, proof);
}

}  // namespace btfperm
