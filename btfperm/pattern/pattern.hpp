// SPDX-License-Identifier: BSD-3-Clause
// PatternView: a canonical pattern as the core sees it
//
// Rows of column j are indices[indptr[j]] ... indices[indptr[j + 1] - 1], ascending, no duplicates.
// I is std::int32_t or std::int64_t.
#pragma once

#include <algorithm>
#include <cstdint>

namespace btfperm {

template <class I>
struct PatternView {
  I m;
  I n;
  const I* indptr;   // n + 1
  const I* indices;  // indptr[n]

  I nnz() const { return indptr[n]; }
  I degree(I j) const { return indptr[j + 1] - indptr[j]; }
};

// Whether row i is in the list of column j.
template <class I>
bool has_entry(const PatternView<I>& A, I i, I j) {
  const I* list = A.indices + A.indptr[j];
  I count = A.degree(j);
  if (count == 0) return false;
  constexpr I short_list = 16;
  if (count > short_list) {  // a start takes the first free row, so it is mostly near the front
    I step = 1;
    while (step < count && list[step] <= i) {
      list += step;
      count -= step;
      step += std::min(step, count);
    }
    count = std::min(count, step);
  }
  while (count > 1) {  // one half or the other: a selection, not a branch to be mispredicted
    const I half = count / 2;
    list = list[half] <= i ? list + half : list;
    count -= half;
  }
  return *list == i;
}

}  // namespace btfperm
