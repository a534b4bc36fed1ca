// SPDX-License-Identifier: BSD-3-Clause
// peel: from an empty matching, repeatedly match rows that have only one unmatched column
//
// Idea        If a row has an entry in only one unmatched column, some maximum transversal matches
//             the two. When this column is matched, other rows may have only one unmatched column
//             left. On chains, and on triangular patterns with a full diagonal, in any numbering,
//             this matches all rows; augmenting paths can be long there, and pushes make no
//             progress. Two words for each row replace the row lists: the number of its unmatched
//             columns, and the exclusive or of their indices. If one column is left, the latter is
//             its index.
// Paper       ours; it is phase 1 of R. M. Karp, M. Sipser, "Maximum matchings in sparse random
//             graphs", FOCS 1981, from the rows alone
// Cost        O(m + n + nnz); several threads share the counting. Workspace: 4 m
// Prefer it   after pushes that make no progress while all columns may still be matched
// Encodings   row i has left[i].count unmatched columns; left[i].columns is the exclusive or of
//             their indices
// Invariants  the queue holds every row that has one unmatched column and is not matched
// Races       while columns are counted, both words of left[i] are changed by atomic instructions
#pragma once

#include <algorithm>

#include "backends/cpu/atomics.hpp"
#include "backends/cpu/parallel.hpp"
#include "backends/cpu/prefetch.hpp"
#include "transversal/interface.hpp"

namespace btfperm {

template <class I>
class Peel {
 public:
  Peel(const PatternView<I>& A, int threads, Workspace& workspace, Budget& budget,
       Counters& counters)
      : A_(A), threads_(threads), budget_(budget), counters_(counters) {
    left_ = workspace.take<Left>(A.m);
    queue_ = workspace.take<I>(A.m);
    row_match_ = workspace.take<I>(A.m);
  }

  // Returns the number of matched rows. The budget may end the peeling early.
  I run() {
    fill(row_match_, A_.m, I{-1}, threads_);
    if (!count_columns()) return 0;
    I tail = 0;
    for (I i = 0; i < A_.m; ++i) {
      queue_[tail] = i;
      tail += left_[i].count == 1;
    }
    I pairs = 0;
    for (I head = 0; head < tail; ++head) {
      prefetch_ahead(head, tail);
      const I i = queue_[head];
      if (left_[i].count != 1) continue;  // the last column of row i was matched to another row
      const I j = left_[i].columns;
      row_match_[i] = j;
      ++pairs;
      for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
        Left& row = left_[A_.indices[p]];
        --row.count;
        row.columns ^= j;
        if (row.count == 1) queue_[tail++] = A_.indices[p];
      }
      counters_.edges += A_.degree(j);
      if (!budget_.spend(A_.degree(j))) break;
    }
    return pairs;
  }

  const I* row_match() const { return row_match_; }

 private:
  struct Left {
    I count;
    I columns;
  };

  bool count_columns() {
    fill(left_, A_.m, Left{0, 0}, threads_);
    on_team(threads_, threads_ > 1, [&](int t, int team) {
      in_own_pieces(Share<I>(A_.n, t, team), A_.indptr + 1, t, budget_, [&](I j) {
        for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
          Left& row = left_[A_.indices[p]];
          if (team > 1) {
            std::atomic_ref<I>(row.count).fetch_add(1, std::memory_order_relaxed);
            std::atomic_ref<I>(row.columns).fetch_xor(j, std::memory_order_relaxed);
          } else {
            ++row.count;
            row.columns ^= j;
          }
        }
      });
    });
    counters_.edges += A_.nnz();
    return budget_.spend(A_.nnz());
  }

  // Prefetches the data of the next rows in the queue, and the starts and the lists of their last
  // columns.
  void prefetch_ahead(I head, I tail) const {
    if (tail - head <= 6) return;
    prefetch(left_ + queue_[head + 6]);
    prefetch(A_.indptr + last_column(queue_[head + 4]));
    prefetch(A_.indices + A_.indptr[last_column(queue_[head + 2])]);
  }

  // The last unmatched column of a row that has one left; column 0 for any other row.
  I last_column(I i) const { return left_[i].count == 1 ? left_[i].columns : I{0}; }

  const PatternView<I>& A_;
  int threads_;
  Left* left_;
  I* queue_;
  I* row_match_;
  Budget& budget_;
  Counters& counters_;
};

}  // namespace btfperm
