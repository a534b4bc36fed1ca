// SPDX-License-Identifier: BSD-3-Clause
// decompose: coarse split, fine blocks, canonical order, one after the other
//
// Two halves, because the number of blocks is known only after the first: `find_blocks` says which
// rows and columns belong together, `order_blocks` puts them in their places.
#pragma once

#include <algorithm>

#include "dulmage_mendelsohn/canonical_order.hpp"
#include "dulmage_mendelsohn/coarse.hpp"
#include "dulmage_mendelsohn/fine_square/find_square.hpp"

namespace btfperm {

// What `find_blocks` found; everything lies in one Workspace.
template <class I>
struct Found {
  Coarse<I> parts;  // its trees replaced by the numbers of the components
  Square<I> square_part;
  I n_horizontal;  // blocks
  I n_vertical;
  I coarse_rows[5];  // boundaries, see results/decomposition.py
  I coarse_cols[5];

  I n_blocks() const { return n_horizontal + square_part.n_blocks + n_vertical; }
};

template <class I>
void count_coarse(Found<I>& found) {
  const Coarse<I>& C = found.parts;
  // horizontal, square, vertical matched, vertical unmatched
  const I rows[4] = {C.rows[horizontal].count, C.rows[square].count,
                     C.rows[vertical].count - C.n_vertical_trees, C.n_vertical_trees};
  // horizontal unmatched, horizontal matched, square, vertical
  const I cols[4] = {C.n_horizontal_trees, C.cols[horizontal].count - C.n_horizontal_trees,
                     C.cols[square].count, C.cols[vertical].count};
  found.coarse_rows[0] = found.coarse_cols[0] = 0;
  for (int k = 0; k < 4; ++k) {
    found.coarse_rows[k + 1] = found.coarse_rows[k] + rows[k];
    found.coarse_cols[k + 1] = found.coarse_cols[k] + cols[k];
  }
}

// False: the budget ended the search, or the matching is not maximum. Here and below the budget may
// also throw Unfinished.
template <class I>
bool find_blocks(const PatternView<I>& A, const Matching<I>& M, Team team, Found<I>& found,
                 Workspace& kept, Budget& budget) {
  if (team.is_one(A.nnz(), team.entries)) team.threads = 1;
  const Coarse<I>& C = found.parts;
  if (!coarse(A, M, team, found.parts, kept, budget)) return false;
  count_coarse(found);
  Square<I>& S = found.square_part;
  S.rows = C.rows[square];
  S.cols = C.cols[square];
  if (S.rows.count > 0 && !find_square(A, M, team, S, kept, budget)) return false;
  Workspace workspace;
  I* number = workspace.take<I>(std::max(C.n_horizontal_trees, C.n_vertical_trees));
  if (C.n_horizontal_trees > 0) {
    found.n_horizontal =
        number_components<I>({C.cols[horizontal], C.col_tree}, {C.rows[horizontal], C.row_tree},
                             C.horizontal_set, C.n_horizontal_trees, 0, team, budget, number);
  }
  if (C.n_vertical_trees > 0) {
    found.n_vertical = number_components<I>(
        {C.rows[vertical], C.row_tree}, {C.cols[vertical], C.col_tree}, C.vertical_set,
        C.n_vertical_trees, found.n_horizontal + S.n_blocks, team, budget, number);
  }
  return true;
}

template <class I>
void order_blocks(const PatternView<I>& A, const Matching<I>& M, Team team, const Found<I>& found,
                  const Form<I>& form, Budget& budget) {
  if (team.is_one(A.nnz(), team.entries)) team.threads = 1;
  const Coarse<I>& C = found.parts;
  const Square<I>& S = found.square_part;
  const I n_blocks = found.n_blocks();
  const auto gather_side = [&](const Members<I>& members, const I* component, I first, I count,
                               I begin, I* boundaries, I* perm) {
    gather(
        members, first, count, begin, [&](I k) { return component[members[k]]; }, team, budget,
        boundaries, perm);
  };
  if (found.n_horizontal > 0) {
    const I count = found.n_horizontal;
    gather_side(C.rows[horizontal], C.row_tree, 0, count, 0, form.row_blocks, form.row_perm);
    gather_side(C.cols[horizontal], C.col_tree, 0, count, 0, form.col_blocks, form.col_perm);
  }
  if (S.n_blocks > 0) {
    const Corner<I> corner{found.n_horizontal, found.coarse_rows[1], found.coarse_cols[2]};
    order_square(M, S, corner, team, budget, form);
  }
  if (found.n_vertical > 0) {
    const I first = found.n_horizontal + S.n_blocks;
    const I count = found.n_vertical;
    gather_side(C.rows[vertical], C.row_tree, first, count, found.coarse_rows[2], form.row_blocks,
                form.row_perm);
    gather_side(C.cols[vertical], C.col_tree, first, count, found.coarse_cols[3], form.col_blocks,
                form.col_perm);
  }
  form.row_blocks[n_blocks] = A.m;
  form.col_blocks[n_blocks] = A.n;
}

}  // namespace btfperm
