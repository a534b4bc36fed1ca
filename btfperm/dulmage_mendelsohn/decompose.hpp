// SPDX-License-Identifier: BSD-3-Clause
// decompose: coarse parts, fine blocks and canonical order
//
// There are two functions, because the number of blocks is known only after the first one:
// `find_blocks` computes the blocks and orders those of the horizontal and vertical parts, and
// `order_blocks` orders the square blocks.
//
// Some steps have one function for one thread and another one for several threads. If the latter
// run on one thread, they take, in the geometric mean, 1.74 times as long for the coarse parts,
// 2.11 times for the order of the horizontal and vertical blocks, 1.36 times for the square blocks
// and 1.46 times for their order (2026-11-26-serial-shared-field).
#pragma once

#include <algorithm>

#include "dulmage_mendelsohn/canonical_order.hpp"
#include "dulmage_mendelsohn/coarse.hpp"
#include "dulmage_mendelsohn/fine_square/find_square.hpp"

namespace btfperm {

// The blocks of the horizontal or of the vertical part.
template <class I>
struct Rectangles {
  I count;
  I* row_blocks;  // boundaries, count + 1
  I* col_blocks;
};

// The result of `find_blocks`.
template <class I>
struct Found {
  Coarse<I> parts;
  Square<I> square_part;
  Rectangles<I> horizontal_part;
  Rectangles<I> vertical_part;
  I coarse_rows[5];  // boundaries, see results/decomposition.py
  I coarse_cols[5];
  I* row_perm;  // complete except for the square part
  I* col_perm;
  Workspace boundaries;  // the memory for the boundaries of the horizontal and vertical blocks
  Workspace vertices;    // the memory for the arrays of `square_part`

  I n_blocks() const { return horizontal_part.count + square_part.n_blocks + vertical_part.count; }
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

// Returns the blocks of the horizontal or of the vertical part, and writes its rows and columns to
// their places in the permutations.
template <class I>
Rectangles<I> order_rectangles(const Found<I>& found, Part part, const Team& team,
                               Workspace& boundaries, Budget& budget) {
  const Coarse<I>& C = found.parts;
  const Side<I> rows{C.rows[part], C.row_tree[part]};
  const Side<I> cols{C.cols[part], C.col_tree[part]};
  const bool from_cols = part == horizontal;  // the trees grew from there
  const I n_trees = from_cols ? C.n_horizontal_trees : C.n_vertical_trees;
  if (n_trees == 0) return {};
  const I count =
      number_components(from_cols ? cols : rows, from_cols ? rows : cols,
                        from_cols ? C.horizontal_set : C.vertical_set, n_trees, team, budget);
  const auto places = static_cast<std::size_t>(count) + 1;
  const Rectangles<I> blocks{count, boundaries.take<I>(places), boundaries.take<I>(places)};
  const auto gather_side = [&](const Side<I>& side, I begin, I* ends, I* perm) {
    gather(
        side.members, I{0}, count, begin, [tree = side.tree](I k) { return tree[k]; }, team, budget,
        ends, perm);
  };
  gather_side(rows, from_cols ? 0 : found.coarse_rows[2], blocks.row_blocks, found.row_perm);
  gather_side(cols, from_cols ? 0 : found.coarse_cols[3], blocks.col_blocks, found.col_perm);
  return blocks;
}

// Finds the coarse parts and the blocks. The rows and columns of the horizontal and of the vertical
// part are written to their places first, so that the memory for these parts can be released before
// the search in the square part. The permutations are allocated from `kept`. Returns false if the
// budget ended the search, or if the matching is not maximum. Some steps here and below throw
// Unfinished instead when the budget ends.
template <class I>
bool find_blocks(const PatternView<I>& A, const Matching<I>& M, Team team, Found<I>& found,
                 Workspace& kept, Budget& budget) {
  if (team.is_one(A.nnz(), team.entries)) team.threads = 1;
  Coarse<I>& C = found.parts;
  if (!coarse(A, M, team, C, budget)) return false;
  count_coarse(found);
  found.row_perm = kept.take<I>(static_cast<std::size_t>(A.m) + static_cast<std::size_t>(A.n));
  found.col_perm = found.row_perm + A.m;
  found.horizontal_part = order_rectangles(found, horizontal, team, found.boundaries, budget);
  found.vertical_part = order_rectangles(found, vertical, team, found.boundaries, budget);
  C.of_others.give_back();
  Square<I>& S = found.square_part;
  S.rows = C.rows[square];
  S.cols = C.cols[square];
  if (S.rows.count == 0) return true;
  // find_square uses the places of the square rows in row_perm as workspace. It also writes to the
  // place behind them, whose content must be restored.
  I* const order = found.row_perm + found.coarse_rows[1];
  const I behind = order[S.rows.count];
  const bool done = find_square(A, M, team, S, order, found.vertices, budget);
  order[S.rows.count] = behind;
  return done;
}

template <class I>
void order_blocks(const PatternView<I>& A, const Matching<I>& M, Team team, const Found<I>& found,
                  const Form<I>& form, Budget& budget) {
  if (team.is_one(A.nnz(), team.entries)) team.threads = 1;
  const Square<I>& S = found.square_part;
  const auto put = [&](const Rectangles<I>& part, I first) {
    copy(part.row_blocks, part.count, form.row_blocks + first, team.threads, budget);
    copy(part.col_blocks, part.count, form.col_blocks + first, team.threads, budget);
  };
  put(found.horizontal_part, 0);
  if (S.n_blocks > 0) {
    const Corner<I> corner{found.horizontal_part.count, found.coarse_rows[1], found.coarse_cols[2]};
    order_square(M, S, corner, team, budget, form);
  }
  put(found.vertical_part, found.horizontal_part.count + S.n_blocks);
  form.row_blocks[found.n_blocks()] = A.m;
  form.col_blocks[found.n_blocks()] = A.n;
}

}  // namespace btfperm
