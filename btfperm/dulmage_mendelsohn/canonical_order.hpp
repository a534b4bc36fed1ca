// SPDX-License-Identifier: BSD-3-Clause
// canonical order: an order of blocks, rows and columns that depends only on the entries
//
// Idea        Horizontal components come first, ordered by their smallest column; then square
//             blocks, ordered by decreasing height and, for equal heights, by their smallest
//             column; then vertical components, ordered by their smallest row. Rows and columns
//             ascend inside a block. Coarse parts, blocks, heights and smallest members depend on
//             the entries only, so the order does not depend on the matching. (Two perfect
//             matchings of the square part differ by alternating cycles, each of which is inside
//             one block.)
// Why height  A block has a larger height than the blocks on which it depends. So the form is block
//             upper triangular, and the blocks of one height, which can be solved in parallel, are
//             consecutive.
// Cost        O(m + n + blocks) on one thread, by counting sorts; on several as in gather.hpp
#pragma once

#include <algorithm>
#include <limits>

#include "dulmage_mendelsohn/coarse.hpp"
#include "dulmage_mendelsohn/fine_square/heights.hpp"
#include "dulmage_mendelsohn/gather.hpp"

namespace btfperm {

// Permutations and boundaries, as results/decomposition.py names them.
template <class I>
struct Form {
  I* row_perm;    // m
  I* col_perm;    // n
  I* row_blocks;  // n_blocks + 1
  I* col_blocks;  // n_blocks + 1
};

// The rows, or the columns, of the horizontal or of the vertical part.
template <class I>
struct Side {
  Members<I> members;
  I* tree;  // for each member, the number of its search tree; later that of its component
};

// Numbers the components in the order of their smallest members on `side`, the side of the roots.
// Returns how many there are. Sets number[t] to the number of the component whose smallest tree is
// t. set[t] is the smallest tree of the component of tree t.
template <class I>
I number_alone(const Side<I>& side, const I* set, I n_trees, Budget& budget, I* number) {
  std::fill(number, number + n_trees, I{-1});
  I next = 0;
  in_pieces(side.members.count, budget, [&](I k) {
    I& own = number[set[side.tree[k]]];
    if (own < 0) own = next++;
  });
  return next;
}

// As number_alone, by several threads: they first find the smallest member of each component.
template <class I>
I number_together(const Side<I>& side, const I* set, I n_trees, const Team& team, Budget& budget,
                  I* number) {
  Workspace workspace;
  I* leaders = workspace.take<I>(n_trees);
  fill(number, n_trees, std::numeric_limits<I>::max(), team.threads, budget);
  for_parts(side.members.count, team.threads, budget,
            [&](I k) { lower(number[set[side.tree[k]]], side.members[k]); });
  const auto set_of = [&](I k) { return set[side.tree[k]]; };
  const I count = select(
      side.members.count, team.threads, leaders,
      [&](I k) { return number[set_of(k)] == side.members[k]; }, set_of, budget);
  for_parts(count, team.threads, budget, [&](I c) { number[leaders[c]] = c; });
  return count;
}

// Replaces the number of the tree of each member by the number of its component. Components are
// numbered in the order of their smallest members on `side`, the side of the roots. Returns the
// number of components.
template <class I>
I number_components(const Side<I>& side, const Side<I>& other, I* set, I n_trees, const Team& team,
                    Budget& budget) {
  Workspace workspace;
  I* const number = workspace.take<I>(n_trees);
  const bool alone = team.is_one(side.members.count, team.level);
  for_parts(n_trees, team.threads, budget, [&](I t) { store(set[t], find_set(set, t)); });
  const I count = alone ? number_alone(side, set, n_trees, budget, number)
                        : number_together(side, set, n_trees, team, budget, number);
  for (const Side<I>& members : {side, other}) {
    for_parts(members.members.count, team.threads, budget,
              [&](I k) { members.tree[k] = number[set[members.tree[k]]]; });
  }
  return count;
}

// The square blocks of one height in one share of the columns. At first, `block` counts these
// blocks, and `place` their rows (they have as many columns). After `begin_levels`, `block` is the
// number of the next of them among all blocks, and `place` its first position in the square part.
template <class I>
struct Level {
  I block;
  I place;
};

// The next positions of the rows and columns of a block of several rows; -1: the block has no
// position yet.
template <class I>
struct Places {
  I row;
  I col;
};

// The start of a coarse part: the number of its first block, its first row and its first column.
template <class I>
struct Corner {
  I block;
  I row;
  I col;
};

// The height of the square block of a row if the block has only this row; ~b if the row is in block
// b of those with several rows.
template <class I>
I height_of(const Square<I>& S, I row) {
  return S.vertices[row].height;
}

// Replaces the counts of each level and each share of the columns by the start of the blocks there.
// The highest level comes first, and within a level the first share.
template <class I>
void begin_levels(I highest, int shares, const Corner<I>& corner, Level<I>* levels) {
  Level<I> next{corner.block, 0};
  const I stride = highest + 1;
  for (I h = highest; h >= 0; --h) {
    for (int t = 0; t < shares; ++t) {
      Level<I>& level = levels[t * stride + h];
      const Level<I> own = level;
      level = next;
      next.block += own.block;
      next.place += own.place;
    }
  }
}

// Writes the boundaries of the next block of a level. Returns its first position in the square
// part.
template <class I>
I begin_block(Level<I>& level, I size, const Corner<I>& corner, const Form<I>& form) {
  const I place = level.place;
  form.row_blocks[level.block] = corner.row + place;
  form.col_blocks[level.block] = corner.col + place;
  ++level.block;
  level.place += size;
  return place;
}

// Orders the square part on one thread. Workspace: `levels` (highest + 1), `places` (n_several).
template <class I>
void order_alone(const Matching<I>& M, const Square<I>& S, const Corner<I>& corner, Budget& budget,
                 Level<I>* levels, Places<I>* places, const Form<I>& form) {
  for (I h = 0; h <= S.highest; ++h) levels[h] = {0, 0};
  for (I b = 0; b < S.n_several; ++b) {
    ++levels[S.several[b].height].block;
    levels[S.several[b].height].place += S.several[b].size;
    places[b] = {-1, -1};
  }
  in_pieces(S.rows.count, budget, [&](I k) {
    const I height = height_of(S, S.rows[k]);
    if (height < 0) return;
    ++levels[height].block;
    ++levels[height].place;
  });
  begin_levels(S.highest, 1, corner, levels);
  in_pieces(S.cols.count, budget, [&](I k) {
    if (k + 16 < S.cols.count) __builtin_prefetch(S.vertices + M.col_match[S.cols[k + 16]]);
    const I j = S.cols[k];
    const I i = M.col_match[j];
    const I height = height_of(S, i);
    if (height >= 0) {
      const I place = begin_block(levels[height], I{1}, corner, form);
      form.row_perm[corner.row + place] = i;
      form.col_perm[corner.col + place] = j;
      return;
    }
    const Block<I>& block = S.several[~height];
    Places<I>& own = places[~height];
    if (own.col < 0) {
      const I place = begin_block(levels[block.height], block.size, corner, form);
      own = {corner.row + place, corner.col + place};
    }
    form.col_perm[own.col++] = j;
  });
  if (S.n_several == 0) return;
  in_pieces(S.rows.count, budget, [&](I k) {
    const I i = S.rows[k];
    if (height_of(S, i) < 0) form.row_perm[places[~height_of(S, i)].row++] = i;
  });
}

// As order_alone, but by several threads, and blocks of several rows get only their boundaries, not
// their members. Each thread counts, for each level, the blocks whose smallest column is in its
// share of the columns; the positions of the blocks follow from these counts. Workspace: `levels`
// (highest + 1 for each thread), `smallest`. Further results: `height` of each column (see
// height_of), `number` of each block of several rows.
template <class I>
void order_together(const Matching<I>& M, const Square<I>& S, const Corner<I>& corner,
                    const Team& team, Budget& budget, Level<I>* levels, I* height, I* smallest,
                    I* number, const Form<I>& form) {
  const I stride = S.highest + 1;
  fill(smallest, S.n_several, std::numeric_limits<I>::max(), team.threads, budget);
#pragma omp parallel num_threads(team.threads)
  {
    const int t = omp_get_thread_num();
    const int size = omp_get_num_threads();
    const Share<I> share(S.cols.count, t, size);
    Level<I>* own = levels + static_cast<std::ptrdiff_t>(t) * stride;
    std::fill(own, own + stride, Level<I>{0, 0});
    in_own_pieces(share, t, budget, [&](I k) {
      if (k + 16 < share.last) __builtin_prefetch(S.vertices + M.col_match[S.cols[k + 16]]);
      height[k] = height_of(S, M.col_match[S.cols[k]]);
      if (height[k] < 0) lower(smallest[~height[k]], k);
    });
#pragma omp barrier
    in_own_pieces(share, t, budget, [&](I k) {
      const I b = ~height[k];
      if (b < 0) {
        ++own[height[k]].block;
        ++own[height[k]].place;
      } else if (smallest[b] == k) {
        ++own[S.several[b].height].block;
        own[S.several[b].height].place += S.several[b].size;
      }
    });
#pragma omp barrier
#pragma omp single
    begin_levels(S.highest, size, corner, levels);
    in_own_pieces(share, t, budget, [&](I k) {
      const I b = ~height[k];
      if (b < 0) {
        const I j = S.cols[k];
        const I place = begin_block(own[height[k]], I{1}, corner, form);
        form.row_perm[corner.row + place] = M.col_match[j];
        form.col_perm[corner.col + place] = j;
      } else if (smallest[b] == k) {
        number[b] = own[S.several[b].height].block;
        begin_block(own[S.several[b].height], S.several[b].size, corner, form);
      }
    });
  }
  if (budget.stopped()) throw Unfinished();
}

// Orders the square part, which starts at `corner`. Throws Unfinished if the budget ends the call.
template <class I>
void order_square(const Matching<I>& M, const Square<I>& S, const Corner<I>& corner,
                  const Team& team, Budget& budget, const Form<I>& form) {
  Workspace workspace;
  const auto n_levels = static_cast<std::size_t>(S.highest) + 1;
  const auto threads = static_cast<std::size_t>(std::max(team.threads, 1));
  form.row_blocks[corner.block + S.n_blocks] = corner.row + S.rows.count;
  form.col_blocks[corner.block + S.n_blocks] = corner.col + S.cols.count;
  if (team.is_one(S.cols.count, team.level) ||
      n_levels * threads > static_cast<std::size_t>(S.cols.count)) {
    Level<I>* levels = workspace.take<Level<I>>(n_levels);
    order_alone(M, S, corner, budget, levels, workspace.take<Places<I>>(S.n_several), form);
    return;
  }
  Level<I>* levels = workspace.take<Level<I>>(n_levels * threads);
  I* height = workspace.take<I>(S.cols.count);
  I* smallest = workspace.take<I>(S.n_several);
  I* number = workspace.take<I>(S.n_several);
  order_together(M, S, corner, team, budget, levels, height, smallest, number, form);
  if (S.n_several == 0) return;
  I* next = workspace.take<I>(S.n_blocks);
  const auto block_of_col = [&](I k) { return height[k] < 0 ? number[~height[k]] : I{-1}; };
  const auto block_of_row = [&](I k) {
    const I own = height_of(S, S.rows[k]);
    return own < 0 ? number[~own] : I{-1};
  };
  place_together(S.cols, corner.block, S.n_blocks, block_of_col, team, budget, form.col_blocks,
                 next, form.col_perm);
  place_together(S.rows, corner.block, S.n_blocks, block_of_row, team, budget, form.row_blocks,
                 next, form.row_perm);
}

}  // namespace btfperm
