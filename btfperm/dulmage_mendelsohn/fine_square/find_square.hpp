// SPDX-License-Identifier: BSD-3-Clause
// find square: the order of the searches in the square part
//
// 1. If `may_peel` holds, `peel` removes vertices.
// 2. With few threads or few remaining vertices, `tarjan` finds the components, and `heights` uses
//    the order in which they were found. If `peel` did not run, `is_one_block` first tests whether
//    the whole square part is one block.
// 3. With more threads and vertices, `forward_backward` finds the giant component. Unless few
//    vertices are left, `trim` and `coloring` find further components. `tarjan` finds the others;
//    if more than half of the vertices are still open, it processes all vertices again. At the end,
//    `levels` computes the heights.
// The blocks and heights do not depend on these choices.
#pragma once

#include "dulmage_mendelsohn/fine_square/coloring.hpp"
#include "dulmage_mendelsohn/fine_square/forward_backward.hpp"
#include "dulmage_mendelsohn/fine_square/levels.hpp"
#include "dulmage_mendelsohn/fine_square/one_block.hpp"
#include "dulmage_mendelsohn/fine_square/peel.hpp"
#include "dulmage_mendelsohn/fine_square/tarjan.hpp"
#include "dulmage_mendelsohn/fine_square/trim.hpp"

namespace btfperm {

// The search by one thread, in the `left` vertices with mark 0. `order` (left + 1 elements) is
// workspace. Returns false if the budget ended the search.
template <class I>
bool search_alone(const PatternView<I>& A, Square<I>& S, I* order, I left, Budget& budget) {
  {
    Workspace deep;
    PathFrame<I>* path = deep.take<PathFrame<I>>(left);
    if (!tarjan(A, S.vertices, left, path, order, budget)) return false;
  }
  S.n_several = heights(A, order, left, S.vertices, S.several, budget);
  if (S.n_several < 0) return false;
  for (I k = 0; k < left; ++k) {
    if (order[k] >= 0) continue;
    ++S.n_blocks;
    S.highest = std::max(S.highest, S.vertices[~order[k]].height);
  }
  for (I b = 0; b < S.n_several; ++b) S.highest = std::max(S.highest, S.several[b].height);
  return true;
}

// Finds and names the components of `rows`, which are the vertices that are still open. `order` has
// an element for each of them. Returns false if the budget ended the call.
template <class I>
bool finish_by_tarjan(Components<I>& C, const Members<I>& rows, const Team& team, I* order,
                      Budget& budget) {
  mark_open(C, team, budget);
  Workspace deep;
  PathFrame<I>* path = deep.take<PathFrame<I>>(rows.count);
  if (!tarjan(C.A, C.vertices, rows.count, path, order, budget)) return false;
  I name = unknown<I>;
  for (I k = rows.count; k-- > 0;) {
    if (order[k] < 0) name = ~order[k];
    C.of[order[k] < 0 ? name : order[k]] = name;
  }
  return true;
}

// The search by several threads, in the n_left vertices that the peel left. `counted`: whether the
// peel ran. `order` (n_left + 1 elements) is workspace. Returns false if the budget ended the
// search.
template <class I>
bool search_together(const PatternView<I>& A, const Matching<I>& M, Square<I>& S, const Team& team,
                     bool counted, I* order, I n_left, Budget& budget) {
  Workspace workspace;
  const auto places = static_cast<std::size_t>(n_left) + 1;
  Components<I> C{A, S.vertices, workspace.take<I>(A.m), workspace.take<std::uint8_t>(A.m),
                  unknown<I>};
  I* open = workspace.take<I>(places);
  I* color = workspace.take<I>(A.m);
  I* left = workspace.take<I>(places);
  I* next = workspace.take<I>(places);
  note_open(C, counted, team, budget);
  const Members<I> all{
      left,  // in the order of the columns, so that the lists are consecutive in memory
      select(
          S.cols.count, team.threads, left, [&](I k) { return C.is_open(M.col_match[S.cols[k]]); },
          [&](I k) { return M.col_match[S.cols[k]]; }, budget)};
  if (!forward_backward(C, all, team, order, open, next, budget)) return false;
  I* others = workspace.take<I>(places);
  const Members<I> rest{others, open_ones(C, all, team, others, budget)};
  copy(others, rest.count, open, team.threads, budget);
  I n_open = rest.count;
  if (!team.is_one(n_open, team.left)) {
    Workspace lists;
    std::uint8_t* stale = lists.take<std::uint8_t>(A.m);
    const Successors<I> successors = list_successors(C, rest, team, lists, budget);
    if (successors.indptr == nullptr) return false;
    if (!trim(C, successors, rest, team, order, budget)) return false;
    n_open = open_ones(C, rest, team, open, budget);
    n_open = coloring(C, successors, open, n_open, team, color, stale, order, budget);
    if (budget.stopped()) return false;
    if (n_open > n_left / 2) {  // Many vertices are open if the graph is long and narrow.
      for_each(n_left, team, budget, [&](I k) {
        C.region[left[k]] = 0;
        return std::int64_t{1};
      });
      mark_open(C, team, budget);
      return search_alone(A, S, order, n_left, budget);
    }
  }
  if (n_open > 0 && !finish_by_tarjan<I>(C, {open, n_open}, team, order, budget)) return false;
  Blocks<I> B{S.several, 0, color, next, open};
  if (!levels(C, all, rest, team, order, B, budget)) return false;
  S.n_several = B.count;
  ++S.n_blocks;  // the giant component
  for (I k = 0; k < rest.count; ++k) {
    S.n_blocks += C.of[rest[k]] == rest[k];
    S.highest = std::max(S.highest, S.vertices[rest[k]].height);
  }
  S.highest = std::max(S.highest, S.vertices[C.giant].height);
  for (I b = 0; b < S.n_several; ++b) S.highest = std::max(S.highest, S.several[b].height);
  return true;
}

// Finds the blocks of the square part and their heights; S.rows and S.cols must be set. `order`
// (one element more than rows) is workspace; `kept` owns the arrays of the result. Returns false if
// the budget ended the search.
template <class I>
bool find_square(const PatternView<I>& A, const Matching<I>& M, const Team& team, Square<I>& S,
                 I* order, Workspace& kept, Budget& budget) {
  S.vertices = kept.take<Vertex<I>>(A.m);
  S.several = kept.take<Block<I>>(S.rows.count / 2);
  list_vertices(A, M, S.cols, team.threads, S.vertices, budget);
  const bool counted = may_peel(A, S.cols);
  const I peeled = counted ? peel(A, M, S.rows, S.cols, team, S.vertices, order, budget) : I{0};
  if (peeled < 0) return false;
  if (peeled > 0) S.highest = S.vertices[order[peeled - 1]].height;
  S.n_blocks = peeled;
  const I left = S.rows.count - peeled;
  order += peeled;
  if (left == 0) return true;
  if (!team.is_one(left, team.left) && team.threads >= least_to_share(team.components)) {
    return search_together(A, M, S, team, counted, order, left, budget);
  }
  if (counted) mark_left(A.m, S.vertices, budget);
  if (!counted && is_one_block(A, S.vertices, left, order, budget)) {
    S.n_blocks = 1;
    S.n_several = left > 1;
    if (left > 1) S.several[0] = {left, 0};
    for (I k = 0; k < left; ++k) S.vertices[order[k]].height = left > 1 ? ~I{0} : I{0};
    return true;
  }
  if (budget.stopped()) return false;
  return search_alone(A, S, order, left, budget);
}

}  // namespace btfperm
