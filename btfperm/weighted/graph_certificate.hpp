// SPDX-License-Identifier: BSD-3-Clause
// The checks of a matching in a graph: of the input, of the matching, and of duals that bound the
// optimum. They share nothing with the algorithms in weighted/graph.
//
// Duals       Numbers y[v] >= 0 are feasible if y[u] + y[v] >= weight for each edge {u, v}. The
//             edges of a matching share no ends, so no matching is heavier than the sum of all y.
// Dominance   A matching is locally dominant if each edge outside of it shares an end with a
//             matched edge that is at least as heavy. Then y[v] = weight of the matched edge of v
//             is feasible, and the matching has at least half of the largest weight.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/cpu/pieces.hpp"
#include "backends/cpu/workspace.hpp"
#include "pattern/pattern.hpp"

namespace btfperm {

enum class GraphFault : int { none = 0, no_counterpart = 1, other_value = 2, no_weight = 3 };

// A faulty entry (i, j) and its value, and the value of its counterpart (j, i) for other_value.
struct FaultyEntry {
  GraphFault fault = GraphFault::none;
  std::int64_t i = -1;
  std::int64_t j = -1;
  double value = 0;
  double counterpart = 0;
};

// Finds an entry that shows that a square matrix is not symmetric, or that a value outside of the
// diagonal is not positive and finite. O(n + nnz): the columns j are visited in ascending order, so
// the counterpart (j, i) of an entry is always the next entry of column i.
template <class I>
FaultyEntry find_fault(const PatternView<I>& A, const double* weight, Workspace& workspace,
                       Budget& budget) {
  I* const next = workspace.take<I>(A.n);
  std::copy(A.indptr, A.indptr + A.n, next);
  FaultyEntry found;
  in_pieces(A.n, A.indptr + 1, budget, [&](I j) {
    for (I p = A.indptr[j]; p < A.indptr[j + 1] && found.fault == GraphFault::none; ++p) {
      const I i = A.indices[p], q = next[i]++;
      if (q == A.indptr[i + 1] || A.indices[q] > j) {
        found = {GraphFault::no_counterpart, i, j, weight[p], 0};
      } else if (A.indices[q] < j) {
        found = {GraphFault::no_counterpart, A.indices[q], i, weight[q], 0};
      } else if (i != j && !(weight[p] > 0 && weight[p] <= 1.7976931348623157e308)) {
        found = {GraphFault::no_weight, i, j, weight[p], weight[q]};
      } else if (i != j && weight[p] != weight[q]) {
        found = {GraphFault::other_value, i, j, weight[p], weight[q]};
      }
    }
  });
  return found;
}

// What the passes over the entries find.
struct GraphCheck {
  std::int64_t wrong = -1;     // a vertex whose mate is no neighbour, or has another mate
  std::int64_t size = 0;       // matched edges
  double weight = 0;           // the sum of their weights
  std::int64_t edges = 0;      // of the graph
  std::int64_t free_at = -1;   // an entry between two unmatched vertices: not maximal
  std::int64_t heavy_at = -1;  // an entry heavier than the matched edges at both of its ends
};

// removed[r] receives the number of edges of which round r was the first to match an end, and
// removed[0] the number of edges between unmatched vertices. `round_of` is not trusted: a matched
// vertex always counts in a round from 1 to `rounds`.
template <class I>
GraphCheck check_graph_matching(const PatternView<I>& A, const double* weight, const I* mate,
                                const I* round_of, std::int64_t rounds, std::int64_t* removed,
                                Workspace& workspace, Budget& budget) {
  GraphCheck found;
  double* const matched_weight = workspace.take<double>(A.n);
  in_pieces(A.n, A.indptr + 1, budget, [&](I v) {
    matched_weight[v] = 0;
    const I w = mate[v];
    if (w == -1) return;
    const I *const first = A.indices + A.indptr[v], *const last = A.indices + A.indptr[v + 1];
    const I* const place = std::lower_bound(first, last, w);
    if (w < 0 || w >= A.n || w == v || mate[w] != v || place == last || *place != w) {
      found.wrong = v;
      return;
    }
    matched_weight[v] = weight[place - A.indices];
    if (w < v) return;
    ++found.size;
    found.weight += matched_weight[v];
  });
  const auto round = [&](I v) {
    if (mate[v] < 0) return rounds + 1;
    return std::clamp(std::int64_t{round_of[v]}, std::int64_t{1},
                      std::max(rounds, std::int64_t{1}));
  };
  std::fill(removed, removed + rounds + 1, 0);
  in_pieces(A.n, A.indptr + 1, budget, [&](I v) {
    for (I p = A.indptr[v]; p < A.indptr[v + 1] && A.indices[p] < v; ++p) {
      const I u = A.indices[p];
      ++found.edges;
      const std::int64_t first = std::min(round(u), round(v));
      ++removed[first > rounds ? 0 : first];
      if (mate[u] < 0 && mate[v] < 0) found.free_at = p;
      if (weight[p] > std::max(matched_weight[u], matched_weight[v])) found.heavy_at = p;
    }
  });
  return found;
}

struct GraphDualCheck {
  double excess = 0;      // the largest weight minus its two duals, at least 0; 0: feasible
  std::int64_t at = -1;   // position of an entry with this excess
  double total = 0;       // sum of the duals
  bool negative = false;  // a dual is below 0 or no number
};

template <class I>
GraphDualCheck check_graph_duals(const PatternView<I>& A, const double* weight, const double* dual,
                                 Budget& budget) {
  GraphDualCheck found;
  in_pieces(A.n, A.indptr + 1, budget, [&](I v) {
    found.total += dual[v];
    found.negative |= !(dual[v] >= 0);
    for (I p = A.indptr[v]; p < A.indptr[v + 1] && A.indices[p] < v; ++p) {
      const double excess = weight[p] - (dual[A.indices[p]] + dual[v]);
      if (excess <= found.excess) continue;
      found.excess = excess;
      found.at = p;
    }
  });
  return found;
}

}  // namespace btfperm
