// SPDX-License-Identifier: BSD-3-Clause
// The signature of every matching algorithm for graphs, the list of edges, and random numbers
//
//   void name(graph, matching, options, workspace, budget, counters)
//
// The graph is a symmetric pattern with a positive weight for each entry off the diagonal; entries
// on the diagonal are ignored. The caller has checked the graph, and all vertices are unmatched. If
// the budget ends, the function throws Unfinished. In any case, the matching is legal at the end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/pieces.hpp"
#include "backends/cpu/workspace.hpp"
#include "pattern/pattern.hpp"
#include "transversal/initial/vertex_hash.cuh"
#include "transversal/options.hpp"

namespace btfperm {

// The weights of a graph whose edges all have the weight 1.
struct UnitWeights {
  constexpr double operator[](std::int64_t) const { return 1; }
};

// Entry p in column v, row u, is the edge {u, v} of weight weight[p].
template <class I, class Weights = const double*>
struct GraphView {
  PatternView<I> A;
  Weights weight;  // nnz

  I n() const { return A.n; }
};

template <class I>
struct GraphMatching {
  I* mate;       // n: the vertex matched to v, or -1
  I* round_of;   // n: the round, from 1 on, in which v was matched; 0: unmatched
  double* dual;  // n: gpa stores the duals that prove its bound; others leave zeros

  bool is_unmatched(I v) const { return mate[v] < 0; }
  void match(I u, I v, std::int64_t round) {
    mate[u] = v;
    mate[v] = u;
    round_of[u] = round_of[v] =
        static_cast<I>(std::min<std::int64_t>(round, std::numeric_limits<I>::max()));
  }
};

struct GraphCounters {
  std::int64_t edges = 0;   // edges visited; an edge visited from both of its ends counts twice
  std::int64_t rounds = 0;  // rounds, the last one included
  std::int64_t sorted = 0;  // edges left at the limit, which are matched by decreasing weight
};

template <class I>
struct Edge {
  double weight;
  I u;  // u < v
  I v;
};

// Counts visited edges. Throws Unfinished if the budget ends, so no parallel region may call it.
inline void spend(std::int64_t edges, Budget& budget, GraphCounters& counters) {
  counters.edges += edges;
  if (!budget.spend(edges)) throw Unfinished();
}

// Number of edges: entries above the diagonal. O(n log(longest list)).
template <class I, class Weights>
I count_edges(const GraphView<I, Weights>& G, Budget& budget) {
  I edges = 0;
  in_pieces(G.n(), budget, [&](I v) {
    const I* const first = G.A.indices + G.A.indptr[v];
    edges += static_cast<I>(std::lower_bound(first, G.A.indices + G.A.indptr[v + 1], v) - first);
  });
  return edges;
}

// Lists the edges by their larger end, then by the smaller one. Returns the number of edges.
template <class I, class Weights>
I list_edges(const GraphView<I, Weights>& G, Edge<I>* E, Budget& budget) {
  I edges = 0;
  in_pieces(G.n(), G.A.indptr + 1, budget, [&](I v) {
    for (I p = G.A.indptr[v]; p < G.A.indptr[v + 1] && G.A.indices[p] < v; ++p) {
      E[edges++] = {G.weight[p], G.A.indices[p], v};
    }
  });
  return edges;
}

// Pseudo-random numbers by splitmix64.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(mixed(seed)) {}

  // A number from 0 to count - 1.
  std::uint64_t below(std::uint64_t count) {
    state_ += 0x9E3779B97F4A7C15ULL;
    return mixed(state_) % count;
  }

 private:
  std::uint64_t state_;
};

// The vertices in natural order, or in a random one (Fisher-Yates).
template <class I>
void order_vertices(I n, bool random, std::uint64_t seed, I* order, Budget& budget) {
  in_pieces(n, budget, [&](I v) { order[v] = v; });
  if (!random) return;
  Draws draws(seed);
  in_pieces(n, budget, [&](I k) {
    const auto other = static_cast<I>(draws.below(static_cast<std::uint64_t>(k) + 1));
    std::swap(order[k], order[other]);
  });
}

// A pseudo-random place in the list of v, which has `degree` places.
template <class I>
I random_place(std::uint64_t draw, I v, I degree) {
  return static_cast<I>(mixed(draw ^ static_cast<std::uint64_t>(v)) %
                        static_cast<std::uint64_t>(degree));
}

// The neighbour that select chooses, and the place of the list at which it starts.
struct Select {
  bool weighted;
  bool from_first;  // from the first place of the list, otherwise from a random one
};

// select(v, W) of Fagginger Auer and Bisseling (see random_greedy.hpp). W is the set of neighbours
// that `suits` accepts. The list of v is visited in a circle. Returns the first member of W
// (random), or the first with the heaviest edge (weighted); -1: W is empty. Adds the number of
// visited entries to `visited`.
template <class I, class Weights, class Suits>
I select_neighbour(const GraphView<I, Weights>& G, I v, Select how, std::uint64_t draw, Suits suits,
                   std::int64_t& visited) {
  const I begin = G.A.indptr[v], degree = G.A.degree(v);
  I best = -1;
  if (degree == 0) return best;
  double heaviest = 0;
  I p = how.from_first ? 0 : random_place(draw, v, degree);
  for (I k = 0; k < degree; ++k, p = p + 1 == degree ? 0 : p + 1) {
    ++visited;
    const I w = G.A.indices[begin + p];
    if (w == v || !(best < 0 || G.weight[begin + p] > heaviest) || !suits(w)) continue;
    best = w;
    heaviest = G.weight[begin + p];
    if (!how.weighted) break;
  }
  return best;
}

}  // namespace btfperm
