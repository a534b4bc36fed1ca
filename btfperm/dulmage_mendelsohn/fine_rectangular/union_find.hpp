// SPDX-License-Identifier: BSD-3-Clause
// union-find: connected components of the horizontal and of the vertical part
//
// Idea        In the horizontal part every row is matched, so a component is named by columns: each
//             entry unites its column with the column that its row is matched to. The vertical part
//             is the same with rows and columns exchanged.
// Paper       R. E. Tarjan, "Efficiency of a good but not linear set union algorithm", J. ACM 22
//             (1975); linking to the smaller index and halving of paths
// Cost        O(nnz log n) at worst, linear in practice. Workspace: none beyond `parent`
// Encodings   parent[k] = k: k is the root of its tree, and its smallest member
#pragma once

#include "dulmage_mendelsohn/coarse.hpp"

namespace btfperm {

template <class I>
I find_root(I* parent, I k) {
  while (parent[k] != k) {
    parent[k] = parent[parent[k]];
    k = parent[k];
  }
  return k;
}

template <class I>
void unite(I* parent, I a, I b) {
  a = find_root(parent, a);
  b = find_root(parent, b);
  if (a < b) {
    parent[b] = a;
  } else {
    parent[a] = b;
  }
}

// Unites columns (by_columns, horizontal part) or rows (vertical part) joined by entries of `part`.
// `parent` has n or m places. False: the budget ended it.
template <class I>
bool connect(const PatternView<I>& A, const Matching<I>& M, Part part, const std::uint8_t* row_part,
             const std::uint8_t* col_part, I* parent, Budget& budget) {
  const bool by_columns = part == horizontal;
  const I count = by_columns ? A.n : A.m;
  for (I k = 0; k < count; ++k) parent[k] = k;
  for (I j = 0; j < A.n; ++j) {
    if (col_part[j] != part) continue;
    const I own = by_columns ? j : M.col_match[j];
    for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
      const I i = A.indices[p];
      if (row_part[i] == part) unite(parent, own, by_columns ? M.row_match[i] : i);
    }
    if (!budget.spend(A.degree(j))) return false;
  }
  return true;
}

}  // namespace btfperm
