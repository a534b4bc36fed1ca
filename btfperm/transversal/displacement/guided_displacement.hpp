// SPDX-License-Identifier: BSD-3-Clause
// guided-displacement: the default engine: a look, label pushes or short searches, then the rest
//
// Idea        On most patterns, pushing columns off their rows under the guidance of distance
//             labels (label_push.hpp) finds the maximum in two or three readings of the matrix. Two
//             cases are better searched: where the start left little, and where the numbering is
//             local (meshes in their own order), since there the free rows are near and pushing
//             would undo what the order gave. What either leaves is finished by breadth-first
//             trees from all remaining columns, and, should these need many phases, by
//             hopcroft-karp.
// Paper       ours
// Cost        O(nnz sqrt(n)) at worst: pushing O(nnz log n), at most sqrt(n) phases of trees, then
//             hopcroft-karp. 1 to 3 nnz in practice. Workspace: m bytes + n, then that of the parts
// Prefer it   always, unless a published algorithm is wanted
// Encodings   none beyond those of its parts
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "transversal/augmenting/hopcroft_karp.hpp"
#include "transversal/augmenting/ms_bfs.hpp"
#include "transversal/augmenting/ss_bfs.hpp"
#include "transversal/certificate.hpp"
#include "transversal/displacement/label_push.hpp"
#include "transversal/displacement/shared_push.hpp"

namespace btfperm {

// Where the engine turns one way or the other; measured on the families of benchmarks/generators.
struct DisplacementRules {
  double few_free = .02;           // share of columns left free, below which to search
  double local_entries = .9;       // share of entries near the diagonal, above which to search
  int diagonal_width = 64;         // near: within n / diagonal_width of it
  std::int64_t most_edges = 2048;  // a short search gives up here (then here times 2, 4, ...),
  double most_passes = 1.5;        // all of them after this many readings of the matrix
  int sampled_columns = 256;
  int few_for_threads = 1024;  // free columns below which one thread pushes alone
};

// Share of entries near the diagonal, on a sample of columns.
template <class I>
double local_share(const PatternView<I>& A, const DisplacementRules& rules) {
  const I stride = std::max<I>(1, A.n / rules.sampled_columns);
  const double slope = static_cast<double>(A.m) / static_cast<double>(A.n);
  const double width = static_cast<double>(A.m) / rules.diagonal_width;
  std::int64_t seen = 0;
  std::int64_t near = 0;
  for (I j = 0; j < A.n; j += stride) {
    const I end = std::min<I>(A.indptr[j + 1], A.indptr[j] + 64);
    for (I p = A.indptr[j]; p < end; ++p) {
      ++seen;
      near += std::abs(static_cast<double>(A.indices[p]) - slope * static_cast<double>(j)) < width;
    }
    if (j > A.n - stride) break;  // j + stride might overflow
  }
  return seen > 0 ? static_cast<double>(near) / static_cast<double>(seen) : 0.0;
}

// Short searches from each column of `free`; keeps those that gave up. Returns their number.
template <class I>
I search_shortly(const PatternView<I>& A, Matching<I> M, I* free, I n_free,
                 const DisplacementRules& rules, Budget& budget, Counters& counters, Proof& proof) {
  Workspace workspace;
  SsBfs<I> search(A, M, workspace, budget, counters);
  const std::int64_t most =
      counters.edges + static_cast<std::int64_t>(rules.most_passes * static_cast<double>(A.nnz()));
  std::int64_t most_edges = rules.most_edges;
  I left = 0;
  for (I k = 0; k < n_free; ++k) {
    const bool go_on = counters.edges < most && !budget.stopped();
    if (!go_on || search.search(free[k], most_edges) == SsBfs<I>::Outcome::gave_up) {
      free[left++] = free[k];
      if (go_on) most_edges *= 2;  // so that one closes a dead part that all would enter
    }
  }
  search.mark_closed(proof.row_in_cover);
  return left;
}

// Free columns that have entries, into `list`; their number.
template <class I>
I list_free(const PatternView<I>& A, const Matching<I>& M, int threads, I* list) {
  return select(
      A.n, threads, list, [&](I j) { return M.col_match[j] < 0 && A.degree(j) > 0; },
      [](I j) { return j; });
}

// Trees from the columns listed, which must be all that may still be matched; then hopcroft-karp,
// should they need too many phases.
template <class I>
void finish_by_trees(const PatternView<I>& A, Matching<I> M, const I* free, I n_free,
                     Workspace& workspace, Budget& budget, Counters& counters, Proof& proof) {
  const std::int64_t most_phases = 8 + static_cast<std::int64_t>(std::sqrt(A.n));
  MsBfs<I> trees(A, M, workspace, budget, counters);
  if (trees.run(free, n_free, most_phases)) {
    trees.mark_seen(proof.row_in_cover);
    proof.complete = !budget.stopped();
  } else {
    proof.complete = false;
    HopcroftKarp<I>(A, M, workspace, budget, counters).run();
  }
}

// Pushes by several threads while that pays; one thread pushes the rest. What the threads dropped
// is not proven unmatchable: a search from all free columns sees to that, and nearly always ends
// as the proof.
template <class I>
void displace_shared(const PatternView<I>& A, Matching<I> M, I* free, I n_free, int threads,
                     const DisplacementRules& rules, Workspace& workspace, Budget& budget,
                     Counters& counters, Proof& proof) {
  {
    Workspace labels;
    I* spare = labels.take<I>(n_free);
    SharedPush<I> push(A, M, free, spare, n_free, threads, labels, budget, counters);
    push.run(rules.few_for_threads);
    n_free = push.active();
    std::copy(push.columns(), push.columns() + n_free, free);  // it may be in `spare`
    LabelPush<I> rest(A, M, free, n_free, labels, budget, counters);
    rest.run(push.labels());
    rows_to_columns(A, M, threads);
  }
  if (budget.stopped()) return;
  if (find_cover(A, M, proof.row_in_cover, threads, workspace, budget)) {
    proof.complete = true;
    return;
  }
  if (budget.stopped()) return;
  fill(proof.row_in_cover, A.m, std::uint8_t{0}, threads);
  I* left = workspace.take<I>(A.n);
  finish_by_trees(A, M, left, list_free(A, M, threads, left), workspace, budget, counters, proof);
}

template <class I>
void guided_displacement(const PatternView<I>& A, Matching<I> M, const Options& options,
                         Workspace& workspace, Budget& budget, Counters& counters, Proof& proof) {
  const DisplacementRules rules;
  I* free = workspace.take<I>(A.n);
  I n_free = list_free(A, M, options.threads, free);

  const bool few = static_cast<double>(n_free) < rules.few_free * static_cast<double>(A.n);
  const bool local = n_free > 0 && local_share(A, rules) >= rules.local_entries;
  if (n_free == 0) {
    // only empty columns are free
  } else if (local) {
    n_free = search_shortly(A, M, free, n_free, rules, budget, counters, proof);
  } else if (!few && options.threads > 1 && n_free >= rules.few_for_threads) {
    displace_shared(A, M, free, n_free, options.threads, rules, workspace, budget, counters, proof);
    return;
  } else if (!few) {
    Workspace labels;
    LabelPush<I> push(A, M, free, n_free, labels, budget, counters);
    push.run();
    rows_to_columns(A, M, 1);
    push.mark_hopeless(proof.row_in_cover);
    n_free = push.active();
  }
  proof.complete = !budget.stopped();  // unless there is more to do
  if (n_free == 0 || budget.stopped()) return;
  finish_by_trees(A, M, free, n_free, workspace, budget, counters, proof);
}

}  // namespace btfperm
