// SPDX-License-Identifier: BSD-3-Clause
// g-pr-first: push-relabel on a GPU, one thread per column
//
// Idea        A label estimates the distance to an unmatched row. Each active (unmatched) column
//             pushes: it is matched to the row of its list with the least label, displaces the
//             column that was matched to this row, and raises the label. All columns push at once,
//             without locks: if several push to the same row, one of them is matched to it
//             afterwards and the others stay active. From time to time, a breadth-first search from
//             the unmatched rows makes all labels exact (relabelling).
// Paper       M. Deveci, K. Kaya, B. Uçar, Ü. V. Çatalyürek, "A push-relabel-based maximum
//             cardinality bipartite matching algorithm on GPUs", ICPP 2013: algorithms 3 (G-PR), 4
//             and 5 (G-GR) and 6 (G-PR-Krnl). Option relabel: the next relabelling comes after k
//             (fixed) push kernels, or k times cLevel (adaptive), rounded up; cLevel is twice the
//             number of levels of the last relabelling
// Changed     Words that other threads of a launch write are accessed as volatile
//             (backends/gpu/visible.cuh). Labels that pushes raise stay below m + n, and the next
//             relabelling follows after at most m + n push kernels, whatever k is; push.cuh states
//             why the algorithm terminates. A thread of G-GR-Krnl loads the labels of eight of its
//             rows at once, and eight entries of a list, to hide the latency. A launch of it has at
//             most 4,096 blocks (COUNTING in relabel_gpu.py), because all warps add to the same
//             counters. A thread of G-PR-Krnl has one column if there are at most 2^28 columns, and
//             loads four labels at once. The host polls only every eighth launch, and before a
//             relabelling, whether a column was active; during a relabelling, it polls every fourth
//             level whether a row was reached. This is possible because a launch that finds nothing
//             changes nothing; such launches are not counted as levels
// Cost        each push kernel inspects all columns and each level of a relabelling all rows, even
//             if it finds only a few; each poll of the host is a synchronisation
// Prefer it   for comparison with g-pr-shr
// Encodings, Invariants, Races: relabel.cuh and push.cuh

#include "transversal/push_relabel/push.cuh"

extern "C" __global__ void g_pr_krnl(Count loop, Index n, const Index* col_ptr,
                                     const Index* col_rows, Index* mu_row, Index* mu_col,
                                     Index unreachable, Index* psi_row, Index* psi_col,
                                     State* state) {
  const Graph G{col_ptr, col_rows, mu_row, mu_col, psi_row, psi_col, unreachable};
  Count edges = 0, pushes = 0;
  for (long long k = first_item(); k < n; k += item_stride()) {
    const Index v = static_cast<Index>(k);
    if (!G.is_active(v)) continue;
    raise(&state->act_exists, loop);
    const Least least = least_row(G, v);
    edges += least.edges;
    if (least.row == -1) {
      show(&mu_col[v], Index{-2});
    } else {
      push(G, v, least);
      ++pushes;
    }
  }
  add_over_warp(&state->edges, edges);
  add_over_warp(&state->pushes, pushes);
}
