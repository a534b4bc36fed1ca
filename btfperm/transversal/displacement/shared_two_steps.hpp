// SPDX-License-Identifier: BSD-3-Clause
// shared two steps: augmenting paths of one or three edges, on several threads
//
// Idea        Each thread takes a part of the unmatched columns, and searches as in two_steps.hpp.
//             On a path of three edges, an unmatched column takes the row of another column, which
//             is displaced and gets an unmatched row. The thread first reserves this unmatched row.
//             The displaced column stays matched to its old row until one compare-and-swap replaces
//             it there. So no lock is held, and no thread waits. For displaced columns, each thread
//             prefers unmatched rows i with i / m >= j / n, where j is the first column of the
//             thread, so that the threads seldom compete
// Paper       ours
// Cost        the threads together visit at most nnz entries, plus one more list for each thread.
//             Workspace: a list of the remaining columns. On one thread it takes 2.24 times as long
//             as two_steps.hpp in the geometric mean of few matrices
//             (2026-11-26-serial-shared-field)
// Encodings   row_match[i] = -2: row i is reserved for a column that is about to be displaced
// Invariants  a matched row stays matched, and a column that was displaced from a row is never
//             matched to it again. So the compare-and-swap of the mate of a row fails if and only
//             if this mate was displaced. The caller must compute col_match again
// Races       row_match[i] changes only by compare-and-swap. The only exception is a reservation,
//             which only the thread that made it replaces. If a thread reads an outdated value, its
//             attempt for this column fails, and the column stays in the list
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "backends/cpu/atomics.hpp"
#include "backends/cpu/frontier.hpp"
#include "backends/cpu/parallel.hpp"
#include "transversal/interface.hpp"

namespace btfperm {

// The first unmatched row in the list of column j that is >= least; if there is none, the first
// unmatched row of the list; -1 if there is none, either. Adds the number of visited entries to
// `read`.
template <class I>
I free_row_of(const PatternView<I>& A, const I* row_match, I j, I least, std::int64_t& read) {
  I before = -1;
  for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
    const I i = A.indices[p];
    ++read;
    if (load(row_match[i]) != -1) continue;
    if (i >= least) return i;
    if (before < 0) before = i;
  }
  return before;
}

// Matches column j by an augmenting path of one or three edges and returns the number of edges. It
// returns 0 if it finds no such path, if other threads take the rows first, or if `read`, the
// number of entries that this thread has visited for all its columns, reaches `most`.
template <class I>
int match_one_of_many(const PatternView<I>& A, I* row_match, I j, I least, std::int64_t most,
                      std::int64_t& read) {
  constexpr I reserved = -2;
  for (I p = A.indptr[j]; p < A.indptr[j + 1] && read < most; ++p) {
    I& held = row_match[A.indices[p]];
    I holder = load(held);
    ++read;
    if (holder == -1 && take(held, j)) return 1;
    if (holder < 0) continue;
    const I other = free_row_of(A, row_match, holder, least, read);
    if (other < 0 || !take(row_match[other], reserved)) continue;
    const I column = holder;
    const bool gives_way =
        std::atomic_ref<I>(held).compare_exchange_strong(holder, j, std::memory_order_relaxed);
    store(row_match[other], gives_way ? column : I{-1});
    if (gives_way) return 3;
  }
  return 0;
}

// Matches columns of the list, in row_match only. Writes the others to the first places of the
// list, in any order, and returns their number.
template <class I>
I match_in_two_steps_together(const PatternView<I>& A, Matching<I> M, I* unmatched, I n_unmatched,
                              int threads, Budget& budget, Counters& counters) {
  Workspace workspace;
  Frontier<I> left(workspace.take<I>(n_unmatched));
#pragma omp parallel num_threads(threads)
  {
    const int team = omp_get_num_threads();
    const std::int64_t most = A.nnz() / team;
    const Share<I> part(n_unmatched, omp_get_thread_num(), team);
    const I least = part.first < part.last
                        ? static_cast<I>(static_cast<double>(unmatched[part.first]) * A.m / A.n)
                        : 0;
    Counters own;
    typename Frontier<I>::Private kept(left);
    for (I k = part.first; k < part.last; ++k) {
      const std::int64_t before = own.edges;
      const bool within_limits = before < most && !budget.stopped();
      const int steps =
          within_limits ? match_one_of_many(A, M.row_match, unmatched[k], least, most, own.edges)
                        : 0;
      if (steps == 0)
        kept.push(unmatched[k]);
      else
        own.augmented(steps);
      if (omp_get_thread_num() == 0) budget.spend((own.edges - before) * team);
    }
#pragma omp critical(two_steps_counted)
    counters.add(own);
  }
  std::copy(left.places(), left.places() + left.size(), unmatched);
  return left.size();
}

}  // namespace btfperm
