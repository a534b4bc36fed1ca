// SPDX-License-Identifier: BSD-3-Clause
// shared greedy: the cheap matching (greedy.hpp) by several threads
//
// Idea        Columns are handed out in small blocks, in order, and a row goes to the thread that
//             is first. Only where most entries lie near the diagonal, each thread first matches
//             its part of the columns to its part of the rows, and no other rows: on a mesh in its
//             own order a thread that starts in the middle would take the rows that the thread
//             before needs in the end, and the paths that mend this cross the whole matrix
// Cost        O(nnz), divided by the threads; up to twice that where the matrix is dealt out in
//             parts. No workspace
// Races       row_match[i] is exchanged for its -1 by one thread. In a part of its own a thread is
//             alone
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>

#include "backends/cpu/atomics.hpp"
#include "backends/cpu/parallel.hpp"
#include "transversal/interface.hpp"

namespace btfperm {

// Share of the entries, on a sample of columns, that lie in the part of the matrix that a thread
// gets when both rows and columns are dealt out in order.
template <class I>
double share_in_parts(const PatternView<I>& A, int parts) {
  constexpr I samples = 256;
  const I stride = std::max<I>(1, A.n / samples);
  std::int64_t seen = 0;
  std::int64_t inside = 0;
  for (std::int64_t j = 0; j < A.n; j += stride) {
    const int t = static_cast<int>(j * parts / A.n);
    const Share<I> rows(A.m, t, parts);
    const I begin = A.indptr[j];
    const I end = std::min<I>(A.indptr[j + 1], begin + 64);
    for (I p = begin; p < end; ++p) {
      inside += A.indices[p] >= rows.first && A.indices[p] < rows.last;
    }
    seen += end - begin;
  }
  return seen > 0 ? static_cast<double>(inside) / static_cast<double>(seen) : 0.0;
}

// Each thread matches its part of the columns to its part of the rows: as one thread would, for
// nobody else touches these. The edges that the calling thread has read.
template <class I>
std::int64_t greedy_in_parts(const PatternView<I>& A, Matching<I> M, int team, Budget& budget) {
  const int t = omp_get_thread_num();
  const Share<I> rows(A.m, t, team);
  const Share<I> cols(A.n, t, team);
  std::int64_t edges = 0;
  for (I j = cols.first; j < cols.last && !budget.stopped(); ++j) {
    if (M.col_match[j] >= 0) continue;
    I p = A.indptr[j];
    const I end = A.indptr[j + 1];
    const auto passed = [&](I i) {
      return i < rows.first || i >= rows.last || M.row_match[i] >= 0;
    };
    while (p < end && passed(A.indices[p])) ++p;
    if (p < end) M.match(A.indices[p], j);
    const I read = p - A.indptr[j] + 1;
    edges += read;
    if (t == 0) budget.spend(static_cast<std::int64_t>(read) * team);
  }
  return edges;
}

// Columns are handed out in small blocks, in order. The edges that the calling thread has read.
template <class I>
std::int64_t greedy_in_blocks(const PatternView<I>& A, Matching<I> M,
                              std::atomic<std::int64_t>& next, int team, Budget& budget) {
  constexpr I block = 256;
  std::int64_t edges = 0;
  while (!budget.stopped()) {
    const std::int64_t begin = next.fetch_add(block, std::memory_order_relaxed);
    if (begin >= A.n) break;
    const I end = static_cast<I>(std::min<std::int64_t>(A.n, begin + block));
    std::int64_t read = 0;
    for (I j = static_cast<I>(begin); j < end; ++j) {
      if (M.col_match[j] >= 0) continue;
      I p = A.indptr[j];
      for (; p < A.indptr[j + 1]; ++p) {
        const I i = A.indices[p];
        if (load(M.row_match[i]) >= 0 || !take(M.row_match[i], j)) continue;
        M.col_match[j] = i;
        break;
      }
      read += p - A.indptr[j] + 1;
    }
    edges += read;
    if (omp_get_thread_num() == 0) budget.spend(read * team);
  }
  return edges;
}

template <class I>
void shared_greedy(const PatternView<I>& A, Matching<I> M, int threads, Budget& budget,
                   Counters& counters) {
  constexpr double mostly = .75;
  const bool in_parts = share_in_parts(A, threads) > mostly;
  std::atomic<std::int64_t> next{0};
  std::int64_t edges = 0;
#pragma omp parallel num_threads(threads) reduction(+ : edges)
  {
    const int team = omp_get_num_threads();
    if (in_parts) {
      edges += greedy_in_parts(A, M, team, budget);
#pragma omp barrier
    }
    edges += greedy_in_blocks(A, M, next, team, budget);
  }
  counters.edges += edges;
}

}  // namespace btfperm
