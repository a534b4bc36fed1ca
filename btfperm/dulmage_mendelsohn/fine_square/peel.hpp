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
// list
//             (a pair that completes a singular matrix is no entry). Rows outside the square part
//             stay far below
// Invariants  a vertex that is left has the height that its peeled successors ask for
// Races       several threads count down by atomic subtraction, the one that leaves 1 behind
//             appends; heights of one level are the same, whoever writes them
#pragma once

#include "dulmage_mendelsohn/fine_square/vertex.hpp"

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
  if (threads > 1) {
    return for_each_entry(A, cols, threads, budget, [vertices, match](I i, I j) {
      if (i == match[j]) return;
      std::atomic_ref<I>(vertices[i].mark).fetch_add(1, std::memory_order_relaxed);
    });
  }
  return for_each_entry(A, cols, 1, budget,
                        [vertices, match](I i, I j) { vertices[i].mark += i != match[j]; });
}

// From order[next] on; order[... tail - 1] are known to be ready.
template <class I>
I peel_alone(const PatternView<I>& A, Vertex<I>* vertices, I* order, I next, I tail,
             Budget& budget) {
  for (I head = next; head < tail; ++head) {
    if (head + 12 < tail) __builtin_prefetch(vertices + order[head + 12]);
    if (head + 8 < tail) __builtin_prefetch(A.indices + vertices[order[head + 8]].begin);
    if (head + 4 < tail) {
      const Vertex<I>& soon = vertices[order[head + 4]];
      const I fetch = std::min<I>(soon.end, soon.begin + 8);
      for (I p = soon.begin; p < fetch; ++p) __builtin_prefetch(vertices + A.indices[p]);
    }
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

// The same by several threads, in levels; stops where these get so narrow that one thread is
// faster. Returns how many are peeled; `next` is the first of them whose predecessors are not
// counted down yet.
template <class I>
I peel_together(const PatternView<I>& A, Vertex<I>* vertices, I* order, I ready, int threads,
                Budget& budget, I& next) {
  const I share_from = least_to_share<I>(1024);
  Frontier<I> peeled(order);
  peeled.assign(ready);
  I begin = 0;
  I end = ready;
  for (; end - begin >= share_from; begin = end, end = peeled.size()) {
#pragma omp parallel num_threads(threads)
    {
      typename Frontier<I>::Private mine(peeled);
      const std::int64_t team = omp_get_num_threads();
      const bool spends = omp_get_thread_num() == 0;
#pragma omp for schedule(dynamic, 128)
      for (I q = begin; q < end; ++q) {
        if (q + 8 < end) __builtin_prefetch(vertices + order[q + 8]);
        if (q + 4 < end) __builtin_prefetch(A.indices + vertices[order[q + 4]].begin);
        Vertex<I>& v = vertices[order[q]];
        const I height = v.height;
        for (I p = v.begin; p < v.end; ++p) {
          Vertex<I>& u = vertices[A.indices[p]];
          store(u.height, height + 1);
          if (std::atomic_ref<I>(u.mark).fetch_sub(1, std::memory_order_relaxed) == 1) {
            mine.push(A.indices[p]);
          }
        }
        v.height = height;
        if (spends) budget.spend((v.end - v.begin) * team);
      }
    }
    if (budget.stopped()) break;
  }
  next = begin;
  return end;
}

// Puts into `order` (one place more than there are vertices) what can be peeled, by rising height;
// what is left has mark 0 afterwards, all others `finished`. Returns how many are peeled, -1: the
// budget ended it.
template <class I>
I peel(const PatternView<I>& A, const Matching<I>& M, const Members<I>& rows,
       const Members<I>& cols, int threads, Vertex<I>* vertices, I* order, Budget& budget) {
  if (!count_successors(A, M, cols, threads, vertices, budget)) return -1;
  I tail = select(
      rows.count, threads, order, [&](I k) { return vertices[rows[k]].mark == 0; },
      [&](I k) { return rows[k]; });
  I next = 0;
  if (threads > 1) tail = peel_together(A, vertices, order, tail, threads, budget, next);
  tail = peel_alone(A, vertices, order, next, tail, budget);
  if (tail >= 0 && tail < rows.count) {
    for (I i = 0; i < A.m; ++i) vertices[i].mark = vertices[i].mark > 0 ? I{0} : finished<I>;
  }
  return tail;
}

}  // namespace btfperm
