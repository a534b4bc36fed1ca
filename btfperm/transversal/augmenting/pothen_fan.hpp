// SPDX-License-Identifier: BSD-3-Clause
// pothen-fan: disjoint depth-first searches in phases, with lookahead and fairness
//
// Idea        In each phase, every free column digs for an augmenting path; a row is visited once
//             a phase. Before it digs deeper a column looks for a free row in its own list
//             (lookahead). Every second phase reads the lists backwards (fairness), so that no
//             part of a list is always tried last.
// Paper       A. Pothen, C.-J. Fan, "Computing the block triangular form of a sparse matrix", ACM
//             TOMS 16 (1990), section 3; fairness: I. S. Duff, K. Kaya, B. Ucar, "Design,
//             implementation, and analysis of maximum transversal algorithms", ACM TOMS 38 (2011)
// Cost        O(nnz) a phase, n phases at worst, few in practice. Workspace: m marks, 4 n
// Prefer it   after greedy on almost anything in natural order; rather use hopcroft-karp where
//             paths are long and many
// Encodings   visited[i] = number of the last phase that saw row i; lookahead[j] = first position
//             of column j whose row may be free (rows never become free again, so it only moves on)
// Invariants  the columns on the stack and the rows chosen[] between them form an alternating path
//             from a free column; a column that is left without success is dead for this phase
#pragma once

#include <algorithm>

#include "transversal/interface.hpp"

namespace btfperm {

template <class I>
class PothenFan {
 public:
  PothenFan(const PatternView<I>& A, Matching<I> M, bool fairness, Workspace& workspace,
            Budget& budget, Counters& counters)
      : A_(A), M_(M), fairness_(fairness), budget_(budget), counters_(counters) {
    visited_ = workspace.take<I>(A.m);
    lookahead_ = workspace.take<I>(A.n);
    next_ = workspace.take<I>(A.n);
    stack_ = workspace.take<I>(A.n);
    free_ = workspace.take<I>(A.n);
    std::fill(visited_, visited_ + A.m, I{0});
    std::copy(A.indptr, A.indptr + A.n, lookahead_);
  }

  void run() {
    I n_free = 0;
    for (I j = 0; j < A_.n; ++j) {
      if (M_.col_match[j] < 0 && A_.degree(j) > 0) free_[n_free++] = j;
    }
    for (phase_ = 1; n_free > 0; ++phase_) {
      ++counters_.phases;
      const bool backwards = fairness_ && phase_ % 2 == 0;
      I left = 0;
      for (I k = 0; k < n_free; ++k) {
        const bool found = backwards ? dig<true>(free_[k]) : dig<false>(free_[k]);
        if (budget_.stopped()) return;
        if (!found) free_[left++] = free_[k];
      }
      if (left == n_free) return;  // no augmenting path is left: the matching is maximum
      n_free = left;
    }
  }

 private:
  // One search from the free column `root`; flips the path when it finds one.
  template <bool backwards>
  bool dig(I root) {
    I depth = 0;
    stack_[0] = root;
    next_[root] = backwards ? A_.indptr[root + 1] - 1 : A_.indptr[root];
    bool fresh = true;  // the column on top was not looked at yet
    while (depth >= 0) {
      const I j = stack_[depth];
      if (fresh) {
        const I i = look_ahead(j);
        if (budget_.stopped()) return false;
        if (i >= 0) {
          visited_[i] = phase_;
          flip(i, depth);
          return true;
        }
      }
      const I i = unvisited_row<backwards>(j);
      fresh = i >= 0;
      if (fresh) {  // go on from the column that holds row i
        visited_[i] = phase_;
        const I below = M_.row_match[i];
        stack_[++depth] = below;
        next_[below] = backwards ? A_.indptr[below + 1] - 1 : A_.indptr[below];
      } else {
        --depth;
      }
    }
    return false;
  }

  I look_ahead(I j) {
    I& p = lookahead_[j];
    const I begin = p;
    while (p < A_.indptr[j + 1] && M_.row_match[A_.indices[p]] >= 0) ++p;
    count_edges(p - begin + 1);
    return p < A_.indptr[j + 1] ? A_.indices[p] : I{-1};
  }

  template <bool backwards>
  I unvisited_row(I j) {
    I& p = next_[j];
    const I begin = p;
    I found = -1;
    if constexpr (backwards) {
      while (p >= A_.indptr[j] && visited_[A_.indices[p]] == phase_) --p;
      count_edges(begin - p + 1);
      if (p >= A_.indptr[j]) found = A_.indices[p--];
    } else {
      while (p < A_.indptr[j + 1] && visited_[A_.indices[p]] == phase_) ++p;
      count_edges(p - begin + 1);
      if (p < A_.indptr[j + 1]) found = A_.indices[p++];
    }
    return found;
  }

  // Along the stack, from the free row upwards: each column takes the row it was reached from.
  void flip(I i, I depth) {
    counters_.augmented(2 * static_cast<std::int64_t>(depth) + 1);
    for (; depth >= 0; --depth) {
      const I j = stack_[depth];
      const I freed = M_.col_match[j];
      M_.match(i, j);
      i = freed;
    }
  }

  void count_edges(I read) {
    counters_.edges += read;
    budget_.spend(read);
  }

  const PatternView<I>& A_;
  Matching<I> M_;
  bool fairness_;
  I* visited_;
  I* lookahead_;
  I* next_;   // where to go on in the list of a column on the stack
  I* stack_;  // columns
  I* free_;
  I phase_ = 0;
  Budget& budget_;
  Counters& counters_;
};

template <class I>
void pothen_fan(const PatternView<I>& A, Matching<I> M, const Options& options,
                Workspace& workspace, Budget& budget, Counters& counters, Proof&) {
  PothenFan<I>(A, M, options.get("fairness", 1) != 0, workspace, budget, counters).run();
}

}  // namespace btfperm
