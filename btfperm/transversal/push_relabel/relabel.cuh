// SPDX-License-Identifier: BSD-3-Clause
// G-GR: global relabelling, for the three algorithms g-pr
//
// Deveci, Kaya, Uçar, Çatalyürek, ICPP 2013, algorithms 4 and 5; psi, mu, cLevel and uAdded as in
// the paper.
//
// A breadth-first search from the unmatched rows gives each row and column its exact distance from
// them along alternating paths, one level per launch.
//
// Encodings   mu_row[u] = -1: row u is unmatched; else the column matched to it
//             mu_col[v] = -1: column v is unmatched; -2: it is unmatched, and no augmenting path
//             can begin there any more; else a row u, but v is matched to u only if mu_row[u] = v
//             psi_row, psi_col: distance from the unmatched rows; unreachable = m + n if there is
//             no path (the largest Index if m + n exceeds it; distances are smaller)
// Invariants  A column that a relabelling does not reach remains unreachable: all its rows are
//             unreachable and matched to such columns, so no column pushes to them
// Races       all threads that write a label in a launch write the same value; mu is only read
#pragma once

#include "backends/gpu/counting.cuh"
#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"

// Counters that the host polls. The first two only increase, so they need no reset.
struct State {
  Count u_added;     // number of the last G-GR-Krnl that reached a row
  Count act_exists;  // number of the last loop with an active column
  Count edges;       // number of entries that all kernels have visited so far
  Count pushes;
  Count listed;  // number of columns in the list when it was last shrunk
};

struct Graph {
  const Index *col_ptr, *col_rows;  // compressed columns: their starts and their rows
  Index *mu_row, *mu_col, *psi_row, *psi_col;
  Index unreachable;

  __device__ bool is_matched(Index v) const {
    const Index u = seen(&mu_col[v]);
    return u > -1 && seen(&mu_row[u]) == v;
  }

  __device__ bool is_active(Index v) const {
    const Index u = seen(&mu_col[v]);
    return u == -1 || (u > -1 && seen(&mu_row[u]) != v);
  }
};

extern "C" __global__ void init_relabel(Index m, Index n, const Index* mu_row, Index unreachable,
                                        Index* psi_row, Index* psi_col) {
  for (long long u = first_item(); u < m; u += item_stride())
    psi_row[u] = mu_row[u] == -1 ? 0 : unreachable;
  for (long long v = first_item(); v < n; v += item_stride()) psi_col[v] = unreachable;
}

// Visits the entries [p, p + many) in the list of a row of this level: reaches their columns, and
// the rows matched to these. The loads of each kind are issued together to hide their latency.
// Returns whether it reached a row.
template <int many>
__device__ inline bool reach(Index c_level, const Index* row_cols, Index p, const Index* mu_row,
                             const Index* mu_col, Index unreachable, Index* psi_row,
                             Index* psi_col) {
  Index v[many], w[many];
  bool known[many], added = false;
#pragma unroll
  for (int k = 0; k < many; ++k) v[k] = row_cols[p + k];
#pragma unroll
  for (int k = 0; k < many; ++k) known[k] = seen(&psi_col[v[k]]) != unreachable;
#pragma unroll
  for (int k = 0; k < many; ++k)
    if (!known[k]) show(&psi_col[v[k]], c_level + 1);
#pragma unroll
  for (int k = 0; k < many; ++k) w[k] = known[k] ? -1 : mu_col[v[k]];
#pragma unroll
  for (int k = 0; k < many; ++k)
    if (w[k] >= 0 && mu_row[w[k]] != v[k]) w[k] = -1;
#pragma unroll
  for (int k = 0; k < many; ++k) {
    if (w[k] < 0) continue;
    show(&psi_row[w[k]], c_level + 2);
    added = true;
  }
  return added;
}

constexpr int batch = 8;  // rows whose labels a thread loads together

// One level of the search. The rows of a thread are item_stride() apart. The loads of a batch of
// labels are issued together to hide their latency.
extern "C" __global__ void g_gr_krnl(Count launch, Index c_level, Index m, const Index* row_ptr,
                                     const Index* row_cols, const Index* mu_row,
                                     const Index* mu_col, Index unreachable, Index* psi_row,
                                     Index* psi_col, State* state) {
  constexpr int entries = 8;
  const long long apart = item_stride();
  Count edges = 0;
  bool added = false;
  for (long long first = first_item(); first < m; first += batch * apart) {
    unsigned in_level = 0;
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      const long long u = first + k * apart;
      if (u < m && seen(&psi_row[u]) == c_level) in_level |= 1u << k;
    }
    for (; in_level; in_level &= in_level - 1) {
      const long long u = first + (__ffs(in_level) - 1) * apart;
      const Index begin = row_ptr[u], end = row_ptr[u + 1];
      edges += static_cast<Count>(end - begin);
      Index p = begin;
      for (; end - p >= entries; p += entries)
        added |=
            reach<entries>(c_level, row_cols, p, mu_row, mu_col, unreachable, psi_row, psi_col);
      for (; p < end; ++p)
        added |= reach<1>(c_level, row_cols, p, mu_row, mu_col, unreachable, psi_row, psi_col);
    }
  }
  if (added) raise(&state->u_added, launch);
  add_over_warp(&state->edges, edges);
}

// FixMatching: corrects mu_col by mu_row, which is always right; displaced columns still have their
// old row in mu_col.
extern "C" __global__ void fix_matching(Index n, const Index* mu_row, Index* mu_col) {
  for (long long v = first_item(); v < n; v += item_stride()) {
    const Index u = mu_col[v];
    if (u < 0 || mu_row[u] != v) mu_col[v] = -1;
  }
}
