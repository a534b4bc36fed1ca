// SPDX-License-Identifier: BSD-3-Clause
// transpose_by_parts: row lists by several threads, equal to those of `transpose` (canonical.hpp)
//
// Idea        Threads sort the entries into parts of neighbouring rows, and each thread writes to
//             places of its own. Then each part, which is small enough for a cache, is transposed
//             by one thread. There are no atomic operations, so a row with a large share of the
//             entries causes no conflicts.
// Cost        O(m + n + nnz) time. Workspace: 2 nnz indices, and 512 indices per thread. On one
//             thread it takes 1.33 times as long as `transpose` in the geometric mean
//             (2026-11-26-serial-shared-transpose), so one thread uses `transpose`
#pragma once

#include <omp.h>

#include <algorithm>

#include "backends/cpu/first_touch.hpp"
#include "backends/cpu/parallel.hpp"
#include "backends/cpu/pieces.hpp"
#include "backends/cpu/workspace.hpp"
#include "pattern/canonical.hpp"
#include "pattern/pattern.hpp"

namespace btfperm {

// Writes the transpose of A into out_indptr (m + 1 elements) and out_indices (nnz elements). Column
// indices ascend in each row. Throws Unfinished when the budget stops the call.
template <class I>
void transpose_by_parts(const PatternView<I>& A, int threads, I* out_indptr, I* out_indices,
                        Budget& budget) {
  const I nnz = A.nnz();
  if (threads <= 1 || nnz < least_to_share(worth_sharing)) {
    return transpose(A, out_indptr, out_indices, budget);
  }
  constexpr I most_parts = 512;  // one cache line for each part fits in a first-level cache
  int shift = 0;                 // row i is in part i >> shift
  while ((A.m - 1) >> shift >= most_parts) ++shift;
  const I parts = ((A.m - 1) >> shift) + 1;
  struct Entry {
    I row;
    I col;
  };
  Workspace workspace;
  Entry* entries = workspace.take<Entry>(nnz);
  first_touch(entries, nnz, threads, budget);
  I* places = workspace.take<I>(static_cast<std::size_t>(threads) * most_parts);
  out_indptr[0] = 0;
#pragma omp parallel num_threads(threads)
  {
    const int t = omp_get_thread_num();
    const int team = omp_get_num_threads();
    const Share<I> own(nnz, t, team);
    I* next = places + static_cast<std::size_t>(t) * most_parts;
    std::fill(next, next + parts, I{0});
    in_own_pieces(own, t, budget, [&](I p) { ++next[A.indices[p] >> shift]; });
#pragma omp barrier
#pragma omp single
    {
      I place = 0;
      for (I part = 0; part < parts; ++part) {
        for (int other = 0; other < team; ++other) {
          I& first = places[static_cast<std::size_t>(other) * most_parts + part];
          const I count = first;
          first = place;
          place += count;
        }
      }
    }
    I j = static_cast<I>(std::upper_bound(A.indptr, A.indptr + A.n, own.first) - A.indptr - 1);
    in_own_pieces(own, t, budget, [&](I p) {
      while (p >= A.indptr[j + 1]) ++j;
      const I i = A.indices[p];
      entries[next[i >> shift]++] = {i, j};
    });
#pragma omp barrier
    const I* part_end = places + static_cast<std::size_t>(team - 1) * most_parts;
#pragma omp for schedule(dynamic, 1)
    for (I part = 0; part < parts; ++part) {
      if (budget.stopped()) continue;
      const I begin = part == 0 ? 0 : part_end[part - 1];
      const I end = part_end[part];
      const I first_row = part << shift;
      const I last_row = std::min(A.m - first_row, I{1} << shift) + first_row;
      I* next_of = out_indptr + 1;  // becomes the end of list i, where the next one begins
      std::fill(next_of + first_row, next_of + last_row, I{0});
      for (I k = begin; k < end; ++k) ++next_of[entries[k].row];
      I place = begin;
      for (I i = first_row; i < last_row; ++i) {
        const I count = next_of[i];
        next_of[i] = place;
        place += count;
      }
      for (I k = begin; k < end; ++k) out_indices[next_of[entries[k].row]++] = entries[k].col;
      if (t == 0) budget.poll();
    }
  }
  if (!budget.poll()) throw Unfinished();
}

}  // namespace btfperm
