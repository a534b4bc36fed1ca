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

// Replaces the tree of each member of a part by the number of its component: by smallest member on
// the side of the roots (`tree`, `parts`, count), from `first` on. `smallest` (a place for each
// tree) is workspace. Returns how many components there are.
template <class I>
I number_components(Part part, I count, const std::uint8_t* parts, I* tree, I other_count,
                    const std::uint8_t* other_parts, I* other_tree, I* set, I n_trees, I first,
                    I* number) {
  for (I t = 0; t < n_trees; ++t) set[t] = set[set[t]];  // links lead to smaller ones
  std::fill(number, number + n_trees, I{-1});
  I next = first;
  for (I k = 0; k < count; ++k) {
    if (parts[k] != part) continue;
    I& own = number[set[tree[k]]];
    if (own < 0) own = next++;
    tree[k] = own;
  }
  for (I k = 0; k < other_count; ++k) {
    if (other_parts[k] == part) other_tree[k] = number[set[other_tree[k]]];
  }
  return next - first;
}

// Puts the members of a part in the order of their components, which are numbered from `first` on:
// a counting sort. `blocks` has places for them, and one more; the part begins at place `begin`.
template <class I>
void gather(Part part, I count, const std::uint8_t* parts, const I* component, I first,
            I n_components, I begin, I* blocks, I* perm) {
  I* start = blocks + first;
  std::fill(start, start + n_components + 1, I{0});
  for (I k = 0; k < count; ++k) {
    if (parts[k] == part) ++start[component[k] - first + 1];
  }
  start[0] = begin;
  for (I c = 0; c < n_components; ++c) start[c + 1] += start[c];
  for (I k = 0; k < count; ++k) {
    if (parts[k] == part) perm[start[component[k] - first]++] = k;
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

// The square part: blocks from number `first` on, rows from place first_row, columns from
// first_col. `levels` (highest + 1) and `places` (one for each block of several rows) are
// workspace.
template <class I>
void order_square(const PatternView<I>& A, const Matching<I>& M, const std::uint8_t* row_part,
                  const std::uint8_t* col_part, const Vertex<I>* vertices, const Block<I>* several,
                  I n_several, I highest, I first, I first_row, I first_col, Level<I>* levels,
                  Places<I>* places, const Form<I>& form) {
  for (I h = 0; h <= highest; ++h) levels[h] = {0, 0};
  for (I b = 0; b < n_several; ++b) {
    ++levels[several[b].height].block;
    levels[several[b].height].place += several[b].size;
    places[b] = {-1, -1};
  }
  for (I i = 0; i < A.m; ++i) {
    if (row_part[i] != square || vertices[i].height < 0) continue;
    ++levels[vertices[i].height].block;
    ++levels[vertices[i].height].place;
  }
  Level<I> next{first, 0};
  for (I h = highest; h >= 0; --h) {
    const Level<I> own = levels[h];
    levels[h] = next;
    next.block += own.block;
    next.place += own.place;
  }
  const auto begin_block = [&](I height, I size) {
    Level<I>& level = levels[height];
    const I place = level.place;
    form.row_blocks[level.block] = first_row + place;
    form.col_blocks[level.block] = first_col + place;
    ++level.block;
    level.place += size;
    return place;
  };
  for (I j = 0; j < A.n; ++j) {
    if (col_part[j] != square) continue;
    const I i = M.col_match[j];
    const I height = vertices[i].height;
    if (height >= 0) {
      const I place = begin_block(height, 1);
      form.row_perm[first_row + place] = i;
      form.col_perm[first_col + place] = j;
      continue;
    }
    Places<I>& own = places[~height];
    if (own.col < 0) {
      const I place = begin_block(several[~height].height, several[~height].size);
      own = {first_row + place, first_col + place};
    }
    form.col_perm[own.col++] = j;
  }
  if (n_several == 0) return;
  for (I i = 0; i < A.m; ++i) {
    if (row_part[i] == square && vertices[i].height < 0) {
      form.row_perm[places[~vertices[i].height].row++] = i;
    }
  }
}

}  // namespace btfperm
