// SPDX-License-Identifier: BSD-3-Clause
// min-degree: match a vertex of least degree to its neighbour of least degree
//
// Idea        The degree of a row or column is the number of its unmatched neighbours. Repeatedly
//             take a row or column of least degree, match it to its unmatched neighbour of least
//             degree, and remove both. So vertices of degree one come first, as in karp-sipser. If
//             there is none, karp-sipser takes any column, and this algorithm a vertex with the
//             fewest choices left.
// Paper       J. Langguth, F. Manne, P. Sanders, "Heuristic initialization for bipartite matching
//             problems", ACM J. Experimental Algorithmics 15 (2010) (dynamic minimum degree); first
//             in G. Tinhofer, "A probabilistic analysis of some greedy cardinality matching
//             algorithms", Annals of OR 1 (1984). Vertices of equal degree are not chosen at
//             random: a column is taken before a row; on one side, the vertex whose degree changed
//             last is taken, or the one of lowest index if no degree has changed; and of several
//             neighbours of least degree, the first one in the list
// Cost        O(m + n + nnz) time. Workspace: the row lists (nnz + m + 1), 3 (m + n), and for each
//             side one number for each degree up to the largest
// Prefer it   on meshes, circuits and saddle-point patterns, where far fewer vertices remain
//             unmatched than after karp-sipser; karp-sipser on random and triangular patterns,
//             where both leave nearly none
// Encodings   degree = number of unmatched neighbours; 0 if the vertex is matched, so degree > 0
//             means "unmatched, and can be matched"
// Invariants  a vertex of degree d > 0 is in bucket d of its side, and no other vertex is in a
//             bucket; every bucket below `lowest` is empty
#pragma once

#include <algorithm>

#include "pattern/canonical.hpp"
#include "transversal/interface.hpp"
#include "transversal/options.hpp"

namespace btfperm {

// The unmatched rows (or columns) that can be matched, in one doubly linked list for each degree.
template <class I>
class DegreeBuckets {
 public:
  // Inserts each unmatched vertex k that has an unmatched neighbour, with its degree.
  DegreeBuckets(const PatternView<I>& lists, const I* match, const I* match_of_neighbours,
                Workspace& workspace, Budget& budget) {
    degree_ = workspace.take<I>(lists.n);
    next_ = workspace.take<I>(lists.n);
    previous_ = workspace.take<I>(lists.n);
    in_pieces(lists.n, lists.indptr + 1, budget, [&](I k) {
      degree_[k] = 0;
      if (match[k] >= 0) return;
      for (I p = lists.indptr[k]; p < lists.indptr[k + 1]; ++p) {
        degree_[k] += match_of_neighbours[lists.indices[p]] < 0;
      }
      highest_ = std::max(highest_, degree_[k]);
    });
    first_ = workspace.take<I>(static_cast<std::size_t>(highest_) + 1);
    std::fill(first_, first_ + highest_ + 1, I{-1});
    in_pieces(lists.n, budget, [this, last = lists.n - 1](I before_last) {
      const I k = last - before_last;
      if (degree_[k] > 0) link(k);
    });
  }

  I degree(I k) const { return degree_[k]; }
  bool empty() { return lowest() > highest_; }
  I first() { return first_[lowest()]; }  // a vertex of the lowest degree

  I lowest() {
    while (lowest_ <= highest_ && first_[lowest_] < 0) ++lowest_;
    return lowest_;
  }

  void take_out(I k) {
    unlink(k);
    degree_[k] = 0;
  }

  void lose_a_choice(I k) {
    unlink(k);
    if (--degree_[k] == 0) return;
    link(k);
    lowest_ = std::min(lowest_, degree_[k]);
  }

 private:
  void link(I k) {
    I& first = first_[degree_[k]];
    next_[k] = first;
    previous_[k] = -1;
    if (first >= 0) previous_[first] = k;
    first = k;
  }

  void unlink(I k) {
    if (next_[k] >= 0) previous_[next_[k]] = previous_[k];
    (previous_[k] >= 0 ? next_[previous_[k]] : first_[degree_[k]]) = next_[k];
  }

  I* degree_;
  I* next_;
  I* previous_;
  I* first_;  // first_[d]: the first vertex in the list of degree d, or -1
  I lowest_ = 1;
  I highest_ = 0;
};

template <class I>
class MinDegree {
 public:
  MinDegree(const PatternView<I>& A, Matching<I> M, Workspace& workspace, Budget& budget,
            Counters& counters)
      : A_(A),
        R_(row_lists(A, workspace, budget)),
        M_(M),
        rows_(R_, M.row_match, M.col_match, workspace, budget),
        cols_(A_, M.col_match, M.row_match, workspace, budget),
        budget_(budget),
        counters_(counters) {}

  void run() {
    while (!budget_.stopped() && !cols_.empty() && !rows_.empty()) {
      if (cols_.lowest() <= rows_.lowest()) {
        const I j = cols_.first();
        take_out(lowest_neighbour(A_, j, rows_), j);
      } else {
        const I i = rows_.first();
        take_out(i, lowest_neighbour(R_, i, cols_));
      }
    }
  }

 private:
  static PatternView<I> row_lists(const PatternView<I>& A, Workspace& workspace, Budget& budget) {
    I* indptr = workspace.take<I>(static_cast<std::size_t>(A.m) + 1);
    I* indices = workspace.take<I>(A.nnz());
    transpose(A, indptr, indices, budget);
    return {A.n, A.m, indptr, indices};
  }

  I lowest_neighbour(const PatternView<I>& lists, I k, const DegreeBuckets<I>& others) {
    I best = -1;
    I p = lists.indptr[k];
    for (; p < lists.indptr[k + 1]; ++p) {
      const I x = lists.indices[p];
      if (others.degree(x) == 0) continue;
      if (best < 0 || others.degree(x) < others.degree(best)) best = x;
      if (others.degree(best) == 1) break;
    }
    counters_.edges += p - lists.indptr[k];
    return best;
  }

  // Matches row i to column j and reduces the degrees of their unmatched neighbours.
  void take_out(I i, I j) {
    M_.match(i, j);
    rows_.take_out(i);
    cols_.take_out(j);
    for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
      const I row = A_.indices[p];
      if (rows_.degree(row) > 0) rows_.lose_a_choice(row);
    }
    for (I p = R_.indptr[i]; p < R_.indptr[i + 1]; ++p) {
      const I col = R_.indices[p];
      if (cols_.degree(col) > 0) cols_.lose_a_choice(col);
    }
    const std::int64_t read = static_cast<std::int64_t>(A_.degree(j)) + R_.degree(i);
    counters_.edges += read;
    budget_.spend(read);
  }

  const PatternView<I>& A_;
  PatternView<I> R_;  // the row lists
  Matching<I> M_;
  DegreeBuckets<I> rows_;
  DegreeBuckets<I> cols_;
  Budget& budget_;
  Counters& counters_;
};

template <class I>
void min_degree(const PatternView<I>& A, Matching<I> M, const Options&, Workspace& workspace,
                Budget& budget, Counters& counters, Proof&) {
  MinDegree<I>(A, M, workspace, budget, counters).run();
}

}  // namespace btfperm
