// SPDX-License-Identifier: BSD-3-Clause
// forward-backward: the giant strongly connected component, by several threads
//
// Idea        The pivot is a vertex with many neighbours. A backward search finds the vertices that
//             reach it. Every other component is entirely inside or entirely outside this set. The
//             component of the pivot consists of those vertices of the set that the pivot reaches.
//             The pivot reaches a vertex if it reaches a predecessor of the vertex. The backward
//             search tests this for each vertex that it visits: in a nearly symmetric pattern, most
//             vertices have such a predecessor (as in one_block.hpp). Sweeps then test the others
//             again, in the order of the backward search, so that the column lists suffice. If the
//             backward search had many levels and found few of these vertices, or if the sweeps
//             take too long, the successors are listed and searched in levels; one thread processes
//             narrow levels.
// Paper       L. K. Fleischer, B. Hendrickson, A. Pinar, "On identifying strongly connected
//             components in parallel", IPDPS 2000 Workshops; one pivot only, as in G. M. Slota, S.
//             Rajamanickam, K. Madduri, "BFS and coloring-based parallel algorithms for strongly
//             connected components and related problems", IPDPS 2014 (Multistep); checks of the
//             predecessors: S. Beamer, K. Asanovic, D. Patterson, "Direction-optimizing
//             breadth-first search", SC 2012
// Cost        O(entries) without sweeps; at most this cost for each sweep
// Prefer it   with several threads if large components are expected; coloring continues
// Encodings   region: see components.hpp
// Races       in the searches by levels, fetch_or on the region lets only one thread claim a
//             vertex. A thread that visits a vertex may then store both bits: the others set no
//             other bit. In a sweep, only one thread writes the region of a vertex; other threads
//             may see the change only in the next sweep
#pragma once

#include "dulmage_mendelsohn/fine_square/components.hpp"

