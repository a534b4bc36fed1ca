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
void count_coarse(const PatternView<I>& A, Found<I>& found) {
  const Coarse<I>& C = found.parts;
  I rows[4] = {0, 0, 0, 0};  // horizontal, square, vertical matched, vertical unmatched
  I cols[4] = {0, 0, 0, 0};  // horizontal unmatched, horizontal matched, square, vertical
  if (C.n_horizontal_trees == 0 && C.n_vertical_trees == 0) {
    rows[1] = cols[2] = A.n;
  } else {
    I of_rows[3] = {0, 0, 0};
    I of_cols[3] = {0, 0, 0};
    for (I i = 0; i < A.m; ++i) ++of_rows[C.row_part[i]];
    for (I j = 0; j < A.n; ++j) ++of_cols[C.col_part[j]];
    rows[0] = of_rows[horizontal];
    rows[1] = of_rows[square];
    rows[2] = of_rows[vertical] - C.n_vertical_trees;
    rows[3] = C.n_vertical_trees;
    cols[0] = C.n_horizontal_trees;
    cols[1] = of_cols[horizontal] - C.n_horizontal_trees;
    cols[2] = of_cols[square];
    cols[3] = of_cols[vertical];
  }
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
  found.several = kept.take<Block<I>>(A.m / 2 + 1);
  const I n_vertices = list_vertices(A, M, C.row_part, C.col_part, threads, found.vertices);
  Workspace workspace;
  I* order = workspace.take<I>(static_cast<std::size_t>(n_vertices) + 1);
  I peeled = 0;
  if (may_peel(A, n_vertices)) {
    peeled = peel(A, M, C.col_part, threads, found.vertices, n_vertices, order, budget);
    if (peeled < 0) return false;
  }
  const I left = n_vertices - peeled;
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
  Coarse<I>& C = found.parts;
  C.row_part = kept.take<std::uint8_t>(A.m);
  C.col_part = kept.take<std::uint8_t>(A.n);
  C.row_tree = kept.take<I>(A.m);
  C.col_tree = kept.take<I>(A.n);
  if (!coarse(A, M, threads, C, kept, budget)) return false;
  count_coarse(A, found);
  if (found.coarse_rows[2] > found.coarse_rows[1] &&
      !find_square(A, M, threads, found, kept, budget)) {
    return false;
  }
  Workspace workspace;
  I* number = workspace.take<I>(std::max(C.n_horizontal_trees, C.n_vertical_trees));
  if (C.n_horizontal_trees > 0) {
    found.n_horizontal =
        number_components(horizontal, A.n, C.col_part, C.col_tree, A.m, C.row_part, C.row_tree,
                          C.horizontal_set, C.n_horizontal_trees, I{0}, number);
  }
  if (C.n_vertical_trees > 0) {
    found.n_vertical = number_components(
        vertical, A.m, C.row_part, C.row_tree, A.n, C.col_part, C.col_tree, C.vertical_set,
        C.n_vertical_trees, static_cast<I>(found.n_horizontal + found.n_square), number);
  }
  return true;
}

template <class I>
void order_blocks(const PatternView<I>& A, const Matching<I>& M, int threads, const Found<I>& found,
                  const Form<I>& form) {
  (void)threads;
  const Coarse<I>& C = found.parts;
  const I n_blocks = found.n_blocks();
  const I vertical_from = found.n_horizontal + found.n_square;
  if (found.n_horizontal > 0) {
    gather(horizontal, A.m, C.row_part, C.row_tree, I{0}, found.n_horizontal, I{0}, form.row_blocks,
           form.row_perm);
    gather(horizontal, A.n, C.col_part, C.col_tree, I{0}, found.n_horizontal, I{0}, form.col_blocks,
           form.col_perm);
  }
  if (found.n_square > 0) {
    Workspace workspace;
    Level<I>* levels = workspace.take<Level<I>>(static_cast<std::size_t>(found.highest) + 1);
    Places<I>* places = workspace.take<Places<I>>(found.n_several);
    order_square(A, M, C.row_part, C.col_part, found.vertices, found.several, found.n_several,
                 found.highest, found.n_horizontal, found.coarse_rows[1], found.coarse_cols[2],
                 levels, places, form);
  }
  if (found.n_vertical > 0) {
    gather(vertical, A.m, C.row_part, C.row_tree, vertical_from, found.n_vertical,
           found.coarse_rows[2], form.row_blocks, form.row_perm);
    gather(vertical, A.n, C.col_part, C.col_tree, vertical_from, found.n_vertical,
           found.coarse_cols[3], form.col_blocks, form.col_perm);
  }
  form.row_blocks[n_blocks] = A.m;
  form.col_blocks[n_blocks] = A.n;
}

}  // namespace btfperm
