// SPDX-License-Identifier: BSD-3-Clause
// finish by trees: breadth-first trees complete the matching after pushes and short searches, and
// prove that it is maximum
#pragma once

#include <cmath>

#include "backends/cpu/parallel.hpp"
#include "transversal/augmenting/hopcroft_karp.hpp"
#include "transversal/augmenting/ms_bfs.hpp"
#include "transversal/displacement/rules.hpp"
#include "transversal/displacement/shared_trees.hpp"
#include "transversal/interface.hpp"
#include "transversal/push_relabel/push_relabel.hpp"

namespace btfperm {

// Writes the unmatched columns that have entries into `list` (n places). Returns their number.
template <class I>
I list_unmatched(const PatternView<I>& A, const Matching<I>& M, int threads, I* list) {
  if (threads <= 1) {
    I count = 0;
    for (I j = 0; j < A.n; ++j) {
      list[count] = j;  // overwritten if j does not count; a store costs less than a branch
      count += static_cast<I>((M.col_match[j] < 0) & (A.indptr[j + 1] > A.indptr[j]));
    }
    return count;
  }
  return select(
      A.n, threads, list, [&](I j) { return M.col_match[j] < 0 && A.degree(j) > 0; },
      [](I j) { return j; });
}

// Bounds after which the next method continues; tests set other values.
struct FinishRules {
  // No phase of trees starts after passes * threads * nnz entries. Then pushes along exact labels
  // follow, and after pushed_passes * nnz entries hopcroft-karp. Trees exceed the bound if they
  // block each other: for example, if unmatched rows are far from unmatched columns, and diagonal
  // blocks form a chain.
  double passes = 4;
  double pushed_passes = 32;
  std::int64_t max_phases = 0;  // maximum number of phases of trees; 0 means 8 + sqrt(n)
  std::int64_t first_root = 0;  // the number of the first root in shared_trees.hpp
};

// Grows trees from the listed columns, which must contain every unmatched column that may still be
// matched. If the trees exceed a bound, pushes along exact labels follow, and after too many edges
// hopcroft-karp.
template <class I>
void finish_by_trees(const PatternView<I>& A, Matching<I> M, I* unmatched, I n_unmatched,
                     int threads, const FinishRules& rules, Workspace& workspace, Budget& budget,
                     Counters& counters, Proof& proof) {
  const std::int64_t max_phases =
      rules.max_phases > 0 ? rules.max_phases : 8 + static_cast<std::int64_t>(std::sqrt(A.n));
  const auto nnz = static_cast<double>(A.nnz());
  const auto max_edges = static_cast<std::int64_t>(rules.passes * threads * nnz);
  const auto finished_by = [&](auto& trees) {
    if (!trees.run(unmatched, n_unmatched, max_phases, max_edges)) return false;
    trees.mark_cover(proof.row_in_cover);
    proof.complete = !budget.stopped();
    return true;
  };
  proof.complete = false;
  if (threads > 1) {
    SharedTrees<I> trees(A, M, proof.row_in_cover, threads, n_unmatched,
                         static_cast<I>(rules.first_root), workspace, budget, counters);
    if (finished_by(trees)) return;
  } else {
    MsBfs<I> trees(A, M, proof.row_in_cover, workspace, budget, counters);
    if (finished_by(trees)) return;
  }
  if (rules.pushed_passes > 0) {
    Workspace labels;
    PushRelabel<I> push(A, M, 0.5, labels, budget, counters);
    counters.edges += 2 * std::int64_t{A.nnz()};  // `push` has made row lists in two passes
    if (push.run(static_cast<std::int64_t>(rules.pushed_passes * nnz))) return;
  }
  HopcroftKarp<I>(A, M, workspace, budget, counters).run();
}

}  // namespace btfperm
