// SPDX-License-Identifier: BSD-3-Clause
// The push of an active column, what the three g-pr share of their paper's algorithms 6 and 9
//
// Encodings   as in relabel.cuh
// Invariants  A row that is matched stays matched, and names the column that took it last: a column
//             writes its name at one row a launch, and only while no row names it. So the rows are
//             a matching after every launch, whoever won
//             A label that pushes raise ends below unreachable: only a relabelling, which is exact,
//             says that a column has no path
// Races       Columns that push at the same row all write mu_row and psi_row: one name stays, the
//             others see that they lost and are active again. psi_row may keep the label of a push
//             whose name did not stay, by which searches go astray until the next relabelling, no
//             further
#pragma once

#include "transversal/push_relabel/relabel.cuh"

struct Least {
  Index row = -1, psi;
  Count edges = 0;  // read
};

// Lines 7 to 12 for the entries [p, p + many) of v's list, whose labels are asked for together;
// true when there can be no lesser label than the one found.
template <int many>
__device__ inline bool look_at(const Graph& G, Index p, Index enough, Least& least) {
  Index u[many], psi[many];
#pragma unroll
  for (int k = 0; k < many; ++k) u[k] = G.col_rows[p + k];
#pragma unroll
  for (int k = 0; k < many; ++k) psi[k] = seen(&G.psi_row[u[k]]);
#pragma unroll
  for (int k = 0; k < many; ++k) {
    ++least.edges;
    if (psi[k] >= least.psi) continue;
    least.psi = psi[k];
    least.row = u[k];
    if (psi[k] == enough) return true;
  }
  return false;
}

// The row of v with the least label; psi(v) - 1 is the least that there can be.
__device__ inline Least least_row(const Graph& G, Index v) {
  constexpr int entries = 4;
  Least least;
  least.psi = G.unreachable;
  const Index enough = G.psi_col[v] - 1;
  const Index end = G.col_ptr[v + 1];
  Index p = G.col_ptr[v];
  for (; end - p >= entries; p += entries)
    if (look_at<entries>(G, p, enough, least)) return least;
  for (; p < end; ++p)
    if (look_at<1>(G, p, enough, least)) return least;
  return least;
}

// Lines 14 to 17.
__device__ inline void push(const Graph& G, Index v, const Least& least) {
  const Index most = G.unreachable - 1;
  show(&G.mu_row[least.row], v);
  show(&G.mu_col[v], least.row);
  G.psi_col[v] = least.psi < most ? least.psi + 1 : most;
  show(&G.psi_row[least.row], least.psi < most - 1 ? least.psi + 2 : most);
}
