// SPDX-License-Identifier: BSD-3-Clause
// transpose: row lists from column lists, by a counting sort. The order within a list is arbitrary
//
// Idea        1. count_rows counts the entries of each row, in indptr[i + 1].
//             2. arrays.py computes the starts of the rows by CuPy's prefix sum; `next` is a copy.
//             3. scatter writes each entry to the next place of its row.
// Races       atomicAdd assigns the places of a row, each once, in any order

#include "backends/gpu/index.cuh"
#include "backends/gpu/warp.cuh"

extern "C" __global__ void count_rows(Index nnz, const Index* indices, Index* indptr) {
  for (long long p = first_item(); p < nnz; p += item_stride())
    atomicAdd(reinterpret_cast<Place*>(&indptr[indices[p] + 1]), 1u);
}

// One warp for each column; its lanes share the list.
extern "C" __global__ void scatter(Index n, const Index* indptr, const Index* indices, Index* next,
                                   Index* columns) {
  const int lane = lane_id();
  for (long long j = first_item() / 32; j < n; j += item_stride() / 32)
    for (long long p = indptr[j] + lane; p < indptr[j + 1]; p += 32)
      columns[atomicAdd(reinterpret_cast<Place*>(&next[indices[p]]), 1u)] = static_cast<Index>(j);
}
