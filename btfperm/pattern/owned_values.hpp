// SPDX-License-Identifier: BSD-3-Clause
// Sorted lists with values from triples (list, item, value), for a rank that owns some lists
//
// Idea        As owned_lists.hpp, but the indices of the triples are sorted instead of the triples,
//             and the values of duplicates are added up in ascending order. So the sum does not
//             depend on which rank sent which value.
// Cost        O(lists + triples log(longest list)). Memory: 8 bytes for each triple and the result.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/workspace.hpp"

namespace btfperm {

// Maps each double to an integer. The integers have the order of the doubles, and this order is
// total: it includes NaN, too.
inline std::int64_t place_among_doubles(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits ^ ((bits >> 63) & 0x7fffffffffffffff);
}

// Triple k is the item items[k] of the list lists[k], first <= lists[k] < first + count, with the
// value k. A value consists of `parts` doubles from values[parts * k] on: 1, or 2 if it is complex.
// Fills indptr (count + 1 elements) and the beginning of own_items and own_values, which have room
// for all triples. Returns the number of items without duplicates.
template <class I>
std::int64_t owned_values(std::int64_t first, std::int64_t count, std::int64_t triples, int parts,
                          const I* lists, const I* items, const double* values,
                          std::int64_t* indptr, I* own_items, double* own_values, Budget& budget) {
  std::fill(indptr, indptr + count + 1, 0);
  for (std::int64_t k = 0; k < triples; ++k) ++indptr[lists[k] - first + 1];
  for (std::int64_t l = 0; l < count; ++l) indptr[l + 1] += indptr[l];
  Workspace workspace;
  std::int64_t* const order = workspace.take<std::int64_t>(static_cast<std::size_t>(triples));
  for (std::int64_t k = 0; k < triples; ++k) order[indptr[lists[k] - first]++] = k;
  const auto before = [&](std::int64_t a, std::int64_t b) {
    if (items[a] != items[b]) return items[a] < items[b];
    for (int part = 0; part < parts; ++part) {
      const std::int64_t one = place_among_doubles(values[parts * a + part]);
      const std::int64_t two = place_among_doubles(values[parts * b + part]);
      if (one != two) return one < two;
    }
    return false;
  };
  // indptr[l] is now the end of list l.
  std::int64_t begin = 0, used = 0;
  for (std::int64_t l = 0; l < count; ++l) {
    const std::int64_t end = indptr[l];
    if (!std::is_sorted(order + begin, order + end, before)) {
      std::sort(order + begin, order + end, before);
    }
    indptr[l] = used;
    for (std::int64_t at = begin; at < end; ++at) {
      const std::int64_t k = order[at];
      if (used > indptr[l] && own_items[used - 1] == items[k]) {
        for (int part = 0; part < parts; ++part) {
          own_values[parts * (used - 1) + part] += values[parts * k + part];
        }
        continue;
      }
      own_items[used] = items[k];
      for (int part = 0; part < parts; ++part) {
        own_values[parts * used + part] = values[parts * k + part];
      }
      ++used;
    }
    if (!budget.spend(end - begin)) return used;
    begin = end;
  }
  indptr[count] = used;
  return used;
}

}  // namespace btfperm
