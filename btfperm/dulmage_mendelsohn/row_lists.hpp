// SPDX-License-Identifier: BSD-3-Clause
// row lists: the columns of each row, without the column matched to it, for searches along rows
//
// Idea        A counting sort: count the entries of each row, compute prefix sums, and write each
//             entry to its place. Several threads use atomic additions; the columns of a row are
//             then in any order. The mate of a row is left out, because row_match has it.
// Cost        O(m + entries), two passes over the given columns
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>

#include "backends/cpu/atomics.hpp"
#include "backends/cpu/budget.hpp"
#include "backends/cpu/parallel.hpp"
#include "pattern/pattern.hpp"
#include "transversal/interface.hpp"

namespace btfperm {

// The rows or columns of a part, ascending: list[0 ... count - 1], or 0 ... count - 1 if `list` is
// null.
template <class I>
struct Members {
  const I* list;
  I count;
  I operator[](I k) const { return list == nullptr ? k : list[k]; }
};

// Calls visit(i, j) for each entry of the columns. For most entries, fetch(i) is called some
// entries earlier, for a prefetch. With several threads, all of them call `visit`, unless there are
// few columns. Returns false if the budget ended the loop.
template <class I, class Fetch, class Visit>
bool for_each_entry(const PatternView<I>& A, const Members<I>& cols, int threads, Budget& budget,
                    Fetch fetch, Visit visit) {
  constexpr I ahead = 24;
  const I nnz = A.nnz();
  if (cols.count < least_to_share(worth_sharing / 8)) threads = 1;
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    const std::int64_t team = omp_get_num_threads();
    const bool spends = omp_get_thread_num() == 0;
#pragma omp for schedule(dynamic, 2048) nowait
    for (I k = 0; k < cols.count; ++k) {
      if (budget.stopped()) continue;
      const I j = cols[k];
      for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
        if (p + ahead < nnz) fetch(A.indices[p + ahead]);
        visit(A.indices[p], j);
      }
      if (spends) budget.spend(A.degree(j) * team);
    }
  }
  return !budget.stopped();
}

// Replaces the counts in places[0 ... count - 1] by their exclusive prefix sums, and writes the
// total to places[count].
template <class I>
void sum_up(I* places, I count, int threads) {
  threads = count < least_to_share(worth_sharing) ? 1 : std::min(threads, most_threads);
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

// Writes to counts[0 ... A.m - 1] how many entries each row has in the columns `cols`, without the
// matched entry. Returns false if the budget ended the call.
template <class I>
bool count_rows(const PatternView<I>& A, const Matching<I>& M, const Members<I>& cols, int threads,
                Budget& budget, I* counts) {
  const I* const match = M.col_match;
  fill(counts, A.m, I{0}, threads, budget);
  const auto fetch = [counts](I i) { __builtin_prefetch(counts + i, 1); };
  if (threads > 1) {
    return for_each_entry(A, cols, threads, budget, fetch, [counts, match](I i, I j) {
      if (i != match[j]) increment(counts[i]);
    });
  }
  return for_each_entry(A, cols, 1, budget, fetch,
                        [counts, match](I i, I j) { counts[i] += i != match[j]; });
}

// Writes the columns to the lists of their rows, except the column matched to a row. next[i] must
// be the start of the list of row i, and is its end afterwards. Returns false if the budget ended
// the call.
template <class I>
bool list_rows(const PatternView<I>& A, const Matching<I>& M, const Members<I>& cols, int threads,
               Budget& budget, I* next, I* indices) {
  const I* const match = M.col_match;
  const auto fetch = [next](I i) { __builtin_prefetch(next + i, 1); };
  if (threads > 1) {
    return for_each_entry(A, cols, threads, budget, fetch, [next, indices, match](I i, I j) {
      if (i != match[j]) indices[increment(next[i])] = j;
    });
  }
  return for_each_entry(A, cols, 1, budget, fetch, [next, indices, match](I i, I j) {
    if (i != match[j]) indices[next[i]++] = j;
  });
}

}  // namespace btfperm
