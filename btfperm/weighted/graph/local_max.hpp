// SPDX-License-Identifier: BSD-3-Clause
// local-max: match edges of locally largest weight
//
// Idea        In each round, match every edge that is heavier than all edges with which it shares
//             an end, and remove the edges of matched vertices. Rounds repeat until no edge is
//             left. Edges of equal weight are compared by random numbers.
// Paper       M. Birn, V. Osipov, P. Sanders, C. Schulz, N. Sitchinava, "Efficient parallel and
//             external matching", Euro-Par 2013. Section 2, sequential model, on one thread; C as
//             there. Section 2.1, CREW steps, on several threads: local_max_crew.hpp. The random
//             numbers are renewed in every round, as lemma 1 needs it; ties=fixed draws them once.
//             Changed: after `limit` times m edges were visited, the remaining edges are sorted
//             and matched by decreasing weight, which gives the same matching as rounds in which
//             the random numbers stay fixed from there on. Lemma 1 is about equal weights; on a
//             path of increasing weights the rounds alone would take O(m^2). The first round visits
//             the columns of the matrix, which saves a list of all edges, and finds the heaviest
//             edge of a vertex without a random access for each edge
// Cost        O(n + m) expected if the weights are equal or random: a round removes at least half
//             of the edges on average; also O(n + limit m) if limit > 0. Workspace: m edges, twice
//             that if the last ones are sorted, n candidates, n indices
// Prefer it   nearly always: nearly the weight of greedy in less time, and on several threads
// Options     ties (renewed): renewed or fixed; model (auto): sequential, crew, or auto: crew on
//             several threads; limit (8): see above, 0: rounds only
// Encodings   C[v] = the heaviest edge of v in this round: its weight, its random number, and its
//             place in the list of edges; place -1: none
// Invariants  at the start of a round, the list holds the edges between unmatched vertices, in the
//             order of the matrix, and C[v] is empty for each of their ends. The matching is the
//             same for every number of threads and for both models
#pragma once

#include <cstdint>

#include "weighted/graph/local_max_crew.hpp"

namespace btfperm {

// The edges between unmatched vertices at the start, and the limit on the visits.
template <class I>
struct LocalMaxStart {
  Edge<I>* E;
  I size;
  double most;         // visits of edges after which the rest is sorted; 0: never
  double visited = 0;  // visits in the rounds before
};

template <class I>
class SequentialLocalMax {
 public:
  SequentialLocalMax(I n, LocalMaxStart<I> start, GraphMatching<I> M, EdgeOrder order,
                     Workspace& workspace, Budget& budget, GraphCounters& counters)
      : n_(n),
        M_(M),
        order_(order),
        most_(start.most),
        visited_(start.visited),
        workspace_(workspace),
        budget_(budget),
        counters_(counters),
        E_(start.E),
        size_(start.size),
        C_(workspace.take<Candidate>(n)) {}

  void run() {
    in_pieces(n_, budget_, [&](I v) { C_[v] = Candidate{}; });
    while (size_ > 0) {
      order_.start_round(++counters_.rounds);
      if (most_ > 0 && visited_ >= most_) {
        Edge<I>* const other = workspace_.take<Edge<I>>(size_);
        return finish_sorted(E_, size_, other, order_, M_, budget_, counters_);
      }
      visited_ += static_cast<double>(size_);
      spend(size_, budget_, counters_);
      choose();
      match_local_maxima();
      remove_edges();
    }
  }

 private:
  struct Candidate {
    double weight = 0;
    std::uint32_t tie = 0;
    I place = -1;
  };

  // First pass: the heaviest edge of each vertex.
  void choose() {
    in_pieces(size_, budget_, [&](I e) {
      const Edge<I> edge = E_[e];
      Candidate &at_u = C_[edge.u], &at_v = C_[edge.v];
      if (edge.weight < at_u.weight && edge.weight < at_v.weight) return;
      const std::uint32_t tie = order_.tie(edge);
      for (Candidate* c : {&at_u, &at_v}) {
        if (edge.weight > c->weight || (edge.weight == c->weight && tie > c->tie)) {
          *c = {edge.weight, tie, e};
        }
      }
    });
  }

