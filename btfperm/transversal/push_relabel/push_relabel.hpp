// SPDX-License-Identifier: BSD-3-Clause
// push-relabel: match unmatched columns to their row of lowest label, displacing its column
//
// Idea        A label is a lower bound on the distance of a row or column to an unmatched row. A
//             push matches an unmatched (active) column to the row of lowest label in its list. If
//             another column was matched to this row, that column becomes active instead (double
//             push). The row and the column get new labels, which follow from the labels in the
//             list. Periodically, a breadth-first search from the unmatched rows makes all labels
//             exact (global relabelling); a column that it does not reach can never be matched.
// Paper       K. Kaya, J. Langguth, F. Manne, B. Ucar, "Push-relabel based algorithms for the
//             maximum transversal problem", Computers & OR 40 (2013), as described in M. Deveci, K.
//             Kaya, B. Ucar, U. V. Catalyurek, "A push-relabel-based maximum cardinality bipartite
//             matching algorithm on GPUs", ICPP 2013, section II: algorithms 1 (PR) and 2 (GR),
//             first in, first out. GR also runs at the start, as in the authors' program. This
//             program also visits lists from either end (fairness); that is left out here, because
//             the paper does not have it
// Cost        O((m + n) nnz) time. Workspace: the row lists (nnz + m + 1), 2 m + 2 n
// Prefer it   where other published searches take many phases, as on graphs of citations; otherwise
//             ms-bfs, or guided-displacement, which uses labels of one byte and stops pushing when
//             pushes match few columns
// Options     relabel, the papers' k: labels are made exact at the start, and whenever pushes have
//             changed k (m + n) labels of columns (ICPP, sections II-C and III-A); 0: at the start
//             only. The default .5 is that of ICPP, section IV; section III-A suggests 1 to 2, and
//             A. Azad, A. Buluc, A. Pothen, IPDPS 2015, section V-A, take 2 on one thread
// Encodings   the papers' psi counts edges; ours counts matched edges, so psi(u) = 2 label(u) for a
//             row and psi(v) = 2 label(v) + 1 for a column. psi(u) >= m + n: no unmatched row can
//             be reached
// Invariants  1. label <= distance; 2. row_label[i] >= col_label[j] for each row i in the list of
//             column j, so the search for the lowest label ends at the first row with equality
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "pattern/canonical.hpp"
#include "transversal/interface.hpp"
#include "transversal/options.hpp"

namespace btfperm {

template <class I>
class PushRelabel {
 public:
  PushRelabel(const PatternView<I>& A, Matching<I> M, double relabel, Workspace& workspace,
              Budget& budget, Counters& counters)
      : A_(A),
        M_(M),
        unreachable_(static_cast<I>((static_cast<std::int64_t>(A.m) + A.n + 1) / 2)),
        relabel_after_(relabel * (static_cast<double>(A.m) + static_cast<double>(A.n))),
        budget_(budget),
        counters_(counters) {
    I* row_indptr = workspace.take<I>(static_cast<std::size_t>(A.m) + 1);
    I* row_indices = workspace.take<I>(A.nnz());
    row_label_ = workspace.take<I>(A.m);
    rows_ = workspace.take<I>(A.m);
    col_label_ = workspace.take<I>(A.n);
    active_ = workspace.take<I>(A.n);
    transpose(A, row_indptr, row_indices, budget);
    R_ = {A.n, A.m, row_indptr, row_indices};
  }

  // Pushes until no column is active, or until `max_edges` edges are visited. Returns true if no
  // column is active, or if the budget ended the search.
  bool run(std::int64_t max_edges = std::numeric_limits<std::int64_t>::max()) {
    max_edges_ = max_edges;
    for (I j = 0; j < A_.n; ++j) {
      if (M_.col_match[j] < 0 && A_.degree(j) > 0) active_[n_active_++] = j;
    }
    capacity_ = n_active_;
    while (n_active_ > 0 && !budget_.stopped()) {
      relabel_globally();
      push_until_stale();
      if (edges_ >= max_edges_) return n_active_ == 0;
    }
    return true;
  }

 private:
  // GR: exact labels, by breadth-first search from the unmatched rows.
  void relabel_globally() {
    ++counters_.relabels;
    std::fill(col_label_, col_label_ + A_.n, unreachable_);
    I tail = 0;
    for (I i = 0; i < A_.m; ++i) {
      row_label_[i] = M_.row_match[i] < 0 ? 0 : unreachable_;
      if (M_.row_match[i] < 0) rows_[tail++] = i;
    }
    for (I head = 0; head < tail; ++head) {
      const I u = rows_[head];
      for (I p = R_.indptr[u]; p < R_.indptr[u + 1]; ++p) {
        const I v = R_.indices[p];
        if (col_label_[v] < unreachable_) continue;
        col_label_[v] = row_label_[u];
        const I mate = M_.col_match[v];
        if (mate < 0) continue;
        row_label_[mate] = row_label_[u] + 1;
        rows_[tail++] = mate;
      }
      if (!count_edges(R_.degree(u))) return;
    }
  }

  // PR, until the next global relabelling.
  void push_until_stale() {
    double changes = 0;
    while (n_active_ > 0 && edges_ < max_edges_ && !budget_.stopped()) {
      if (relabel_after_ > 0 && changes >= relabel_after_) return;
      const I v = active_[head_];
      advance(head_);
      --n_active_;
      if (push(v)) ++changes;
    }
  }

  // Pushes column v. Returns whether this changed its label.
  bool push(I v) {
    const I u = lowest_row(v);
    if (row_label_[u] >= unreachable_) return false;  // v is unmatchable: no longer active
    const I w = M_.row_match[u];
    M_.match(u, v);
    const bool changed = col_label_[v] != row_label_[u];
    col_label_[v] = row_label_[u]++;
    if (w < 0) {
      ++counters_.augmentations;
    } else {
      ++counters_.pushes;
      M_.col_match[w] = -1;
      active_[tail_] = w;
      advance(tail_);
      ++n_active_;
    }
    return changed;
  }

  I lowest_row(I v) {
    I p = A_.indptr[v];
    const I end = A_.indptr[v + 1];
    I lowest = A_.indices[p];
    while (row_label_[lowest] > col_label_[v] && ++p < end) {
      if (row_label_[A_.indices[p]] < row_label_[lowest]) lowest = A_.indices[p];
    }
    count_edges(std::min<I>(p + 1, end) - A_.indptr[v]);
    return lowest;
  }

  void advance(I& place) const {
    if (++place == capacity_) place = 0;
  }

  bool count_edges(I read) {
    edges_ += read;
    counters_.edges += read;
    return budget_.spend(read);
  }

  const PatternView<I>& A_;
  PatternView<I> R_{};  // the row lists
  Matching<I> M_;
  I unreachable_;
  double relabel_after_;  // number of changes of column labels
  I* row_label_;
  I* rows_;  // queue of the breadth-first search
  I* col_label_;
  I* active_;  // a ring buffer: n_active_ columns from head_ on; n_active_ never increases
  I capacity_ = 0;
  I head_ = 0;
  I tail_ = 0;
  I n_active_ = 0;
  std::int64_t edges_ = 0;  // visited by this search
  std::int64_t max_edges_ = 0;
  Budget& budget_;
  Counters& counters_;
};

template <class I>
void push_relabel(const PatternView<I>& A, Matching<I> M, const Options& options,
                  Workspace& workspace, Budget& budget, Counters& counters, Proof&) {
  PushRelabel<I>(A, M, options.get("relabel"), workspace, budget, counters).run();
}

}  // namespace btfperm
