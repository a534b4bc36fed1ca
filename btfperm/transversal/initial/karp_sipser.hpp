// SPDX-License-Identifier: BSD-3-Clause
// karp-sipser: match what has only one choice, before anything else
//
// Idea        A row or column with one free neighbour can be matched to it without loss: some
//             maximum matching does so. While there is one, match it and take both out; else
//             match any column to any free row of it.
// Paper       R. M. Karp, M. Sipser, "Maximum matchings in sparse random graphs", FOCS 1981. The
//             "any" step takes columns in their order and the first free row, where the paper
//             draws an edge at random: a run can be repeated.
// Cost        O(nnz) time. Workspace: the row lists (nnz + m + 1), m + n degrees, m + n queue
// Prefer it   on random, triangular and circuit patterns; rather use greedy on meshes and stencils
// Encodings   in the queue, k < m is row k and k >= m is column k - m
// Invariants  row_degree[i] counts the free columns of a free row i, col_degree[j] the free rows of
//             a free column j; everything of degree one is in the queue, or matched
#pragma once

#include <algorithm>

#include "pattern/canonical.hpp"
#include "transversal/interface.hpp"

namespace btfperm {

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
    transpose(A, row_indptr, row_indices, BudgetPoll{budget});
    R_ = {A.n, A.m, row_indptr, row_indices};
  }

  void run() {
    count_degrees();
    match_the_forced();
    for (I j = 0; j < A_.n && !budget_.stopped(); ++j) {
      if (M_.col_match[j] >= 0 || col_degree_[j] == 0) continue;
      const I p = first_free(A_, j, M_.row_match);
      if (p >= 0) {
        take_out(A_.indices[p], j);
        match_the_forced();
      }
    }
  }

 private:
  void count_degrees() {
    for (I i = 0; i < A_.m; ++i) {
      row_degree_[i] = free_neighbours(R_, i, M_.col_match);
      if (M_.row_match[i] < 0 && row_degree_[i] == 1) queue_[tail_++] = i;
    }
    for (I j = 0; j < A_.n; ++j) {
      col_degree_[j] = free_neighbours(A_, j, M_.row_match);
      if (M_.col_match[j] < 0 && col_degree_[j] == 1) queue_[tail_++] = A_.m + j;
    }
  }

  void match_the_forced() {
    while (head_ < tail_ && !budget_.stopped()) {
      const I k = queue_[head_++];
      if (k < A_.m) {
        if (M_.row_match[k] >= 0) continue;
        const I p = first_free(R_, k, M_.col_match);
        if (p >= 0) take_out(k, R_.indices[p]);
      } else {
        const I j = k - A_.m;
        if (M_.col_match[j] >= 0) continue;
        const I p = first_free(A_, j, M_.row_match);
        if (p >= 0) take_out(A_.indices[p], j);
      }
    }
  }

  // Matches row i to column j; their free neighbours lose a choice each. A vertex reaches degree
  // one at most once, so the queue never holds more than m + n.
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

  static I free_neighbours(const PatternView<I>& lists, I k, const I* match) {
    I count = 0;
    for (I p = lists.indptr[k]; p < lists.indptr[k + 1]; ++p) count += match[lists.indices[p]] < 0;
    return count;
  }

  static I first_free(const PatternView<I>& lists, I k, const I* match) {
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
void karp_sipser(const PatternView<I>& A, Matching<I> M, const Options&, Workspace& workspace,
                 Budget& budget, Counters& counters, Proof&) {
  KarpSipser<I>(A, M, workspace, budget, counters).run();
}

}  // namespace btfperm
