// SPDX-License-Identifier: BSD-3-Clause
// PatternView: a view of compressed columns, canonical unless a function states otherwise
//
// Rows of column j are indices[indptr[j]] ... indices[indptr[j + 1] - 1], ascending, no duplicates.
// I is std::int32_t or std::int64_t.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

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

// Whether each of the `count` numbers is one of 0 ... limit - 1.
template <class I>
bool are_in_range(const I* numbers, I count, I limit) {
  return std::all_of(numbers, numbers + count, [&](I i) { return i >= 0 && i < limit; });
}

// Whether i is among the first `count` elements of `list`. `count` is at most 8, and eight elements
// of `list` must be readable. There is no branch, because the processor could not predict it. (GCC
// and Clang have these vectors on every machine.)
template <class I>
bool among_eight(const I* list, I count, I i) {
  typedef I Lanes __attribute__((vector_size(16)));
  constexpr int lanes = 16 / sizeof(I);
  Lanes place{};
  for (int k = 0; k < lanes; ++k) place[k] = static_cast<I>(k);
  Lanes hits{};
  for (int k = 0; k < 8; k += lanes) {
    Lanes some;
    std::memcpy(&some, list + k, sizeof(some));
    hits |= (some == i) & (place < count);
    place += lanes;
  }
  std::uint64_t halves[2];
  std::memcpy(halves, &hits, sizeof(halves));
  return (halves[0] | halves[1]) != 0;
}

// Whether row i is in the list of column j.
template <class I>
bool has_entry(const PatternView<I>& A, I i, I j) {
  const I* list = A.indices + A.indptr[j];
  I count = A.degree(j);
  if (count <= 8 && A.indptr[j] <= A.nnz() - 8) return among_eight(list, count, i);
  if (count == 0) return false;
  constexpr I short_list = 16;
  // Initial matchings take the first unmatched row, so i is usually near the beginning.
  if (count > short_list) {
    I step = 1;
    while (step < count && list[step] <= i) {
      list += step;
      count -= step;
      step += std::min(step, count);
    }
    count = std::min(count, step);
  }
  while (count > 1) {  // bisection by a selection, because a branch would be mispredicted
    const I half = count / 2;
    list = list[half] <= i ? list + half : list;
    count -= half;
  }
  return *list == i;
}

}  // namespace btfperm
