// SPDX-License-Identifier: BSD-3-Clause
// bipartite_graph: algorithms for graphs as initializers of matrices
//
// Idea        Column j is vertex j, row i is vertex n + i, and each entry between an unmatched row
//             and an unmatched column is an edge of weight 1. An algorithm finds a matching in this
//             graph, whose edges are added to the matching of the matrix.
// Cost        O(nnz + m + n) in addition to the algorithm. Workspace: 2 nnz + 2 (m + n) indices for
//             the graph; 2 (m + n) indices and m + n doubles for the matching. If 2 nnz is too
//             large for the index type of the matrix, the indices of the graph have 64 bits
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

#include "transversal/interface.hpp"
#include "weighted/graph/graph.hpp"

namespace btfperm {

// J is the type of the graph's indices.
template <class J, class I>
GraphView<J, UnitWeights> bipartite_graph(const PatternView<I>& A, Matching<I> M,
                                          Workspace& workspace, Budget& budget,
                                          Counters& counters) {
  const J n = A.n, vertices = n + J{A.m};
  J* const indptr = workspace.take<J>(static_cast<std::size_t>(vertices) + 1);
  const auto for_each_edge = [&](auto use) {
    in_pieces(A.n, A.indptr + 1, budget, [&](I j) {
      if (M.col_match[j] >= 0) return;
      for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
        const I i = A.indices[p];
        if (M.row_match[i] < 0) use(J{j}, n + i);
      }
    });
  };
  std::fill(indptr, indptr + vertices + 1, J{0});
  for_each_edge([&](J u, J v) {
    ++indptr[u + 1];
    ++indptr[v + 1];
  });
  counters.edges += A.nnz();
  if (!budget.spend(A.nnz())) throw Unfinished();
  std::partial_sum(indptr, indptr + vertices + 1, indptr);
  J* const indices = workspace.take<J>(indptr[vertices]);
  J* const next = workspace.take<J>(vertices);
  std::copy(indptr, indptr + vertices, next);
  for_each_edge([&](J u, J v) {  // in ascending order of u, then of v
    indices[next[u]++] = v;
    indices[next[v]++] = u;
  });
  return {{vertices, vertices, indptr, indices}, {}};
}

// Calls algorithm(graph, matching, options, workspace, budget, counters). If the budget ends, the
// matching found so far is kept.
template <class J, class I, class Algorithm>
void match_graph_of(const PatternView<I>& A, Matching<I> M, const Options& options,
                    Workspace& workspace, Budget& budget, Counters& counters, Algorithm algorithm) {
  const auto G = bipartite_graph<J>(A, M, workspace, budget, counters);
  const GraphMatching<J> found{workspace.take<J>(G.n()), workspace.take<J>(G.n()),
                               workspace.take<double>(G.n())};
  std::fill(found.mate, found.mate + G.n(), J{-1});
  std::fill(found.round_of, found.round_of + G.n(), J{0});
  std::fill(found.dual, found.dual + G.n(), 0.0);
  GraphCounters visited;
  const auto keep = [&] {
    counters.edges += visited.edges;
    counters.phases = visited.rounds;
    for (I j = 0; j < A.n; ++j) {
      if (found.mate[j] >= 0) M.match(static_cast<I>(found.mate[j] - A.n), j);
    }
  };
  try {
    algorithm(G, found, options, workspace, budget, visited);
  } catch (const Unfinished&) {
    keep();
    throw;
  }
  keep();
}

template <class I, class Algorithm>
void match_as_graph(const PatternView<I>& A, Matching<I> M, const Options& options,
                    Workspace& workspace, Budget& budget, Counters& counters, Algorithm algorithm) {
  if (A.nnz() <= std::numeric_limits<I>::max() / 2) {
    match_graph_of<I>(A, M, options, workspace, budget, counters, algorithm);
  } else {
    match_graph_of<std::int64_t>(A, M, options, workspace, budget, counters, algorithm);
  }
}

}  // namespace btfperm
