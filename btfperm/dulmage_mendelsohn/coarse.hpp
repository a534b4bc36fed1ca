// SPDX-License-Identifier: BSD-3-Clause
// coarse: horizontal | square | vertical
//
// Idea        What an alternating search reaches from the unmatched columns is the horizontal
//             part, what it reaches from the unmatched rows the vertical part, the rest is square.
//             The split does not depend on which maximum matching was found. The same searches
//             leave behind most of the fine blocks of these parts: each vertex knows the tree that
//             reached it, and trees that touch are united on the way. Where many rows are
//             unmatched, columns that meet them are found faster without row lists.
// Paper       A. L. Dulmage, N. S. Mendelsohn, "Coverings of bipartite graphs", Canad. J. Math. 10
//             (1958); algorithm: A. Pothen, C.-J. Fan, ACM TOMS 16 (1990), section 2. Uniting the
//             trees as they grow is ours
// Cost        O(nnz). Workspace: 2 (m + n), and when rows are unmatched the row lists of the
//             columns outside the horizontal part
// Encodings   part bytes, see Part. tree[v] = number of the tree that v is in, its root being the
//             unmatched vertex of that number; -1: none
// Races       a vertex is claimed by one thread; sets of trees as union_find.hpp says
#pragma once

#include <algorithm>
#include <atomic>

#include "dulmage_mendelsohn/fine_rectangular/union_find.hpp"
#include "dulmage_mendelsohn/row_lists.hpp"
#include "dulmage_mendelsohn/team.hpp"
#include "transversal/certificate.hpp"
#include "transversal/interface.hpp"

namespace btfperm {

enum Part : std::uint8_t { square = 0, horizontal = 1, vertical = 2 };

// The coarse parts, and the trees of the horizontal and of the vertical one. Where all is square,
// there are no arrays.
template <class I>
struct Coarse {
  std::uint8_t* row_part;  // m, while the searches run
  std::uint8_t* col_part;  // n
  I* row_tree;             // m
  I* col_tree;             // n
  I* horizontal_set;       // for each unmatched column the set that its tree belongs to
  I* vertical_set;         // for each unmatched row
  I n_horizontal_trees;
  I n_vertical_trees;
  Members<I> rows[3];  // of each part
  Members<I> cols[3];
};

// One of the two searches, seen from the side of its roots: `lists`, `match` and `tree` belong to
// that side.
template <class I>
struct Search {
  PatternView<I> lists;
  const I* match;
  const I* other_match;
  I* tree;  // -1 wherever the search may come
  I* other_tree;
  I* set;         // as many places as there are roots
  I* queue;       // lists.n + lists.m + 1: the roots, then what they reach on the other side
  I* queue_tree;  // as many
};

// The unmatched vertices, each the root of its own tree; returns how many there are.
template <class I>
I plant(const Search<I>& s, int threads, Budget& budget) {
  const I roots = select(
      s.lists.n, threads, s.queue, [&](I k) { return s.match[k] < 0; }, [](I k) { return k; },
      budget);
  for (I t = 0; t < roots; ++t) {
    s.tree[s.queue[t]] = s.queue_tree[t] = s.set[t] = t;
  }
  return roots;
}

// False: an unmatched vertex of the other side was reached, or the budget ended the search.
template <class I>
bool grow_alone(const Search<I>& s, I roots, Budget& budget) {
  constexpr I ahead = 12;  // places of the queue whose vertices are fetched early
  const PatternView<I>& lists = s.lists;
  I* queue = s.queue;
  I own_side = roots;  // from here on the queue holds vertices of the other side
  I tail = roots;
  for (I head = 0; head < tail; ++head) {
    for (; own_side < tail && own_side < head + ahead; ++own_side) {
      const I k = s.other_match[queue[own_side]];
      if (k < 0) return false;
      s.tree[k] = s.queue_tree[own_side];
      queue[own_side] = k;
      __builtin_prefetch(lists.indptr + k);
    }
    if (own_side + ahead < tail) __builtin_prefetch(s.other_match + queue[own_side + ahead]);
    if (head + ahead / 2 < own_side) {
      __builtin_prefetch(lists.indices + lists.indptr[queue[head + ahead / 2]]);
    }
    const I k = queue[head];
    I own = find_set(s.set, s.queue_tree[head]);
    const I end = lists.indptr[k + 1];
    for (I p = lists.indptr[k]; p < end; ++p) {
      const I other = lists.indices[p];
      I t = s.other_tree[other];
      const bool fresh = t < 0;  // no branch: nobody can foresee it
      t = fresh ? own : t;
      s.other_tree[other] = t;
      queue[tail] = other;
      s.queue_tree[tail] = own;
      tail += fresh;
      if (s.set[t] != own) own = unite_alone(s.set, t, own);
    }
    if (!budget.spend(lists.degree(k))) return false;
  }
  return true;
}

// The same by several threads, in levels; in the queue, roots stand as ~k.
template <class I>
bool grow_together(const Search<I>& s, I roots, const Team& team, Budget& budget) {
  const PatternView<I>& lists = s.lists;
  for (I t = 0; t < roots; ++t) s.queue[t] = ~s.queue[t];
  Frontier<I> reached(s.queue);
  reached.assign(roots);
  std::atomic<bool> unmatched{false};
  const auto own_side = [&s](I x) { return x < 0 ? ~x : s.other_match[x]; };
  const auto record = [&](I x) {
    if (x >= 0) __builtin_prefetch(s.other_match + x);
  };
  const auto list = [&](I x) {
    const I k = own_side(x);
    if (k >= 0) __builtin_prefetch(lists.indptr + k);
  };
  const auto targets = [&](I x) {
    const I k = own_side(x);
    if (k >= 0) __builtin_prefetch(lists.indices + lists.indptr[k]);
  };
  const I levels =
      flood(reached, I{0}, team, budget, record, list, targets, [&](I x, auto push, auto) {
        const I k = own_side(x);
        if (k < 0) {
          unmatched.store(true, std::memory_order_relaxed);
          return std::int64_t{1};
        }
        I own = x < 0 ? s.tree[k] : load(s.other_tree[x]);
        s.tree[k] = own;
        own = find_set(s.set, own);
        for (I p = lists.indptr[k]; p < lists.indptr[k + 1]; ++p) {
          const I other = lists.indices[p];
          I t = load(s.other_tree[other]);
          if (t < 0) {
            if (take(s.other_tree[other], own)) {
              push(other);
              continue;
            }
            t = load(s.other_tree[other]);
          }
          if (load(s.set[t]) != own) own = unite(s.set, t, own);
        }
        return static_cast<std::int64_t>(lists.degree(k)) + 1;
      });
  return levels >= 0 && !unmatched.load(std::memory_order_relaxed);
}

// From queue[0 ... roots - 1], vertices of the side of the roots that are in a tree.
template <class I>
bool grow(const Search<I>& s, I roots, const Team& team, Budget& budget) {
  return team.threads > 1 ? grow_together(s, roots, team, budget) : grow_alone(s, roots, budget);
}

// The numbers k with parts[k] == part, ascending; `out` has one place more than there are.
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
  for_parts(count, threads, budget,
            [=](I k) { parts[k] = (parts[k] == square) & (tree[k] >= 0) ? part : Part{parts[k]}; });
}

