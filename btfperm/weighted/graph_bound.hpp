// SPDX-License-Identifier: BSD-3-Clause
// An upper bound on the weight of every matching of a graph
//
// Idea        An auction in which each vertex is both a bidder and an object. The value of the
//             object v for the bidder u is the weight of {u, v} minus the price of v. Each bidder
//             bids for the object with the largest value. This value, or 0 if it is negative, is
//             the profit of the bidder. The duals (profit + price) / 2 of the vertices are feasible
//             at any time, so the auction may end after a fixed number of passes.
// Paper       D. P. Bertsekas, Annals of Operations Research 14, 1988, for the bids. A bidder stops
//             as soon as no value is above 0. So prices start at 0, and there is only one phase
// Cost        O(passes (n + nnz)). Workspace: 4 n numbers
// Invariants  prices only rise, so a bidder that has stopped without an object never bids again
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/cpu/pieces.hpp"
#include "backends/cpu/workspace.hpp"
#include "pattern/pattern.hpp"

namespace btfperm {

// Stores the duals of the auction or, if their sum is smaller, half of the largest weight of each
// vertex. A bid raises a price by the difference between the best and the second value, plus `step`
// times the mean of the largest weights of the vertices.
template <class I>
void bound_by_auction(const PatternView<I>& A, const double* weight, double step, double passes,
                      double* dual, Workspace& workspace, Budget& budget) {
  const I n = A.n;
  double* const price = workspace.take<double>(n);
  I* const owner = workspace.take<I>(n);
  I* const queue = workspace.take<I>(n);
  double mean = 0;
  in_pieces(n, A.indptr + 1, budget, [&](I v) {
    price[v] = 0;
    owner[v] = -1;
    queue[v] = v;
    double largest = 0;
    for (I p = A.indptr[v]; p < A.indptr[v + 1]; ++p) {
      if (A.indices[p] != v) largest = std::max(largest, weight[p]);
    }
    dual[v] = largest / 2;  // feasible duals, too
    mean += largest / static_cast<double>(n);
  });
  I head = 0, waiting = n;
  double left = passes * (static_cast<double>(n) + static_cast<double>(A.nnz()));
  while (waiting > 0 && left > 0) {
    const I u = queue[head];
    head = head + 1 == n ? 0 : head + 1;
    --waiting;
    double best = 0, second = 0;
    I object = -1;
    for (I p = A.indptr[u]; p < A.indptr[u + 1]; ++p) {
      const I v = A.indices[p];
      const double value = weight[p] - price[v];
      if (value <= second || v == u) continue;
      if (value <= best) {
        second = value;
      } else {
        second = best;
        best = value;
        object = v;
      }
    }
    const std::int64_t visited = A.degree(u) + 1;
    left -= static_cast<double>(visited);
    if (!budget.spend(visited)) throw Unfinished();
    if (object < 0) continue;
    price[object] += best - second + step * mean;
    const I before = std::exchange(owner[object], u);
    if (before < 0) continue;
    queue[(static_cast<std::int64_t>(head) + waiting) % n] = before;
    ++waiting;
  }
  double* const profit = workspace.take<double>(n);
  double by_auction = 0, by_halves = 0;
  in_pieces(n, A.indptr + 1, budget, [&](I u) {
    profit[u] = 0;
    for (I p = A.indptr[u]; p < A.indptr[u + 1]; ++p) {
      if (A.indices[p] != u) profit[u] = std::max(profit[u], weight[p] - price[A.indices[p]]);
    }
    by_auction += (profit[u] + price[u]) / 2;
    by_halves += dual[u];
  });
  if (by_auction < by_halves) {
    in_pieces(n, budget, [&](I v) { dual[v] = (profit[v] + price[v]) / 2; });
  }
}

// Lowers each dual in turn as far as the others permit. The duals stay feasible.
template <class I>
void tighten_duals(const PatternView<I>& A, const double* weight, double* dual, Budget& budget) {
  in_pieces(A.n, A.indptr + 1, budget, [&](I v) {
    double least = 0;
    for (I p = A.indptr[v]; p < A.indptr[v + 1]; ++p) {
      if (A.indices[p] != v) least = std::max(least, weight[p] - dual[A.indices[p]]);
    }
    dual[v] = std::min(dual[v], least);
  });
}

}  // namespace btfperm
