// SPDX-License-Identifier: BSD-3-Clause
// singles-first: matches columns of one entry first, then runs greedy
//
// Idea        A column with a single entry can only be matched to the row of this entry. Some
//             maximum transversal matches this row to this column, or to another column with a
//             single entry. greedy often matches the row to an earlier column that has other rows.
//             If the columns form a chain, in which each column shares a row with the next one, the
//             augmenting path that repairs this may be as long as the chain.
// Paper       ours; it is the first step of R. M. Karp, M. Sipser, "Maximum matchings in sparse
//             random graphs", FOCS 1981. Degrees are not updated, so no row lists are needed
// Cost        one pass over the column pointers, then that of greedy
// Prefer it   if columns have at most two entries; otherwise use greedy
#pragma once

#include "backends/cpu/pieces.hpp"
#include "transversal/initial/greedy.hpp"

namespace btfperm {

template <class I>
void singles_first(const PatternView<I>& A, Matching<I> M, const Options& options,
                   Workspace& workspace, Budget& budget, Counters& counters, Proof& proof) {
  std::int64_t singles = 0;
  in_pieces(A.n, budget, [&](I j) {
    if (A.degree(j) != 1 || M.col_match[j] >= 0) return;
    ++singles;
    const I i = A.indices[A.indptr[j]];
    if (M.row_match[i] < 0) M.match(i, j);
  });
  counters.edges += singles;
  if (!budget.spend(singles)) return;
  greedy(A, M, options, workspace, budget, counters, proof);
}

}  // namespace btfperm
