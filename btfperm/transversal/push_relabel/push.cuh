// SPDX-License-Identifier: BSD-3-Clause
// The push of an active column, from algorithms 6 and 9 of the paper; for the three algorithms g-pr
//
// Encodings   as in relabel.cuh
// Invariants  A matched row stays matched, to the column that pushed to it last. A column writes
//             its number to at most one row per launch, and only if no row has its number. So the
//             rows define a matching after every launch, whichever thread wrote last Pushes raise
//             labels only to values below `unreachable`. So only a relabelling, which is exact, can
//             find that a column has no path. Otherwise labels that are too large (see Races) could
//             end the search for a column that has a path
// Terminates  Let L(u) be the label of row u at the last relabelling: its exact distance. Until the
//             next relabelling only pushes change the labels of rows, and what they write is at
//             least L. The first launch after a relabelling sets mu_col of the columns without a
//             path to -2. Suppose that other columns are active. While the matching does not grow,
//             a column pushes, in each launch, to a row whose L is at least 2 less than that of all
//             rows to which columns pushed before:
//             1. In the first launch, let d be the least distance of an active column. This column
//             has a row with L = d - 1 and no row with a smaller label. It pushes to such a row,
//             unless another column has pushed to it in the same launch and raised its label.
//             2. Later, let u be the row of least L to which a column has pushed so far, and w the
//             column matched to u at the relabelling. w has lost u. Its list has a row with the
//             label L(u) - 2, to which no column has pushed yet, and no smaller label. So w has not
//             pushed since the relabelling, and is active. As in 1, it pushes to such a row, or
//             another column does.
//             Hence, within (m + n) / 2 launches, a column pushes to a row with L = 0. This row was
//             unmatched, so the matching grows. If a relabelling runs before, the path from w
//             still exists, and the new least distance is L(u) - 1 or less, so that the argument
//             continues from there. After the matching has grown, the next relabelling runs within
//             m + n launches
// Races       Columns that push to the same row all write mu_row and psi_row. One number remains in
//             mu_row; the other columns are active again. The label that remains in psi_row may be
//             that of another push. Until the next relabelling, columns may then choose a worse
//             row, but the matching stays correct
#pragma once

#include "transversal/push_relabel/relabel.cuh"

struct Least {
  Index row = -1, psi;
  Count edges = 0;  // number of visited entries
};

// Finds the least label among the rows at [p, p + many) in the list of v (lines 7 to 12 in the
// paper); their labels are loaded together. Returns whether no other row can have a smaller label.
template <int many>
__device__ inline bool scan(const Graph& G, Index p, Index lower_bound, Least& least) {
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
    if (psi[k] == lower_bound) return true;
  }
  return false;
}

// The row of v with the least label. No label is less than psi(v) - 1.
__device__ inline Least least_row(const Graph& G, Index v) {
  constexpr int entries = 4;
  Least least;
  least.psi = G.unreachable;
  const Index lower_bound = G.psi_col[v] - 1;
  const Index end = G.col_ptr[v + 1];
  Index p = G.col_ptr[v];
  for (; end - p >= entries; p += entries)
    if (scan<entries>(G, p, lower_bound, least)) return least;
  for (; p < end; ++p)
    if (scan<1>(G, p, lower_bound, least)) return least;
  return least;
}

// Matches column v to the row, and writes their new labels (lines 14 to 17 in the paper).
__device__ inline void push(const Graph& G, Index v, const Least& least) {
  const Index max_label = G.unreachable - 1;
  show(&G.mu_row[least.row], v);
  show(&G.mu_col[v], least.row);
  G.psi_col[v] = least.psi < max_label ? least.psi + 1 : max_label;
  show(&G.psi_row[least.row], least.psi < max_label - 1 ? least.psi + 2 : max_label);
}
