// SPDX-License-Identifier: BSD-3-Clause
// raster: the number of entries in each cell of a picture of a permuted matrix
//
// Idea        The picture is a grid of cells over a window of the permuted matrix. The entries are
//             visited as they are stored, so that memory is read in order, whatever the
//             permutations. The cell of each row and column is computed before. If the rows are not
//             permuted, a small table replaces that of the rows: it has one to two elements for
//             each row of cells, and fits in a cache. Each thread has its own counts. These have
//             eight bits, so that they fit in the caches. Whenever one overflows, the thread adds
//             256 to the common count. Rows outside the window are counted in an additional row of
//             cells that is no part of the picture, because this costs less than a branch.
// Cost        O(rows + columns + entries in the columns of the window + cells * threads). Memory:
//             at most two bytes for each row and column, one for each cell and thread
// Encodings   row_perm, col_perm: the original row or column at each place; null for the identity.
//             counts[x * height + y] belongs to column x and row y of the picture
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/parallel.hpp"
#include "backends/cpu/prefetch.hpp"
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

// The cell of each of the `count` rows or columns of the matrix; `elsewhere` for those outside the
// window.
template <class I>
std::uint16_t* cells_of(const Axis<I>& axis, I count, std::uint16_t elsewhere, int threads,
                        Workspace& workspace, Budget& budget) {
  std::uint16_t* const cell = workspace.take<std::uint16_t>(count);
  if (axis.size() < count) fill(cell, count, elsewhere, threads, budget);
  for_parts(axis.size(), threads, budget, [&](I place) {
    cell[axis.original(axis.first + place)] = static_cast<std::uint16_t>(axis.cell(place));
  });
  return cell;
}

// The cell of a row if rows are not permuted. The places are divided into runs of 2^shift. A run
// has at most as many places as a cell, so its places belong to at most two cells.
template <class I>
class CellsInOrder {
 public:
  CellsInOrder(const Axis<I>& axis, Workspace& workspace)
      : first_(axis.first), size_(axis.size()), elsewhere_(axis.cells) {
    while ((I{2} << shift_) <= size_ / axis.cells) ++shift_;
    const I runs = ((size_ - 1) >> shift_) + 1;
    cell_ = workspace.take<I>(runs);
    next_ = workspace.take<I>(runs);
    for (I r = 0; r < runs; ++r) {
      cell_[r] = axis.cell(r << shift_);
      next_[r] = axis.begin(cell_[r] + 1);
    }
  }

  void prefetch(const PatternView<I>&, I) const {}

  I operator()(I i) const {
    const I place = i - first_;
    if (place < 0 || place >= size_) return elsewhere_;
    const I r = place >> shift_;
    return cell_[r] + (place >= next_[r]);
  }

 private:
  I first_;
  I size_;
  I elsewhere_;
  int shift_ = 0;
  I* cell_;  // the cell of the first place of each run
  I* next_;  // the first place of the next cell
};

// The cell of a row if rows are permuted.
template <class I>
struct PermutedCells {
  const std::uint16_t* cell;

  void prefetch(const PatternView<I>& A, I p) const {
    constexpr I ahead = 48;
    if (A.nnz() - p > ahead) btfperm::prefetch(cell + A.indices[p + ahead]);
  }

  I operator()(I i) const { return cell[i]; }
};

// Counts the entries of columns `begin` ... `end` - 1, in chunks that threads take. `rows(i)` is
// the cell of row i, or `height` if the row is outside the window. `cell_of_col[j]` is the cell of
// column j, or `outside`.
template <class I, class Rows>
void count_cells(const PatternView<I>& A, I begin, I end, const Rows& rows,
                 const std::uint16_t* cell_of_col, I width, I height, int threads,
                 std::int64_t* counts, Budget& budget) {
  constexpr std::int64_t entries = 1 << 16;  // entries of a chunk, on average
  const I chunk = static_cast<I>(std::clamp<std::int64_t>(
      entries * A.n / std::max<std::int64_t>(A.nnz(), 1), 1, std::int64_t{1} << 12));
  const I n_chunks = (end - begin + chunk - 1) / chunk;
  const std::int64_t stride = std::int64_t{height} + 1;
  const std::size_t n_cells = static_cast<std::size_t>(width * stride);
  Workspace workspace;
  std::uint8_t* const all = workspace.take<std::uint8_t>(n_cells * threads);
  std::fill(all, all + n_cells * threads, std::uint8_t{0});
  std::atomic<std::int64_t> drawn{0};
  const auto add = [&](std::int64_t x, std::int64_t y, std::int64_t number) {
    if (y < height)
      std::atomic_ref(counts[x * height + y]).fetch_add(number, std::memory_order_relaxed);
  };
  on_team(threads, threads > 1, [&](int t, int) {
    std::uint8_t* const own = all + n_cells * t;
    while (!budget.stopped()) {
      const std::int64_t k = drawn.fetch_add(1, std::memory_order_relaxed);
      if (k >= n_chunks) break;
      const I first = static_cast<I>(begin + k * chunk),
              last = first + std::min(chunk, end - first);
      for (I j = first; j < last; ++j) {
        const std::uint16_t x = cell_of_col[j];
        if (x == outside) continue;
        std::uint8_t* const column = own + x * stride;
        for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
          rows.prefetch(A, p);
          const I y = rows(A.indices[p]);
          if (++column[y] == 0) add(x, y, 256);
        }
      }
      if (t == 0) budget.poll();
    }
    for (I x = 0; x < width; ++x) {
      for (I y = 0; y < height; ++y) add(x, y, own[x * stride + y]);
    }
  });
  if (budget.stopped()) throw Unfinished();
}

// Fills counts (cols.cells * rows.cells); at most 65,534 rows and columns of cells. Throws
// Unfinished if the budget ends the call.
template <class I>
void raster(const PatternView<I>& A, const Axis<I>& rows, const Axis<I>& cols, int threads,
            std::int64_t* counts, Workspace& workspace, Budget& budget) {
  std::fill(counts, counts + std::int64_t{cols.cells} * rows.cells, std::int64_t{0});
  const bool in_order = cols.perm == nullptr;
  const std::uint16_t* const col_cell = cells_of(cols, A.n, outside, threads, workspace, budget);
  const I begin = in_order ? cols.first : I{0}, end = in_order ? cols.last : A.n;
  const auto count = [&](const auto& of_rows) {
    count_cells(A, begin, end, of_rows, col_cell, cols.cells, rows.cells, threads, counts, budget);
  };
  if (rows.perm == nullptr) {
    count(CellsInOrder<I>(rows, workspace));
  } else {
    const auto elsewhere = static_cast<std::uint16_t>(rows.cells);
    const std::uint16_t* const cell = cells_of(rows, A.m, elsewhere, threads, workspace, budget);
    count(PermutedCells<I>{cell});
  }
}

}  // namespace btfperm
