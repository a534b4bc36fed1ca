// SPDX-License-Identifier: BSD-3-Clause
// block graph: which fine blocks depend on which, their levels, and the work in each
//
// Idea        A pass over the columns, block by block, stores for each block k the last block whose
//             columns had an entry in the rows of k. So each arc is found only once, and the
//             successors of a block ascend.
// Cost        O(nnz + blocks), two passes over the entries. Workspace: 2 words for each block
// Encodings   arc k -> l: a row of block k has an entry in a column of block l, k < l
#pragma once

#include <algorithm>

#include "backends/cpu/budget.hpp"
#include "pattern/pattern.hpp"

namespace btfperm {

// Whether the n_blocks + 1 numbers start with 0, do not decrease, and end with `last`.
template <class I>
bool are_boundaries(const I* numbers, I n_blocks, I last) {
  return numbers[0] == 0 && numbers[n_blocks] == last &&
         std::is_sorted(numbers, numbers + n_blocks + 1);
}

// Calls visit(k, l) once for each arc k -> l, in ascending order of l. If `work` is not null,
// counts the entries inside each block there. `seen` (n_blocks) is workspace. Returns false if the
// budget ended the call.
template <class I, class Visit>
bool for_each_arc(const PatternView<I>& A, const I* row_block, const I* col_perm,
                  const I* col_blocks, I n_blocks, I* seen, I* work, Budget& budget, Visit visit) {
  std::fill(seen, seen + n_blocks, I{-1});
  for (I l = 0; l < n_blocks; ++l) {
    for (I q = col_blocks[l]; q < col_blocks[l + 1]; ++q) {
      const I j = col_perm[q];
      for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
        const I k = row_block[A.indices[p]];
        if (k == l) {
          if (work != nullptr) ++work[l];
        } else if (seen[k] != l) {
          seen[k] = l;
          visit(k, l);
        }
      }
      if (!budget.spend(A.degree(j))) return false;
    }
  }
  return true;
}

// Writes the starts of the successor lists to indptr, and the number of entries inside each block
// to work. Returns false if the budget ended the call.
template <class I>
bool count_arcs(const PatternView<I>& A, const I* row_block, const I* col_perm, const I* col_blocks,
                I n_blocks, I* indptr, I* work, I* seen, Budget& budget) {
  std::fill(indptr, indptr + n_blocks + 1, I{0});
  std::fill(work, work + n_blocks, I{0});
  if (!for_each_arc(A, row_block, col_perm, col_blocks, n_blocks, seen, work, budget,
                    [&](I k, I) { ++indptr[k + 1]; })) {
    return false;
  }
  for (I k = 0; k < n_blocks; ++k) indptr[k + 1] += indptr[k];
  return true;
}

// Lists the arcs, and computes the level of each block: 0 if it has no successor, else one more
// than the largest level of its successors. Returns false if the budget ended the call.
template <class I>
bool list_arcs(const PatternView<I>& A, const I* row_block, const I* col_perm, const I* col_blocks,
               I n_blocks, const I* indptr, I* indices, I* level, I* place, I* seen,
               Budget& budget) {
  std::copy(indptr, indptr + n_blocks, place);
  if (!for_each_arc(A, row_block, col_perm, col_blocks, n_blocks, seen, static_cast<I*>(nullptr),
                    budget, [&](I k, I l) { indices[place[k]++] = l; })) {
    return false;
  }
  for (I k = n_blocks; k-- > 0;) {
    level[k] = 0;
    for (I p = indptr[k]; p < indptr[k + 1]; ++p) {
      level[k] = std::max(level[k], static_cast<I>(level[indices[p]] + 1));
    }
  }
  return true;
}

}  // namespace btfperm