// Lists the members of each part, one part after the other.
template <class I>
void list_members(I count, const std::uint8_t* parts, int threads, I* list, Members<I>* members,
                  Budget& budget) {
  for (const Part part : {square, horizontal, vertical}) {
    const I found = list_part(count, parts, part, threads, list, budget);
    members[part] = {list, found};
    list += found;
  }
}

// The vertical part from the other end, for where many rows are unmatched: a column that meets a
// row of it is in it. Sweeps over `cols`, `count` of them, while a good share is found or hardly
// anything more can be; what is found goes to `found`, the rest stays. Returns how many stay, 0
// when no column is left to be found, -1: the budget ended it.
template <class I>
I sweep_columns(const PatternView<I>& A, const Matching<I>& M, const Coarse<I>& C, I* cols, I count,
                I* found, I& n_found, Budget& budget) {
  I last = C.n_vertical_trees;  // found by the sweep before
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

// Unites the trees that meet in columns found by sweeps.
template <class I>
bool unite_swept(const PatternView<I>& A, const Coarse<I>& C, const Members<I>& found,
                 Budget& budget) {
  for (I k = 0; k < found.count; ++k) {
    const I j = found[k];
    I own = find_set(C.vertical_set, C.col_tree[j]);
    for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
      const I i = A.indices[p];
      if (C.row_part[i] != vertical) continue;
      const I t = C.row_tree[i];
      if (C.vertical_set[t] != own) own = unite_alone(C.vertical_set, t, own);
    }
    if (!budget.spend(A.degree(j))) return false;
  }
  return true;
}

