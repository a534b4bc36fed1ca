// SPDX-License-Identifier: BSD-3-Clause
// outside_blocks: the entries that are in no maximum transversal
//
// Idea        These are the entries outside the diagonal blocks of the fine decomposition. Every
//             entry of a square block is in a perfect matching of the block, because the block is
//             strongly connected. Let e be an entry of a horizontal block. Some maximum matching
//             leaves the column of e unmatched and matches the row of e to another column. With e
//             in place of this matched entry, the matching is still maximum. A vertical block is
//             the transposed case.
// Paper       A. L. Dulmage, N. S. Mendelsohn, "Coverings of bipartite graphs", Canad. J. Math. 10
//             (1958)
// Cost        O(n + nnz), one pass over the entries. The count is shared among threads
#pragma once

#include <atomic>
#include <cstdint>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/parallel.hpp"
#include "backends/cpu/pieces.hpp"
#include "backends/cpu/workspace.hpp"
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

// Number of entries outside the blocks; -1 if an entry is below the blocks. In the latter case, the
// blocks are not those of a decomposition.
template <class I>
std::int64_t count_outside_blocks(const PatternView<I>& A, const I* row_block, const I* col_block,
                                  int threads, Budget& budget) {
  Workspace workspace;
  I* const block = workspace.take<I>(A.m);  // a copy in large pages: random access is faster
  copy(row_block, A.m, block, threads, budget);
  std::atomic<std::int64_t> count{0}, below{0};
  const bool shared = threads > 1 && A.nnz() >= least_to_share(worth_sharing);
  on_team(threads, shared, [&](int t, int team) {
    std::int64_t other = 0, wrong = 0;
    in_own_pieces(Share<I>(A.n, t, team), A.indptr + 1, t, budget, [&](I j) {
      for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
        const I b = block[A.indices[p]];
        other += b != col_block[j];  // there is no branch, so that loads overlap
        wrong += b > col_block[j];
      }
    });
    count.fetch_add(other, std::memory_order_relaxed);
    below.fetch_add(wrong, std::memory_order_relaxed);
  });
  if (budget.stopped()) throw Unfinished();
  return below.load() > 0 ? -1 : count.load();
}

}  // namespace btfperm
