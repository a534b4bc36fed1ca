// SPDX-License-Identifier: BSD-3-Clause
// PatternView: a canonical pattern as the core sees it
//
// Rows of column j are indices[indptr[j]] ... indices[indptr[j + 1] - 1], ascending, no duplicates.
// I is std::int32_t or std::int64_t.
#pragma once

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

}  // namespace btfperm
