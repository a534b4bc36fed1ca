// SPDX-License-Identifier: BSD-3-Clause
// The vertices of one rank in a graph over MPI ranks: candidates, checks and duals
//
// A rank owns consecutive vertices. Local numbers are those of halo.py: its own vertices, then the
// ghosts, which are neighbours on other ranks.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/cpu/pieces.hpp"
#include "weighted/graph/edge_order.hpp"

namespace btfperm {

template <class I>
struct OwnedGraph {
  std::int64_t n_own, n_local;
  const std::int64_t* indptr;
  const I* items;
  const double* weight;
  const I* numbers;  // the number of each local vertex in the whole graph; own ones are consecutive
};

// Sets the candidate of each unmatched vertex: the neighbour at its heaviest edge to an unmatched
// vertex, or -1. Among edges of equal weight, the choice is that of local_max.hpp. This requires
// that the neighbours of each vertex are in ascending order of their numbers in the whole graph.
// Returns the number of entries visited.
template <class I>
std::int64_t choose_candidates(const OwnedGraph<I>& G, const EdgeOrder& order,
                               const std::uint8_t* matched, I* candidate, Budget& budget) {
  std::int64_t visited = 0;
  in_pieces(G.n_own, G.indptr + 1, budget, [&](std::int64_t v) {
    candidate[v] = -1;
    if (matched[v] != 0) return;
    double weight = 0;
    std::uint32_t largest_tie = 0;
    visited += G.indptr[v + 1] - G.indptr[v];
    const I own = G.numbers[v];
    for (std::int64_t p = G.indptr[v]; p < G.indptr[v + 1]; ++p) {
      const I w = G.items[p];
      if (w == v || matched[w] != 0 || G.weight[p] < weight) continue;
      const I there = G.numbers[w];
      const Edge<I> edge{G.weight[p], std::min(own, there), std::max(own, there)};
      const std::uint32_t tie = order.tie(edge);
      if (candidate[v] >= 0 && G.weight[p] == weight && tie <= largest_tie) continue;
      weight = G.weight[p];
      largest_tie = tie;
      candidate[v] = w;
    }
  });
  return visited;
}

// What one rank finds about a matching. The fields wrong, free_at and heavy_at are -1 if there is
// no such vertex or entry.
struct OwnedGraphFacts {
  std::int64_t wrong = -1;                   // a vertex of the rank whose mate is no neighbour
  double weight = 0;                         // of the matched edges, each counted at both ends
  std::int64_t edges = 0;                    // edges whose larger end the rank owns
  std::int64_t free_at = -1, heavy_at = -1;  // positions, as in Facts of graph_certificate.py
};

// `mate` has a place for each vertex of the rank; `mate_weight` and `round_of` have one for each
// local vertex, with 0 for unmatched ones. Adds to removed[r] the number of edges that round r
// removed; the array has rounds + 1 places.
template <class I>
OwnedGraphFacts check_owned_graph(const OwnedGraph<I>& G, const I* mate, const double* mate_weight,
                                  const I* round_of, std::int64_t rounds, std::int64_t* removed,
                                  Budget& budget) {
  OwnedGraphFacts found;
  in_pieces(G.n_own, G.indptr + 1, budget, [&](std::int64_t v) {
    bool is_edge = false;
    for (std::int64_t p = G.indptr[v]; p < G.indptr[v + 1]; ++p) {
      const I w = G.items[p];
      if (w == v) continue;
      if (mate[v] == G.numbers[w]) {
        is_edge = true;
        found.weight += G.weight[p];
      }
      const bool is_free = mate_weight[v] == 0 && mate_weight[w] == 0;
      if (is_free) found.free_at = p;
      if (G.weight[p] > std::max(mate_weight[v], mate_weight[w])) found.heavy_at = p;
      if (G.numbers[w] > G.numbers[v]) continue;
      ++found.edges;
      const I one = round_of[v], two = round_of[w];
      const I round = one == 0 ? two : two == 0 ? one : std::min(one, two);
      if (round > 0) ++removed[std::min<std::int64_t>(round, rounds)];
    }
    if (mate[v] >= 0 && !is_edge) found.wrong = v;
  });
  return found;
}

// The weight of the matched edge of each vertex of the rank, or 0.
template <class I>
void set_mate_weights(const OwnedGraph<I>& G, const I* mate, double* own_weight, Budget& budget) {
  in_pieces(G.n_own, G.indptr + 1, budget, [&](std::int64_t v) {
    own_weight[v] = 0;
    for (std::int64_t p = G.indptr[v]; p < G.indptr[v + 1]; ++p) {
      const I w = G.items[p];
      if (w != v && mate[v] == G.numbers[w]) own_weight[v] = G.weight[p];
    }
  });
}

// Half of the largest weight at each vertex of the rank.
template <class I>
void set_half_weights(const OwnedGraph<I>& G, double* dual, Budget& budget) {
  in_pieces(G.n_own, G.indptr + 1, budget, [&](std::int64_t v) {
    dual[v] = 0;
    for (std::int64_t p = G.indptr[v]; p < G.indptr[v + 1]; ++p) {
      if (G.items[p] != v) dual[v] = std::max(dual[v], G.weight[p] / 2);
    }
  });
}

// Lowers the duals of the vertices of the rank, one after the other, as far as they stay feasible.
// All ranks do this at the same time, so only one of two neighbours on different ranks may change.
// Vertices without ghosts among their neighbours always change. With `upper`, vertices whose ghosts
// are all on lower ranks change, too; without `upper`, vertices whose ghosts are all on higher
// ranks.
template <class I>
void lower_duals(const OwnedGraph<I>& G, bool upper, double* dual, Budget& budget) {
  in_pieces(G.n_own, G.indptr + 1, budget, [&](std::int64_t v) {
    double least = 0;
    for (std::int64_t p = G.indptr[v]; p < G.indptr[v + 1]; ++p) {
      const I w = G.items[p];
      if (w == v) continue;
      if (w >= G.n_own && (G.numbers[w] < G.numbers[v]) != upper) return;
      least = std::max(least, G.weight[p] - dual[w]);
    }
    dual[v] = std::min(dual[v], least);
  });
}

// The largest excess of a weight over the sum of the duals of its two vertices, at least 0; NaN if
// a number is NaN.
template <class I>
double largest_excess(const OwnedGraph<I>& G, const double* dual, Budget& budget) {
  double excess = 0;
  in_pieces(G.n_own, G.indptr + 1, budget, [&](std::int64_t v) {
    for (std::int64_t p = G.indptr[v]; p < G.indptr[v + 1]; ++p) {
      const I w = G.items[p];
      if (w == v) continue;
      const double over = G.weight[p] - dual[v] - dual[w];
      if (!(over <= excess) && excess == excess) excess = over;
    }
  });
  return excess;
}

}  // namespace btfperm
