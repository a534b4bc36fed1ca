// SPDX-License-Identifier: BSD-3-Clause
// ss-dfs: one depth-first search at a time, with lookahead (MC21)
//
// Idea        A depth-first search for an unmatched row runs from each unmatched column in turn.
//             Before it descends from a column, it searches the list of this column for an
//             unmatched row (lookahead, or cheap assignment). The position of the lookahead in a
//             list only increases, so all lookaheads together visit each entry at most twice. A row
//             is visited at most once per search.
// Paper       I. S. Duff, "On algorithms for obtaining a maximum transversal", ACM TOMS 7 (1981);
//             MC21A is Algorithm 575 there. As in the paper, later searches visit the rows of a
//             failed search again. With the option `close`, they do not, as in ss-bfs: the rows are
//             closed. This is SS-DFS of A. Azad, A. Buluç, A. Pothen, IPDPS 2015, whose algorithm 1
//             does not clear the flags of a search without a path
// Cost        O(m + n + n nnz) time. This is reached without `close` on some structurally singular
//             matrices, where each unmatched column visits the same rows again. Workspace: m + 3 n
// Prefer it   for comparison with MC21, BTF and CXSparse; otherwise ms-bfs
// Encodings   visited[i] = stamp of the last search that visited row i; lookahead[j] = first
//             position of column j whose row may be unmatched (rows never become unmatched again).
//             With `close`, the stamp of a search is its root: a row is closed if the root of the
//             last search that visited it is still unmatched, because that search has failed
// Invariants  the columns on the path and the rows between them form an alternating path from the
//             root; its first column is the only unmatched one
// Races       searches of several threads with the same stamp (pothen-fan) are disjoint: the first
//             thread that stamps a row owns the row, its mate and the data of this column. A
//             lookahead may read row_match[i] while the owner writes it. If it reads the old value
//             (unmatched), it then finds that the row is stamped already. If it reads another
//             value, the row is matched, and matched rows stay matched
#pragma once

#include <algorithm>
#include <type_traits>

#include "backends/cpu/atomics.hpp"
#include "backends/cpu/parallel.hpp"
#include "backends/cpu/shared_loop.hpp"
#include "transversal/interface.hpp"
#include "transversal/options.hpp"

namespace btfperm {

// The columns on the path of a search, from its root on, as an array: for one thread. end() is the
// last column, or -1 if the path is empty.
template <class I>
struct StackedPath {
  I* columns;
  I depth = -1;

  void push(I j) { columns[++depth] = j; }
  void pop() { --depth; }
  I end() const { return depth < 0 ? I{-1} : columns[depth]; }
};

// The same as a linked list: for several threads, whose disjoint paths are in one array. above[j]
// is the column before column j on its path.
template <class I>
struct LinkedPath {
  I* above;
  I last = -1;

  void push(I j) {
    above[j] = last;
    last = j;
  }
  void pop() { last = above[last]; }
  I end() const { return last; }
};

// Own: the state of the searching thread, Alone or Together (shared_loop.hpp).
template <class I, class Own = Alone<Counters>>
class SsDfs {
 public:
  SsDfs(const PatternView<I>& A, Matching<I> M, int threads, Workspace& workspace, Budget& budget)
      : A_(A), M_(M) {
    visited_ = workspace.take<I>(A.m);
    lookahead_ = workspace.take<I>(A.n);
    next_ = workspace.take<I>(A.n);
    path_ = workspace.take<I>(A.n);
    fill(visited_, A.m, I{-1}, threads, budget);
    copy(A.indptr, A.n, lookahead_, threads, budget);
  }

  // Searches from the unmatched column `root`, but not through rows that have `stamp` already;
  // augments if it finds a path, and returns whether it does. `backwards`: a descent tries the rows
  // of a list from its end to its start. `closing`: closed rows are not visited; the stamp must be
  // the root.
  template <bool backwards = false, bool closing = false>
  bool search(I root, I stamp, Own& own) {
    Path path{path_};
    I j = root;
    do {
      if (j >= 0) {  // the search enters column j
        path.push(j);
        next_[j] = backwards ? A_.indptr[j + 1] - 1 : A_.indptr[j];
        const I i = look_ahead<closing>(j, stamp, own);
        if (i >= 0) {
          augment(i, path, own);
          return true;
        }
      }
      j = next_column<backwards, closing>(path.end(), stamp, own);
      if (j < 0) path.pop();
    } while (path.end() >= 0 && !own.stopped());
    return false;
  }

