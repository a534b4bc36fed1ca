// SPDX-License-Identifier: BSD-3-Clause
// last-row: the cheap matching from the other end, on a GPU
//
// Idea        Each column takes the last row of its list that no other column has taken.
// Paper       none; a test adds it to the registry
// Cost        O(m + n + nnz) work, one launch
// Prefer it   never: it is a test
// Races       row_match changes by `take`: the first thread gets the row

#include "backends/gpu/atomics.cuh"
#include "backends/gpu/counting.cuh"
#include "backends/gpu/index.cuh"

// Counters for the host.
struct State {
  Count edges;
};

extern "C" __global__ void take_last(Index n, const Index* indptr, const Index* indices,
                                     Index* row_match, Index* col_match, State* state) {
  Count edges = 0;
  for (long long k = first_item(); k < n; k += item_stride()) {
    const Index j = static_cast<Index>(k);
    if (col_match[j] != -1) continue;
    for (Index p = indptr[j + 1]; p > indptr[j] && col_match[j] == -1; --p) {
      if (take(&row_match[indices[p - 1]], j)) col_match[j] = indices[p - 1];
      ++edges;
    }
  }
  add_over_warp(&state->edges, edges);
}
