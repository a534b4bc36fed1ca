// SPDX-License-Identifier: BSD-3-Clause
// p-dbfs: many threads, each growing one breadth-first tree after another, all disjoint
//
// Idea        In each phase the threads share out the free columns, and a breadth-first tree grows
//             from each; a row joins the tree that claims it first, and no other in this phase. A
//             column whose turn comes looks for a free row in its list first (lookahead). A tree
//             that finds one flips its path at once, for nobody else can touch it. A phase in which
//             no tree finds one proves that the matching is maximum.
// Paper       A. Azad, M. Halappanavar, S. Rajamanickam, E. G. Boman, A. Khan, A. Pothen,
//             "Multithreaded algorithms for maximum matching in bipartite graphs", IPDPS 2012
//             (disjoint BFS). The queue of a tree is a linked list through its columns, so that the
//             trees of all threads fit into one array
// Cost        O(nnz) a phase, n phases at worst. Workspace: m bytes, 4 n
// Prefer it   on many cores, while many columns are free: one tree is the work of one thread;
//             rather use ms-bfs-graft where much stays unmatched, guided-displacement on one core
// Encodings   visited[i] = 1: row i was claimed in this phase; lookahead[j] = first position of
//             column j whose row may be free; next[j] = next column in the queue of its tree, or -1
// Invariants  in a phase, who has claimed row i owns it and the column that held it: only the owner
//             writes row_match[i] and what belongs to that column (col_match, parent, next,
//             lookahead). The owner of a root is the thread that drew it
// Races       visited[i] is claimed atomically. row_match[i] is read in a lookahead while its owner
//             may write it: seen as free though it is taken, the claim fails; seen as taken, it is,
//             for rows never become free again
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

  // One phase: a tree from every free column.
  void search_all() {
    ++counters_.phases;
    fill(visited_, A_.m, std::uint8_t{0}, threads_, budget_);
    shared_loop(n_free_, block_for(n_free_, threads_, I{8}), threads_, budget_, counters_,
                [&](I k, Own& own) { grow(free_[k], own); });
  }

  // A tree from the free column `root`; flips the path to the first free row it meets.
  void grow(I root, Own& own) {
    next_[root] = -1;
    I last = root;
    I leaf = root;  // the column beside the free row
    I free_row = -1;
    for (I j = root; j >= 0 && !budget_.stopped(); j = next_[j]) {
      leaf = j;
      free_row = look_ahead(j, own);
      if (free_row >= 0) break;
      for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
        const I i = A_.indices[p];
        if (!claim(visited_[i])) continue;
        const I below = load(M_.row_match[i]);  // held: the lookahead left no free row unclaimed
        parent_[below] = j;
        next_[below] = -1;
        next_[last] = below;
        last = below;
      }
      count_edges(A_.degree(j), own);
    }
    if (free_row < 0) return;
    own.counted.augmented(flip_path(M_, free_row, leaf, [&](I j, I) { return parent_[j]; }));
  }

  // Claims a free row in the list of column j, and returns it; or -1.
  I look_ahead(I j, Own& own) {
    I& p = lookahead_[j];
    const I begin = p;
    I found = -1;
    for (; p < A_.indptr[j + 1] && found < 0; ++p) {
      const I i = A_.indices[p];
      if (load(M_.row_match[i]) < 0 && claim(visited_[i])) found = i;
    }
    count_edges(p - begin + 1, own);
    return found;
  }

  static void count_edges(I read, Own& own) {
    own.counted.edges += read;
    own.spend(read);
  }

  const PatternView<I>& A_;
  Matching<I> M_;
  int threads_;
  std::uint8_t* visited_;
  I* lookahead_;
  I* parent_;  // of a column: the column it was reached from
  I* next_;
  I* free_;
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
