// SPDX-License-Identifier: BSD-3-Clause
// coloring: many small strongly connected components at once, by several threads
//
// Idea        The color of a vertex is the largest number of a vertex that reaches it. A vertex
//             whose color is its own number is the root of this color; the vertices of this color
//             that reach the root through vertices of this color are its component. The components
//             of all roots are removed, and the other vertices are colored again.
// Paper       S. M. Orzan, "On distributed verification and verified distribution", thesis, VU
//             Amsterdam (2004); after forward-backward as in Slota, Rajamanickam, Madduri, IPDPS
//             2014. Ours: a vertex with color c also takes the color of vertex c if that is larger
//             (pointer jumping), because each vertex that reaches c also reaches this vertex
// Cost        A sweep costs O(vertices), and the entries of the marked vertices, see Races: fast if
//             paths are short, very slow if they are long. tarjan continues after 100 sweeps in all
//             rounds, if a round removes less than an eighth of the vertices, or if few remain
// Encodings   color[v] >= v
// Races       only the thread that processes a vertex writes its color, and colors only rise. Other
//             threads may read an older color. So a thread that raises the color of a vertex then
//             marks its successors (`stale`), which are processed again. The thread that clears a
//             mark must read the new colors of all threads that set it, otherwise a successor keeps
//             a color that is too small. So a mark is set by a releasing exchange after the color
//             is stored, and cleared by an acquiring exchange before the colors are read. If two
//             threads set a mark by plain stores, the second store would hide the first one, and
//             the thread that clears the mark might not read the color of the first thread
#pragma once

#include <atomic>

#include "dulmage_mendelsohn/fine_square/components.hpp"

namespace btfperm {

// Sets the color of each vertex of `left` to the largest number of a vertex that reaches it inside
// its region. `sweeps` is the number of sweeps that are still allowed. Returns false if they did
// not suffice, or if the budget ended the call. `stale` (m elements) marks vertices whose
// predecessors must be read again; all elements are 0 before the call and, if it returns true,
// after the call.
template <class I>
bool color_reachable(const Components<I>& C, const Successors<I>& successors,
                     const Members<I>& left, const Team& team, I* color, std::uint8_t* stale,
                     int& sweeps, Budget& budget) {
  const auto begin = [&](I k) {
    color[left[k]] = left[k];
    stale[left[k]] = 1;
    return std::int64_t{1};
  };
  if (!for_each(left.count, team, budget, begin)) return false;
  std::atomic<bool> changed{true};
  while (changed.load(std::memory_order_relaxed)) {
    if (sweeps-- == 0) return false;
    changed.store(false, std::memory_order_relaxed);
    const auto visit = [&](I k) -> std::int64_t {
      const I v = left[k];
      if (load(stale[v]) == 0) return 1;
      std::atomic_ref<std::uint8_t>(stale[v]).exchange(0, std::memory_order_acquire);
      const I own = load(color[v]);
      I most = own;
      const std::uint8_t region = C.region[v];
      const auto entries = C.for_each_predecessor(v, [&](I u) {
        if (C.region[u] == region) most = std::max(most, load(color[u]));
      });
      most = std::max(most, load(color[most]));
      if (most == own) return entries;
      store(color[v], most);
      return entries + successors.for_each(v, [&](I w) {
        if (C.region[w] != region || load(color[w]) >= most) return;
        std::atomic_ref<std::uint8_t>(stale[w]).exchange(1, std::memory_order_release);
        changed.store(true, std::memory_order_relaxed);
      });
    };
    if (!for_each(left.count, team, budget, visit)) return false;
  }
  return true;
}

// Finds components until fewer than team.left vertices are open, a round finds the components of
// less than an eighth of them, or the sweeps are exhausted. `left` holds the n_left open vertices
// before the call, and those that are still open after it; their number is returned. `queue`
// (n_left elements), `color` and `stale` (m elements each) are workspace.
template <class I>
I coloring(const Components<I>& C, const Successors<I>& successors, I* left, I n_left,
           const Team& team, I* color, std::uint8_t* stale, I* queue, Budget& budget) {
  int sweeps = 100;
  fill(stale, C.A.m, std::uint8_t{0}, team.threads, budget);
  while (!team.is_one(n_left, team.left)) {
    const Members<I> open{left, n_left};
    if (!color_reachable(C, successors, open, team, color, stale, sweeps, budget)) return n_left;
    Frontier<I> reached(queue);
    reached.assign(select(
        n_left, team.threads, queue, [&](I k) { return color[left[k]] == left[k]; },
        [&](I k) { return left[k]; }, budget));
    for_each(reached.size(), team, budget, [&](I q) {
      C.close(reached[q], reached[q]);
      return std::int64_t{1};
    });
    const I levels = flood(
        reached, I{0}, team, budget, [&](I v) { C.fetch_record(v); }, [&](I v) { C.fetch_list(v); },
        [&](I v) { fetch_targets(C.A, C.vertices[v], color); },
        [&](I v, auto push, auto) {
          return C.for_each_predecessor(v, [&](I u) {
            if (C.is_open(u) && color[u] == color[v] && take(C.of[u], color[v])) {
              C.close(u, color[v]);
              push(u);
            }
          });
        });
    if (levels < 0) return n_left;
    const I before = n_left;
    n_left = open_ones(C, open, team, queue, budget);
    copy(queue, n_left, left, team.threads, budget);
    if (n_left > before - before / 8) return n_left;
  }
  return n_left;
}

}  // namespace btfperm
