// SPDX-License-Identifier: BSD-3-Clause
// certificate: checks on the device that a matching is legal and maximum
//
// Idea        An alternating breadth-first search starts from all unmatched columns. If it reaches
//             no unmatched row, the rows that it reaches and the matched columns that it does not
//             reach are a cover of the size of the matching (Kőnig). Then every entry is checked
//             against this cover. If the search for the matching has already marked the rows of a
//             cover, these are checked instead; only if that check fails, the rows are searched.
// Cost        visits each entry at most once for the cover and once for each check; one launch for
//             each level
// Encodings   reached[i] = 1: the search has reached row i, which is in the cover; queue: the
//             columns that the search has reached
// Races       a row is claimed by atomicExch, so its mate is queued once; flags are only set to 1

#include "backends/gpu/counting.cuh"
#include "backends/gpu/frontier.cuh"
#include "backends/gpu/index.cuh"

// What the host reads.
struct Findings {
  Count reached_columns;  // size of the queue
  Count free_row;         // 1: an unmatched row is reached, so the matching is not maximum
  Count wrong;            // 1: the two arrays disagree, or an entry is not covered
  Count matched;          // number of matched columns
  Count pairs;            // number of columns that are matched at an entry
  Count covers;           // number of rows and columns of the cover
};

// Runs first: the other kernels use the matching as indices without checking it.
extern "C" __global__ void check_pairs(Index m, Index n, const Index* row_match,
                                       const Index* col_match, Findings* findings) {
  for (long long i = first_item(); i < m; i += item_stride()) {
    const Index j = row_match[i];
    if (j != -1 && (j < 0 || j >= n || col_match[j] != i)) findings->wrong = 1;
  }
  for (long long j = first_item(); j < n; j += item_stride()) {
    const Index i = col_match[j];
    if (i != -1 && (i < 0 || i >= m || row_match[i] != j)) findings->wrong = 1;
  }
}

extern "C" __global__ void queue_free_columns(Index n, const Index* col_match, Index* queue,
                                              Findings* findings) {
  const Frontier frontier{queue, &findings->reached_columns};
  for (long long j = first_item(); j < n; j += item_stride())
    if (col_match[j] == -1) frontier.push(static_cast<Index>(j));
}

// Visits the columns queue[begin ... end - 1], one warp for each column.
extern "C" __global__ void reach_rows(Index begin, Index end, const Index* indptr,
                                      const Index* indices, const Index* row_match, int* reached,
                                      Index* queue, Findings* findings) {
  const Frontier frontier{queue, &findings->reached_columns};
  const int lane = lane_id();
  for (long long k = begin + first_item() / 32; k < end; k += item_stride() / 32) {
    const Index j = queue[k];
    for (long long p = indptr[j] + lane; p < indptr[j + 1]; p += 32) {
      const Index i = indices[p];
      if (reached[i] || atomicExch(&reached[i], 1)) continue;
      if (row_match[i] == -1)
        findings->free_row = 1;
      else
        frontier.push(row_match[i]);
    }
  }
}

// For each column, `lanes` lanes test whether its mate is in its list (where no row occurs twice),
// and whether each of its entries is covered. A row is in the cover if the search has reached it, a
// column if it is matched to a row that the search has not reached.
extern "C" __global__ void check_entries(int lanes, Index n, const Index* indptr,
                                         const Index* indices, const Index* col_match,
                                         const int* reached, unsigned char* col_in_cover,
                                         Findings* findings) {
  const int lane = threadIdx.x % lanes;
  Count matched = 0, pairs = 0, covers = 0;
  bool wrong = false;
  for (long long j = first_item() / lanes; j < n; j += item_stride() / lanes) {
    const Index mate = col_match[j];
    const bool in_cover = mate != -1 && !reached[mate];
    for (long long p = indptr[j] + lane; p < indptr[j + 1]; p += lanes) {
      pairs += indices[p] == mate;
      wrong |= !in_cover && !reached[indices[p]];
    }
    if (lane == 0) {
      col_in_cover[j] = in_cover;
      matched += mate != -1;
      covers += in_cover;
    }
  }
  if (wrong) findings->wrong = 1;
  add_over_warp(&findings->matched, matched);
  add_over_warp(&findings->pairs, pairs);
  add_over_warp(&findings->covers, covers);
}

extern "C" __global__ void mark_rows(Index m, const int* reached, unsigned char* row_in_cover,
                                     Findings* findings) {
  Count covers = 0;
  for (long long i = first_item(); i < m; i += item_stride()) {
    row_in_cover[i] = reached[i] != 0;
    covers += reached[i] != 0;
  }
  add_over_warp(&findings->covers, covers);
}