  // Second pass: an edge that is the heaviest of both ends is matched.
  void match_local_maxima() {
    in_pieces(size_, budget_, [&](I e) {
      const auto [weight, u, v] = E_[e];
      if (C_[u].place == e && C_[v].place == e) M_.match(u, v, counters_.rounds);
    });
  }

  // Third pass: edges of matched vertices are removed, and C is reset for the others.
  void remove_edges() {
    I left = 0;
    in_pieces(size_, budget_, [&](I e) {
      const Edge<I> edge = E_[e];
      if (!M_.is_unmatched(edge.u) || !M_.is_unmatched(edge.v)) return;
      C_[edge.u] = C_[edge.v] = Candidate{};
      E_[left++] = edge;
    });
    size_ = left;
  }

  I n_;
  GraphMatching<I> M_;
  EdgeOrder order_;
  double most_;
  double visited_;
  Workspace& workspace_;
  Budget& budget_;
  GraphCounters& counters_;
  Edge<I>* E_;
  I size_;  // of E
  Candidate* C_;
};

// The neighbour of v at its heaviest edge, -1: none. Of equal edges, the one to the first neighbour
// comes first in the list of edges.
template <class I>
I heaviest_neighbour(const GraphView<I>& G, I v, const EdgeOrder& order) {
  double weight = 0;
  std::uint32_t largest_tie = 0;
  I heaviest = -1;
  for (I p = G.A.indptr[v]; p < G.A.indptr[v + 1]; ++p) {
    const I w = G.A.indices[p];
    if (w == v || G.weight[p] < weight) continue;
    const std::uint32_t tie = order.tie(Edge<I>{G.weight[p], std::min(v, w), std::max(v, w)});
    if (G.weight[p] == weight && tie <= largest_tie) continue;
    weight = G.weight[p];
    largest_tie = tie;
    heaviest = w;
  }
  return heaviest;
}

// Round 1 of the sequential model. The result holds the edges that are left.
template <class I>
LocalMaxStart<I> first_round(const GraphView<I>& G, GraphMatching<I> M, EdgeOrder order,
                             double limit, Workspace& workspace, Budget& budget,
                             GraphCounters& counters) {
  const PatternView<I>& A = G.A;
  const I edges = count_edges(G, budget);
  if (edges == 0) return {nullptr, 0, 0};
  order.start_round(++counters.rounds);
  spend(edges, budget, counters);
  I* const heaviest = workspace.take<I>(G.n());
  in_pieces(G.n(), A.indptr + 1, budget,
            [&](I v) { heaviest[v] = heaviest_neighbour(G, v, order); });
  in_pieces(G.n(), budget, [&](I v) {
    const I u = heaviest[v];
    if (u > v && heaviest[u] == v) M.match(v, u, counters.rounds);
  });
  Edge<I>* const E = workspace.take<Edge<I>>(edges);
  I left = 0;
  in_pieces(G.n(), A.indptr + 1, budget, [&](I v) {
    if (!M.is_unmatched(v)) return;
    for (I p = A.indptr[v]; p < A.indptr[v + 1] && A.indices[p] < v; ++p) {
      if (M.is_unmatched(A.indices[p])) E[left++] = {G.weight[p], A.indices[p], v};
    }
  });
  const auto visited = static_cast<double>(edges);
  return {E, left, limit * visited, visited};
}

enum class LocalMaxModel : int { automatic = 0, sequential = 1, crew = 2 };

template <class I>
void local_max_graph(const GraphView<I>& G, GraphMatching<I> M, const Options& options,
                     Workspace& workspace, Budget& budget, GraphCounters& counters) {
  const EdgeOrder order{mixed(options.seed), options.get("ties") == 0};
  const double limit = options.get("limit");
  const auto model = static_cast<LocalMaxModel>(options.get("model"));
  if (model == LocalMaxModel::crew || (model == LocalMaxModel::automatic && options.threads > 1)) {
    CrewLocalMax<I>(G, M, order, limit, options.threads, workspace, budget, counters).run();
  } else {
    const auto start = first_round(G, M, order, limit, workspace, budget, counters);
    SequentialLocalMax<I>(G.n(), start, M, order, workspace, budget, counters).run();
  }
}

}  // namespace btfperm
