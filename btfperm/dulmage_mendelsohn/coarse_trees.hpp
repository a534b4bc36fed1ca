// SPDX-License-Identifier: BSD-3-Clause
// coarse trees: the vertices that alternating paths reach from the unmatched vertices of one side
//
// Idea        A tree grows from each unmatched vertex of one side (columns or rows), all trees at
//             the same time, breadth first. If an entry connects two trees, they are united. Behind
//             the roots, the queue holds reached vertices of the other side; `grow_alone` replaces
//             each of these by its mate.
// Cost        O(entries of the reached vertices)
// Encodings   tree[v] = number of the tree that contains v; -1: none. Trees are numbered in the
//             order of their roots
// Races       one thread claims each vertex; for the sets of trees see union_find.hpp
#pragma once

#include <atomic>

#include "dulmage_mendelsohn/fine_rectangular/union_find.hpp"
#include "dulmage_mendelsohn/team.hpp"
#include "pattern/pattern.hpp"

namespace btfperm {

// One of the two searches; `lists`, `match` and `tree` belong to the side of its roots.
template <class I>
struct Search {
  PatternView<I> lists;
  const I* match;
  const I* other_match;
  I* tree;  // the tree of each vertex; before the search, -1 for all vertices that it may reach
  I* other_tree;
  I* set;    // an element for each root, see union_find.hpp
  I* queue;  // lists.n + lists.m elements: the roots, then the reached vertices of the other side
};

// Makes each unmatched vertex of this side the root of its own tree; returns their number.
template <class I>
I plant(const Search<I>& s, int threads, Budget& budget) {
  const I roots = select(
      s.lists.n, threads, s.queue, [&](I k) { return s.match[k] < 0; }, [](I k) { return k; },
      budget);
  for (I t = 0; t < roots; ++t) s.tree[s.queue[t]] = s.set[t] = t;
  return roots;
}

// Grows the trees on one thread. Returns false if the search reached an unmatched vertex of the
// other side, or if the budget ended the search.
template <class I>
bool grow_alone(const Search<I>& s, I roots, Budget& budget) {
  constexpr I ahead = 12;  // number of vertices of the queue whose data is prefetched
  const PatternView<I>& lists = s.lists;
  I* queue = s.queue;
  I own_side = roots;  // queue[own_side ... tail - 1] holds vertices of the other side
  I tail = roots;
  for (I head = 0; head < tail; ++head) {
    for (; own_side < tail && own_side < head + ahead; ++own_side) {
      const I k = s.other_match[queue[own_side]];
      if (k < 0) return false;
      s.tree[k] = s.other_tree[queue[own_side]];
      queue[own_side] = k;
      __builtin_prefetch(lists.indptr + k);
    }
    if (own_side + ahead < tail) {
      __builtin_prefetch(s.other_match + queue[own_side + ahead]);
      __builtin_prefetch(s.other_tree + queue[own_side + ahead]);
    }
    if (head + ahead / 2 < own_side) {
      __builtin_prefetch(lists.indices + lists.indptr[queue[head + ahead / 2]]);
    }
    const I k = queue[head];
    I own = find_set(s.set, s.tree[k]);
    const I end = lists.indptr[k + 1];
    for (I p = lists.indptr[k]; p < end; ++p) {
      const I other = lists.indices[p];
      I t = s.other_tree[other];
      const bool fresh = t < 0;  // used without a branch, which the processor could not predict
      t = fresh ? own : t;
      s.other_tree[other] = t;
      queue[tail] = other;
      tail += fresh;
      if (s.set[t] != own) own = unite(s.set, t, own);
    }
    if (!budget.spend(lists.degree(k))) return false;
  }
  return true;
}

// As grow_alone, by several threads, in levels; in the queue, roots are stored as ~k.
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

// Grows the trees from queue[0 ... roots - 1], which are vertices of the side of the roots, each in
// a tree. Returns false as grow_alone does.
template <class I>
bool grow(const Search<I>& s, I roots, const Team& team, Budget& budget) {
  return team.threads > 1 ? grow_together(s, roots, team, budget) : grow_alone(s, roots, budget);
}

}  // namespace btfperm
