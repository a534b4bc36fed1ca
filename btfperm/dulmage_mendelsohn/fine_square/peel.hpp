// SPDX-License-Identifier: BSD-3-Clause
// peel: square blocks of one row and column whose successors are all such blocks
//
// Idea        A vertex without successors is a block by itself. After its removal, some of its
//             predecessors may have no successors left. The queue holds vertices by ascending
//             height: the height of a vertex is one more than the height of the successor that was
//             removed last.
// Paper       A. B. Kahn, "Topological sorting of large networks", Commun. ACM 5 (1962)
// Cost        O(entries): for each entry one random access to count the successors, and one to
//             count them down. The queue gives the next vertices, so their data is prefetched
// Prefer it   if there are sinks; vertices on cycles, or before cycles, remain for the search for
//             components
// Encodings   mark = number of remaining successors other than the vertex itself. A vertex with
//             mark 0 is ready for removal. Its removal sets its mark to -1 if it is in its own
//             list, as it is if its column has an entry in its row. (In a singular matrix, columns
//             and rows are also paired without an entry.) Rows outside the square part have marks
//             far below 0
// Invariants  the height of a vertex that remains is above the heights of its peeled successors
// Races       several threads count down by atomic subtraction, and the thread that reaches 0
//             appends; all threads write the same heights in a level
#pragma once

#include "dulmage_mendelsohn/fine_square/vertex.hpp"
#include "dulmage_mendelsohn/team.hpp"

namespace btfperm {

// Whether the passes of `peel` are likely to pay off. Returns false if the whole matrix is the
// square part and each column has at least two entries: each vertex then has a predecessor, so the
// graph has a cycle. It may have sinks nevertheless; `tarjan` finds their blocks, too.
template <class I>
bool may_peel(const PatternView<I>& A, const Members<I>& cols) {
  // If the square part is not the whole matrix, its columns may also have entries in horizontal
  // rows, so the number of entries does not show whether a vertex has a predecessor.
  if (cols.list != nullptr) return true;
  I sources = 0;
  for (I j = 0; j < A.n; ++j) sources += A.degree(j) <= 1;
  return sources > 0;
}

// Counts in `mark` the successors of each vertex. Returns false if the budget ended the call.
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

// Peels by one thread. order[0 ... ready - 1] holds the vertices without successors. Returns the
// number of peeled vertices, which `order` then holds; -1 if the budget ended the call.
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
    v.height = height;  // the loop changed it if v is in its own list
    if (!budget.spend(v.end - v.begin)) return -1;
  }
  return tail;
}

// As peel_alone, but by several threads, in levels.
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
        store(v.height, height);  // the loop changed it if v is in its own list
        return static_cast<std::int64_t>(v.end - v.begin);
      });
  return levels < 0 ? I{-1} : peeled.size();
}

// Writes the vertices that can be peeled to `order` (one element more than vertices), by ascending
// height. The marks of the others are above 0. Returns the number of peeled vertices; -1 if the
// budget ended the call.
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

// Sets the marks for tarjan: 0 for vertices that remain, `finished` for all others.
template <class I>
void mark_left(I m, Vertex<I>* vertices, Budget& budget) {
  in_pieces(m, budget, [=](I i) { vertices[i].mark = vertices[i].mark > 0 ? I{0} : finished<I>; });
}

}  // namespace btfperm
