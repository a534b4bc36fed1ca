// SPDX-License-Identifier: BSD-3-Clause
// order_sample: do a matrix's rows and columns come in an order in which neighbours lie near?
//
// Some columns are drawn, and of each some entries are looked at. An entry is near where its place
// in the rows differs from the column's in the columns by less than 1/32 of all. On a mesh in its
// natural order nearly all are, in a random one a sixteenth.

#include "backends/gpu/counting.cuh"
#include "backends/gpu/index.cuh"

struct Sample {
  Count entries, near;
  Count longest;  // list of those drawn
};

extern "C" __global__ void sample_order(Index m, Index n, const Index* indptr, const Index* indices,
                                        Index draws, Sample* sample) {
  constexpr Index looked_at = 16;
  Count entries = 0, near = 0;
  for (long long k = first_item(); k < draws; k += item_stride()) {
    const Index j = static_cast<Index>((k * 0x9E3779B97F4A7C15ULL >> 11) % n);
    const Index begin = indptr[j], size = indptr[j + 1] - begin;
    const double place = static_cast<double>(j) / n;
    for (Index p = begin; p < begin + (size < looked_at ? size : looked_at); ++p) {
      ++entries;
      const double apart = static_cast<double>(indices[p]) / m - place;
      near += apart < 1.0 / 32 && apart > -1.0 / 32;
    }
    atomicMax(&sample->longest, static_cast<Count>(size));
  }
  add_over_warp(&sample->entries, entries);
  add_over_warp(&sample->near, near);
}
