// SPDX-License-Identifier: BSD-3-Clause
// coarse: horizontal | square | vertical
//
// Idea        The rows and columns (vertices) that an alternating search reaches from the unmatched
//             columns are the horizontal part. Those that it reaches from the unmatched rows are
//             the vertical part, and the others the square part. The parts are the same for each
//             maximum matching. The searches also prepare the fine blocks of the horizontal and
//             vertical parts: each vertex stores the number of the tree that reached it, and if an
//             entry connects two trees, these are united. If many rows are unmatched, one thread
//             first finds columns of the vertical part by sweeps, which need no row lists. If few
//             rows are unmatched, several threads do so: a small vertical part is then complete
//             after a few sweeps.
// Paper       A. L. Dulmage, N. S. Mendelsohn, "Coverings of bipartite graphs", Canad. J. Math. 10
//             (1958); algorithm: A. Pothen, C.-J. Fan, ACM TOMS 16 (1990), section 2. Uniting the
//             trees as they grow is ours
// Cost        O(m + n + nnz), at most O(nnz) for each sweep. Workspace: 2 (m + n) numbers, m + n
//             bytes; if rows are unmatched, also lists of columns, and row lists without matched
//             entries
// Encodings   part bytes, see Part; trees as in coarse_trees.hpp
#pragma once

#include <algorithm>

#include "dulmage_mendelsohn/coarse_trees.hpp"
#include "dulmage_mendelsohn/fine_rectangular/union_find.hpp"
#include "dulmage_mendelsohn/row_lists.hpp"
#include "dulmage_mendelsohn/team.hpp"
#include "transversal/certificate.hpp"
#include "transversal/interface.hpp"

namespace btfperm {

enum Part : std::uint8_t { square = 0, horizontal = 1, vertical = 2 };

// The data of the coarse parts that only the searches need, with the lengths of the arrays.
template <class I>
struct CoarseSearch {
  std::uint8_t* row_part;  // m
  std::uint8_t* col_part;  // n
  I* row_tree;             // m
  I* col_tree;             // n
  I* queue;                // m + n
};

// The coarse parts, and the trees of the horizontal and of the vertical part. If all rows and
// columns are square, there are no arrays.
template <class I>
struct Coarse {
  Workspace of_square;
  Workspace of_others;
  // For each tree (there is one for each unmatched column): a tree of the same component, the tree
  // itself at the root of a set (union_find.hpp).
  I* horizontal_set;
  I* vertical_set;  // the same for the trees of the unmatched rows
  I n_horizontal_trees;
  I n_vertical_trees;
  // By part: its rows and columns, and for each of them the tree that contains it. Rows and columns
  // of the square part are in no tree.
  Members<I> rows[3];
  Members<I> cols[3];
  I* row_tree[3];
  I* col_tree[3];
};

// Writes the numbers k with parts[k] == part to `out`, ascending; returns how many there are. `out`
// must have one element more.
template <class I>
I list_part(I count, const std::uint8_t* parts, Part part, int threads, I* out, Budget& budget) {
  if (threads > 1) {
    return select(
        count, threads, out, [=](I k) { return parts[k] == part; }, [](I k) { return k; }, budget);
  }
  I found = 0;
  in_pieces(count, budget, [&](I k) {
    out[found] = k;
    found += parts[k] == part;
  });
  return found;
}

// Gives `part` to the square vertices of one side that are in a tree.
template <class I>
void mark_part(I count, const I* tree, Part part, std::uint8_t* parts, int threads,
               Budget& budget) {
  for_parts(count, threads, budget, [=](I k) {
    parts[k] = ((parts[k] == square) & (tree[k] >= 0)) ? part : Part{parts[k]};
  });
}

// Lists the members of a part, and their trees if there are any.
template <class I>
Members<I> list_members(I count, const std::uint8_t* parts, Part part, const I* tree, I** trees,
                        int threads, Workspace& workspace, Budget& budget) {
  const auto size = std::count(parts, parts + count, std::uint8_t{part});
  I* const list = workspace.take<I>(static_cast<std::size_t>(size) + 1);
  const Members<I> members{list, list_part(count, parts, part, threads, list, budget)};
  if (part != square) {
    I* const own = *trees = workspace.take<I>(members.count);
    for_parts(members.count, threads, budget, [=](I k) { own[k] = tree[members[k]]; });
  }
  return members;
}

// Finds columns of the vertical part without row lists, for matrices with many unmatched rows: a
// column with an entry in a vertical row is vertical, and so is its mate. A sweep tests the `count`
// columns of `cols` and moves those that it finds to `found`. Another sweep follows if the last one
// found over a quarter of its columns (there are many more to find), or fewer than an eighth as
// many as the sweep before it (nearly all are found); `roots` counts as the sweep before the first
// one. Returns the number of columns that may still be vertical; -1 if the budget is exhausted.
template <class I>
I sweep_columns(const PatternView<I>& A, const Matching<I>& M, const CoarseSearch<I>& C, I roots,
                I* cols, I count, I* found, I& n_found, Budget& budget) {
  I last = roots;  // number of columns that the preceding sweep found
  for (bool worth_it = true; worth_it;) {
    const I before = count;
    count = 0;
    for (I k = 0; k < before; ++k) {
      const I j = cols[k];
      I p = A.indptr[j];
      const I begin = p;
      while (p < A.indptr[j + 1] && C.row_part[A.indices[p]] != vertical) ++p;
      if (!budget.spend(p - begin + 1)) return -1;
      cols[count] = found[n_found] = j;
      if (p == A.indptr[j + 1]) {
        ++count;
        continue;
      }
      ++n_found;
      const I i = M.col_match[j];
      C.col_tree[j] = C.row_tree[i] = C.row_tree[A.indices[p]];
      C.row_part[i] = vertical;
    }
    const I now = before - count;
    if (now == 0) return 0;
    worth_it = now > before / 4 || now < last / 8;
    last = now;
  }
  return count;
}

// As sweep_columns, but by several threads, for a vertical part that may be small. Appends the
// columns that it finds to `found`. Returns true if the last sweep found none, so that the vertical
// part is complete. Returns false after three sweeps, or if there are more than `most` such
// columns.
template <class I>
bool sweep_together(const PatternView<I>& A, const Matching<I>& M, const CoarseSearch<I>& C,
                    int threads, I most, I* found, I& n_found, Budget& budget) {
  Frontier<I> queue(found);
  for (int sweep = 0; sweep < 3 && n_found <= most; ++sweep) {
    queue.collect(A.n, threads, budget, [&](I j, auto& mine) {
      if (C.col_tree[j] >= 0) return 0;
      for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
        if (C.row_part[A.indices[p]] != vertical) continue;
        mine.push(j);
        break;
      }
      return 0;
    });
    const I before = n_found;
    n_found = queue.size();
    if (n_found == before) return true;
    for (I k = before; k < n_found; ++k) {
      const I j = found[k];
      I p = A.indptr[j];
      while (C.row_part[A.indices[p]] != vertical) ++p;
      C.col_tree[j] = C.row_tree[M.col_match[j]] = C.row_tree[A.indices[p]];
    }
    for (I k = before; k < n_found; ++k) C.row_part[M.col_match[found[k]]] = vertical;
  }
  return false;
}

