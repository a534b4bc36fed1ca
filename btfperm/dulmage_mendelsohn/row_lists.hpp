// SPDX-License-Identifier: BSD-3-Clause
// row lists: the columns of each row, for searches that go along the rows
//
// Idea        Count the entries of each row, sum up, put each entry in its place. Several threads
// do
//             it with atomic additions; the columns of a row then come in any order.
// Cost        O(m + entries), two passes over the columns that are kept
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>

#include "backends/cpu/atomics.hpp"
#include "backends/cpu/budget.hpp"
#include "backends/cpu/parallel.hpp"
#include "pattern/pattern.hpp"

namespace btfperm {

// Calls visit(i, j) for each entry of the columns with keep(j). In a team, `visit` runs in several
// threads at once. False: the budget ended it.
template <class I, class Keep, class Visit>
bool for_each_entry(const PatternView<I>& A, int threads, Budget& budget, Keep keep, Visit visit) {
  if (A.nnz() < worth_sharing) threads = 1;
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    const std::int64_t team = omp_get_num_threads();
    const bool spends = omp_get_thread_num() == 0;
#pragma omp for schedule(dynamic, 4096) nowait
    for (I j = 0; j < A.n; ++j) {
      if (budget.stopped() || !keep(j)) continue;
      for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) visit(A.indices[p], j);
      if (spends) budget.spend(A.degree(j) * team);
    }
  }
  return !budget.stopped();
}

// Turns counts in places[0 ... count - 1] into the sums before them; the total goes to
// places[count].
template <class I>
void sum_up(I* places, I count, int threads) {
  threads = count < worth_sharing ? 1 : std::min(threads, most_threads);
  std::array<I, most_threads + 1> before{};
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    const int t = omp_get_thread_num();
    const int team = omp_get_num_threads();
    const Share<I> part(count, t, team);
    I sum = 0;
    if (team > 1) {
      for (I k = part.first; k < part.last; ++k) sum += places[k];
      before[static_cast<std::size_t>(t) + 1] = sum;
#pragma omp barrier
#pragma omp single
      for (int k = 0; k < team; ++k) before[k + 1] += before[k];
      sum = before[t];
    }
    for (I k = part.first; k < part.last; ++k) {
      const I own = places[k];
      places[k] = sum;
      sum += own;
    }
    if (t == team - 1) places[count] = sum;
  }
}

// Number of entries that each row has in the columns with keep(j).
template <class I, class Keep>
bool count_rows(const PatternView<I>& A, int threads, Budget& budget, Keep keep, I* counts) {
  fill(counts, A.m, I{0}, threads);
  if (threads > 1) {
    return for_each_entry(A, threads, budget, keep, [&](I i, I) {
      std::atomic_ref<I>(counts[i]).fetch_add(1, std::memory_order_relaxed);
    });
  }
  return for_each_entry(A, 1, budget, keep, [&](I i, I) { ++counts[i]; });
}

// Puts the columns with keep(j) into the lists of their rows: next[i], the start of row i before,
// is its end afterwards.
template <class I, class Keep>
bool list_rows(const PatternView<I>& A, int threads, Budget& budget, Keep keep, I* next,
               I* indices) {
  if (threads > 1) {
    return for_each_entry(A, threads, budget, keep, [&](I i, I j) {
      indices[std::atomic_ref<I>(next[i]).fetch_add(1, std::memory_order_relaxed)] = j;
    });
  }
  return for_each_entry(A, 1, budget, keep, [&](I i, I j) { indices[next[i]++] = j; });
}

}  // namespace btfperm
