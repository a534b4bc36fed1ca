// SPDX-License-Identifier: BSD-3-Clause
// A permuted matrix cut into segments of its diagonal, and the substitution between them
//
// Idea   B = A[row_perm, :][:, col_perm] is block upper triangular. A piece is a run of places:
//        a diagonal block of one row, or a segment that a solver factors. The entries inside the
//        pieces are stored first, with rows counted from the first one of their piece, then those
//        above the pieces. `source` names the entry of A behind each one, so that new values need
//        no new structure.
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
struct Cut {
  I* inside;  // n + 1 boundaries of the columns in `rows`: entries inside the pieces,
  I* above;   // n + 1 boundaries: entries above them
  I* rows;    // nnz places, inside and above
  I* source;
};

// `row_place` is the inverse of the row permutation; `block`, `piece` and `begin` are the numbers
// of the diagonal block and of the piece at each place, and the first place of that piece. Returns
// the number of entries below the diagonal blocks; their places in A are at the end of `source`.
template <class I>
std::int64_t cut(I n, const I* indptr, const I* indices, const I* row_place, const I* col_perm,
                 const I* block, const I* piece, const I* begin, const Cut<I>& out) {
  out.inside[0] = 0;
  out.above[0] = 0;
  for (I place = 0; place < n; ++place) {
    const I j = col_perm[place];
    I inside = 0, above = 0;
    for (I p = indptr[j]; p < indptr[j + 1]; ++p) {
      const I row = row_place[indices[p]];
      if (block[row] > block[place]) continue;
      ++(piece[row] == piece[place] ? inside : above);
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
      if (block[row] > block[place]) {
        out.source[--below] = p;
      } else if (piece[row] == piece[place]) {
        out.rows[inside] = row - begin[place];
        out.source[inside++] = p;
      } else {
        out.rows[above] = row;
        out.source[above++] = p;
      }
    }
  }
  return nnz - below;
}

// Removes the columns begin:end from the right-hand sides above them, or, transposed, the rows
// above from the right-hand sides of these columns. With `single`, the columns are pieces of one
// row, and each is divided by its pivot.
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
