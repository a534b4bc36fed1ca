// SPDX-License-Identifier: BSD-3-Clause
// local-max: match edges of locally largest weight
//
// Idea        In each round, match every edge that is heavier than all edges with which it shares
//             an end, and remove the edges of matched vertices. Rounds repeat until no edge is
//             left. Edges of equal weight are compared by random numbers.
// Paper       M. Birn, V. Osipov, P. Sanders, C. Schulz, N. Sitchinava, "Efficient parallel and
//             external matching", Euro-Par 2013. Section 2 describes the sequential model, which
//             runs on one thread; the array C has its name there. Section 2.1 describes the CREW
//             steps (concurrent reads, exclusive writes), which run on several threads
//             (local_max_crew.hpp). The random numbers are renewed in every round, as lemma 1
//             requires; ties=fixed draws them once. Changed: after `limit` times m edges were
//             visited, the remaining edges are sorted and matched by decreasing weight. The
//             result is that of rounds in which the random numbers stay fixed from there on.
//             Lemma 1 is about equal weights; on a path of increasing weights the rounds alone
//             would take O(m^2). The first rounds visit the columns of the matrix, without a list
//             of edges (local_max_columns.hpp). The later rounds visit the list of the edges that
//             are left, which shrinks as in the paper
// Cost        O(n + m) expected for m edges if the weights are equal or random: a round removes at
//             least half of the edges on average. With limit > 0, also O(n + limit m). Workspace:
//             the edges left after the first rounds, at most m, twice if they are sorted; n
//             candidates, 3 n indices, n bytes; n indices more if a round matches few edges
// Prefer it   nearly always: its weight is nearly that of greedy, it takes less time, and it runs
//             on several threads
// Options     ties (renewed): renewed or fixed; model (auto): sequential, crew, or auto, which is
//             crew on several threads; limit (8): see Paper; 0: the edges are never sorted
// Encodings   C[v] is the heaviest edge of v in this round: its weight, and its place in the list
//             of edges; place -1: there is no edge
// Invariants  at the start of a round, the list holds the edges between unmatched vertices, in the
//             order of the matrix, and C[v] is empty for each of their ends. The matching is the
//             same for every number of threads and for both models
#pragma once

#include <cstdint>

#include "weighted/graph/local_max_columns.hpp"
#include "weighted/graph/local_max_crew.hpp"

namespace btfperm {

template <class I>
class SequentialLocalMax {
 public:
  SequentialLocalMax(I n, LocalMaxStart<I> start, GraphMatching<I> M, EdgeOrder order,
                     Workspace& workspace, Budget& budget, GraphCounters& counters)
      : M_(M),
        order_(order),
        most_(start.most),
        visited_(start.visited),
        start_(start),
        workspace_(workspace),
        budget_(budget),
        counters_(counters),
        E_(start.E),
        size_(start.size),
        C_(workspace.take<Candidate>(n)) {}

  void run() {
    in_pieces(size_, budget_, [&](I e) { C_[E_[e].u] = C_[E_[e].v] = Candidate{}; });
    while (size_ > 0) {
      order_.start_round(++counters_.rounds);
      if (is_at_limit()) {
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
    I place = -1;
  };

  bool wins_tie(const Edge<I>& edge, const Candidate& c) const {
    return order_.tie(edge) > order_.tie(E_[c.place]);
  }

  // Whether `most_` edges have been visited; the remaining ones are then sorted by weight.
  bool is_at_limit() {
    if (most_ <= 0 || visited_ < most_) return false;
    if (start_.bounded != nullptr)
      visited_ -= not_visited(*start_.bounded, M_, start_.rounds, budget_);
    start_.bounded = nullptr;
    return visited_ >= most_;
  }

  // The first pass finds the heaviest edge of each vertex.
  void choose() {
    in_pieces(size_, budget_, [&](I e) {
      const Edge<I> edge = E_[e];
      Candidate &at_u = C_[edge.u], &at_v = C_[edge.v];
      if (edge.weight < at_u.weight && edge.weight < at_v.weight) return;
      for (Candidate* c : {&at_u, &at_v}) {
        if (edge.weight > c->weight || (edge.weight == c->weight && wins_tie(edge, *c))) {
          *c = {edge.weight, e};
        }
      }
    });
  }

  // The second pass matches each edge that is the heaviest of both of its ends.
  void match_local_maxima() {
    in_pieces(size_, budget_, [&](I e) {
      const auto [weight, u, v] = E_[e];
      if (C_[u].place == e && C_[v].place == e) M_.match(u, v, counters_.rounds);
    });
  }

  // The third pass removes the edges of matched vertices, and resets C for the ends of the others.
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

  GraphMatching<I> M_;
  EdgeOrder order_;
  double most_;
  double visited_;
  LocalMaxStart<I> start_;
  Workspace& workspace_;
  Budget& budget_;
  GraphCounters& counters_;
  Edge<I>* E_;
  I size_;  // of E
  Candidate* C_;
};

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
    const auto start = FirstRounds<I>(G, M, order, workspace, budget, counters).run(limit);
    SequentialLocalMax<I>(G.n(), start, M, order, workspace, budget, counters).run();
    if (start.at_limit > 0) counters.sorted = static_cast<std::int64_t>(start.at_limit);
  }
}

}  // namespace btfperm
