// SPDX-License-Identifier: BSD-3-Clause
// two-cycles: edges in both directions, contracted
//
// Idea        If both edges u -> v and v -> u exist, u and v are in one component. A pattern that
//             is nearly symmetric about its matching is usually contracted to few vertices in few
//             rounds, also if its graph is so long that a search takes very many levels.
// Paper       ours
// Cost        for each edge, a round searches at most one list for the reverse edge: that of the
//             smaller end or, if it has more than `longest` entries, that of the larger end. A
//             2-cycle between two vertices with longer lists is not found
// Encodings   parent: as in union_find.cuh; contraction.cu converts it to names
// Races       see union_find.cuh

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

// Counts the edges in the list of every `apart`-th vertex, if short, and those with a reverse edge.
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
    // Each 2-cycle is tested once, by a search of the list of its smaller vertex. If that list is
    // too long, the list of the larger vertex is searched instead.
    if (u < 0 || (u > v && indptr[v + 1] - indptr[v] <= longest)) return;
    if (seen(&parent[u]) == seen(&parent[v]) || !has(indptr, pred, u, v)) return;
    unite(parent, u, v);
  };
  share_all_lists(n, indptr, static_cast<int>(lanes), visit);
}
