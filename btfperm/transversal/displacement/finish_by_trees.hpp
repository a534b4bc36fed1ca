// SPDX-License-Identifier: BSD-3-Clause
// What pushes and short searches have left is finished, and proved, by breadth-first trees
#pragma once

#include <cmath>

#include "backends/cpu/parallel.hpp"
#include "transversal/augmenting/hopcroft_karp.hpp"
#include "transversal/augmenting/ms_bfs.hpp"
#include "transversal/displacement/shared_trees.hpp"
#include "transversal/interface.hpp"

namespace btfperm {

// Free columns that have entries, into `list`, which has n places; their number.
template <class I>
I list_free(const PatternView<I>& A, const Matching<I>& M, int threads, I* list) {
  if (threads <= 1) {
    I count = 0;
    for (I j = 0; j < A.n; ++j) {
      list[count] = j;  // and stays if so: a store for each costs less than a branch
      count += static_cast<I>((M.col_match[j] < 0) & (A.indptr[j + 1] > A.indptr[j]));
    }
    return count;
  }
  return select(
      A.n, threads, list, [&](I j) { return M.col_match[j] < 0 && A.degree(j) > 0; },
      [](I j) { return j; });
}

// Trees from the columns listed, which must be all that may still be matched; then hopcroft-karp,
// should they need too many phases. `trees` is MsBfs or SharedTrees.
template <class Trees, class I>
void finish_by(Trees& trees, const PatternView<I>& A, Matching<I> M, I* free, I n_free,
               Workspace& workspace, Budget& budget, Counters& counters, Proof& proof) {
  const std::int64_t most_phases = 8 + static_cast<std::int64_t>(std::sqrt(A.n));
  if (trees.run(free, n_free, most_phases)) {
    trees.mark_seen(proof.row_in_cover);
    proof.complete = !budget.stopped();
  } else {
    proof.complete = false;
    HopcroftKarp<I>(A, M, workspace, budget, counters).run();
  }
}

// The same by one thread or several.
template <class I>
void finish_by_trees(const PatternView<I>& A, Matching<I> M, I* free, I n_free, int threads,
                     Workspace& workspace, Budget& budget, Counters& counters, Proof& proof) {
  if (threads > 1) {
    SharedTrees<I> trees(A, M, proof.row_in_cover, threads, n_free, workspace, budget, counters);
    finish_by(trees, A, M, free, n_free, workspace, budget, counters, proof);
  } else {
    MsBfs<I> trees(A, M, workspace, budget, counters);
    finish_by(trees, A, M, free, n_free, workspace, budget, counters, proof);
  }
}

}  // namespace btfperm
