// SPDX-License-Identifier: BSD-3-Clause
// outside_blocks: the entries that are in no maximum transversal
//
// Idea        These are the entries outside the diagonal blocks of the fine decomposition. Every
//             entry of a square block is in a perfect matching of the block, because the block is
//             strongly connected. An entry of a horizontal block is in a maximum matching, because
//             some maximum matching leaves its column unmatched and matches its row to another
//             column; so it can replace that column. A vertical block is the transposed case.
// Paper       A. L. Dulmage, N. S. Mendelsohn, "Coverings of bipartite graphs", Canad. J. Math. 10
//             (1958)
// Cost        O(n + nnz), one pass over the entries
#pragma once

#include <cstdint>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/pieces.hpp"
#include "pattern/pattern.hpp"

namespace btfperm {

// Calls outside(p, j) for each entry p of a column j whose row is in another block.
template <class I, class Outside>
void for_outside_blocks(const PatternView<I>& A, const I* row_block, const I* col_block,
                        Budget& budget, Outside outside) {
  in_pieces(A.n, A.indptr, budget, [&](I j) {
    const I own = col_block[j];
    for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
      if (row_block[A.indices[p]] != own) outside(p, j);
    }
  });
}

}  // namespace btfperm
