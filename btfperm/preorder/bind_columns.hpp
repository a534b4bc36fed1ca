// SPDX-License-Identifier: BSD-3-Clause
// Checks of the arrays of a matrix with values and of its order, for bind.cpp and bind_singles.cpp
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "backends/cpu/bind.hpp"
#include "preorder/columns.hpp"

namespace btfperm {

inline std::int64_t order_of(std::int64_t places) {
  if (places == 0) throw std::invalid_argument("indptr has no elements");
  return places - 1;
}

template <class I, class T>
Columns<I, T> columns_of(const In<I>& indptr, const In<I>& indices, const In<T>& values) {
  const std::int64_t n = order_of(static_cast<std::int64_t>(indptr.shape(0)));
  require_places(indices, indptr.data()[n], "indices");
  require_places(values, indptr.data()[n], "values");
  return {static_cast<I>(n), indptr.data(), indices.data(), values.data()};
}

// The number of right-hand sides in an array of n numbers each.
template <class Array>
std::int64_t sides_of(const Array& x, std::int64_t n) {
  const auto places = static_cast<std::int64_t>(x.shape(0));
  if (n == 0 || places % n != 0) throw std::invalid_argument("x has not n places for each side");
  return places / n;
}

// Whether the places hold each number from 0 to n - 1 once.
template <class I>
bool is_permutation(std::int64_t n, const In<I>& perm) {
  if (static_cast<std::int64_t>(perm.shape(0)) != n) return false;
  std::vector<bool> found(static_cast<std::size_t>(n));
  for (std::int64_t place = 0; place < n; ++place) {
    const I at = perm.data()[place];
    if (at < 0 || at >= n || found[at]) return false;
    found[at] = true;
  }
  return true;
}

// Throws unless the array has n numbers, each from 0 to n - 1.
template <class I>
void require_numbers(const In<I>& perm, std::int64_t n, const char* name) {
  require_places(perm, n, name);
  I least = 0, largest = 0;
  for (std::int64_t place = 0; place < n; ++place) {
    least = std::min(least, perm.data()[place]);
    largest = std::max(largest, perm.data()[place]);
  }
  if (least < 0 || (n > 0 && largest >= n)) {
    throw std::invalid_argument("this is no order of the matrix");
  }
}

template <class I>
bool are_boundaries(std::int64_t n, const In<I>& blocks) {
  const I* const end = blocks.data() + blocks.shape(0);
  return blocks.shape(0) > 0 && *blocks.data() == 0 && end[-1] == n &&
         std::is_sorted(blocks.data(), end);
}

}  // namespace btfperm