// Unites the trees of vertical rows that have an entry in the same column, for the columns that
// sweeps have found.
template <class I>
bool unite_swept(const PatternView<I>& A, const CoarseSearch<I>& C, I* set, const Members<I>& found,
                 Budget& budget) {
  for (I k = 0; k < found.count; ++k) {
    const I j = found[k];
    I own = find_set(set, C.col_tree[j]);
    for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
      const I i = A.indices[p];
      if (C.row_part[i] != vertical) continue;
      const I t = C.row_tree[i];
      if (set[t] != own) own = unite(set, t, own);
    }
    if (!budget.spend(A.degree(j))) return false;
  }
  return true;
}

// Finds the vertical part by a search along row lists, unless sweeps find all of it. The lists need
// not contain the columns of the horizontal part, nor those that sweeps on one thread have found.
// Returns false if the matching is not maximum, or if the budget ended the search.
template <class I>
bool find_vertical(const PatternView<I>& A, const Matching<I>& M, const Team& team,
                   const CoarseSearch<I>& C, I* set, Budget& budget) {
  Workspace workspace;
  I* indptr = workspace.take<I>(static_cast<std::size_t>(A.m) + 2);
  Search<I> search{
      {A.n, A.m, indptr, nullptr}, M.row_match, M.col_match, C.row_tree, C.col_tree, set, C.queue};
  I roots = plant(search, team.threads, budget);
  for (I t = 0; t < roots; ++t) C.row_part[C.queue[t]] = vertical;
  const I n_square = static_cast<I>(std::count(C.col_part, C.col_part + A.n, square));
  // On one thread, sweeps run if the unmatched rows are more than this share of the rows outside of
  // the horizontal part; on several, if they are at most a thousandth as many as the columns.
  constexpr double many = 0.4;
  const I few = A.n / least_to_share(I{1000});
  const bool sweep = team.threads == 1 && roots > many * (static_cast<double>(n_square) + roots);
  // All columns can be used, because horizontal columns have no entry in vertical rows.
  Members<I> cols{nullptr, A.n};
  I* found = nullptr;
  I n_found = 0;
  bool is_complete = false;
  if (team.threads > 1 && roots <= few) {
    found = workspace.take<I>(static_cast<std::size_t>(A.n) + 1);
    is_complete = sweep_together(A, M, C, team.threads, few, found, n_found, budget);
  }
  if (!is_complete && (sweep || n_square < A.n - A.n / 8)) {
    I* list = workspace.take<I>(static_cast<std::size_t>(A.n) + 1);
    cols = {list, list_part(A.n, C.col_part, square, team.threads, list, budget)};
    if (sweep) {
      found = workspace.take<I>(static_cast<std::size_t>(A.n) + 1);
      cols.count = sweep_columns(A, M, C, roots, list, cols.count, found, n_found, budget);
      if (cols.count < 0) return false;
    }
  }
  if (!is_complete) {
    indptr[0] = 0;
    if (!count_rows(A, M, cols, team.threads, budget, indptr + 1)) return false;
    roots = select(
        A.m, team.threads, C.queue,
        [&](I i) { return C.row_part[i] == vertical && indptr[i + 1] > 0; }, [](I i) { return i; },
        budget);
  }
  if (!is_complete && roots > 0) {
    sum_up(indptr + 1, A.m, team.threads);
    I* indices = workspace.take<I>(static_cast<std::size_t>(indptr[A.m + 1]));
    if (!list_rows(A, M, cols, team.threads, budget, indptr + 1, indices)) return false;
    search.lists.indices = indices;
    if (!grow(search, roots, team, budget)) return false;
  }
  mark_part(A.m, C.row_tree, vertical, C.row_part, team.threads, budget);
  mark_part(A.n, C.col_tree, vertical, C.col_part, team.threads, budget);
  return unite_swept(A, C, set, Members<I>{found, n_found}, budget);
}

