// SPDX-License-Identifier: BSD-3-Clause
// connected: connected components of the horizontal and of the vertical part, on the device
//
// Idea        All entries of a horizontal column lie in horizontal rows, and each of these rows is
//             matched to a horizontal column. For each of these entries, the kernel unites the sets
//             of its column and of the column matched to its row. The resulting sets are the
//             components, named by their smallest column. Vertical components are sets of rows,
//             named by their smallest row: for each entry of a vertical row, the kernel unites the
//             sets of this row and of the row matched to the column of the entry.
// Paper       none: union-find over all entries
// Cost        O(m + n), and two searches for a root for each entry of the two parts, in one pass
// Encodings   In the end, col_root[j] = the smallest column of the component of column j, -1 if j
//             is not horizontal; row_root[i] = the smallest row of the component of row i, -1 if i
//             is not vertical. Before, both are parents, see union_find.cuh
// Races       see union_find.cuh

#include "backends/gpu/lists.cuh"
#include "dulmage_mendelsohn/fine_rectangular/union_find.cuh"

constexpr int horizontal = 1, vertical = 2;

// Makes each horizontal column and each vertical row a set of its own. A matched row is in the part
// of its column; an unmatched row is vertical.
extern "C" __global__ void begin_sets(Index m, Index n, const Index* row_match, const int* col_part,
                                      Index* row_root, Index* col_root) {
  for (long long j = first_item(); j < n; j += item_stride())
    col_root[j] = col_part[j] == horizontal ? static_cast<Index>(j) : -1;
  for (long long i = first_item(); i < m; i += item_stride()) {
    const Index j = row_match[i];
    row_root[i] = j < 0 || col_part[j] == vertical ? static_cast<Index>(i) : -1;
  }
}

extern "C" __global__ void unite_entries(Index n, Index lanes, const Index* indptr,
                                         const Index* indices, const Index* row_match,
                                         const Index* col_match, const int* col_part,
                                         Index* row_root, Index* col_root) {
  const auto open = [=](long long j, bool) {
    return List{static_cast<Index>(j), indptr[j], col_part[j] ? indptr[j + 1] : indptr[j]};
  };
  const auto visit = [=](Index j, long long p) {
    const Index i = indices[p];
    if (col_part[j] == horizontal)
      unite(col_root, j, row_match[i]);
    else if (row_root[i] >= 0)
      unite(row_root, col_match[j], i);
  };
  share_lists(0, n, static_cast<int>(lanes), Sharing::whole_grid(), open, visit);
}

extern "C" __global__ void flatten_sets(Index count, Index* root) {
  for (long long v = first_item(); v < count; v += item_stride())
    if (root[v] >= 0) flatten_way(root, static_cast<Index>(v));
}