namespace btfperm {

// The vertex of `left` with the largest list, or, if peel ran, with the largest product of the
// length of its list and its number of open successors.
template <class I>
I choose_pivot(const Components<I>& C, const Members<I>& left, const Team& team) {
  I pivot = unknown<I>;
  std::int64_t most = -1;
#pragma omp parallel num_threads(team.threads)
  {
    I own_pivot = unknown<I>;
    std::int64_t own_most = -1;
#pragma omp for schedule(static) nowait
    for (I k = 0; k < left.count; ++k) {
      const Vertex<I>& v = C.vertices[left[k]];
      const std::int64_t ways = (std::int64_t{v.end} - v.begin) * std::max<I>(v.mark, 1);
      if (ways > own_most) {
        own_most = ways;
        own_pivot = left[k];
      }
    }
#pragma omp critical
    if (own_most > most) {
      most = own_most;
      pivot = own_pivot;
    }
  }
  return pivot;
}

// Sets a bit in the region of v. Returns true if v is open and this thread set the bit; of several
// threads, true is returned to one.
template <class I>
bool claim_region(const Components<I>& C, I v, std::uint8_t bit) {
  std::uint8_t& word = C.region[v];
  if ((load(word) & (bit | closed)) != 0) return false;
  return (std::atomic_ref<std::uint8_t>(word).fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
}

// Sweeps over waiting[0 ... count - 1], vertices that reach the pivot, until a sweep reaches none
// of them. Returns false if the sweeps would test more than `most` vertices in all, or if the
// budget ended the call. `waiting` and `next` (count elements each) are overwritten.
template <class I>
bool sweep_forward(const Components<I>& C, I count, const Team& team, I* waiting, I* next,
                   std::int64_t most, Budget& budget) {
  while (count > 0 && count <= most) {
    most -= count;
    const auto visit = [&](I k) {
      const I v = waiting[k];
      const I* p = C.A.indices + C.vertices[v].begin;
      const I* end = C.A.indices + C.vertices[v].end;
      const I* begin = p;
      if (k + 8 < count) C.fetch_record(waiting[k + 8]);
      if (k + 4 < count) C.fetch_list(waiting[k + 4]);
      while (p < end && (load(C.region[*p]) & forward) == 0) ++p;
      if (p < end) store(C.region[v], static_cast<std::uint8_t>(backward | forward));
      return std::int64_t{p - begin} + 1;
    };
    if (!for_each(count, team, budget, visit)) return false;
    const I left = select(
        count, team.threads, next, [&](I k) { return (C.region[waiting[k]] & forward) == 0; },
        [&](I k) { return waiting[k]; }, budget);
    if (left == count) return true;
    count = left;
    std::swap(waiting, next);
  }
  return count == 0;
}

// As sweep_forward, but in levels from the pivot, where `back` holds the vertices that reach the
// pivot. The search starts anew: the bits `forward` that sweeps have set are cleared.
template <class I>
bool search_forward(const Components<I>& C, I pivot, const Members<I>& back, const Team& team,
                    I* queue, Budget& budget) {
  Workspace lists;
  const Successors<I> successors = list_successors(C, back, team, lists, budget);
  if (successors.indptr == nullptr) return false;
  const auto restart = [&](I k) {
    store(C.region[back[k]], back[k] == pivot ? std::uint8_t{backward | forward} : backward);
    return std::int64_t{1};
  };
  if (!for_each(back.count, team, budget, restart)) return false;
  Frontier<I> reached(queue);
  queue[0] = pivot;
  reached.assign(1);
  return flood(
             reached, I{0}, team, budget, [&](I v) { successors.fetch_record(v); },
             [&](I v) { successors.fetch_list(v); },
             [&](I v) { successors.fetch_targets(v, C.region); },
             [&](I v, auto push, auto) {
               return successors.for_each(v, [&](I w) {
                 if (claim_region(C, w, forward)) push(w);
               });
             }) >= 0;
}

// Finds the component of a pivot, which C.giant then names, and the regions of the other vertices.
// `queue`, `waiting` and `next` are workspace of one element more than `left`. Returns false if the
// budget ended the call.
template <class I>
bool forward_backward(Components<I>& C, const Members<I>& left, const Team& team, I* queue,
                      I* waiting, I* next, Budget& budget) {
  constexpr I shallow = 40;  // after fewer levels, sweeps are worth more passes
  constexpr int most_sweeps = 64;
  const I pivot = choose_pivot(C, left, team);
  C.giant = pivot;
  Frontier<I> reached(queue);
  queue[0] = pivot;
  reached.assign(1);
  C.region[pivot] = backward | forward;
  const I levels = flood(
      reached, I{0}, team, budget, [&](I v) { C.fetch_record(v); }, [&](I v) { C.fetch_list(v); },
      [&](I v) { fetch_targets(C.A, C.vertices[v], C.region); },
      [&](I v, auto push, auto) {
        std::uint8_t seen = 0;
        const std::int64_t entries = C.for_each_predecessor(v, [&](I u) {
          seen |= load(C.region[u]);
          if (claim_region(C, u, backward)) push(u);
        });
        if ((seen & forward) != 0)
          store(C.region[v], static_cast<std::uint8_t>(backward | forward));
        return entries;
      });
  if (levels < 0) return false;
  const Members<I> back{queue, reached.size()};
  const I count = select(
      back.count, team.threads, waiting, [&](I k) { return C.region[back[k]] == backward; },
      [&](I k) { return back[k]; }, budget);
  const std::int64_t most = levels <= shallow        ? std::int64_t{most_sweeps} * count
                            : count < back.count / 2 ? std::int64_t{back.count}
                                                     : 0;
  if (!sweep_forward(C, count, team, waiting, next, most, budget)) {
    if (budget.stopped() || !search_forward(C, pivot, back, team, waiting, budget)) return false;
  }
  return for_each(back.count, team, budget, [&](I k) {
    if ((C.region[back[k]] & forward) != 0) C.close(back[k], pivot);
    return std::int64_t{1};
  });
}

}  // namespace btfperm
