// SPDX-License-Identifier: BSD-3-Clause
// raster: the number of entries in each cell of a picture of a permuted matrix
//
// Idea        The picture is a grid of cells over a window of the permuted matrix. Its columns of
//             cells are divided among the threads, and each is counted by one thread, so that the
//             counts of a column of cells stay in the cache and no two threads write one word. The
//             cell of each row is computed before, so that an entry costs one lookup.
// Cost        O(rows + entries in the columns of the window), one pass over the entries. Workspace:
//             two bytes for each row of the matrix
// Encodings   row_perm, col_perm: the original row or column at each place; null: its own number.
//             counts[x * height + y] belongs to column x and row y of the picture
#pragma once

#include <cstdint>
#include <limits>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/parallel.hpp"
#include "backends/cpu/prefetch.hpp"
#include "backends/cpu/shared_loop.hpp"
#include "backends/cpu/workspace.hpp"
#include "pattern/pattern.hpp"

namespace btfperm {

// Places first ... last - 1 of the permuted matrix, drawn in `cells` rows or columns of cells,
// 1 <= cells <= last - first.
template <class I>
struct Axis {
  const I* perm;
  I first;
  I last;
  I cells;

  I original(I place) const { return perm == nullptr ? place : perm[place]; }
  I size() const { return last - first; }

  // The cell of a place, which is counted from `first`.
  I cell(I place) const {
    return static_cast<I>(static_cast<std::int64_t>(place) * cells / size());
  }

  // The first place of a cell, counted from `first`: the least one with cell(place) == c.
  I begin(I c) const {
    return static_cast<I>((static_cast<std::int64_t>(c) * size() + cells - 1) / cells);
  }
};

constexpr std::uint16_t outside = std::numeric_limits<std::uint16_t>::max();

// Prefetches the boundaries and the entries of columns that come next in a list of `left` columns.
template <class I>
void prefetch_column(const PatternView<I>& A, const I* list, I left) {
  constexpr I boundaries = 32;  // columns ahead
  constexpr I entries = 16;
  if (left > boundaries) prefetch(A.indptr + list[boundaries]);
  if (left > entries) prefetch(A.indices + A.indptr[list[entries]]);
}

struct CountsNothing {
  void add(const CountsNothing&) {}
};

// Fills counts (cols.cells * rows.cells); at most 65,534 rows of cells. Throws Unfinished if the
// budget ends the call.
template <class I>
void raster(const PatternView<I>& A, const Axis<I>& rows, const Axis<I>& cols, int threads,
            std::int64_t* counts, Workspace& workspace, Budget& budget) {
  std::uint16_t* const cell_of_row = workspace.take<std::uint16_t>(A.m);
  if (rows.size() < A.m) fill(cell_of_row, A.m, outside, threads, budget);
  for_parts(rows.size(), threads, budget, [&](I place) {
    cell_of_row[rows.original(rows.first + place)] = static_cast<std::uint16_t>(rows.cell(place));
  });
  const auto count_column_of_cells = [&](I x, auto& own) {
    std::int64_t* const column = counts + static_cast<std::int64_t>(x) * rows.cells;
    std::fill(column, column + rows.cells, std::int64_t{0});
    for (I place = cols.begin(x), end = cols.begin(x + 1); place < end; ++place) {
      if (cols.perm != nullptr) prefetch_column(A, cols.perm + cols.first + place, end - place);
      const I j = cols.original(cols.first + place);
      for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
        const std::uint16_t y = cell_of_row[A.indices[p]];
        if (y != outside) ++column[y];
      }
      if (!own.spend(A.degree(j) + 1)) return;
    }
  };
  CountsNothing nothing;
  if (threads > 1) {
    shared_loop(cols.cells, I{1}, threads, budget, nothing, count_column_of_cells);
  } else {
    Alone<CountsNothing> own{budget, nothing};
    for (I x = 0; x < cols.cells && !budget.stopped(); ++x) count_column_of_cells(x, own);
  }
  if (budget.stopped()) throw Unfinished();
}

}  // namespace btfperm