// Finds the coarse parts. Returns false if the matching is not maximum, or if the budget ended the
// search.
template <class I>
bool coarse(const PatternView<I>& A, const Matching<I>& M, const Team& team, Coarse<I>& C,
            Budget& budget) {
  const int threads = team.threads;
  const I size = static_cast<I>(count_matched(A.n, M.col_match, threads));
  C.n_horizontal_trees = A.n - size;
  C.n_vertical_trees = A.m - size;
  if (size == A.m && size == A.n) {
    C.rows[square] = {nullptr, A.m};
    C.cols[square] = {nullptr, A.n};
    return true;
  }
  Workspace& of_others = C.of_others;
  C.horizontal_set = of_others.take<I>(C.n_horizontal_trees);
  C.vertical_set = of_others.take<I>(C.n_vertical_trees);
  Workspace workspace;
  const std::size_t both = static_cast<std::size_t>(A.m) + static_cast<std::size_t>(A.n);
  std::uint8_t* const parts = workspace.take<std::uint8_t>(both);
  const CoarseSearch<I> S{parts, parts + A.m, workspace.take<I>(A.m), workspace.take<I>(A.n),
                          workspace.take<I>(both)};
  fill(S.row_part, A.m, std::uint8_t{square}, threads, budget);
  fill(S.col_part, A.n, std::uint8_t{square}, threads, budget);
  fill(S.row_tree, A.m, I{-1}, threads, budget);
  fill(S.col_tree, A.n, I{-1}, threads, budget);
  if (C.n_horizontal_trees > 0) {
    const Search<I> search{A,          M.col_match,      M.row_match, S.col_tree,
                           S.row_tree, C.horizontal_set, S.queue};
    if (!grow(search, plant(search, threads, budget), team, budget)) return false;
    mark_part(A.m, S.row_tree, horizontal, S.row_part, threads, budget);
    mark_part(A.n, S.col_tree, horizontal, S.col_part, threads, budget);
  }
  if (C.n_vertical_trees > 0 && !find_vertical(A, M, team, S, C.vertical_set, budget)) {
    return false;
  }
  for (const Part part : {square, horizontal, vertical}) {
    Workspace& own = part == square ? C.of_square : of_others;
    C.rows[part] =
        list_members(A.m, S.row_part, part, S.row_tree, C.row_tree + part, threads, own, budget);
    C.cols[part] =
        list_members(A.n, S.col_part, part, S.col_tree, C.col_tree + part, threads, own, budget);
  }
  return true;
}

}  // namespace btfperm
