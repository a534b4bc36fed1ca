// SPDX-License-Identifier: BSD-3-Clause
// p-dbfs: disjoint breadth-first trees; each thread grows one tree after another
//
// Idea        In each phase, a breadth-first tree grows from each unmatched column; the columns are
//             divided among the threads. A row joins the first tree that claims it, and no other
//             tree in this phase. The list of a column is first searched for an unmatched row
//             (lookahead). If a tree reaches an unmatched row, its thread augments at once, because
//             the rows of this tree are in no other tree. A phase in which no tree reaches an
//             unmatched row proves that the matching is maximum.
// Paper       A. Azad, M. Halappanavar, S. Rajamanickam, E. G. Boman, A. Khan, A. Pothen,
//             "Multithreaded algorithms for maximum matching in bipartite graphs", IPDPS 2012
//             (disjoint BFS). The queue of a tree is a linked list through its columns, so that the
//             trees of all threads fit into one array
// Cost        O(m + n + nnz) for each phase, n phases in the worst case. Workspace: m bytes, 4 n
// Prefer it   on many cores, for about a million entries, while many columns are unmatched, because
//             only one thread grows each tree; ms-bfs-graft if many columns cannot be matched or if
//             the matrix is larger, guided-displacement on one core
// Encodings   visited[i] = 1: row i was claimed in this phase; lookahead[j] = first position of
//             column j whose row may be unmatched; next[j] = next column in the queue of its tree,
//             or -1
// Invariants  in a phase, the thread that claimed row i owns it and its mate: only the owner writes
//             row_match[i] and the data of this column (col_match, parent, next, lookahead). The
//             owner of a root is the thread that grows its tree
// Races       visited[i] is claimed atomically. A lookahead may read row_match[i] while the owner
//             writes it. If it reads the old value (unmatched), its claim of the row fails. If it
//             reads another value, the row is matched, and matched rows stay matched
#pragma once

#include <algorithm>

#include "backends/cpu/atomics.hpp"
#include "backends/cpu/parallel.hpp"
#include "backends/cpu/shared_loop.hpp"
#include "transversal/interface.hpp"
#include "transversal/options.hpp"

namespace btfperm {

template <class I>
class PDbfs {
 public:
  PDbfs(const PatternView<I>& A, Matching<I> M, int threads, Workspace& workspace, Budget& budget,
        Counters& counters)
      : A_(A), M_(M), threads_(std::max(1, threads)), budget_(budget), counters_(counters) {
    visited_ = workspace.take<std::uint8_t>(A.m);
    lookahead_ = workspace.take<I>(A.n);
    parent_ = workspace.take<I>(A.n);
    next_ = workspace.take<I>(A.n);
    free_ = workspace.take<I>(A.n);
    copy(A.indptr, A.n, lookahead_, threads_, budget);
  }

  void run() {
    n_free_ = select(
        A_.n, threads_, free_, [&](I j) { return M_.col_match[j] < 0 && A_.degree(j) > 0; },
        [](I j) { return j; }, budget_);
    while (n_free_ > 0 && !budget_.stopped()) {
      search_all();
      I left = 0;
      for (I k = 0; k < n_free_; ++k) {
        if (M_.col_match[free_[k]] < 0) free_[left++] = free_[k];
      }
      if (left == n_free_) return;
      n_free_ = left;
    }
  }

 private:
  using Own = Together<Counters>;

  // One phase: a tree from every unmatched column.
  void search_all() {
    ++counters_.phases;
    fill(visited_, A_.m, std::uint8_t{0}, threads_, budget_);
    shared_loop(n_free_, block_for(n_free_, threads_, I{8}), threads_, budget_, counters_,
                [&](I k, Own& own) { grow(free_[k], own); });
  }

  // Grows a tree from the unmatched column `root`; augments along the path to the first unmatched
  // row.
  void grow(I root, Own& own) {
    next_[root] = -1;
    I last = root;
    I leaf = root;  // the column before the unmatched row
    I free_row = -1;
    for (I j = root; j >= 0 && !budget_.stopped(); j = next_[j]) {
      leaf = j;
      free_row = look_ahead(j, own);
      if (free_row >= 0) break;
      for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
        const I i = A_.indices[p];
        if (!claim(visited_[i])) continue;
        // Row i is matched: look_ahead found no unmatched row in this list that it could claim.
        const I below = load(M_.row_match[i]);
        parent_[below] = j;
        next_[below] = -1;
        next_[last] = below;
        last = below;
      }
      count_edges(A_.degree(j), own);
    }
    if (free_row < 0) return;
    own.counted.augmented(augment_along(M_, free_row, leaf, [&](I j, I) { return parent_[j]; }));
  }

  // Claims an unmatched row in the list of column j and returns it, or -1 if there is none.
  I look_ahead(I j, Own& own) {
    I& p = lookahead_[j];
    const I begin = p;
    I found = -1;
    for (; p < A_.indptr[j + 1] && found < 0; ++p) {
      const I i = A_.indices[p];
      if (load(M_.row_match[i]) < 0 && claim(visited_[i])) found = i;
    }
    count_edges(p - begin, own);
    return found;
  }

  // The budget counts one more for each visit of a list, so that visits of empty lists count, too.
  static void count_edges(I read, Own& own) {
    own.counted.edges += read;
    own.spend(read + std::int64_t{1});
  }

  const PatternView<I>& A_;
  Matching<I> M_;
  int threads_;
  std::uint8_t* visited_;
  I* lookahead_;
  I* parent_;  // for each column, the column from which it was reached
  I* next_;    // see Encodings
  I* free_;    // the unmatched columns
  I n_free_ = 0;
  Budget& budget_;
  Counters& counters_;
};

template <class I>
void p_dbfs(const PatternView<I>& A, Matching<I> M, const Options& options, Workspace& workspace,
            Budget& budget, Counters& counters, Proof&) {
  PDbfs<I>(A, M, options.threads, workspace, budget, counters).run();
}

}  // namespace btfperm
