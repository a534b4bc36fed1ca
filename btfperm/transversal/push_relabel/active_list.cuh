// SPDX-License-Identifier: BSD-3-Clause
// G-PR-InitKrnl, G-PR-PushKrnl: pushes from a list of the active columns, shared by g-pr-noshr and
// g-pr-shr
//
// Deveci, Kaya, Uçar, Çatalyürek, ICPP 2013, algorithms 8 and 9; Ac, Ap and iA as in the paper.
//
// Encodings   Ac[i]: the active column at position i, or -1. Ap[i]: before the push kernel, unused;
//             after it, the column that Ac[i] displaced, or -1. The host then swaps the two arrays,
//             so that the init kernel finds the columns that pushed in Ap and the displaced ones in
//             Ac
//             iA[v] = loop: v is in the list of this loop
// Invariants  A column is in the list at most once. All columns that push to row u in a launch have
//             read the same mate of u, the one before the launch: a column that is matched in this
//             launch is in the list, and a thread that reads such a mate does not push. Of the
//             columns that pushed to u, one remains in mu_row; the displaced column at its position
//             in Ap becomes active. The init kernel puts the other columns back and ignores the
//             displaced column at their positions
// Races       as in push.cuh; only one thread writes each position of a list
#pragma once

#include "backends/gpu/frontier.cuh"
#include "transversal/push_relabel/push.cuh"

// Lines 3 to 8 of algorithm 8: the active column of position i. If the column that pushed there is
// not matched, it is this column; otherwise it is the column that it displaced, or -1.
__device__ inline Index active_in(const Graph& G, const Index* Ac, const Index* Ap, long long i) {
  const Index v = Ap[i];
  return v != -1 && !G.is_matched(v) ? v : Ac[i];
}

extern "C" __global__ void list_free_columns(Index n, const Index* mu_col, Index* Ac,
                                             State* state) {
  const Frontier frontier{Ac, &state->listed};
  for (long long v = first_item(); v < n; v += item_stride())
    if (mu_col[v] == -1) frontier.push(static_cast<Index>(v));
}

extern "C" __global__ void g_pr_init_krnl(Index loop, Index size, Index* Ac, const Index* Ap,
                                          Index* iA, Index* mu_row, Index* mu_col, State* state) {
  const Graph G{nullptr, nullptr, mu_row, mu_col, nullptr, nullptr, 0};
  for (long long i = first_item(); i < size; i += item_stride()) {
    const Index v = active_in(G, Ac, Ap, i);
    Ac[i] = v;
    if (v == -1) continue;
    iA[v] = loop;
    raise(&state->act_exists, static_cast<Count>(loop));
  }
}

extern "C" __global__ void g_pr_push_krnl(Index loop, Index size, Index* Ac, Index* Ap,
                                          const Index* iA, const Index* col_ptr,
                                          const Index* col_rows, Index* mu_row, Index* mu_col,
                                          Index unreachable, Index* psi_row, Index* psi_col,
                                          State* state) {
  const Graph G{col_ptr, col_rows, mu_row, mu_col, psi_row, psi_col, unreachable};
  Count edges = 0, pushes = 0;
  for (long long i = first_item(); i < size; i += item_stride()) {
    const Index v = Ac[i];
    Index w = -1;
    if (v != -1) {
      const Least least = least_row(G, v);
      edges += least.edges;
      if (least.row == -1) {
        show(&mu_col[v], Index{-2});
        Ac[i] = -1;
      } else {
        w = seen(&mu_row[least.row]);
        if (w == -1 || iA[w] != loop) {
          push(G, v, least);
          ++pushes;
        } else {
          w = -1;  // v stays active, and the init kernel puts it back
        }
      }
    }
    Ap[i] = w;
  }
  add_over_warp(&state->edges, edges);
  add_over_warp(&state->pushes, pushes);
}
