// SPDX-License-Identifier: BSD-3-Clause
// Sorted lists from pairs (list, item), for a rank that owns some of the lists
//
// Idea        Count the items of each list, place the items list by list, sort each list, drop
//             duplicates. Pairs that are sorted by list, as in most files, have their places
//             already.
// Cost        O(lists + pairs log(longest list)), O(lists + pairs) for sorted lists. Memory: one
//             copy of the items, unless the pairs are sorted by list; no array has a place for each
//             row and column of the matrix.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/workspace.hpp"

namespace btfperm {

// Pair k is the item items[k] of the list lists[k], first <= lists[k] < first + count. The sorted
// lists overwrite the beginning of `items`, and indptr (count + 1 elements) receives their starts.
// Returns the number of items without duplicates.
template <class I>
std::int64_t owned_lists(std::int64_t first, std::int64_t count, std::int64_t pairs, const I* lists,
                         I* items, std::int64_t* indptr, Budget& budget) {
  std::fill(indptr, indptr + count + 1, 0);
  for (std::int64_t k = 0; k < pairs; ++k) ++indptr[lists[k] - first + 1];
  for (std::int64_t l = 0; l < count; ++l) indptr[l + 1] += indptr[l];
  Workspace workspace;
  I* placed = items;
  if (std::is_sorted(lists, lists + pairs)) {
    std::copy(indptr + 1, indptr + count + 1, indptr);
  } else {
    placed = workspace.take<I>(static_cast<std::size_t>(pairs));
    for (std::int64_t k = 0; k < pairs; ++k) placed[indptr[lists[k] - first]++] = items[k];
  }
  // indptr[l] is now the end of list l.
  std::int64_t begin = 0, used = 0;
  for (std::int64_t l = 0; l < count; ++l) {
    const std::int64_t end = indptr[l];
    if (!std::is_sorted(placed + begin, placed + end)) std::sort(placed + begin, placed + end);
    I* const last = std::unique(placed + begin, placed + end);
    indptr[l] = used;
    if (items + used != placed + begin) std::copy(placed + begin, last, items + used);
    used += last - (placed + begin);
    if (!budget.spend(end - begin)) return used;
    begin = end;
  }
  indptr[count] = used;
  return used;
}

}  // namespace btfperm
