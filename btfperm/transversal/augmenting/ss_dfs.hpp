// SPDX-License-Identifier: BSD-3-Clause
// ss-dfs: one depth-first search at a time, with lookahead (MC21)
//
// Idea        Each free column in turn digs for a free row. Before it digs deeper a column looks
//             for a free row in its own list (lookahead, or cheap assignment); its pointer into the
//             list only moves on, so all lookahead together reads each entry once. A row is visited
//             once per search.
// Paper       I. S. Duff, "On algorithms for obtaining a maximum transversal", ACM TOMS 7 (1981);
//             MC21A is Algorithm 575 there. As in the paper, a failed search is forgotten, where
//             ss-bfs closes what it has met for good
// Cost        O(n nnz) time, reached where rank is lost: each free column then searches the same
//             rows again. Workspace: m marks, 3 n
// Prefer it   to compare with what MC21, BTF and CXSparse do; rather use pothen-fan
// Encodings   visited[i] = stamp of the last search that saw row i; lookahead[j] = first position
//             of column j whose row may be free (rows never become free again)
// Invariants  the columns on the stack and the rows between them form an alternating path from the
//             root; its first column is the only free one
#pragma once

#include <algorithm>

#include "transversal/interface.hpp"
#include "transversal/options.hpp"

namespace btfperm {

template <class I>
class SsDfs {
 public:
  SsDfs(const PatternView<I>& A, Matching<I> M, Workspace& workspace, Budget& budget,
        Counters& counters)
      : A_(A), M_(M), budget_(budget), counters_(counters) {
    visited_ = workspace.take<I>(A.m);
    lookahead_ = workspace.take<I>(A.n);
    next_ = workspace.take<I>(A.n);
    stack_ = workspace.take<I>(A.n);
    std::fill(visited_, visited_ + A.m, I{-1});
    std::copy(A.indptr, A.indptr + A.n, lookahead_);
  }

  void run() {
    for (I j = 0; j < A_.n && !budget_.stopped(); ++j) {
      if (M_.col_match[j] >= 0) continue;
      ++counters_.phases;
      search(j, j);
    }
  }

  // Digs from the free column `root`, but not through rows that carry `stamp` already; flips the
  // path when it finds one. `backwards` reads the lists from their ends.
  template <bool backwards = false>
  bool search(I root, I stamp) {
    I depth = -1;
    I j = root;
    do {
      if (j >= 0) {  // a column for the first time
        stack_[++depth] = j;
        next_[j] = backwards ? A_.indptr[j + 1] - 1 : A_.indptr[j];
        const I i = look_ahead(j);
        if (i >= 0) {
          visited_[i] = stamp;
          flip(i, depth);
          return true;
        }
      }
      j = next_column<backwards>(stack_[depth], stamp);
      if (j < 0) --depth;
    } while (depth >= 0 && !budget_.stopped());
    return false;
  }

 private:
  // A free row in the list of column j, or -1.
  I look_ahead(I j) {
    I& p = lookahead_[j];
    const I begin = p;
    const I end = A_.indptr[j + 1];
    while (p < end && M_.row_match[A_.indices[p]] >= 0) ++p;
    count_edges(p - begin + 1);
    return p < end ? A_.indices[p] : I{-1};
  }

  // The holder of the next row in the list of column j that was not visited yet, or -1.
  template <bool backwards>
  I next_column(I j, I stamp) {
    I& p = next_[j];
    const I begin = p;
    if constexpr (backwards) {
      const I end = A_.indptr[j] - 1;
      while (p > end && visited_[A_.indices[p]] == stamp) --p;
      count_edges(begin - p + 1);
      if (p == end) return -1;
    } else {
      const I end = A_.indptr[j + 1];
      while (p < end && visited_[A_.indices[p]] == stamp) ++p;
      count_edges(p - begin + 1);
      if (p == end) return -1;
    }
    const I i = A_.indices[backwards ? p-- : p++];
    visited_[i] = stamp;
    return M_.row_match[i];
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
  I* visited_;
  I* lookahead_;
  I* next_;   // where to go on in the list of a column on the stack
  I* stack_;  // columns
  Budget& budget_;
  Counters& counters_;
};

template <class I>
void ss_dfs(const PatternView<I>& A, Matching<I> M, const Options&, Workspace& workspace,
            Budget& budget, Counters& counters, Proof&) {
  SsDfs<I>(A, M, workspace, budget, counters).run();
}

}  // namespace btfperm
