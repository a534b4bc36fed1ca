// SPDX-License-Identifier: BSD-3-Clause
// peel: the square blocks of one row and column that have nothing but such blocks behind them
//
// Idea        A vertex without successor is a block by itself. Without it, its predecessors may be
//             so, too. Taken from a queue, vertices come by rising height: each one's height is one
//             more than that of the successor that was taken last.
// Paper       A. B. Kahn, "Topological sorting of large networks", Commun. ACM 5 (1962)
// Cost        O(entries): one random access each to count, one to count down. No search: what is
//             wanted next stands in the queue and is fetched early
// Prefer it   where there are sinks; what lies on cycles or before them is left for the search for
//             components
// Encodings   mark = successors left, but for itself: 0 = ready, later -1 where it is in its own
//             list (a pair that completes a singular matrix is no entry). Rows outside the square
//             part stay far below
// Invariants  a vertex that is left has the height that its peeled successors ask for
// Races       several threads count down by atomic subtraction, the one that comes to 0
//             appends; heights of one level are the same, whoever writes them
#pragma once

#include "dulmage_mendelsohn/fine_square/vertex.hpp"
#include "dulmage_mendelsohn/team.hpp"

namespace btfperm {

// Whether there may be sinks, as far as can be seen without counting: a part without cycles has a
// source, too, which is a column with one entry.
template <class I>
bool may_peel(const PatternView<I>& A, const Members<I>& cols) {
  if (cols.list != nullptr) return true;  // a source may have entries in horizontal rows
  I sources = 0;
  for (I j = 0; j < A.n; ++j) sources += A.degree(j) <= 1;
  return sources > 0;
}

template <class I>
bool count_successors(const PatternView<I>& A, const Matching<I>& M, const Members<I>& cols,
                      int threads, Vertex<I>* vertices, Budget& budget) {
  const I* match = M.col_match;
  const auto fetch = [vertices](I i) { __builtin_prefetch(vertices + i, 1); };
  if (threads > 1) {
    return for_each_entry(A, cols, threads, budget, fetch, [vertices, match](I i, I j) {
      if (i == match[j]) return;
      increment(vertices[i].mark);
    });
  }
  return for_each_entry(A, cols, 1, budget, fetch,
                        [vertices, match](I i, I j) { vertices[i].mark += i != match[j]; });
}

template <class I>
I peel_alone(const PatternView<I>& A, Vertex<I>* vertices, I* order, I ready, Budget& budget) {
  I tail = ready;
  for (I head = 0; head < tail; ++head) {
    if (head + 12 < tail) __builtin_prefetch(vertices + order[head + 12]);
    if (head + 8 < tail) __builtin_prefetch(A.indices + vertices[order[head + 8]].begin);
    if (head + 4 < tail) fetch_targets(A, vertices[order[head + 4]], vertices);
    Vertex<I>& v = vertices[order[head]];
    const I height = v.height;
    for (I p = v.begin; p < v.end; ++p) {
      Vertex<I>& u = vertices[A.indices[p]];
      u.height = height + 1;
      order[tail] = A.indices[p];
      tail += --u.mark == 0;
    }
    v.height = height;  // it is in its own list
    if (!budget.spend(v.end - v.begin)) return -1;
  }
  return tail;
}

// The same by several threads, in levels.
template <class I>
I peel_together(const PatternView<I>& A, Vertex<I>* vertices, I* order, I ready, const Team& team,
                Budget& budget) {
  Frontier<I> peeled(order);
  peeled.assign(ready);
  const auto record = [&](I v) { __builtin_prefetch(vertices + v); };
  const auto list = [&](I v) { __builtin_prefetch(A.indices + vertices[v].begin); };
  const auto targets = [&](I v) { fetch_targets(A, vertices[v], vertices); };
  const I levels =
      flood(peeled, I{0}, team, budget, record, list, targets, [&](I row, auto push, auto shared) {
        Vertex<I>& v = vertices[row];
        const I height = v.height;
        for (I p = v.begin; p < v.end; ++p) {
          Vertex<I>& u = vertices[A.indices[p]];
          store(u.height, height + 1);
          if (count_down(u.mark, shared)) push(A.indices[p]);
        }
        store(v.height, height);  // it is in its own list
        return static_cast<std::int64_t>(v.end - v.begin);
      });
  return levels < 0 ? I{-1} : peeled.size();
}

// Puts into `order` (one place more than there are vertices) what can be peeled, by rising height.
// What is left keeps its mark, which is not 0. Returns how many are peeled, -1: the budget ended
// it.
template <class I>
I peel(const PatternView<I>& A, const Matching<I>& M, const Members<I>& rows,
       const Members<I>& cols, const Team& team, Vertex<I>* vertices, I* order, Budget& budget) {
  if (!count_successors(A, M, cols, team.threads, vertices, budget)) return -1;
  const I ready = select(
      rows.count, team.threads, order, [&](I k) { return vertices[rows[k]].mark == 0; },
      [&](I k) { return rows[k]; }, budget);
  return team.threads > 1 ? peel_together(A, vertices, order, ready, team, budget)
                          : peel_alone(A, vertices, order, ready, budget);
}

// Marks for tarjan: 0 what is left, `finished` everything else.
template <class I>
void mark_left(I m, Vertex<I>* vertices, Budget& budget) {
  in_pieces(m, budget, [=](I i) { vertices[i].mark = vertices[i].mark > 0 ? I{0} : finished<I>; });
}

}  // namespace btfperm
