// SPDX-License-Identifier: BSD-3-Clause
// The row to which a push matches a column: the one of least label among the rows that it scans.
// `meeting_walks.cu` and `far_walks.cu` define their labels
#pragma once

#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"
#include "transversal/initial/vertex_hash.cuh"

constexpr Index max_scanned =
    64;  // maximum number of entries that a push scans, except for a proof

template <class Label>
struct Choice {
  Index row;            // the row of least label, or -1
  Label least, second;  // the least and the second least label
};

// Scans at most `limit` rows of column j from a random position on, which `drawn` determines.
// Returns the row of least label, and the least and the second least label; only labels below
// `none` count. Label bits outside `mask` are ignored. The scan ends early at a label of 0.
template <class Label>
__device__ inline Choice<Label> choose_row(Index j, Count drawn, Index limit, const Index* indptr,
                                           const Index* indices, const Label* labels, Label mask,
                                           Label none, Count* edges) {
  constexpr int batch = 4;
  const Index begin = indptr[j], size = indptr[j + 1] - begin;
  const Index n_scanned = size < limit ? size : limit;
  Index place = static_cast<Index>(mixed(drawn) % static_cast<Count>(size));
  Choice<Label> choice{-1, none, none};
  for (Index k = 0; k < n_scanned && choice.least; k += batch) {
    Index row[batch];
    Label label[batch];
#pragma unroll
    for (int t = 0; t < batch; ++t) {
      row[t] = indices[begin + place];
      if (++place == size) place = 0;
    }
#pragma unroll
    for (int t = 0; t < batch; ++t)
      label[t] = t < n_scanned - k ? static_cast<Label>(seen(&labels[row[t]]) & mask) : none;
    for (int t = 0; t < batch; ++t) {
      if (label[t] < choice.least) {
        choice = {row[t], label[t], choice.least};
      } else if (label[t] < choice.second) {
        choice.second = label[t];
      }
    }
    *edges += batch;
  }
  return choice;
}
