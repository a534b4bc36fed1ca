// SPDX-License-Identifier: BSD-3-Clause
// decompose: coarse split, fine blocks, canonical order, one after the other
//
// Two halves, because the number of blocks is known only after the first: `find_blocks` says which
// rows and columns belong together, `order_blocks` puts them in their places.
#pragma once

#include <algorithm>

#include "dulmage_mendelsohn/canonical_order.hpp"
#include "dulmage_mendelsohn/coarse.hpp"
#include "dulmage_mendelsohn/fine_square/heights.hpp"
#include "dulmage_mendelsohn/fine_square/peel.hpp"
#include "dulmage_mendelsohn/fine_square/tarjan.hpp"

namespace btfperm {

// What `find_blocks` found; everything lies in one Workspace.
template <class I>
struct Found {
  Coarse<I> parts;      // its trees replaced by the numbers of the components
  Vertex<I>* vertices;  // m, the square part; null when there is none
  Block<I>* several;
  I n_several;  // square blocks of several rows
  I highest;    // square block
  I n_horizontal;
  I n_square;
  I n_vertical;
  I coarse_rows[5];  // boundaries, see results.py
  I coarse_cols[5];

  I n_blocks() const { return n_horizontal + n_square + n_vertical; }
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

// The components of the square part and their heights. False: the budget ended the search.
template <class I>
bool find_square(const PatternView<I>& A, const Matching<I>& M, int threads, Found<I>& found,
                 Workspace& kept, Budget& budget) {
  const Coarse<I>& C = found.parts;
  found.vertices = kept.take<Vertex<I>>(A.m);
  found.several = kept.take<Block<I>>(C.rows[square].count / 2);
  const Members<I>& rows = C.rows[square];
  const Members<I>& cols = C.cols[square];
  list_vertices(A, M, cols, threads, found.vertices);
  Workspace workspace;
  I* order = workspace.take<I>(static_cast<std::size_t>(rows.count) + 1);
  I peeled = 0;
  if (may_peel(A, cols)) {
    peeled = peel(A, M, rows, cols, threads, found.vertices, order, budget);
    if (peeled < 0) return false;
  }
  const I left = rows.count - peeled;
  found.highest = peeled > 0 ? found.vertices[order[peeled - 1]].height : 0;
  found.n_square = peeled;
  found.n_several = 0;
  if (left == 0) return true;
  order += peeled;
  {
    Workspace deep;
    PathFrame<I>* path = deep.take<PathFrame<I>>(left);
    I* open = deep.take<I>(left);
    if (!tarjan(A, found.vertices, left, path, open, order, budget)) return false;
  }
  found.n_several = heights(A, order, left, found.vertices, found.several, budget);
  if (found.n_several < 0) return false;
  for (I k = 0; k < left; ++k) {
    const I row = order[k];
    found.n_square += row < 0;
    if (row < 0) found.highest = std::max(found.highest, found.vertices[~row].height);
  }
  for (I b = 0; b < found.n_several; ++b) {
    found.highest = std::max(found.highest, found.several[b].height);
  }
  return true;
}

// False: the budget ended the search, or the matching is not maximum.
template <class I>
bool find_blocks(const PatternView<I>& A, const Matching<I>& M, int threads, Found<I>& found,
                 Workspace& kept, Budget& budget) {
  const Coarse<I>& C = found.parts;
  if (!coarse(A, M, threads, found.parts, kept, budget)) return false;
  count_coarse(found);
  if (C.rows[square].count > 0 && !find_square(A, M, threads, found, kept, budget)) return false;
  Workspace workspace;
  I* number = workspace.take<I>(std::max(C.n_horizontal_trees, C.n_vertical_trees));
  if (C.n_horizontal_trees > 0) {
    found.n_horizontal =
        number_components<I>({C.cols[horizontal], C.col_tree}, {C.rows[horizontal], C.row_tree},
                             C.horizontal_set, C.n_horizontal_trees, 0, number);
  }
  if (C.n_vertical_trees > 0) {
    found.n_vertical = number_components<I>(
        {C.rows[vertical], C.row_tree}, {C.cols[vertical], C.col_tree}, C.vertical_set,
        C.n_vertical_trees, found.n_horizontal + found.n_square, number);
  }
  return true;
}

template <class I>
void order_blocks(const PatternView<I>& A, const Matching<I>& M, int threads, const Found<I>& found,
                  const Form<I>& form) {
  (void)threads;
  const Coarse<I>& C = found.parts;
  const I n_blocks = found.n_blocks();
  if (found.n_horizontal > 0) {
    gather<I>({C.rows[horizontal], C.row_tree}, 0, found.n_horizontal, 0, form.row_blocks,
              form.row_perm);
    gather<I>({C.cols[horizontal], C.col_tree}, 0, found.n_horizontal, 0, form.col_blocks,
              form.col_perm);
  }
  if (found.n_square > 0) {
    Workspace workspace;
    Level<I>* levels = workspace.take<Level<I>>(static_cast<std::size_t>(found.highest) + 1);
    Places<I>* places = workspace.take<Places<I>>(found.n_several);
    const Square<I> part{C.rows[square],     C.cols[square],       found.vertices,
                         found.several,      found.n_several,      found.highest,
                         found.n_horizontal, found.coarse_rows[1], found.coarse_cols[2]};
    order_square(M, part, levels, places, form);
  }
  if (found.n_vertical > 0) {
    const I first = found.n_horizontal + found.n_square;
    gather<I>({C.rows[vertical], C.row_tree}, first, found.n_vertical, found.coarse_rows[2],
              form.row_blocks, form.row_perm);
    gather<I>({C.cols[vertical], C.col_tree}, first, found.n_vertical, found.coarse_cols[3],
              form.col_blocks, form.col_perm);
  }
  form.row_blocks[n_blocks] = A.m;
  form.col_blocks[n_blocks] = A.n;
}

}  // namespace btfperm
