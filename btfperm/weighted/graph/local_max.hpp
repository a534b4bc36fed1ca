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
//             path of increasing weights the rounds alone would take O(m^2). The first rounds, at
//             most three, visit the columns of the matrix, without a list of edges; after round 1
//             only the columns of vertices whose heaviest edge may be another one than before. The
//             later rounds visit the list of the edges that are left, which shrinks as in the paper
// Cost        O(n + m) expected if the weights are equal or random: a round removes at least half
//             of the edges on average; also O(n + limit m) if limit > 0. Workspace: the edges left
//             after the first rounds, at most m, twice that if they are sorted, n candidates, 2 n
//             indices, n bytes
// Prefer it   nearly always: nearly the weight of greedy in less time, and on several threads
// Options     ties (renewed): renewed or fixed; model (auto): sequential, crew, or auto: crew on
//             several threads; limit (8): see above, 0: rounds only
// Encodings   C[v] = the heaviest edge of v in this round: its weight, and its place in the list of
//             edges; place -1: none
// Invariants  at the start of a round, the list holds the edges between unmatched vertices, in the
//             order of the matrix, and C[v] is empty for each of their ends. The matching is the
//             same for every number of threads and for both models
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "weighted/graph/local_max_crew.hpp"

namespace btfperm {

// The edges between unmatched vertices at the start, and the limit on the visits.
template <class I>
struct LocalMaxStart {
  Edge<I>* E;
  I size;
  double most;         // visits of edges after which the rest is sorted; 0: never
  double visited = 0;  // visits in the rounds before, or a bound on them
  // The pattern if `visited` counts all edges in each of the `rounds` before; null: it is exact
  const PatternView<I>* bounded = nullptr;
  std::int64_t rounds = 0;
};

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
    if (start_.bounded != nullptr) visited_ -= not_visited();
    start_.bounded = nullptr;
    return visited_ >= most_;
  }

  // What `visited` of the start counts too much: an edge was visited in the rounds before up to the
  // first one that matched one of its ends. O(n + m).
  double not_visited() const {
    const PatternView<I>& A = *start_.bounded;
    double count = 0;
    in_pieces(A.n, A.indptr + 1, budget_, [&](I v) {
      for (I p = A.indptr[v]; p < A.indptr[v + 1] && A.indices[p] < v; ++p) {
        const std::int64_t one = M_.round_of[A.indices[p]], other = M_.round_of[v];
        const std::int64_t first = one > 0 && other > 0 ? std::min(one, other) : one + other;
        if (first > 0 && first < start_.rounds) count += static_cast<double>(start_.rounds - first);
      }
    });
    return count;
  }

  // First pass: the heaviest edge of each vertex.
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

// The first rounds of the sequential model, up to three, without a list of edges: each vertex keeps
// its heaviest edge, and searches its column again only if the other end of this edge was matched,
// or if several edges have this weight and the random numbers are renewed.
template <class I>
class FirstRounds {
 public:
  FirstRounds(const GraphView<I>& G, GraphMatching<I> M, EdgeOrder order, Workspace& workspace,
              Budget& budget, GraphCounters& counters)
      : G_(G),
        A_(G.A),
        M_(M),
        order_(order),
        workspace_(workspace),
        budget_(budget),
        counters_(counters) {}

  // Returns the edges that are left. The list is used from round 2 on if ties would make most
  // vertices search again, and as soon as the visits may have reached the limit.
  LocalMaxStart<I> run(double limit) {
    heaviest_ = workspace_.take<I>(A_.n);
    is_tied_ = workspace_.take<std::uint8_t>(A_.n);
    left_ = workspace_.take<I>(A_.n);
    first();
    const I edges = (A_.nnz() - diagonal_) / 2;
    if (edges == 0) {
      counters_.rounds = 0;
      return {nullptr, 0, 0};
    }
    spend(edges, budget_, counters_);
    std::int64_t rounds = 1;
    const bool few_ties = 2 * std::int64_t{tied_} < A_.n;
    while (few_ties && size_ > 0 && rounds < most_rounds && (limit <= 0 || rounds < limit)) {
      choose_again();
      if (size_ == 0) break;
      ++rounds;
      match_local_maxima();
    }
    const double m = static_cast<double>(edges);
    LocalMaxStart<I> rest = list_edges_left(edges);
    rest.most = limit * m;
    rest.visited = static_cast<double>(rounds) * m;
    rest.bounded = &A_;
    rest.rounds = rounds;
    return rest;
  }

 private:
  static constexpr std::int64_t most_rounds = 3;

  // Finds the heaviest edge of v, in the first round to any neighbour, later to unmatched ones. The
  // comparisons have no branches, which processors would mispredict: the bits of positive doubles,
  // taken as whole numbers, have the order of the doubles, and 0 stands for no edge. The loops for
  // long columns were faster from these lengths on.
  template <bool is_first>
  void choose(I v) {
    if (is_first && A_.degree(v) > 16) return choose_in_long_column(v);
    if (!is_first && A_.degree(v) > 40) return choose_by_ties(v, is_first);
    std::int64_t heaviest = 0;
    I best = -1;
    std::int64_t tied = 0;
    const I end = A_.indptr[v + 1];
    for (I p = A_.indptr[v]; p < end; ++p) {
      const I w = A_.indices[p];
      std::int64_t counts = -std::int64_t{w != v};
      if constexpr (is_first)
        diagonal_ += w == v;
      else
        counts &= -std::int64_t{M_.is_unmatched(w)};
      const std::int64_t weight = std::bit_cast<std::int64_t>(G_.weight[p]) & counts;
      const std::int64_t above = -std::int64_t{weight > heaviest};
      tied = (tied | -std::int64_t{weight == heaviest}) & ~above;
      best ^= (best ^ w) & static_cast<I>(above);
      heaviest ^= (heaviest ^ weight) & above;
    }
    heaviest_[v] = best;
    is_tied_[v] = 0;
    if (tied != 0 && best >= 0) choose_by_ties(v, is_first);
  }

