// SPDX-License-Identifier: BSD-3-Clause
// problem: the number of matched columns
//
// CuPy could count them, but it would compile a kernel of its own, which takes seconds if its cache
// has no compiled copy.

#include "backends/gpu/counting.cuh"
#include "backends/gpu/index.cuh"

extern "C" __global__ void count_matched(Index n, const Index* col_match, Count* total) {
  Count matched = 0;
  for (long long j = first_item(); j < n; j += item_stride()) matched += col_match[j] >= 0;
  add_over_warp(total, matched);
}
