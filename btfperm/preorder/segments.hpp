// SPDX-License-Identifier: BSD-3-Clause
// A permuted matrix cut into segments of its diagonal, and the substitution between them
//
// Idea   B = A[row_perm, :][:, col_perm] is block upper triangular. A segment is a block of at
//        least `large` rows, a run of at least `large` blocks of one row, or a run of other blocks
//        between such segments. In a run of blocks of one row, no block needs factors: each block
//        is a piece. Any other segment is one piece. The entries inside the pieces are stored
//        first, with rows counted from the first row of their piece; the entries above the pieces
//        follow. `source` holds the position in A of each entry, so that new values need no new
//        structure.
// Cost   O(n + nnz log(longest column)) to cut, O(entries of the columns) to substitute
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "backends/cpu/budget.hpp"
#include "preorder/columns.hpp"

namespace btfperm {

template <class I>
struct Segment {
  I begin;
  I end;
  bool single;  // all its blocks have one row
};

// There are at most 4 n / large + 1 segments.
template <class I>
std::vector<Segment<I>> segments_of(const I* blocks, I n_blocks, I large) {
  std::vector<Segment<I>> segments;
  const auto add = [&](I first, I last) {  // the segment of the blocks first ... last - 1
    if (first == last) return;
    segments.push_back({blocks[first], blocks[last], blocks[last] - blocks[first] == last - first});
  };
  const auto is_single = [&](I b) { return blocks[b + 1] - blocks[b] == 1; };
  I first = 0;  // of the blocks that belong to no segment yet
  for (I b = 0; b < n_blocks;) {
    I next = b + 1;
    bool alone = blocks[next] - blocks[b] >= large;
    if (!alone && is_single(b)) {
      while (next < n_blocks && is_single(next)) ++next;
      alone = next - b >= large;
    }
    if (alone) {
      add(first, b);
      add(b, next);
      first = next;
    }
    b = next;
  }
  add(first, n_blocks);
  return segments;
}

template <class I>
struct Cut {
  I* inside;  // n + 1 boundaries of the columns in `rows`, for the entries inside the pieces
  I* above;   // n + 1 boundaries of the columns in `rows`, for the entries above the pieces
  I* rows;    // nnz rows: of the entries inside the pieces, then of the entries above them
  I* source;  // nnz positions in A
};

// Returns the number of entries below the diagonal blocks; their places in A are at the end of
// `source`.
template <class I>
std::int64_t cut(I n, const I* indptr, const I* indices, const I* row_perm, const I* col_perm,
                 const I* blocks, I n_blocks, const std::vector<Segment<I>>& segments,
                 const Cut<I>& out) {
  struct Place {
    I block;
    I begin;  // of the piece
  };
  std::vector<Place> places(static_cast<std::size_t>(n));
  std::vector<I> row_place(static_cast<std::size_t>(n));
  for (I b = 0; b < n_blocks; ++b) {
    for (I place = blocks[b]; place < blocks[b + 1]; ++place) places[place].block = b;
  }
  for (const Segment<I>& segment : segments) {
    for (I place = segment.begin; place < segment.end; ++place) {
      places[place].begin = segment.single ? place : segment.begin;
      row_place[row_perm[place]] = place;
    }
  }
  out.inside[0] = 0;
  out.above[0] = 0;
  for (I place = 0; place < n; ++place) {
    const I j = col_perm[place];
    I inside = 0, above = 0;
    for (I p = indptr[j]; p < indptr[j + 1]; ++p) {
      const I row = row_place[indices[p]];
      if (places[row].block > places[place].block) continue;
      ++(row >= places[place].begin ? inside : above);
    }
    out.inside[place + 1] = out.inside[place] + inside;
    out.above[place + 1] = out.above[place] + above;
  }
  for (I place = 0; place <= n; ++place) out.above[place] += out.inside[n];
  const I nnz = indptr[n];
  I below = nnz;
  std::vector<std::pair<I, I>> column;  // (row, place in A)
  for (I place = 0; place < n; ++place) {
    const I j = col_perm[place];
    column.clear();
    for (I p = indptr[j]; p < indptr[j + 1]; ++p) column.emplace_back(row_place[indices[p]], p);
    std::sort(column.begin(), column.end());
    I inside = out.inside[place], above = out.above[place];
    for (const auto& [row, p] : column) {
      if (places[row].block > places[place].block) {
        out.source[--below] = p;
      } else if (row >= places[place].begin) {
        out.rows[inside] = row - places[place].begin;
        out.source[inside++] = p;
      } else {
        out.rows[above] = row;
        out.source[above++] = p;
      }
    }
  }
  return nnz - below;
}

// Substitutes with the entries above the pieces in the columns begin:end. Multiplies these entries
// by the solution x[begin:end] and subtracts the products from x in the rows of the entries. If
// `transposed`, multiplies them by the solution in their rows and subtracts the products from
// x[begin:end]. With `single`, the columns are pieces of one row, and x[j] is divided by the pivot
// of column j.
template <class I, class T>
void substitute(const Columns<I, T>& above, const I* inside, I begin, I end, bool single,
                bool transposed, std::int64_t k, T* x, Budget& budget) {
  const auto pivot = [&](I j) { return above.values[inside[j]]; };
  for (std::int64_t c = 0; c < k && budget.spend(above.nnz()); ++c, x += above.n) {
    for (I step = 0; step < end - begin; ++step) {
      const I j = transposed ? begin + step : end - 1 - step;
      T value = x[j];
      if (transposed) {
        for (I p = above.indptr[j]; p < above.indptr[j + 1]; ++p) {
          value -= above.values[p] * x[above.indices[p]];
        }
      }
      if (single) value /= pivot(j);
      x[j] = value;
      if (!transposed && value != T{}) {
        for (I p = above.indptr[j]; p < above.indptr[j + 1]; ++p) {
          x[above.indices[p]] -= above.values[p] * value;
        }
      }
    }
  }
}

}  // namespace btfperm
