// SPDX-License-Identifier: BSD-3-Clause
// device_problem: how many columns are matched
//
// CuPy could count them, with a kernel that takes it seconds to compile on a machine that never
// did.

#include "backends/gpu/counting.cuh"
#include "backends/gpu/index.cuh"

extern "C" __global__ void count_matched(Index n, const Index* col_match, Count* total) {
  Count matched = 0;
  for (long long j = first_item(); j < n; j += item_stride()) matched += col_match[j] >= 0;
  add_over_warp(total, matched);
}