// The vertical part: along row lists, which need not hold the columns of the horizontal part, nor
// what sweeps have found. False: the matching is not maximum, or the budget ended the search.
template <class I>
bool find_vertical(const PatternView<I>& A, const Matching<I>& M, const Team& team,
                   const Coarse<I>& C, I* queue, I* queue_tree, Budget& budget) {
  Workspace workspace;
  I* cols = workspace.take<I>(static_cast<std::size_t>(A.n) + 1);
  I* found = workspace.take<I>(static_cast<std::size_t>(A.n) + 1);
  I* indptr = workspace.take<I>(static_cast<std::size_t>(A.m) + 2);
  I n_found = 0;
  I n_cols = list_part(A.n, C.col_part, square, team.threads, cols, budget);
  Search<I> search{{A.n, A.m, indptr, nullptr},
                   M.row_match,
                   M.col_match,
                   C.row_tree,
                   C.col_tree,
                   C.vertical_set,
                   queue,
                   queue_tree};
  I roots = plant(search, team.threads, budget);
  for (I t = 0; t < roots; ++t) C.row_part[queue[t]] = vertical;
  constexpr double many = 0.4;  // of these rows
  if (team.threads == 1 && roots > many * (static_cast<double>(n_cols) + roots)) {
    n_cols = sweep_columns(A, M, C, cols, n_cols, found, n_found, budget);
    if (n_cols < 0) return false;
  }
  indptr[0] = 0;
  if (!count_rows(A, Members<I>{cols, n_cols}, team.threads, budget, indptr + 1)) return false;
  roots = select(
      A.m, team.threads, queue, [&](I i) { return C.row_part[i] == vertical && indptr[i + 1] > 0; },
      [](I i) { return i; }, budget);
  if (roots > 0) {
    for (I q = 0; q < roots; ++q) queue_tree[q] = C.row_tree[queue[q]];
    sum_up(indptr + 1, A.m, team.threads);
    I* indices = workspace.take<I>(static_cast<std::size_t>(indptr[A.m + 1]));
    if (!list_rows(A, Members<I>{cols, n_cols}, team.threads, budget, indptr + 1, indices)) {
      return false;
    }
    search.lists.indices = indices;
    if (!grow(search, roots, team, budget)) return false;
  }
  mark_part(A.m, C.row_tree, vertical, C.row_part, team.threads, budget);
  mark_part(A.n, C.col_tree, vertical, C.col_part, team.threads, budget);
  return unite_swept(A, C, Members<I>{found, n_found}, budget);
}

// False: the matching is not maximum, or the budget ended the search. What C points to is taken
// from `kept`.
template <class I>
bool coarse(const PatternView<I>& A, const Matching<I>& M, const Team& team, Coarse<I>& C,
            Workspace& kept, Budget& budget) {
  const int threads = team.threads;
  const I size = static_cast<I>(count_matched(A.n, M.col_match, threads));
  C.n_horizontal_trees = A.n - size;
  C.n_vertical_trees = A.m - size;
  if (size == A.m && size == A.n) {
    C.rows[square] = {nullptr, A.m};
    C.cols[square] = {nullptr, A.n};
    return true;
  }
  C.row_tree = kept.take<I>(A.m);
  C.col_tree = kept.take<I>(A.n);
  C.horizontal_set = kept.take<I>(C.n_horizontal_trees);
  C.vertical_set = kept.take<I>(C.n_vertical_trees);
  I* rows = kept.take<I>(static_cast<std::size_t>(A.m) + 1);
  I* cols = kept.take<I>(static_cast<std::size_t>(A.n) + 1);
  Workspace workspace;
  C.row_part = workspace.take<std::uint8_t>(A.m);
  C.col_part = workspace.take<std::uint8_t>(A.n);
  const std::size_t places = static_cast<std::size_t>(A.m) + static_cast<std::size_t>(A.n) + 1;
  I* queue = workspace.take<I>(places);
  I* queue_tree = workspace.take<I>(places);
  fill(C.row_part, A.m, std::uint8_t{square}, threads, budget);
  fill(C.col_part, A.n, std::uint8_t{square}, threads, budget);
  fill(C.row_tree, A.m, I{-1}, threads, budget);
  fill(C.col_tree, A.n, I{-1}, threads, budget);
  if (C.n_horizontal_trees > 0) {
    const Search<I> search{A,          M.col_match,      M.row_match, C.col_tree,
                           C.row_tree, C.horizontal_set, queue,       queue_tree};
    if (!grow(search, plant(search, threads, budget), team, budget)) return false;
    mark_part(A.m, C.row_tree, horizontal, C.row_part, threads, budget);
    mark_part(A.n, C.col_tree, horizontal, C.col_part, threads, budget);
  }
  if (C.n_vertical_trees > 0 && !find_vertical(A, M, team, C, queue, queue_tree, budget)) {
    return false;
  }
  list_members(A.m, C.row_part, threads, rows, C.rows, budget);
  list_members(A.n, C.col_part, threads, cols, C.cols, budget);
  return true;
}

}  // namespace btfperm
