// SPDX-License-Identifier: BSD-3-Clause
// two steps: unmatched columns displace others that have an unmatched row
//
// Idea        If nearly every unmatched column has an unmatched row two steps away
//             (sample_unmatched.hpp), most augmenting paths are found without trees: for each of
//             its rows, the column looks for an unmatched row in the list of the column matched
//             with it.
// Cost        at most nnz, then it ends; less in practice. No workspace
// Encodings   none
#pragma once

#include <cstdint>

#include "transversal/interface.hpp"

namespace btfperm {

// Matches column j if one of its rows, or of the rows of the columns matched with them, is
// unmatched; whether it did.
template <class I>
bool match_one(const PatternView<I>& A, Matching<I> M, I j, std::int64_t& read,
               Counters& counters) {
  for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
    const I i = A.indices[p];
    const I holder = M.row_match[i];
    ++read;
    if (holder < 0) {
      M.match(i, j);
      counters.augmented(1);
      return true;
    }
    const I begin = A.indptr[holder];
    const I end = A.indptr[holder + 1];
    I q = begin;
    while (q < end && M.row_match[A.indices[q]] >= 0) ++q;
    read += q - begin;
    if (q == end) continue;
    M.match(A.indices[q], holder);
    M.match(i, j);
    counters.augmented(3);
    return true;
  }
  return false;
}

// Matches columns of the list and keeps the others in the list; their number.
template <class I>
I match_in_two_steps(const PatternView<I>& A, Matching<I> M, I* free, I n_free, Budget& budget,
                     Counters& counters) {
  const std::int64_t most = A.nnz();
  std::int64_t read = 0;
  I left = 0;
  for (I k = 0; k < n_free; ++k) {
    const std::int64_t before = read;
    const bool go_on = read < most && !budget.stopped();
    if (!go_on || !match_one(A, M, free[k], read, counters)) free[left++] = free[k];
    budget.spend(read - before);
  }
  counters.edges += read;
  return left;
}

}  // namespace btfperm
