// SPDX-License-Identifier: BSD-3-Clause
// local-max: match what is the heaviest entry of its row and of its column, on a GPU
//
// Idea        Each entry between free rows and columns has a random weight in each round. One that
//             is the heaviest of its row and of its column is matched; again, until there is none.
//             At least half of the entries go in a round, on average.
// Paper       M. Birn, V. Osipov, P. Sanders, C. Schulz, N. Sitchinava, "Efficient parallel and
//             external matching", Euro-Par 2013, section 2, unit weights, ties broken at random.
//             Changed: rows and columns choose from their lists, and who has nothing to choose from
//             leaves the list of vertices; the paper takes entries out of a list of entries
// Cost        three kernels a round, O(log nnz) rounds; a vertex reads its whole list in each
// Prefer it   for comparison; rather use greedy, which needs one kernel
// Encodings   choice[v]: partner that v would have in this round; of matched vertices, an old one
// Invariants  a free vertex with a free neighbour is in the list of its side
// Races       none: choices are made while the matching rests, and are mutual or void

#include "backends/gpu/counting.cuh"
#include "backends/gpu/frontier.cuh"
#include "backends/gpu/index.cuh"
#include "transversal/initial/vertex_hash.cuh"

// What the host reads.
struct State {
  Count edges;
  Count left[2];  // columns, rows in the lists of the next round
};

// list is null in the first round: all vertices. Columns choose when column is 1, else rows.
extern "C" __global__ void choose(Count round, Index column, Index size, const Index* list,
                                  Index* left, const Index* indptr, const Index* indices,
                                  const Index* match, const Index* other_match, Index* choice,
                                  State* state) {
  const Frontier later{left, &state->left[column ? 0 : 1]};
  Count edges = 0;
  for (long long k = first_item(); k < size; k += item_stride()) {
    const Index v = list ? list[k] : static_cast<Index>(k);
    if (match[v] != -1) continue;
    Index best = -1;
    Count heaviest = 0;
    for (Index p = indptr[v]; p < indptr[v + 1]; ++p) {
      const Index w = indices[p];
      ++edges;
      if (other_match[w] != -1) continue;
      const Count weight = column ? entry_hash(round, w, v) : entry_hash(round, v, w);
      if (best != -1 && weight <= heaviest) continue;
      best = w;
      heaviest = weight;
    }
    choice[v] = best;
    if (best != -1) later.push(v);
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
