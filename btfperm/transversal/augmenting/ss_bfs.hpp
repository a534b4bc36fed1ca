// SPDX-License-Identifier: BSD-3-Clause
// ss-bfs: one breadth-first search at a time
//
// Idea        A breadth-first search for an unmatched row runs from each unmatched column in turn.
//             If a search fails, no later augmenting path contains a row that it has visited. These
//             rows are closed: no search visits them again. So all failed searches together visit
//             each entry at most once.
// Paper       A. Azad, A. Buluc, A. Pothen, "A parallel tree grafting algorithm for maximum
//             cardinality matching in bipartite graphs", IPDPS 2015 (SS-BFS); the trees of failed
//             searches are the Hungarian trees of H. W. Kuhn (1955)
// Cost        O(m + n + n nnz) time in the worst case. Workspace: m + 2 n
// Prefer it   if few columns are unmatched and augmenting paths are short; otherwise ms-bfs
// Encodings   seen[i] = the root of the last search that visited row i while it was matched, -1 if
//             none did, or `closed`
// Invariants  parent[j] = column from which column j was reached in this search
#pragma once

#include <algorithm>
#include <limits>

#include "transversal/interface.hpp"

namespace btfperm {

template <class I>
class SsBfs {
 public:
  enum class Outcome { augmented, failed, gave_up };

  SsBfs(const PatternView<I>& A, Matching<I> M, Workspace& workspace, Budget& budget,
        Counters& counters)
      : A_(A), M_(M), budget_(budget), counters_(counters) {
    seen_ = workspace.take<I>(A.m);
    parent_ = workspace.take<I>(A.n);
    queue_ = workspace.take<I>(A.n);
    std::fill(seen_, seen_ + A.m, I{-1});
  }

  void run() {
    for (I j = 0; j < A_.n && !budget_.stopped(); ++j) {
      if (M_.col_match[j] < 0) search(j, std::numeric_limits<std::int64_t>::max());
    }
  }

  // Marks the closed rows. If a search from each column that is still unmatched has failed, these
  // are the rows of a minimum cover.
  void mark_closed(std::uint8_t* row_in_cover) const {
    for (I i = 0; i < A_.m; ++i) row_in_cover[i] |= seen_[i] == closed;
  }

  // Runs one search. It is abandoned, and the matching does not change, if the budget is spent, or
  // if it has visited more than `most` edges after the list of a column and has more columns to
  // search.
  Outcome search(I root, std::int64_t most) {
    ++counters_.phases;
    I tail = 0;
    queue_[tail++] = root;
    std::int64_t read = 0;
    for (I head = 0; head < tail; ++head) {
      const I j = queue_[head];
      const I begin = A_.indptr[j];
      const I end = A_.indptr[j + 1];
      for (I p = begin; p < end; ++p) {
        const I i = A_.indices[p];
        if (seen_[i] == root || seen_[i] == closed) continue;
        const I below = M_.row_match[i];
        if (below < 0) {
          counters_.edges += read + (p - begin + 1);
          counters_.augmented(augment_along(M_, i, j, [&](I k, I) { return parent_[k]; }));
          return Outcome::augmented;
        }
        seen_[i] = root;
        parent_[below] = j;
        queue_[tail++] = below;
      }
      read += end - begin;
      if (!budget_.spend(end - begin) || (read > most && head + 1 < tail)) {
        counters_.edges += read;
        return Outcome::gave_up;
      }
    }
    counters_.edges += read;
    // Every visited row is matched to a column in the queue.
    for (I head = 0; head < tail; ++head) {
      const I i = M_.col_match[queue_[head]];
      if (i >= 0) seen_[i] = closed;
    }
    return Outcome::failed;
  }

 private:
  static constexpr I closed = std::numeric_limits<I>::max();

  const PatternView<I>& A_;
  Matching<I> M_;
  I* seen_;
  I* parent_;
  I* queue_;
  Budget& budget_;
  Counters& counters_;
};

template <class I>
void ss_bfs(const PatternView<I>& A, Matching<I> M, const Options&, Workspace& workspace,
            Budget& budget, Counters& counters, Proof& proof) {
  SsBfs<I> search(A, M, workspace, budget, counters);
  search.run();
  search.mark_closed(proof.row_in_cover);
  proof.complete = !budget.stopped();
}

}  // namespace btfperm
