// SPDX-License-Identifier: BSD-3-Clause
// order_sample: how many entries of some sampled columns are near the diagonal.
//
// Of each sampled column, the first 16 entries are used. An entry (i, j) is near if |i/m - j/n| is
// less than 1/32. In a mesh in its natural order nearly all entries are near, in a random order
// about one of sixteen.

#include "backends/gpu/counting.cuh"
#include "backends/gpu/index.cuh"

struct Sample {
  Count entries, near;
  Count longest;  // entries of the longest sampled column
};

extern "C" __global__ void sample_order(Index m, Index n, const Index* indptr, const Index* indices,
                                        Index draws, Sample* sample) {
  constexpr Index most = 16;
  Count entries = 0, near = 0;
  for (long long k = first_item(); k < draws; k += item_stride()) {
    const Index j = static_cast<Index>((k * 0x9E3779B97F4A7C15ULL >> 11) % n);
    const Index begin = indptr[j], size = indptr[j + 1] - begin;
    const double place = static_cast<double>(j) / n;
    for (Index p = begin; p < begin + (size < most ? size : most); ++p) {
      ++entries;
      const double apart = static_cast<double>(indices[p]) / m - place;
      near += apart < 1.0 / 32 && apart > -1.0 / 32;
    }
    atomicMax(&sample->longest, static_cast<Count>(size));
  }
  add_over_warp(&sample->entries, entries);
  add_over_warp(&sample->near, near);
}
