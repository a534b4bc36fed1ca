// SPDX-License-Identifier: BSD-3-Clause
// shared greedy: the cheap matching (greedy.hpp) by several threads
//
// Idea        What one thread finds, whatever the number of threads: each column takes the first
//             row of its list that no earlier column holds; a later one that held it gets up and
//             looks on. All rows prefer earlier columns, so what remains is the same whoever comes
//             when. Columns are handed out in small blocks, in order, so that few have to get up.
//             Were rows left to who comes first, a thread that starts in the middle of a mesh would
//             take those that the thread before needs in the end, and the paths that mend this
//             cross the whole matrix (kkt_3e6: 22 million entries read by the search that follows,
//             6 million now)
// Paper       ours; what remains is told by D. Gale, L. S. Shapley, "College admissions and the
//             stability of marriage", Amer. Math. Monthly 69 (1962); greedy.cu on a GPU
// Cost        O(nnz) divided by the threads where few get up: .5 to .7 of the entries are read, as
//             by one thread. Who gets up goes one row on at least, so O(nnz log n) at worst. No
//             workspace
// Invariants  A row held goes to earlier columns only, one that was matched before goes to none. So
//             what a column has passed stays closed to it, and as lists ascend, it goes on behind
//             the row that it lost. Whoever has got up is seated before anything else
// Races       row_match[i] by compare-and-swap. col_match is only read until all columns sit: it
//             tells who was matched before
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>

#include "backends/cpu/atomics.hpp"
#include "backends/cpu/parallel.hpp"
#include "transversal/interface.hpp"

namespace btfperm {

// Where the list of column j goes on behind row i.
template <class I>
I place_behind(const PatternView<I>& A, I j, I i) {
  const I* const list = A.indices;
  return static_cast<I>(std::upper_bound(list + A.indptr[j], list + A.indptr[j + 1], i) - list);
}

// Seats column j, and after it whoever has to get up for an earlier one. The edges read.
template <class I>
std::int64_t seat(const PatternView<I>& A, Matching<I> M, I j) {
  std::int64_t read = 0;
  I first = A.indptr[j];
  I p = first;
  while (p < A.indptr[j + 1]) {
    const I i = A.indices[p];
    I& held = M.row_match[i];
    I holder = load(held);
    const bool stays = holder >= 0 && (holder < j || M.col_match[holder] >= 0);
    if (stays) {
      ++p;
    } else if (std::atomic_ref<I>(held).compare_exchange_strong(holder, j,
                                                                std::memory_order_relaxed)) {
      read += p - first + 1;
      if (holder < 0) return read;
      j = holder;
      first = p = place_behind(A, j, i);
    }
  }
  return read + p - first;
}

// Columns are handed out in small blocks, in order. The edges that the calling thread has read.
template <class I>
std::int64_t seat_in_blocks(const PatternView<I>& A, Matching<I> M, std::atomic<std::int64_t>& next,
                            int team, Budget& budget) {
  constexpr I block = 256;
  std::int64_t edges = 0;
  while (!budget.stopped()) {
    const std::int64_t begin = next.fetch_add(block, std::memory_order_relaxed);
    if (begin >= A.n) break;
    const I end = static_cast<I>(std::min<std::int64_t>(A.n, begin + block));
    std::int64_t read = 0;
    for (I j = static_cast<I>(begin); j < end; ++j) {
      if (M.col_match[j] < 0) read += seat(A, M, j);
    }
    edges += read;
    if (omp_get_thread_num() == 0) budget.spend(read * team);
  }
  return edges;
}

template <class I>
void shared_greedy(const PatternView<I>& A, Matching<I> M, int threads, Budget& budget,
                   Counters& counters) {
  std::atomic<std::int64_t> next{0};
  std::int64_t edges = 0;
#pragma omp parallel num_threads(threads) reduction(+ : edges)
  {
    edges += seat_in_blocks(A, M, next, omp_get_num_threads(), budget);
#pragma omp barrier
#pragma omp for schedule(static)
    for (I i = 0; i < A.m; ++i) {
      if (M.row_match[i] >= 0) M.col_match[M.row_match[i]] = i;
    }
  }
  counters.edges += edges;
}

}  // namespace btfperm
