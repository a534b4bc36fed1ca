// SPDX-License-Identifier: BSD-3-Clause
// canonical: checks compressed columns, and whether their lists ascend without duplicates
//
// found[0] = 1: the arrays are no compressed columns; found[1] = 1: the columns are not canonical.
// Races: a flag is only set, never reset.
//
// The kernels at the end add up the values of duplicates. The values of entry k are a run, in the
// order of the caller's list: values[order[p]] for starts[k] <= p < starts[k + 1]. One thread adds
// up a run in this order, so that the sum does not depend on the schedule.

#include "backends/gpu/index.cuh"
#include "backends/gpu/warp.cuh"

extern "C" __global__ void check_starts(Index n, Index room, const Index* indptr, int* found) {
  for (long long j = first_item(); j <= n; j += item_stride()) {
    const bool fits = j == 0 ? indptr[0] == 0 : indptr[j - 1] <= indptr[j];
    if (!fits || indptr[j] > room) found[0] = 1;
  }
}

// One warp per column.
extern "C" __global__ void check_rows(Index m, Index n, const Index* indptr, const Index* indices,
                                      int* found) {
  const int lane = lane_id();
  for (long long j = first_item() / 32; j < n; j += item_stride() / 32)
    for (long long p = indptr[j] + lane; p < indptr[j + 1]; p += 32) {
      if (indices[p] < 0 || indices[p] >= m) found[0] = 1;
      if (p > indptr[j] && indices[p - 1] >= indices[p]) found[1] = 1;
    }
}

// places[p] becomes the number of columns, without column 0, that start at position p of `indices`.
// Prefix sums of `places` then give the column of each entry. `places` has nnz + 1 elements, which
// must be 0 before the call.
extern "C" __global__ void mark_starts(Index n, const Index* indptr, Index* places) {
  for (long long j = first_item() + 1; j < n; j += item_stride())
    atomicAdd(reinterpret_cast<Place*>(&places[indptr[j]]), 1u);
}

// A value consists of `parts` numbers: 1, or 2 if it is complex. A sum starts with -0, because -0 +
// x is x for every x, also for x = -0.
extern "C" __global__ void sum_real_runs(Index entries, Index parts, const Index* starts,
                                         const Index* order, const double* values, double* sums) {
  const long long count = static_cast<long long>(entries) * parts;
  for (long long t = first_item(); t < count; t += item_stride()) {
    const long long k = t / parts;
    double sum = -0.0;
    for (long long p = starts[k]; p < starts[k + 1]; ++p)
      sum += values[static_cast<long long>(order[p]) * parts + t % parts];
    sums[t] = sum;
  }
}

// Unsigned, because overflow wraps around; the host compares with the sum of real numbers.
extern "C" __global__ void sum_whole_runs(Index entries, Index parts, const Index* starts,
                                          const Index* order, const unsigned long long* values,
                                          unsigned long long* sums) {
  const long long count = static_cast<long long>(entries) * parts;
  for (long long t = first_item(); t < count; t += item_stride()) {
    const long long k = t / parts;
    unsigned long long sum = 0;
    for (long long p = starts[k]; p < starts[k + 1]; ++p)
      sum += values[static_cast<long long>(order[p]) * parts + t % parts];
    sums[t] = sum;
  }
}
