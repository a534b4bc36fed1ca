// SPDX-License-Identifier: BSD-3-Clause
// The push of an active column, from algorithms 6 and 9 of the paper; shared by the three g-pr
//
// Encodings   as in relabel.cuh
// Invariants  A matched row stays matched to the last column that took it. A column writes its
//             number to one row per launch, and only if no row has its number. So the rows define a
//             matching after every launch, whichever thread wrote last
//             Pushes raise a label to less than `unreachable` only: a column has no path only if a
//             relabelling, which is exact, finds none. Otherwise labels that are too large, see
//             Races, could end the search for a column that has a path
// Terminates  Let L(u) be the label of row u at the last relabelling: its exact distance. Until the
//             next relabelling only pushes change the labels of rows, and what they write is at
//             least L. The first launch after a relabelling retires the columns without a path.
//             Suppose that other columns are active. While the matching does not grow, each launch
//             pushes a row whose L is at least 2 less than that of all rows pushed before:
//             1. In the first launch, an active column of the least distance d has a row with L =
//             d - 1 and no row with a smaller label. It pushes such a row, unless it reads a
//             larger label, which the push of another column has written.
//             2. Later, let u be the row of least L among the rows pushed so far, and w the column
//             matched to u at the relabelling. w has lost u. Its list has a row with the label L(u)
//             - 2, which was not pushed yet, and no smaller label. So w has pushed nothing since
//             the relabelling, and is active. As in 1, it pushes such a row, or another column has.
//             Hence, within (m + n) / 2 launches, a row with L = 0 is pushed. It was unmatched, so
//             the matching grows. If a relabelling comes before, the path from w is intact, and the
//             new least distance is L(u) - 1 or less, so that the argument continues from there.
//             After the matching has grown, a relabelling comes within m + n launches
// Races       Columns that push to the same row all write mu_row and psi_row. One number remains in
//             mu_row; the other columns are active again. psi_row may keep the label of a push
//             whose number did not remain. This misleads pushes until the next relabelling, but
//             does not affect correctness
#pragma once

#include "transversal/push_relabel/relabel.cuh"

struct Least {
  Index row = -1, psi;
  Count edges = 0;  // read
};

// Finds the least label among the entries [p, p + many) of v's list (lines 7 to 12 in the paper);
// their labels are loaded together. Returns whether no other row can have a smaller label.
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

// Column v takes the row, and both get new labels (lines 14 to 17 in the paper).
__device__ inline void push(const Graph& G, Index v, const Least& least) {
  const Index max_label = G.unreachable - 1;
  show(&G.mu_row[least.row], v);
  show(&G.mu_col[v], least.row);
  G.psi_col[v] = least.psi < max_label ? least.psi + 1 : max_label;
  show(&G.psi_row[least.row], least.psi < max_label - 1 ? least.psi + 2 : max_label);
}
