// SPDX-License-Identifier: BSD-3-Clause
// two-cycles: edges in both directions, contracted
//
// Idea        u -> v and v -> u lie in one component. A pattern that is nearly symmetric about its
//             matching collapses in a round or two, where searches would crawl through long thin
//             graphs: kkt 289,000 levels.
// Paper       ours
// Cost        a round looks through the list at the far end of each edge. A list of more than
//             `longest` is not looked through; the edge back, seen from its own end, asks the other
// Encodings   parent: as union_find.cuh; contraction.cu makes names of it
// Races       as union_find.cuh says

#include "backends/gpu/counting.cuh"
#include "backends/gpu/lists.cuh"
#include "dulmage_mendelsohn/fine_rectangular/union_find.cuh"

constexpr long long longest = 64;  // length of lists that are searched for the reverse edge

__device__ inline bool has(const Index* indptr, const Index* pred, Index list, Index wanted) {
  const long long from = indptr[list], to = indptr[list + 1];
  if (to - from > longest) return false;
  for (long long p = from; p < to; ++p)
    if (pred[p] == wanted) return true;
  return false;
}

// Of every `apart`-th vertex that is in the graph: its edges, and how many of them have one back.
extern "C" __global__ void sample(Index n, Index apart, const Index* indptr, const Index* pred,
                                  const Index* out, Count* edges, Count* both) {
  Count mine = 0, mine_both = 0;
  for (long long k = first_item(); k * apart < n; k += item_stride()) {
    const Index v = static_cast<Index>(k * apart);
    if (out[v] < 0 || indptr[v + 1] - indptr[v] > longest) continue;
    for (long long p = indptr[v]; p < indptr[v + 1]; ++p) {
      if (pred[p] < 0) continue;
      ++mine;
      mine_both += has(indptr, pred, pred[p], v);
    }
  }
  add_over_warp(edges, mine);
  add_over_warp(both, mine_both);
}

extern "C" __global__ void unite_pairs(Index n, Index lanes, const Index* indptr, const Index* pred,
                                       Index* parent) {
  const auto visit = [=](Index v, long long p) {
    const Index u = pred[p];
    // Each pair once, unless the list that must be asked is a long one.
    if (u < 0 || (u > v && indptr[v + 1] - indptr[v] <= longest)) return;
    if (seen(&parent[u]) == seen(&parent[v]) || !has(indptr, pred, u, v)) return;
    unite(parent, u, v);
  };
  share_all_lists(n, indptr, static_cast<int>(lanes), visit);
}