 private:
  using Path = std::conditional_t<Own::shared, LinkedPath<I>, StackedPath<I>>;

  // Marks row i as visited under this stamp. Returns true if it was not marked before, and is not
  // closed.
  template <bool closing>
  bool visit(I i, I stamp) {
    if constexpr (closing) {
      const I root = visited_[i];  // unmatched: that search has failed, or is this one
      if (root >= 0 && M_.col_match[root] < 0) return false;
      visited_[i] = stamp;
      return true;
    } else if constexpr (Own::shared) {
      return stamp_first(visited_[i], stamp);
    } else {
      if (visited_[i] == stamp) return false;
      visited_[i] = stamp;
      return true;
    }
  }

  // Stamps an unmatched row in the list of column j and returns it, or -1 if there is none. No
  // closed row is unmatched.
  template <bool closing>
  I look_ahead(I j, I stamp, Own& own) {
    I& p = lookahead_[j];
    const I begin = p;
    const I end = A_.indptr[j + 1];
    while (p < end &&
           !(load(M_.row_match[A_.indices[p]]) < 0 && visit<closing>(A_.indices[p], stamp)))
      ++p;
    count_edges(std::min<I>(p + 1, end) - begin, own);
    return p < end ? A_.indices[p] : I{-1};
  }

  // Visits the next row in the list of column j that was not visited yet, and returns its mate, or
  // -1 if there is no such row. The row is matched, because the lookahead has visited all unmatched
  // rows.
  template <bool backwards, bool closing>
  I next_column(I j, I stamp, Own& own) {
    I& p = next_[j];
    const I begin = p;
    if constexpr (backwards) {
      const I end = A_.indptr[j] - 1;
      while (p > end && !visit<closing>(A_.indices[p], stamp)) --p;
      count_edges(begin - std::max<I>(p - 1, end), own);
      if (p == end) return -1;
    } else {
      const I end = A_.indptr[j + 1];
      while (p < end && !visit<closing>(A_.indices[p], stamp)) ++p;
      count_edges(std::min<I>(p + 1, end) - begin, own);
      if (p == end) return -1;
    }
    return load(M_.row_match[A_.indices[backwards ? p-- : p++]]);
  }

  // Augments from the unmatched row i back to the root: each column of the path is matched to the
  // row by which the search left it.
  void augment(I i, Path& path, Own& own) {
    std::int64_t length = -1;
    for (I j = path.end(); j >= 0; path.pop(), j = path.end(), length += 2) {
      const I freed = M_.col_match[j];
      store(M_.row_match[i], j);
      M_.col_match[j] = i;
      i = freed;
    }
    own.counted.augmented(length);
  }

  // The budget counts one more for each visit of a list, so that visits of empty lists count, too.
  static void count_edges(I read, Own& own) {
    own.counted.edges += read;
    own.spend(read + std::int64_t{1});
  }

  const PatternView<I>& A_;
  Matching<I> M_;
  I* visited_;
  I* lookahead_;
  I* next_;  // the next position in the list of a column on the path
  I* path_;  // the columns of all paths
};

template <class I>
void ss_dfs(const PatternView<I>& A, Matching<I> M, const Options& options, Workspace& workspace,
            Budget& budget, Counters& counters, Proof&) {
  const bool close = options.get("close") != 0;
  Alone<Counters> own{budget, counters};
  SsDfs<I> dig(A, M, 1, workspace, budget);
  for (I j = 0; j < A.n && !budget.stopped(); ++j) {
    if (M.col_match[j] >= 0) continue;
    ++counters.phases;
    if (close)
      dig.template search<false, true>(j, j, own);
    else
      dig.search(j, j, own);
  }
}

}  // namespace btfperm
