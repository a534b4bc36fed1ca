// SPDX-License-Identifier: BSD-3-Clause
// canonical order: the one order of blocks, rows and columns, whatever ran before
//
// Idea        Horizontal components come by their smallest column; then square blocks by falling
//             height, ties by their smallest column; then vertical components by their smallest
//             row. Inside a block rows and columns ascend. Coarse parts, blocks, heights and
//             smallest members are functions of the entries alone, so the order does not depend on
//             the matching (two perfect matchings of the square part differ by alternating
//             cycles, and each of these stays inside one block).
// Why height  A height falls along each dependency, so the form is block upper triangular, and all
//             blocks of one height stand together: they can be solved at once.
// Cost        O(m + n + blocks), counting sorts
#pragma once

#include <algorithm>

#include "dulmage_mendelsohn/coarse.hpp"
#include "dulmage_mendelsohn/fine_square/heights.hpp"

namespace btfperm {

// Permutations and boundaries, as results.py names them.
template <class I>
struct Form {
  I* row_perm;    // m
  I* col_perm;    // n
  I* row_blocks;  // n_blocks + 1
  I* col_blocks;  // n_blocks + 1
};

// One side of the horizontal or of the vertical part.
template <class I>
struct Side {
  Members<I> members;
  I* tree;  // of each member; replaced by the number of its component
};

// Numbers the components from `first` on, by their smallest member on the side of the roots.
// `number` (a place for each tree) is workspace. Returns how many there are.
template <class I>
I number_components(const Side<I>& side, const Side<I>& other, I* set, I n_trees, I first,
                    I* number) {
  for (I t = 0; t < n_trees; ++t) set[t] = set[set[t]];  // links lead to smaller ones
  std::fill(number, number + n_trees, I{-1});
  I next = first;
  for (I k = 0; k < side.members.count; ++k) {
    I& tree = side.tree[side.members[k]];
    I& own = number[set[tree]];
    if (own < 0) own = next++;
    tree = own;
  }
  for (I k = 0; k < other.members.count; ++k) {
    I& tree = other.tree[other.members[k]];
    tree = number[set[tree]];
  }
  return next - first;
}

// Puts the members into the order of their components, which are numbered from `first` on: a
// counting sort. Their places begin at `begin`; `blocks` has places for the components and one
// more.
template <class I>
void gather(const Side<I>& side, I first, I n_components, I begin, I* blocks, I* perm) {
  I* start = blocks + first;
  std::fill(start, start + n_components + 1, I{0});
  for (I k = 0; k < side.members.count; ++k) ++start[side.tree[side.members[k]] - first + 1];
  start[0] = begin;
  for (I c = 0; c < n_components; ++c) start[c + 1] += start[c];
  for (I k = 0; k < side.members.count; ++k) {
    const I member = side.members[k];
    perm[start[side.tree[member] - first]++] = member;
  }
  for (I c = n_components; c > 0; --c) start[c] = start[c - 1];  // undo the advance
  start[0] = begin;
}

// The square blocks of one height: first their numbers, then what comes next in each array.
template <class I>
struct Level {
  I block;
  I place;  // of rows, and of columns
};

// Where the rows and columns of a block of several rows go next; -1: not met yet.
template <class I>
struct Places {
  I row;
  I col;
};

// The square part: its blocks, and where it begins in the order.
template <class I>
struct Square {
  Members<I> rows;
  Members<I> cols;
  const Vertex<I>* vertices;
  const Block<I>* several;  // the blocks of several rows
  I n_several;
  I highest;
  I first_block;
  I first_row;
  I first_col;
};

// `levels` (highest + 1) and `places` (n_several) are workspace.
template <class I>
void order_square(const Matching<I>& M, const Square<I>& S, Level<I>* levels, Places<I>* places,
                  const Form<I>& form) {
  for (I h = 0; h <= S.highest; ++h) levels[h] = {0, 0};
  for (I b = 0; b < S.n_several; ++b) {
    ++levels[S.several[b].height].block;
    levels[S.several[b].height].place += S.several[b].size;
    places[b] = {-1, -1};
  }
  for (I k = 0; k < S.rows.count; ++k) {
    const I height = S.vertices[S.rows[k]].height;
    if (height < 0) continue;
    ++levels[height].block;
    ++levels[height].place;
  }
  Level<I> next{S.first_block, 0};
  for (I h = S.highest; h >= 0; --h) {
    const Level<I> own = levels[h];
    levels[h] = next;
    next.block += own.block;
    next.place += own.place;
  }
  const auto begin_block = [&](I height, I size) {
    Level<I>& level = levels[height];
    const I place = level.place;
    form.row_blocks[level.block] = S.first_row + place;
    form.col_blocks[level.block] = S.first_col + place;
    ++level.block;
    level.place += size;
    return place;
  };
  for (I k = 0; k < S.cols.count; ++k) {
    if (k + 16 < S.cols.count) __builtin_prefetch(S.vertices + M.col_match[S.cols[k + 16]]);
    const I j = S.cols[k];
    const I i = M.col_match[j];
    const I height = S.vertices[i].height;
    if (height >= 0) {
      const I place = begin_block(height, 1);
      form.row_perm[S.first_row + place] = i;
      form.col_perm[S.first_col + place] = j;
      continue;
    }
    Places<I>& own = places[~height];
    if (own.col < 0) {
      const I place = begin_block(S.several[~height].height, S.several[~height].size);
      own = {S.first_row + place, S.first_col + place};
    }
    form.col_perm[own.col++] = j;
  }
  if (S.n_several == 0) return;
  for (I k = 0; k < S.rows.count; ++k) {
    const I i = S.rows[k];
    if (S.vertices[i].height < 0) form.row_perm[places[~S.vertices[i].height].row++] = i;
  }
}

}  // namespace btfperm
