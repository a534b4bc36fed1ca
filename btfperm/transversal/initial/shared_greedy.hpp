// SPDX-License-Identifier: BSD-3-Clause
// shared greedy: the cheap matching (greedy.hpp) by several threads
//
// Idea        The threads take blocks of columns in order, and a row is matched by the first thread
//             that claims it. If entries are near the diagonal, the first column of a block may be
//             matched to a row that the last column of the preceding block needs, and each
//             following column likewise. Augmenting paths that repair this cross the whole matrix.
//             Therefore, if most entries are near the diagonal, as in a mesh in natural order, each
//             thread first matches its part of the columns to its part of the rows only. If most
//             columns have an entry near the diagonal, as in saddle-point systems, a block prefers
//             the rows from its own place on the diagonal on
// Paper       that of greedy.hpp; the blocks are ours
// Cost        O(m + n + nnz), divided by the threads. A thread visits a list once more for each row
//             that another thread matches first. Ends when every row is matched. No workspace
// Prefer it   as greedy, on several threads; on one thread it takes 1.69 times as long as
//             greedy.hpp in the geometric mean (2026-11-26-serial-shared-field)
// Races       only one thread replaces the -1 in row_match[i]. A thread that fails to do so scans
//             the list of its column again
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>

#include "backends/cpu/atomics.hpp"
#include "backends/cpu/parallel.hpp"
#include "transversal/interface.hpp"

namespace btfperm {

constexpr int sampled_at_start = 256;  // number of columns in a sample

// Rows and columns are divided into as many parts, in order. Returns the share of the entries, in a
// sample of columns, whose row and column are in parts with the same number.
template <class I>
double share_in_parts(const PatternView<I>& A, int parts) {
  const I stride = std::max<I>(1, A.n / sampled_at_start);
  std::int64_t seen = 0;
  std::int64_t inside = 0;
  for (std::int64_t j = 0; j < A.n; j += stride) {
    const Share<I> rows(A.m, static_cast<int>(j * parts / A.n), parts);
    const I begin = A.indptr[j];
    const I end = std::min<I>(A.indptr[j + 1], begin + 64);
    for (I p = begin; p < end; ++p) {
      inside += A.indices[p] >= rows.first && A.indices[p] < rows.last;
    }
    seen += end - begin;
  }
  return seen > 0 ? static_cast<double>(inside) / static_cast<double>(seen) : 0.0;
}

// The share of the columns of a sample that have an entry fewer than `width` rows from the
// diagonal.
template <class I>
double share_at_diagonal(const PatternView<I>& A, double width) {
  const I stride = std::max<I>(1, A.n / sampled_at_start);
  const double slope = static_cast<double>(A.m) / static_cast<double>(A.n);
  int seen = 0;
  int near = 0;
  for (std::int64_t j = 0; j < A.n; j += stride) {
    const I begin = A.indptr[j];
    const I end = std::min<I>(A.indptr[j + 1], begin + 64);
    ++seen;
    near += std::any_of(A.indices + begin, A.indices + end, [&](I i) {
      return std::abs(static_cast<double>(i) - slope * static_cast<double>(j)) < width;
    });
  }
  return seen > 0 ? static_cast<double>(near) / seen : 0.0;
}

template <class I>
class SharedGreedy {
 public:
  SharedGreedy(const PatternView<I>& A, Matching<I> M, int threads, Budget& budget)
      : A_(A),
        M_(M),
        budget_(budget),
        block_(std::clamp<I>(A.n / (64 * threads), 256, 4096)),
        in_parts_(share_in_parts(A, threads) > .75),
        prefers_(share_at_diagonal(A, block_) > .5) {
    I taken = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : taken)
    for (I i = 0; i < A.m; ++i) taken += M.row_match[i] >= 0;
    free_rows_ = A.m - taken;
  }

  // Each thread of a team calls this. It returns when all rows are matched or no block is left,
  // with the number of entries that this thread has visited.
  std::int64_t run(int t, int team) {
    std::int64_t edges = in_parts_ ? match_own_part(t, team) : 0;
    while (free_rows_.load(std::memory_order_relaxed) > 0 && !budget_.stopped()) {
      const std::int64_t begin = next_.fetch_add(block_, std::memory_order_relaxed);
      if (begin >= A_.n) break;
      const I first = static_cast<I>(begin);
      const std::int64_t read = match_block(first, std::min<I>(A_.n - first, block_) + first);
      edges += read;
      if (t == 0) budget_.spend(read * team);
    }
    return edges;
  }

 private:
  // Greedy on this thread's part of the rows and columns only; then waits for the other threads.
  std::int64_t match_own_part(int t, int team) {
    const Share<I> rows(A_.m, t, team);
    const Share<I> cols(A_.n, t, team);
    std::int64_t edges = 0;
    I found = 0;
    for (I j = cols.first; j < cols.last && !budget_.stopped(); ++j) {
      if (M_.col_match[j] >= 0) continue;
      I p = A_.indptr[j];
      const I end = A_.indptr[j + 1];
      const auto passed = [&](I i) {
        return i < rows.first || i >= rows.last || M_.row_match[i] >= 0;
      };
      while (p < end && passed(A_.indices[p])) ++p;
      if (p < end) {
        M_.match(A_.indices[p], j);
        ++found;
      }
      const std::int64_t read = p - A_.indptr[j] + 1;
      edges += read;
      if (t == 0) budget_.spend(read * team);
    }
    free_rows_.fetch_sub(found, std::memory_order_relaxed);
#pragma omp barrier
    return edges;
  }

  std::int64_t match_block(I first, I last) {
    const double slope = static_cast<double>(A_.m) / static_cast<double>(A_.n);
    const I least = prefers_ ? static_cast<I>(static_cast<double>(first) * slope) : 0;
    std::int64_t read = 0;
    I found = 0;
    for (I j = first; j < last; ++j) {
      if (M_.col_match[j] < 0) found += match_one(j, least, read);
    }
    free_rows_.fetch_sub(found, std::memory_order_relaxed);
    return read;
  }

  // Matches column j to its first unmatched row >= `least`, or else to its first unmatched row.
  bool match_one(I j, I least, std::int64_t& read) {
    for (;;) {
      I row = -1;
      I p = A_.indptr[j];
      for (; p < A_.indptr[j + 1]; ++p) {
        const I i = A_.indices[p];
        if (load(M_.row_match[i]) >= 0 || (row >= 0 && i < least)) continue;
        row = i;
        if (i >= least) break;
      }
      read += p - A_.indptr[j] + 1;
      if (row < 0) return false;
      if (!take(M_.row_match[row], j)) continue;
      M_.col_match[j] = row;
      return true;
    }
  }

  const PatternView<I>& A_;
  Matching<I> M_;
  Budget& budget_;
  I block_;
  bool in_parts_;
  bool prefers_;
  std::atomic<std::int64_t> next_{0};
  std::atomic<I> free_rows_{0};
};

template <class I>
void shared_greedy(const PatternView<I>& A, Matching<I> M, int threads, Budget& budget,
                   Counters& counters) {
  SharedGreedy<I> turn(A, M, threads, budget);
  std::int64_t edges = 0;
#pragma omp parallel num_threads(threads) reduction(+ : edges)
  edges += turn.run(omp_get_thread_num(), omp_get_num_threads());
  counters.edges += edges;
}

}  // namespace btfperm
