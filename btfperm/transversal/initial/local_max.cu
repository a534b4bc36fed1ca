// SPDX-License-Identifier: BSD-3-Clause
// local-max: matches entries of maximum weight in their row and in their column, on a GPU
//
// Idea        In each round every entry between unmatched rows and columns has a random weight. An
//             entry with the maximum weight of its row and of its column is matched. Rounds are
//             repeated until there is no such entry. On average a round removes at least half of
//             the entries.
// Paper       M. Birn, V. Osipov, P. Sanders, C. Schulz, N. Sitchinava, "Efficient parallel and
//             external matching", Euro-Par 2013, section 2, unit weights, ties broken at random.
//             Changed: rows and columns choose from their lists, and a vertex without a choice
//             leaves the list of vertices; the paper removes entries from a list of entries
// Cost        three kernels a round, O(log nnz) rounds; a vertex reads its whole list in each
// Prefer it   for comparison. Otherwise prefer greedy, which needs one kernel
// Encodings   choice[v]: the neighbour of maximum weight in this round; out of date for matched
//             vertices
// Invariants  an unmatched vertex with an unmatched neighbour is in the list of its side
// Races       none: the matching does not change while vertices choose, and a choice has effect
//             only if it is mutual

#include "backends/gpu/counting.cuh"
#include "backends/gpu/frontier.cuh"
#include "backends/gpu/index.cuh"
#include "transversal/initial/vertex_hash.cuh"

// Counters for the host.
struct State {
  Count edges;
  Count left[2];  // columns, rows in the lists of the next round
};

// list is null in the first round: all vertices. Columns choose if column is 1, else rows.
extern "C" __global__ void choose(Count round, Index column, Index size, const Index* list,
                                  Index* left, const Index* indptr, const Index* indices,
                                  const Index* match, const Index* other_match, Index* choice,
                                  State* state) {
  const Frontier remaining{left, &state->left[column ? 0 : 1]};
  Count edges = 0;
  for (long long k = first_item(); k < size; k += item_stride()) {
    const Index v = list ? list[k] : static_cast<Index>(k);
    if (match[v] != -1) continue;
    Index best = -1;
    Count max_weight = 0;
    for (Index p = indptr[v]; p < indptr[v + 1]; ++p) {
      const Index w = indices[p];
      ++edges;
      if (other_match[w] != -1) continue;
      const Count weight = column ? entry_hash(round, w, v) : entry_hash(round, v, w);
      if (best != -1 && weight <= max_weight) continue;
      best = w;
      max_weight = weight;
    }
    choice[v] = best;
    if (best != -1) remaining.push(v);
  }
  add_over_warp(&state->edges, edges);
}

extern "C" __global__ void match_mutual(Index size, const Index* columns, const Index* choice,
                                        const Index* row_choice, Index* col_match,
                                        Index* row_match) {
  for (long long k = first_item(); k < size; k += item_stride()) {
    const Index j = columns[k], i = choice[j];
    if (row_choice[i] != j) continue;
    col_match[j] = i;
    row_match[i] = j;
  }
}
