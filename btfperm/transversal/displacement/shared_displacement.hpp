// SPDX-License-Identifier: BSD-3-Clause
// The turns of guided-displacement that several threads take together
#pragma once

#include <algorithm>

#include "backends/cpu/sharing.hpp"
#include "transversal/certificate.hpp"
#include "transversal/displacement/finish_by_trees.hpp"
#include "transversal/displacement/label_push.hpp"
#include "transversal/displacement/shared_push.hpp"

namespace btfperm {

// Free columns below which one thread pushes alone.
inline std::int64_t few_for_threads() { return least_to_share<std::int64_t>(1024); }

inline bool worth_sharing_pushes(std::int64_t n_free, int threads) {
  return threads > 1 && n_free >= few_for_threads();
}

// Pushes by several threads while that pays; one thread pushes the rest. What the threads dropped
// is not proven unmatchable: a search from all free columns sees to that, and nearly always ends
// as the proof.
template <class I>
void displace_shared(const PatternView<I>& A, Matching<I> M, I* free, I n_free, int threads,
                     Workspace& workspace, Budget& budget, Counters& counters, Proof& proof) {
  {
    Workspace labels;
    I* spare = labels.take<I>(n_free);
    SharedPush<I> push(A, M, free, spare, n_free, threads, labels, budget, counters);
    push.run(static_cast<I>(few_for_threads()));
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

}  // namespace btfperm
