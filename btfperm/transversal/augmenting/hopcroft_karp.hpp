// SPDX-License-Identifier: BSD-3-Clause
// hopcroft-karp: in each phase, a maximal set of disjoint shortest augmenting paths
//
// Idea        A breadth-first search from all unmatched columns computes the distance (level) of
//             each column that it reaches. It stops at the first level with a column that has an
//             unmatched row in its list. Depth-first searches, each step of which leads to the next
//             level, then find disjoint paths of this shortest length.
// Paper       J. E. Hopcroft, R. M. Karp, "An n^(5/2) algorithm for maximum matchings in bipartite
//             graphs", SIAM J. Computing 2 (1973), algorithm A and section 3
// Cost        O((n + nnz) sqrt(n)) time. Workspace: 4 n
// Prefer it   if a bound on the time is needed; otherwise ms-bfs, which usually takes fewer phases
// Encodings   level[j] - base = least number of matched edges on a path from an unmatched column to
//             column j; negative: not reached in this phase. `base` increases from phase to phase,
//             so that the levels of earlier phases become negative; before it overflows, all levels
//             are reset. A depth-first search sets level -1 for a column that no other search of
//             this phase needs to enter
// Invariants  `last` is the level at which a breadth-first search reached an unmatched row. Then
//             every row in the list of a column of level k < last is matched to a column of level
//             <= k + 1; of the columns up to level `last`, only those of level `last` have
//             unmatched rows in their lists
#pragma once

#include <algorithm>
#include <limits>

#include "transversal/interface.hpp"

namespace btfperm {

template <class I>
class HopcroftKarp {
 public:
  HopcroftKarp(const PatternView<I>& A, Matching<I> M, Workspace& workspace, Budget& budget,
               Counters& counters)
      : A_(A), M_(M), budget_(budget), counters_(counters) {
    level_ = workspace.take<I>(A.n);
    queue_ = workspace.take<I>(A.n);
    next_ = workspace.take<I>(A.n);
    stack_ = workspace.take<I>(A.n);
    std::fill(level_, level_ + A.n, I{-1});
    for (I j = 0; j < A.n; ++j) {
      if (M.col_match[j] < 0 && A.degree(j) > 0) queue_[n_roots_++] = j;
    }
  }

  void run() {
    while (phase()) {
    }
  }

  // Runs one phase. Returns false if no augmenting path exists, or if the budget ended the search.
  bool phase() {
    if (!search_levels()) return false;
    ++counters_.phases;
    for (I k = 0; k < n_roots_ && !budget_.stopped(); ++k) dig(queue_[k]);
    return !budget_.stopped();
  }

 private:
  // Computes the levels of the columns. Returns true if the search reached an unmatched row.
  bool search_levels() {
    forget_levels();
    I tail = 0;
    for (I k = 0; k < n_roots_; ++k) {
      const I j = queue_[k];
      if (M_.col_match[j] >= 0) continue;
      level_[j] = base_;
      queue_[tail++] = j;
    }
    n_roots_ = tail;
    bool reached = false;
    I last = base_;
    for (I head = 0; head < tail; ++head) {
      const I j = queue_[head];
      if (reached && level_[j] > last) break;  // paths through this column are longer
      next_[j] = A_.indptr[j];
      for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
        const I below = M_.row_match[A_.indices[p]];
        if (below < 0) {
          reached = true;
          last = level_[j];
        } else if (level_[below] < base_) {
          level_[below] = level_[j] + 1;
          queue_[tail++] = below;
        }
      }
      if (!count_edges(A_.degree(j))) return false;
    }
    last_ = last - base_;
    return reached;
  }

  void forget_levels() {
    // Raises base_ above all levels of the last phase, which are at most base_ + last_ + 1. The
    // levels of the next phase are at most n larger; if they could overflow, all levels are reset.
    const std::int64_t above = static_cast<std::int64_t>(last_) + 2;
    if (base_ > std::numeric_limits<I>::max() - above - A_.n - 1) {
      std::fill(level_, level_ + A_.n, I{-1});
      base_ = 0;
    } else {
      base_ += static_cast<I>(above);
    }
  }

  // One depth-first search, from level 0 to level `last`; augments along the path that it finds.
  // Sets level -1 for the columns of this path, and for each column from which it finds no path.
  void dig(I root) {
    I depth = 0;
    stack_[0] = root;
    while (depth >= 0) {
      const I j = stack_[depth];
      I& p = next_[j];
      const I begin = p;
      const I end = A_.indptr[j + 1];
      I step = -1;
      for (; p < end; ++p) {
        const I below = M_.row_match[A_.indices[p]];
        const bool usable =
            depth == last_ ? below < 0 : below >= 0 && level_[below] == base_ + depth + 1;
        if (usable) {
          step = p++;
          break;
        }
      }
      if (!count_edges(p - begin)) return;
      if (step < 0) {
        level_[j] = -1;
        --depth;
        continue;
      }
      if (depth == last_) {
        augment(A_.indices[step], depth);
        return;
      }
      stack_[++depth] = M_.row_match[A_.indices[step]];
    }
  }

  void augment(I i, I depth) {
    counters_.augmented(2 * static_cast<std::int64_t>(depth) + 1);
    for (; depth >= 0; --depth) {
      const I j = stack_[depth];
      const I freed = M_.col_match[j];
      M_.match(i, j);
      level_[j] = -1;
      i = freed;
    }
  }

  // The budget counts one more for each visit of a list, so that visits of empty lists count, too.
  bool count_edges(I read) {
    counters_.edges += read;
    return budget_.spend(read + std::int64_t{1});
  }

  const PatternView<I>& A_;
  Matching<I> M_;
  I* level_;
  I* queue_;  // for the breadth-first search; its first n_roots_ elements are the unmatched columns
  I* next_;   // for each column, the position in its list where depth-first searches continue
  I* stack_;  // the columns on the path of a depth-first search
  I n_roots_ = 0;
  I base_ = 0;
  I last_ = 0;  // level of the columns that have the nearest unmatched rows
  Budget& budget_;
  Counters& counters_;
};

template <class I>
void hopcroft_karp(const PatternView<I>& A, Matching<I> M, const Options&, Workspace& workspace,
                   Budget& budget, Counters& counters, Proof&) {
  HopcroftKarp<I>(A, M, workspace, budget, counters).run();
}

}  // namespace btfperm
