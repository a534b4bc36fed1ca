// SPDX-License-Identifier: BSD-3-Clause
// gpa: the global path algorithm
//
// Idea        Sort the edges by decreasing weight. Collect them in a graph G2, whose components
//             are paths and cycles of even length: an edge is added unless one of its ends already
//             has two edges in G2, or the edge would close a cycle of odd length. Dynamic
//             programming then finds a matching of maximum weight in each path and cycle.
// Paper       J. Maue, P. Sanders, "Engineering algorithms for approximate weighted matching", WEA
//             2007, section 3; the algorithm GPA in M. Birn et al., Euro-Par 2013, section 3.
//             Changed: a radix sort. As published, the matching need not be maximal. Ours: with
//             extend=1, the remaining edges are then matched by decreasing weight
// Cost        O(n + m): at most 6 passes sort the m edges. Workspace: 2 m edges, 5 n indices, 9 n
//             bytes
// Prefer it   if a large weight matters and one thread is fast enough: its matching is usually the
//             heaviest in this folder
// Matrices    As an initializer of a matrix (weighted/bipartite_graph.hpp), all weights are 1. So
//             nothing is sorted, and each path and each cycle gets a maximum matching
// Options     extend (0): 1 makes the matching maximal
// Encodings   if v is an end of a path, other_end[v] is the other end, and length[v] the number of
//             edges of the path; a vertex without edges in G2 is a path of length 0 that ends at v
//             itself. link[2 v] and link[2 v + 1] are the edges of v in G2, as places in E; -1:
//             there is none
// Invariants  G2 consists of paths and even cycles; each edge before the current one is in G2, or
//             has an end with two edges in G2 at least as heavy, or joins the ends of a path whose
//             edges are all at least as heavy
// Proof       dual[v] is half the weight of the edges of v in G2. By the invariants, dual[u] +
//             dual[v] >= weight for each edge {u, v}. The sum of all duals is the weight of G2, and
//             the matching has at least half of it, so at least half of the weight of any other one
#pragma once

#include <cstdint>

#include "weighted/graph/greedy.hpp"

namespace btfperm {

template <class I, class Weights>
class GlobalPaths {
 public:
  GlobalPaths(const GraphView<I, Weights>& G, GraphMatching<I> M, Workspace& workspace,
              Budget& budget, GraphCounters& counters)
      : G_(G), M_(M), budget_(budget), counters_(counters) {
    const I n = G.n();
    other_end_ = workspace.take<I>(n);
    length_ = workspace.take<I>(n);
    link_ = workspace.take<I>(2 * static_cast<std::size_t>(n));
    path_ = workspace.take<I>(n);
    best_ = workspace.take<double>(static_cast<std::size_t>(n) + 2);
    done_ = workspace.take<std::uint8_t>(n);
    const auto [E, edges] = sorted_edges(G, workspace, budget, counters);
    E_ = E;
    edges_ = edges;
  }

  void run(bool extend) {
    counters_.rounds = 1;
    grow_paths();
    for (I v = 0; v < G_.n(); ++v) {  // paths, each from one of its ends
      if (!done_[v] && degree(v) == 1) match_component(v);
    }
    for (I v = 0; v < G_.n(); ++v) {  // cycles
      if (!done_[v] && degree(v) == 2) match_component(v);
    }
    if (!extend) return;
    counters_.rounds = 2;
    match_in_order(E_, edges_, M_, counters_.rounds, budget_, counters_);
  }

 private:
  void grow_paths() {
    for (I v = 0; v < G_.n(); ++v) {
      other_end_[v] = v;
      length_[v] = 0;
      link(v, 0) = link(v, 1) = -1;
      done_[v] = 0;
    }
    in_pieces(edges_, budget_, [&](I e) {
      if (is_applicable(E_[e])) add(e);
    });
    spend(edges_, budget_, counters_);
  }

  I& link(I v, int k) const { return link_[2 * static_cast<std::size_t>(v) + k]; }

  // Number of edges of v in G2.
  int degree(I v) const { return (link(v, 0) >= 0) + (link(v, 1) >= 0); }

  bool is_applicable(const Edge<I>& e) const {
    if (degree(e.u) == 2 || degree(e.v) == 2) return false;
    return other_end_[e.u] != e.v || length_[e.u] % 2 == 1;
  }

  void add(I e) {
    const auto [weight, u, v] = E_[e];
    for (const I x : {u, v}) {
      link(x, degree(x)) = e;
      M_.dual[x] += weight / 2;
    }
    if (other_end_[u] == v) return;  // the path is now a cycle
    const I a = other_end_[u], b = other_end_[v];
    other_end_[a] = b;
    other_end_[b] = a;
    length_[a] = length_[b] = length_[u] + length_[v] + 1;
  }

  // Matches edges of the path that ends at v, or of the cycle through v.
  void match_component(I v) {
    const bool is_cycle = degree(v) == 2;
    I size = 0;
    for (I x = v, last = -1;;) {
      done_[x] = 1;
      const I e = link(x, 0) != last ? link(x, 0) : link(x, 1);
      if (e < 0) break;
      path_[size++] = e;
      x = E_[e].u == x ? E_[e].v : E_[e].u;
      last = e;
      if (x == v) break;
    }
    if (is_cycle) {  // the best matching with its first edge, or the best one without
      const double without = best_of(path_ + 1, size - 1);
      const double with = E_[path_[0]].weight + best_of(path_ + 2, size - 3);
      if (with >= without) {
        match_edge(path_[0]);
        match_best(path_ + 2, size - 3);
        return spend(2 * size, budget_, counters_);
      }
      best_of(path_ + 1, size - 1);
      match_best(path_ + 1, size - 1);
    } else {
      best_of(path_, size);
      match_best(path_, size);
    }
    spend(2 * size, budget_, counters_);
  }

  // best[k + 1]: the largest weight of a matching of the first k edges of the path; best[0] = 0.
  double best_of(const I* path, I size) {
    best_[0] = best_[1] = 0;
    for (I k = 0; k < size; ++k) {
      best_[k + 2] = std::max(best_[k + 1], best_[k] + E_[path[k]].weight);
    }
    return best_[size + 1];
  }

  // Matches the edges that best_of chose.
  void match_best(const I* path, I size) {
    for (I k = size - 1; k >= 0;) {
      if (best_[k] + E_[path[k]].weight >= best_[k + 1]) {
        match_edge(path[k]);
        k -= 2;
      } else {
        --k;
      }
    }
  }

  void match_edge(I e) { M_.match(E_[e].u, E_[e].v, counters_.rounds); }

  const GraphView<I, Weights>& G_;
  GraphMatching<I> M_;
  Budget& budget_;
  GraphCounters& counters_;
  const Edge<I>* E_ = nullptr;  // by decreasing weight
  I edges_ = 0;
  I* other_end_;
  I* length_;
  I* link_;
  I* path_;       // the edges of a component, in order
  double* best_;  // see best_of
  std::uint8_t* done_;
};

template <class I, class Weights = const double*>
void gpa(const GraphView<I, Weights>& G, GraphMatching<I> M, const Options& options,
         Workspace& workspace, Budget& budget, GraphCounters& counters) {
  GlobalPaths<I, Weights>(G, M, workspace, budget, counters).run(options.get("extend") != 0);
}

}  // namespace btfperm
