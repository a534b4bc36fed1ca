// SPDX-License-Identifier: BSD-3-Clause
// canonical order: the one order of blocks, rows and columns, whatever ran before
//
// Idea        Horizontal components come by their smallest column; then square blocks by falling
//             height, ties by their smallest column; then vertical components by their smallest
//             row. Inside a block rows and columns ascend. Coarse parts, blocks, heights and
//             smallest members are functions of the entries alone, so the order does not depend on
//             the matching (two perfect matchings of the square part differ by alternating
//             cycles, and each of these stays inside one block).
// Why height  A height falls along each dependency, so the form is block upper triangular, and all
//             blocks of one height stand together: they can be solved at once.
// Cost        O(m + n + blocks), counting sorts
#pragma once

#include <algorithm>

#include "dulmage_mendelsohn/coarse.hpp"
#include "dulmage_mendelsohn/fine_rectangular/union_find.hpp"

namespace btfperm {

// Numbers the trees of `parent` whose members are in `part`, by their smallest member, from
// `first` on; block[k] of each member. Returns the number after the last.
template <class I>
I number_by_smallest(I* parent, const std::uint8_t* parts, Part part, I count, I first, I* block) {
  for (I k = 0; k < count; ++k) {
    if (parts[k] != part) continue;
    const I root = find_root(parent, k);  // the smallest member, so numbered before the others
    block[k] = root == k ? first++ : block[root];
  }
  return first;
}

// place[c] of each component in the canonical order of the square blocks, from the component of
// each square column (-1: none). `start` (n_components + 1) is workspace.
template <class I>
void canonical_places(I n, const I* component, I n_components, const I* height, I* place,
                      I* start) {
  // Stable counting sort by falling height of the components in the order of their smallest
  // columns. No height reaches n_components.
  std::fill(place, place + n_components, I{-1});
  std::fill(start, start + n_components + 1, I{0});
  for (I c = 0; c < n_components; ++c) ++start[n_components - height[c]];
  for (I k = 1; k <= n_components; ++k) start[k] += start[k - 1];
  I seen = 0;
  for (I j = 0; j < n && seen < n_components; ++j) {
    const I c = component[j];
    if (c < 0 || place[c] >= 0) continue;
    place[c] = start[n_components - 1 - height[c]]++;
    ++seen;
  }
}

// Members of each block, ascending: a counting sort. boundaries has n_blocks + 1 places.
template <class I>
void gather_blocks(I count, const I* block, I n_blocks, I* boundaries, I* perm) {
  std::fill(boundaries, boundaries + n_blocks + 1, I{0});
  for (I k = 0; k < count; ++k) ++boundaries[block[k] + 1];
  for (I b = 0; b < n_blocks; ++b) boundaries[b + 1] += boundaries[b];
  for (I k = 0; k < count; ++k) perm[boundaries[block[k]]++] = k;
  for (I b = n_blocks; b > 0; --b) boundaries[b] = boundaries[b - 1];
  boundaries[0] = 0;
}

}  // namespace btfperm
