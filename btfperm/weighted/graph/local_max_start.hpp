// SPDX-License-Identifier: BSD-3-Clause
// The state of local-max between its first rounds, which visit columns (local_max_columns.hpp), and
// its other rounds, which use a list of edges
#pragma once

#include <algorithm>
#include <cstdint>

#include "weighted/graph/edge_order.hpp"

namespace btfperm {

// The edges between unmatched vertices at the start, and the limit on the visits.
template <class I>
struct LocalMaxStart {
  Edge<I>* E;
  I size;
  double most;         // visits of edges after which the remaining edges are sorted; 0: never
  double visited = 0;  // visits in the rounds before, or an upper bound
  // The pattern if `visited` counts all edges in each of the `rounds` before; null if it is exact
  const PatternView<I>* bounded = nullptr;
  std::int64_t rounds = 0;
  double at_limit = 0;  // number of edges left at the limit, if some of them are matched already
};

// If a count of visits assumes that each of the first `rounds` rounds visits all edges, it is too
// large by this number: an edge is visited only up to the first round that matches one of its ends.
// O(n + m).
template <class I>
double not_visited(const PatternView<I>& A, const GraphMatching<I>& M, std::int64_t rounds,
                   Budget& budget) {
  double count = 0;
  in_pieces(A.n, A.indptr + 1, budget, [&](I v) {
    for (I p = A.indptr[v]; p < A.indptr[v + 1] && A.indices[p] < v; ++p) {
      const std::int64_t one = M.round_of[A.indices[p]], other = M.round_of[v];
      const std::int64_t first = one > 0 && other > 0 ? std::min(one, other) : one + other;
      if (first > 0 && first < rounds) count += static_cast<double>(rounds - first);
    }
  });
  return count;
}

}  // namespace btfperm
