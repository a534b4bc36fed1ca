// SPDX-License-Identifier: BSD-3-Clause
// The entries of one rank with values, and passes over them for duals over MPI ranks
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "backends/cpu/pieces.hpp"
#include "weighted/certificate.hpp"

namespace btfperm {

// The columns of a rank. Local row numbers count the rows of the rank first, then its ghosts (rows
// of other ranks). An entry is *inside* if its row and its column are in the same block; other
// entries belong to no maximum matching.
template <class I>
struct OwnedValues {
  std::int64_t n_rows, n_cols, n_local;  // n_local: rows and ghosts
  const std::int64_t* indptr;
  const I* items;
  const double* value;
  const I* row_block;  // n_local
  const I* col_block;  // n_cols; -1: the column takes no part
};

// The differences between the first and the second choice of columns, from which an auction derives
// its first epsilon.
struct Differences {
  double sum = 0;             // of the differences
  std::int64_t positive = 0;  // columns whose difference is not 0, up to rounding
};

// Calls visit(c, p) for each entry p inside, by columns.
template <class I, class Visit>
void each_inside(const OwnedValues<I>& A, Budget& budget, Visit visit) {
  in_pieces(A.n_cols, A.indptr + 1, budget, [&](std::int64_t c) {
    if (A.col_block[c] < 0) return;
    for (std::int64_t p = A.indptr[c]; p < A.indptr[c + 1]; ++p) {
      if (A.row_block[A.items[p]] == A.col_block[c]) visit(c, p);
    }
  });
}

// The largest feasible dual of each column: minus the largest sum of the value and the row dual of
// an entry inside; 0 for columns without an entry inside.
template <class I>
void set_col_duals(const OwnedValues<I>& A, const double* row_dual, double* col_dual,
                   Budget& budget) {
  constexpr double far = std::numeric_limits<double>::infinity();
  std::fill(col_dual, col_dual + A.n_cols, far);
  each_inside(A, budget, [&](std::int64_t c, std::int64_t p) {
    col_dual[c] = std::min(col_dual[c], -A.value[p] - row_dual[A.items[p]]);
  });
  for (std::int64_t c = 0; c < A.n_cols; ++c) col_dual[c] = col_dual[c] == far ? 0 : col_dual[c];
}

// For each local row, the least slack of its entries that are inside and belong to this rank;
// infinity if there is none. The slack is minus the sum of the value and of both duals.
template <class I>
void set_row_slack(const OwnedValues<I>& A, const double* row_dual, const double* col_dual,
                   double* slack, Budget& budget) {
  std::fill(slack, slack + A.n_local, std::numeric_limits<double>::infinity());
  each_inside(A, budget, [&](std::int64_t c, std::int64_t p) {
    double& least = slack[A.items[p]];
    least = std::min(least, -(A.value[p] + row_dual[A.items[p]] + col_dual[c]));
  });
}

// Marks the entries inside that are matched or have a slack of at most `most`. `numbers` holds the
// number of each local row in the whole matrix; col_match has these numbers, too.
template <class I>
void mark_near(const OwnedValues<I>& A, const I* numbers, const I* col_match,
               const double* row_dual, const double* col_dual, double most, bool* near,
               Budget& budget) {
  std::fill(near, near + A.indptr[A.n_cols], false);
  each_inside(A, budget, [&](std::int64_t c, std::int64_t p) {
    const I r = A.items[p];
    near[p] = numbers[r] == col_match[c] || -(A.value[p] + row_dual[r] + col_dual[c]) <= most;
  });
}

// The differences of the columns of this rank; those up to `rounding` count as 0.
template <class I>
Differences differences(const OwnedValues<I>& A, const double* row_dual, double rounding,
                        Budget& budget) {
  constexpr double far = std::numeric_limits<double>::infinity();
  Differences found;
  std::int64_t last = -1;
  double best = -far, second = -far;
  const auto add = [&] {
    if (second == -far || !(best - second > rounding)) return;
    found.sum += best - second;
    ++found.positive;
  };
  each_inside(A, budget, [&](std::int64_t c, std::int64_t p) {
    if (c != last) {
      add();
      last = c;
      best = second = -far;
    }
    const double worth = A.value[p] + row_dual[A.items[p]];
    second = std::max(second, std::min(best, worth));
    best = std::max(best, worth);
  });
  add();
  return found;
}

// Entries between two blocks, as edges of the block graph. The row of an entry is in an earlier
// block than its column; `excess` is the scaled value of the entry.
template <class I>
struct CrossEdges {
  std::vector<I> from, to;  // blocks of the row and of the column
  std::vector<double> excess;
};

// The edges of the entries of this rank. Successive entries between the same two blocks become one
// edge, with the largest excess.
template <class I>
CrossEdges<I> cross_edges(const OwnedValues<I>& A, const double* row_dual, const double* col_dual,
                          Budget& budget) {
  CrossEdges<I> found;
  in_pieces(A.n_cols, A.indptr + 1, budget, [&](std::int64_t c) {
    for (std::int64_t p = A.indptr[c]; p < A.indptr[c + 1]; ++p) {
      const I from = A.row_block[A.items[p]], to = A.col_block[c];
      if (from == to) continue;
      const double excess = A.value[p] + row_dual[A.items[p]] + col_dual[c];
      if (!found.to.empty() && found.to.back() == to && found.from.back() == from) {
        found.excess.back() = std::max(found.excess.back(), excess);
        continue;
      }
      found.from.push_back(from);
      found.to.push_back(to);
      found.excess.push_back(excess);
    }
  });
  return found;
}

// Raises the shift of the end of each edge to at least the shift of its start plus its excess, in
// one pass over the edges. If the edges are sorted by `to`, no second pass is needed, because each
// edge leads to a later block. Returns how often a shift rose.
template <class I>
std::int64_t relax(std::int64_t count, const I* from, const I* to, const double* excess,
                   double* shift, Budget& budget) {
  std::int64_t rose = 0;
  in_pieces(count, budget, [&](std::int64_t k) {
    const double least = shift[from[k]] + excess[k];
    if (!(least > shift[to[k]])) return;
    shift[to[k]] = least;
    ++rose;
  });
  return rose;
}

// The same as `check_duals` for the entries of one rank. `numbers` holds the number of each local
// row in the whole matrix, `col_match` the mates of the columns of the rank.
template <class I>
DualCheck check_owned_duals(std::int64_t n_cols, const std::int64_t* indptr, const I* items,
                            const I* numbers, const double* value, const I* col_match,
                            const double* row_dual, const double* col_dual, Budget& budget) {
  DualCheck found;
  in_pieces(n_cols, indptr + 1, budget, [&](std::int64_t c) {
    for (std::int64_t p = indptr[c]; p < indptr[c + 1]; ++p) {
      found.add(p, value[p], value[p] + row_dual[items[p]] + col_dual[c],
                col_match[c] >= 0 && numbers[items[p]] == col_match[c]);
    }
  });
  return found;
}

}  // namespace btfperm
