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
// Prefer it   where columns are short, as in a forest; rather use greedy where most have three
//             entries and more: on a mesh in its own order one pair taken out of turn is paid for
//             by pushes across all of it
// Encodings   as greedy
// Races       as shared_greedy.hpp
#pragma once

#include <algorithm>
#include <atomic>

#include "backends/cpu/atomics.hpp"
#include "backends/cpu/parallel.hpp"
#include "transversal/initial/greedy.hpp"

namespace btfperm {

// Columns first ... last - 1 of one entry take it, if it is free; their number. `alone`: no other
// thread takes rows at the same time.
template <class I>
I match_singles(const PatternView<I>& A, Matching<I> M, I first, I last, bool alone) {
  constexpr I block = 256;
  I single[block];  // gathered first, because whether a column is one cannot be predicted
  I singles = 0;
  for (; first < last; first += std::min<I>(block, last - first)) {
    const I end = first + std::min<I>(block, last - first);
    I here = 0;
    for (I j = first; j < end; ++j) here += A.indptr[j + 1] - A.indptr[j] == 1;
    I count = 0;
    for (I j = first; count < here; ++j) {
      single[count] = j;
      count += A.indptr[j + 1] - A.indptr[j] == 1;
    }
    for (I k = 0; k < count; ++k) {
      const I j = single[k];
      const I i = A.indices[A.indptr[j]];
      if (M.col_match[j] >= 0 || load(M.row_match[i]) >= 0) continue;
      if (alone) {
        M.match(i, j);
      } else if (take(M.row_match[i], j)) {
        M.col_match[j] = i;
      }
    }
    singles += count;
  }
  return singles;
}

template <class I>
void singles_first(const PatternView<I>& A, Matching<I> M, const Options& options,
                   Workspace& workspace, Budget& budget, Counters& counters, Proof& proof) {
  const bool shared = worth_sharing_search(A.nnz(), options.threads);
  std::atomic<I> singles{0};
  on_team(options.threads, shared, [&](int t, int team) {
    const Share<I> part(A.n, t, team);
    singles += match_singles(A, M, part.first, part.last, team == 1);
  });
  counters.edges += singles;
  if (!budget.spend(singles)) return;
  greedy(A, M, options, workspace, budget, counters, proof);
}

}  // namespace btfperm
