// SPDX-License-Identifier: BSD-3-Clause
// guided-displacement: the default algorithm. A sample selects label pushes or short searches, and
// trees complete the matching
//
// Idea        On most patterns, pushes guided by distance labels (label_push.hpp) find a maximum
//             matching in a few passes over the entries. But pushes displace many columns of a
//             nearly maximum matching. So searches are better if few columns are unmatched, if
//             augmenting paths are short, or if most entries are near the diagonal (meshes in
//             natural order); sample_unmatched.hpp estimates this. If pushes make no progress, as
//             on long chains, peeling can follow (peel.hpp). Breadth-first trees from all remaining
//             columns complete the matching. If they exceed their bounds, pushes along exact labels
//             follow, and if these exceed their bound, hopcroft-karp (finish_by_trees.hpp).
// Paper       ours
// Cost        O((m + n + nnz) sqrt(n)) in the worst case, for every number of threads: pushes take
//             O((m + nnz) log n), short searches and peeling O(m + n + nnz); then at most 8 +
//             sqrt(n) phases of trees, about 32 nnz entries of pushes along exact labels, and
//             hopcroft-karp. Workspace: n, and that of the parts
// Prefer it   always, unless a published algorithm is needed
#pragma once

#include <algorithm>

#include "transversal/displacement/after_push.hpp"
#include "transversal/displacement/finish_by_trees.hpp"
#include "transversal/displacement/label_push.hpp"
#include "transversal/displacement/rules.hpp"
#include "transversal/displacement/sample_unmatched.hpp"
#include "transversal/displacement/shared_displacement.hpp"
#include "transversal/displacement/short_searches.hpp"
#include "transversal/displacement/two_steps.hpp"

namespace btfperm {

// Searches for augmenting paths of at most three edges from each column of `unmatched`, then runs
// short searches if few columns remain. Writes the remaining columns to the first places of the
// list and returns their number.
template <class I>
I search_near(const PatternView<I>& A, Matching<I> M, I* unmatched, I n_unmatched,
              const DisplacementRules& rules, Budget& budget, Counters& counters, Proof& proof) {
  const double max_left = rules.left_by_two_steps * static_cast<double>(n_unmatched);
  n_unmatched = match_in_two_steps(A, M, unmatched, n_unmatched, budget, counters);
  if (static_cast<double>(n_unmatched) >= max_left) return n_unmatched;
  return search_shortly(A, M, unmatched, n_unmatched, rules, budget, counters, proof);
}

// Pushes the columns of `unmatched`; after_push.hpp decides on short searches and peeling. Writes
// the remaining columns to the first places of the list, which has n places, and returns their
// number.
template <class I>
I push_or_peel(const PatternView<I>& A, Matching<I> M, I* unmatched, I n_unmatched,
               const DisplacementRules& rules, Budget& budget, Counters& counters, Proof& proof) {
  Workspace labels;
  const auto proceed = [&](const auto& push) {
    return continue_from(push, A, M, unmatched, 1, rules, budget, counters, proof);
  };
  if (A.m >= least_to_share(rules.labels_near)) {
    SharedPush<I> push(A, M, unmatched, labels.take<I>(n_unmatched), n_unmatched, 1, labels, budget,
                       counters);
    push.run();
    std::copy(push.columns(), push.columns() + push.active(), unmatched);
    if (!push.has_few_left()) return proceed(push);
    LabelPush<I> last(A, M, unmatched, push.active(), labels, budget, counters);
    last.run_from_labels(push.labels(), A.nnz() / 8);
    return proceed(last);
  }
  LabelPush<I> push(A, M, unmatched, n_unmatched, labels, budget, counters);
  push.run();
  return proceed(push);
}

template <class I>
void guided_displacement(const PatternView<I>& A, Matching<I> M, const Options& options,
                         Workspace& workspace, Budget& budget, Counters& counters, Proof& proof) {
  const DisplacementRules rules;
  I* unmatched = workspace.take<I>(A.n);
  I n_unmatched = list_unmatched(A, M, options.threads, unmatched);

  const bool few =
      static_cast<double>(n_unmatched) < rules.few_unmatched * static_cast<double>(A.n);
  const int threads = worth_sharing_search(A.nnz(), options.threads) ? options.threads : 1;
  const bool local = n_unmatched > 0 && local_share(A, rules.diagonal_width) >= rules.local_entries;
  if (n_unmatched == 0) {
    // only columns without entries are unmatched
  } else if (threads > 1 && (local || few)) {
    n_unmatched =
        search_together(A, M, unmatched, n_unmatched, threads, rules, budget, counters, proof);
  } else if (local) {
    n_unmatched = search_shortly(A, M, unmatched, n_unmatched, rules, budget, counters, proof);
  } else if (!few && near_share(A, M, unmatched, n_unmatched) <
                         (threads > 1 ? rules.near_rows_shared : rules.near_rows)) {
    n_unmatched =
        threads > 1
            ? push_together(A, M, unmatched, n_unmatched, threads, rules, budget, counters, proof)
            : push_or_peel(A, M, unmatched, n_unmatched, rules, budget, counters, proof);
  } else {
    n_unmatched = threads > 1
                      ? search_near_together(A, M, unmatched, n_unmatched, threads, rules, budget,
                                             counters, proof)
                      : search_near(A, M, unmatched, n_unmatched, rules, budget, counters, proof);
  }
  proof.complete = !budget.stopped();  // valid if no column remains; else finish_by_trees sets it
  if (n_unmatched == 0 || budget.stopped()) return;
  finish_by_trees(A, M, unmatched, n_unmatched, threads, {}, workspace, budget, counters, proof);
}

}  // namespace btfperm