  // Four maxima side by side, because each comparison waits for the one before. The diagonal and
  // ties are left to choose_by_ties.
  void choose_in_long_column(I v) {
    std::array<double, 4> most{};
    I p = A_.indptr[v];
    const I end = A_.indptr[v + 1];
    for (; p + 4 <= end; p += 4) {
      for (int k = 0; k < 4; ++k) most[k] = G_.weight[p + k] > most[k] ? G_.weight[p + k] : most[k];
    }
    for (; p < end; ++p) most[0] = std::max(most[0], G_.weight[p]);
    const double heaviest = std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
    const double *const first = G_.weight + A_.indptr[v], *const last = G_.weight + end;
    const double* const place = std::find(first, last, heaviest);
    const I w = place == last ? v : A_.indices[place - G_.weight];
    if (w == v || std::find(place + 1, last, heaviest) != last) return choose_by_ties(v, true);
    heaviest_[v] = w;
    is_tied_[v] = 0;
  }

  // Of equal edges, the one to the first neighbour comes first in the list of edges.
  void choose_by_ties(I v, bool is_first) {
    double heaviest = 0;
    std::uint32_t largest = 0;
    I best = -1;
    bool tied = false;
    const auto tie = [&](I w) {
      return order_.tie(Edge<I>{heaviest, std::min(v, w), std::max(v, w)});
    };
    for (I p = A_.indptr[v]; p < A_.indptr[v + 1]; ++p) {
      const I w = A_.indices[p];
      const double weight = G_.weight[p];
      if (weight < heaviest || w == v || !(is_first || M_.is_unmatched(w))) continue;
      if (weight > heaviest) {
        heaviest = weight;
        best = w;
        tied = false;
        continue;
      }
      if (!tied) largest = tie(best);
      tied = true;
      if (const std::uint32_t own = tie(w); own > largest) {
        largest = own;
        best = w;
      }
    }
    heaviest_[v] = best;
    is_tied_[v] = tied && order_.renewed;
  }

  // Round 1. A vertex is matched as soon as both ends of its heaviest edge have theirs.
  void first() {
    order_.start_round(++counters_.rounds);
    in_pieces(A_.n, A_.indptr + 1, budget_, [&](I v) {
      choose<true>(v);
      tied_ += is_tied_[v];
      const I u = heaviest_[v];
      if (u >= 0 && u < v && heaviest_[u] == v) M_.match(u, v, 1);
    });
    in_pieces(A_.n, budget_, [&](I v) {
      if (heaviest_[v] >= 0 && M_.is_unmatched(v)) left_[size_++] = v;
    });
  }

  // The heaviest edges at the start of a later round. left_ keeps the vertices that have one.
  void choose_again() {
    order_.start_round(counters_.rounds + 1);
    I kept = 0;
    std::int64_t visited = 0;
    for (I k = 0; k < size_; ++k) {
      const I v = left_[k];
      if (!M_.is_unmatched(v)) continue;
      if (is_tied_[v] != 0 || !M_.is_unmatched(heaviest_[v])) {
        choose<false>(v);
        visited += A_.degree(v);
        if (visited >= piece) spend(std::exchange(visited, 0), budget_, counters_);
      }
      if (heaviest_[v] >= 0) left_[kept++] = v;
    }
    spend(visited, budget_, counters_);
    size_ = kept;
  }

  void match_local_maxima() {
    ++counters_.rounds;
    in_pieces(size_, budget_, [&](I k) {
      const I v = left_[k], u = heaviest_[v];
      if (u < v && heaviest_[u] == v) M_.match(u, v, counters_.rounds);
    });
  }

  LocalMaxStart<I> list_edges_left(I edges) {
    std::int64_t most = 0;
    in_pieces(size_, budget_, [&](I k) { most += A_.degree(left_[k]); });
    Edge<I>* const E = workspace_.take<Edge<I>>(std::min<std::int64_t>(most, edges));
    I count = 0;
    in_pieces(size_, budget_, [&](I k) {
      const I v = left_[k];
      if (!M_.is_unmatched(v)) return;
      for (I p = A_.indptr[v]; p < A_.indptr[v + 1] && A_.indices[p] < v; ++p) {
        if (M_.is_unmatched(A_.indices[p])) E[count++] = {G_.weight[p], A_.indices[p], v};
      }
    });
    return {E, count, 0};
  }

  const GraphView<I>& G_;
  const PatternView<I>& A_;
  GraphMatching<I> M_;
  EdgeOrder order_;
  Workspace& workspace_;
  Budget& budget_;
  GraphCounters& counters_;
  I* heaviest_ = nullptr;            // n: the neighbour at the heaviest edge, -1: none
  std::uint8_t* is_tied_ = nullptr;  // n: other edges may be the heaviest in the next round
  I* left_ = nullptr;                // n: unmatched vertices that had an edge, ascending
  I size_ = 0;                       // of left_
  I tied_ = 0;                       // vertices tied in round 1
  I diagonal_ = 0;                   // entries on the diagonal
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
  }
}

}  // namespace btfperm
