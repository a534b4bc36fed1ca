// SPDX-License-Identifier: BSD-3-Clause
// two steps: augmenting paths of one or three edges from each unmatched column
//
// Idea        If nearly every unmatched column is at most two steps from an unmatched row
//             (sample_unmatched.hpp), most augmenting paths are found without trees: for each row
//             in the list of an unmatched column, the list of the column matched to this row is
//             searched for an unmatched row.
// Paper       ours
// Cost        O(nnz): no search starts after nnz edges have been visited. No workspace
#pragma once

#include <cstdint>

#include "transversal/interface.hpp"

namespace btfperm {

// Matches column j if there is an augmenting path of one or three edges from it; returns whether
// there is one. Adds the number of visited edges to `read` (without the last edge of a path of
// three).
template <class I>
bool match_one(const PatternView<I>& A, Matching<I> M, I j, std::int64_t& read,
               Counters& counters) {
  for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
    const I i = A.indices[p];
    const I mate = M.row_match[i];
    ++read;
    if (mate < 0) {
      M.match(i, j);
      counters.augmented(1);
      return true;
    }
    const I begin = A.indptr[mate];
    const I end = A.indptr[mate + 1];
    I q = begin;
    while (q < end && M.row_match[A.indices[q]] >= 0) ++q;
    read += q - begin;
    if (q == end) continue;
    M.match(A.indices[q], mate);
    M.match(i, j);
    counters.augmented(3);
    return true;
  }
  return false;
}

// Calls match_one for the columns of `unmatched`, within the limits. Moves the columns that remain
// unmatched to the start of the list and returns their number.
template <class I>
I match_in_two_steps(const PatternView<I>& A, Matching<I> M, I* unmatched, I n_unmatched,
                     Budget& budget, Counters& counters) {
  const std::int64_t max_edges = A.nnz();
  std::int64_t read = 0;
  I left = 0;
  for (I k = 0; k < n_unmatched; ++k) {
    const std::int64_t before = read;
    const bool within_limits = read < max_edges && !budget.stopped();
    if (!within_limits || !match_one(A, M, unmatched[k], read, counters))
      unmatched[left++] = unmatched[k];
    budget.spend(read - before);
  }
  counters.edges += read;
  return left;
}

}  // namespace btfperm
