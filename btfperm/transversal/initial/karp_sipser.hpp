// SPDX-License-Identifier: BSD-3-Clause
// karp-sipser: match vertices of degree one first
//
// Idea        If a row or column has one unmatched neighbour (degree one), some maximum matching
//             contains the entry between them. While there is such a vertex, match it to this
//             neighbour and remove both; otherwise match any column to any of its unmatched rows.
// Paper       R. M. Karp, M. Sipser, "Maximum matchings in sparse random graphs", FOCS 1981. If no
//             vertex has degree one, the paper chooses an edge at random. This code takes the next
//             column in order and its first unmatched row, so that a run on one thread is
//             reproducible. With several threads as in A. Azad, M. Halappanavar, S. Rajamanickam,
//             E. G. Boman, A. Khan, A. Pothen, "Multithreaded algorithms for maximum matching in
//             bipartite graphs", IPDPS 2012: the threads share the vertices that have degree one
//             initially, then the columns. If a match of a thread reduces the degree of a vertex to
//             one, this thread continues with this vertex at once.
// Cost        O(m + n + nnz) time. Workspace: row lists (nnz + m + 1), 2 (m + n); if threads > 1, n
//             bytes, and 2 nnz while the row lists are made. On one thread, the code for several
//             threads takes 1.29 times as long as that for one in the geometric mean
//             (2026-11-26-serial-shared-field)
// Prefer it   on random, triangular and circuit patterns; greedy on meshes and stencils
// Encodings   a vertex k < m is row k, and a vertex k >= m is column k - m. One thread has a queue
//             of vertices of degree one. Each of several threads has a stack of them; below[k] is
//             the vertex below k on its stack, or -1
// Invariants  row_degree[i] is the number of unmatched columns of an unmatched row i, col_degree[j]
//             that of the unmatched rows of an unmatched column j; every vertex of degree one is in
//             the queue, or matched
// Races       (several threads) degrees are decremented atomically. The thread that reduces a
//             degree to one puts the vertex on its stack, so each vertex is on at most one stack.
//             One thread claims a column, permanently, and only this thread searches a row for it.
//             A row is matched by the first thread that replaces the -1 in row_match. If the search
//             finds no unmatched row, the column has none, so the result is maximal. A thread that
//             reads an outdated value of a row or a degree only makes an unsuccessful attempt
#pragma once

#include <algorithm>

#include "backends/cpu/atomics.hpp"
#include "backends/cpu/pieces.hpp"
#include "backends/cpu/shared_loop.hpp"
#include "pattern/transpose_by_parts.hpp"
#include "transversal/interface.hpp"

namespace btfperm {

// The number of unmatched vertices in list k; `match` holds the mates of the vertices in the lists.
template <class I>
I free_neighbours(const PatternView<I>& lists, I k, const I* match) {
  I count = 0;
  for (I p = lists.indptr[k]; p < lists.indptr[k + 1]; ++p) count += match[lists.indices[p]] < 0;
  return count;
}

template <class I>
class KarpSipser {
 public:
  KarpSipser(const PatternView<I>& A, Matching<I> M, Workspace& workspace, Budget& budget,
             Counters& counters)
      : A_(A), M_(M), budget_(budget), counters_(counters) {
    I* row_indptr = workspace.take<I>(A.m + 1);
    I* row_indices = workspace.take<I>(A.nnz());
    row_degree_ = workspace.take<I>(A.m);
    col_degree_ = workspace.take<I>(A.n);
    queue_ = workspace.take<I>(A.m + A.n);
    transpose(A, row_indptr, row_indices, budget);
    R_ = {A.n, A.m, row_indptr, row_indices};
  }

  void run() {
    count_degrees();
    match_the_forced();
    for (I j = 0; j < A_.n && !budget_.stopped(); ++j) {
      if (M_.col_match[j] >= 0 || col_degree_[j] == 0) continue;
      const I p = first_unmatched(A_, j, M_.row_match);
      if (p >= 0) {
        take_out(A_.indices[p], j);
        match_the_forced();
      }
    }
  }

 private:
  void count_degrees() {
    in_pieces(A_.m, R_.indptr + 1, budget_, [&](I i) {
      row_degree_[i] = free_neighbours(R_, i, M_.col_match);
      if (M_.row_match[i] < 0 && row_degree_[i] == 1) queue_[tail_++] = i;
    });
    in_pieces(A_.n, A_.indptr + 1, budget_, [&](I j) {
      col_degree_[j] = free_neighbours(A_, j, M_.row_match);
      if (M_.col_match[j] < 0 && col_degree_[j] == 1) queue_[tail_++] = A_.m + j;
    });
  }

  void match_the_forced() {
    while (head_ < tail_ && !budget_.stopped()) {
      const I k = queue_[head_++];
      if (k < A_.m) {
        if (M_.row_match[k] >= 0) continue;
        const I p = first_unmatched(R_, k, M_.col_match);
        if (p >= 0) take_out(k, R_.indices[p]);
      } else {
        const I j = k - A_.m;
        if (M_.col_match[j] >= 0) continue;
        const I p = first_unmatched(A_, j, M_.row_match);
        if (p >= 0) take_out(A_.indices[p], j);
      }
    }
  }

