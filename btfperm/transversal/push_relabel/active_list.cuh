// SPDX-License-Identifier: BSD-3-Clause
// G-PR-InitKrnl, G-PR-PushKrnl: pushes from a list of the active columns, shared by g-pr-noshr and
// g-pr-shr
//
// Deveci, Kaya, Uçar, Çatalyürek, ICPP 2013, algorithms 8 and 9; Ac, Ap and iA as in the paper.
//
// Encodings   Ac[i]: the active column in position i, -1 none. Ap[i]: before the push kernel,
//             unused; after it, the column that Ac[i] displaced, -1 none. The host then swaps the
//             two, so the init kernel finds the columns that pushed in Ap and the displaced ones in
//             Ac
//             iA[v] = loop: v is in the list of this loop
// Invariants  A column is in the list once. All columns that push to row u in a launch read the
//             same mate of u, the one from before the launch: a mate written in this launch is in
//             the list, and a column that reads such a mate does not push. Of the columns that
//             pushed to u, the one whose number remains in mu_row has the displaced column in Ap.
//             The init kernel puts the others back and ignores what they stored in Ap
// Races       as in push.cuh; each position of a list belongs to one thread
#pragma once

#include "backends/gpu/frontier.cuh"
#include "transversal/push_relabel/push.cuh"

// Lines 3 to 8 of algorithm 8: the active column of position i; a column that did not get its row
// is put back.
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
