// SPDX-License-Identifier: BSD-3-Clause
// decompose: coarse split, fine blocks, canonical order, one after the other
//
// Two halves, because the number of blocks is known only after the first: `label_blocks` gives each
// row and column its block, `gather` (twice gather_blocks) the permutations and boundaries.
#pragma once

#include <algorithm>

#include "dulmage_mendelsohn/canonical_order.hpp"
#include "dulmage_mendelsohn/coarse.hpp"
#include "dulmage_mendelsohn/fine_rectangular/union_find.hpp"
#include "dulmage_mendelsohn/fine_square/tarjan.hpp"

namespace btfperm {

template <class I>
struct Labels {
  I* row_block;  // m
  I* col_block;  // n
  I n_blocks;
  I coarse_rows[5];  // boundaries, see results.py
  I coarse_cols[5];
};

template <class I>
void count_coarse(const PatternView<I>& A, const Matching<I>& M, const std::uint8_t* row_part,
                  const std::uint8_t* col_part, Labels<I>& labels) {
  I rows[4] = {0, 0, 0, 0};  // horizontal, square, vertical matched, vertical unmatched
  I cols[4] = {0, 0, 0, 0};  // horizontal unmatched, horizontal matched, square, vertical
  for (I i = 0; i < A.m; ++i) {
    const Part part = static_cast<Part>(row_part[i]);
    ++rows[part == horizontal ? 0 : part == square ? 1 : M.row_match[i] >= 0 ? 2 : 3];
  }
  for (I j = 0; j < A.n; ++j) {
    const Part part = static_cast<Part>(col_part[j]);
    ++cols[part == horizontal ? (M.col_match[j] >= 0 ? 1 : 0) : part == square ? 2 : 3];
  }
  labels.coarse_rows[0] = labels.coarse_cols[0] = 0;
  for (int k = 0; k < 4; ++k) {
    labels.coarse_rows[k + 1] = labels.coarse_rows[k] + rows[k];
    labels.coarse_cols[k + 1] = labels.coarse_cols[k] + cols[k];
  }
}

// Blocks of the square part, counted from 0, into row_block and col_block (elsewhere -1); returns
// their number, -1 when the budget ended the search.
template <class I>
I label_square(const PatternView<I>& A, const Matching<I>& M, const std::uint8_t* row_part,
               const std::uint8_t* col_part, I* row_block, I* col_block, Budget& budget) {
  Workspace workspace;
  ListOf<I>* lists = workspace.take<ListOf<I>>(A.m);
  I* members = workspace.take<I>(A.m);
  list_bounds(A, M.col_match, col_part, lists);
  I n_components;
  {
    Workspace deep;
    PathFrame<I>* path = deep.take<PathFrame<I>>(A.m);
    n_components = tarjan(A, lists, row_part, row_block, path, members, budget);
  }
  if (n_components < 0) return -1;
  I* height = workspace.take<I>(n_components);
  I* start = workspace.take<I>(n_components + 1);
  if (!heights(A, lists, row_block, n_components, height, start, members, budget)) return -1;
  for (I j = 0; j < A.n; ++j) {
    col_block[j] = col_part[j] == square ? row_block[M.col_match[j]] : I{-1};
  }
  I* place = members;
  canonical_places(A.n, col_block, n_components, height, place, start);
  for (I i = 0; i < A.m; ++i) {
    if (row_block[i] >= 0) row_block[i] = place[row_block[i]];
  }
  for (I j = 0; j < A.n; ++j) {
    if (col_block[j] >= 0) col_block[j] = place[col_block[j]];
  }
  return n_components;
}

// Components of the horizontal part, by columns, or of the vertical part, by rows, counted from
// `first`, into `block`. Returns the number after the last, -1 when the budget ended the search.
template <class I>
I label_rectangular(const PatternView<I>& A, const Matching<I>& M, Part part,
                    const std::uint8_t* row_part, const std::uint8_t* col_part, I first, I* block,
                    Budget& budget) {
  Workspace workspace;
  const bool by_columns = part == horizontal;
  const I count = by_columns ? A.n : A.m;
  I* parent = workspace.take<I>(count);
  if (!connect(A, M, part, row_part, col_part, parent, budget)) return -1;
  return number_by_smallest(parent, by_columns ? col_part : row_part, part, count, first, block);
}

// False: the budget ended the search, or the matching is not maximum.
template <class I>
bool label_blocks(const PatternView<I>& A, const Matching<I>& M, std::uint8_t* row_part,
                  std::uint8_t* col_part, Labels<I>& labels, Budget& budget) {
  if (!coarse(A, M, row_part, col_part, budget)) return false;
  count_coarse(A, M, row_part, col_part, labels);
  const I squares =
      label_square(A, M, row_part, col_part, labels.row_block, labels.col_block, budget);
  if (squares < 0) return false;
  I horizontals = 0;
  if (labels.coarse_cols[2] > 0) {
    horizontals =
        label_rectangular(A, M, horizontal, row_part, col_part, I{0}, labels.col_block, budget);
    if (horizontals < 0) return false;
    for (I j = 0; j < A.n; ++j) {
      if (col_part[j] == square) labels.col_block[j] += horizontals;
    }
    for (I i = 0; i < A.m; ++i) {
      if (row_part[i] == square) labels.row_block[i] += horizontals;
      if (row_part[i] == horizontal) labels.row_block[i] = labels.col_block[M.row_match[i]];
    }
  }
  labels.n_blocks = horizontals + squares;
  if (labels.coarse_rows[4] > labels.coarse_rows[2]) {
    labels.n_blocks = label_rectangular(A, M, vertical, row_part, col_part, labels.n_blocks,
                                        labels.row_block, budget);
    if (labels.n_blocks < 0) return false;
    for (I j = 0; j < A.n; ++j) {
      if (col_part[j] == vertical) labels.col_block[j] = labels.row_block[M.col_match[j]];
    }
  }
  return true;
}

}  // namespace btfperm