  // Matches row i to column j and reduces the degrees of their neighbours. The degree of a vertex
  // becomes one at most once, so at most m + n vertices are put into the queue.
  void take_out(I i, I j) {
    M_.match(i, j);
    for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
      const I row = A_.indices[p];
      if (--row_degree_[row] == 1 && M_.row_match[row] < 0) queue_[tail_++] = row;
    }
    for (I p = R_.indptr[i]; p < R_.indptr[i + 1]; ++p) {
      const I col = R_.indices[p];
      if (--col_degree_[col] == 1 && M_.col_match[col] < 0) queue_[tail_++] = A_.m + col;
    }
    const I read = A_.degree(j) + R_.degree(i);
    counters_.edges += read;
    budget_.spend(read);
  }

  static I first_unmatched(const PatternView<I>& lists, I k, const I* match) {
    for (I p = lists.indptr[k]; p < lists.indptr[k + 1]; ++p) {
      if (match[lists.indices[p]] < 0) return p;
    }
    return -1;
  }

  const PatternView<I>& A_;
  PatternView<I> R_{};  // the row lists
  Matching<I> M_;
  I* row_degree_;
  I* col_degree_;
  I* queue_;
  I head_ = 0;
  I tail_ = 0;
  Budget& budget_;
  Counters& counters_;
};

template <class I>
class KarpSipserShared {
 public:
  KarpSipserShared(const PatternView<I>& A, Matching<I> M, int threads, Workspace& workspace,
                   Budget& budget, Counters& counters)
      : A_(A), M_(M), threads_(threads), budget_(budget), counters_(counters) {
    I* row_indptr = workspace.take<I>(A.m + 1);
    I* row_indices = workspace.take<I>(A.nnz());
    degree_ = workspace.take<I>(A.m + A.n);
    below_ = workspace.take<I>(A.m + A.n);
    taken_ = workspace.take<std::uint8_t>(A.n);
    transpose_by_parts(A, threads, row_indptr, row_indices, budget);
    R_ = {A.n, A.m, row_indptr, row_indices};
  }

  void run() {
    const auto in_all = [&](I count, auto turn) {
      shared_loop(count, block, threads_, budget_, counters_, turn);
    };
    in_all(A_.m, [&](I i, Own& own) {
      degree_[i] = free_neighbours(R_, i, M_.col_match);
      own.pass(R_.degree(i));
    });
    in_all(A_.n, [&](I j, Own& own) {
      degree_[A_.m + j] = free_neighbours(A_, j, M_.row_match);
      taken_[j] = M_.col_match[j] >= 0;
      own.pass(A_.degree(j));
    });
    in_all(A_.m + A_.n, [&](I k, Own& own) {
      if (load(degree_[k]) == 1) match_from(k, own);
    });
    in_all(A_.n, [&](I j, Own& own) {
      if (load(degree_[A_.m + j]) > 0) match_from(A_.m + j, own);
    });
  }

 private:
  using Own = Together<Counters>;
  static constexpr I block = 256;

  // Matches vertex k, then the vertices whose degree this reduces to one, and so on.
  void match_from(I k, Own& own) {
    for (I stack = -1; k >= 0 && !own.stopped();) {
      if (k >= A_.m) {
        const I j = k - A_.m;
        if (claim(taken_[j])) match_column(j, -1, stack, own);
      } else if (load(M_.row_match[k]) < 0) {
        const I j = claim_column_of(k);
        if (j >= 0) match_column(j, k, stack, own);
      }
      k = stack;
      if (k >= 0) stack = below_[k];
    }
  }

  I claim_column_of(I i) {
    for (I p = R_.indptr[i]; p < R_.indptr[i + 1]; ++p) {
      if (claim(taken_[R_.indices[p]])) return R_.indices[p];
    }
    return -1;
  }

  // Matches column j, claimed by this thread, to row `wanted` or else to its first unmatched row.
  void match_column(I j, I wanted, I& stack, Own& own) {
    const I i = wanted >= 0 && take(M_.row_match[wanted], j) ? wanted : take_row_of(j);
    if (i < 0) return;
    M_.col_match[j] = i;
    for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
      const I row = A_.indices[p];
      if (decrement(degree_[row]) == 1 && load(M_.row_match[row]) < 0) put(row, stack);
    }
    for (I p = R_.indptr[i]; p < R_.indptr[i + 1]; ++p) {
      const I col = R_.indices[p];
      if (decrement(degree_[A_.m + col]) == 1 && load(taken_[col]) == 0) put(A_.m + col, stack);
    }
    const I read = A_.degree(j) + R_.degree(i);
    own.counted.edges += read;
    own.spend(read);
  }

  I take_row_of(I j) {
    for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
      const I i = A_.indices[p];
      if (load(M_.row_match[i]) < 0 && take(M_.row_match[i], j)) return i;
    }
    return -1;
  }

  void put(I k, I& stack) {
    below_[k] = stack;
    stack = k;
  }

  const PatternView<I>& A_;
  PatternView<I> R_{};  // the row lists
  Matching<I> M_;
  int threads_;
  I* degree_;  // the degrees of the rows, followed by those of the columns
  I* below_;
  std::uint8_t* taken_;  // 1: the column is claimed
  Budget& budget_;
  Counters& counters_;
};

template <class I>
void karp_sipser(const PatternView<I>& A, Matching<I> M, const Options& options,
                 Workspace& workspace, Budget& budget, Counters& counters, Proof&) {
  if (options.threads > 1) {
    KarpSipserShared<I>(A, M, options.threads, workspace, budget, counters).run();
  } else {
    KarpSipser<I>(A, M, workspace, budget, counters).run();
  }
}

}  // namespace btfperm
