// SPDX-License-Identifier: BSD-3-Clause
// greedy: the cheap matching
//
// Idea        Each column, in order on one thread, is matched to its first unmatched row. The
//             result is maximal, unless the budget ends the run, so it has at least half of the
//             maximum size.
// Paper       I. S. Duff, "On algorithms for obtaining a maximum transversal", ACM TOMS 7 (1981),
//             section 2 (cheap assignment)
// Cost        O(m + n + nnz) time. Workspace: m bytes, or none if m > 4 n or with several threads
//             (shared_greedy.hpp)
// Prefer it   as the first initializer; karp-sipser if many columns remain unmatched and columns
//             are short
// Encodings   row_match[i] = -1: row i is unmatched; col_match[j] = -1: column j is unmatched
#pragma once

#include <algorithm>
#include <cstdint>

#include "transversal/initial/shared_greedy.hpp"
#include "transversal/interface.hpp"

namespace btfperm {

// The matched rows, as bytes: they need less cache than row_match.
template <class I>
struct TakenBytes {
  std::uint8_t* taken;
  I m;
  I first_unmatched = 0;  // all rows before this one are matched; matched rows stay matched

  TakenBytes(const PatternView<I>& A, const Matching<I>& M, Workspace& workspace)
      : taken(workspace.take<std::uint8_t>(A.m)), m(A.m) {
    for (I i = 0; i < m; ++i) taken[i] = M.row_match[i] >= 0;
  }
  bool has(I i) const { return taken[i]; }
  void add(I i) { taken[i] = 1; }
  bool has_all() {
    while (first_unmatched < m && taken[first_unmatched]) ++first_unmatched;
    return first_unmatched == m;
  }
};

// The matched rows, read from row_match: for matrices with many more rows than columns, in which
// most rows are never visited.
template <class I>
struct TakenMates {
  const I* row_match;

  bool has(I i) const { return row_match[i] >= 0; }
  void add(I) {}
  bool has_all() const { return false; }  // because there are more rows than columns
};

template <class I, class Taken>
void match_to_first_unmatched(const PatternView<I>& A, Matching<I> M, Taken taken, Budget& budget,
                              Counters& counters) {
  // Local copies, because the compiler assumes that a write to a byte may change the pointers in A.
  const I* const indptr = A.indptr;
  const I* const indices = A.indices;
  constexpr I block = 1024;  // columns between two checks of the budget
  for (I first = 0; first < A.n;) {
    const I last = std::min<I>(A.n - first, block) + first;
    std::int64_t read = 0;
    for (I j = first; j < last; ++j) {
      if (M.col_match[j] >= 0) continue;
      const I begin = indptr[j];
      const I end = indptr[j + 1];
      I p = begin;
      while (p < end && taken.has(indices[p])) ++p;
      if (p < end) {  // the first unmatched row
        taken.add(indices[p]);
        M.match(indices[p], j);
      }
      read += p - begin + 1;
    }
    counters.edges += read;
    if (!budget.spend(read)) return;
    // Whether this loop has searched all columns of the block and matched none of them: only then
    // each column has added the length of its whole list, and 1, to `read`.
    const bool none_matched = read == indptr[last] - indptr[first] + (last - first);
    if (none_matched && taken.has_all()) return;
    first = last;
  }
}

template <class I>
void greedy(const PatternView<I>& A, Matching<I> M, const Options& options, Workspace& workspace,
            Budget& budget, Counters& counters, Proof&) {
  if (worth_sharing_search(A.nnz(), options.threads)) {
    return shared_greedy(A, M, options.threads, budget, counters);
  }
  if (A.m / 4 > A.n) {
    return match_to_first_unmatched(A, M, TakenMates<I>{M.row_match}, budget, counters);
  }
  match_to_first_unmatched(A, M, TakenBytes<I>(A, M, workspace), budget, counters);
}

}  // namespace btfperm
