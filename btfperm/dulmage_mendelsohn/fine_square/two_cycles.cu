// SPDX-License-Identifier: BSD-3-Clause
// two-cycles: contracts pairs of vertices with edges in both directions
//
// Idea        If both edges u -> v and v -> u exist, u and v are in one component. If the pattern
//             is nearly symmetric after the matched entries are permuted to the diagonal, few
//             rounds usually contract the graph to few vertices. This also holds for long graphs,
//             in which a search takes very many levels.
// Paper       ours
// Cost        for each edge, a round searches at most one list for the reverse edge: the list of
//             the smaller vertex of the edge or, if this has more than `longest` entries, the list
//             of the larger vertex. A 2-cycle between two vertices with longer lists is not found
// Encodings   parent: as in union_find.cuh; contraction.cu converts it to names
// Races       see union_find.cuh

#include "backends/gpu/counting.cuh"
#include "backends/gpu/lists.cuh"
#include "dulmage_mendelsohn/fine_rectangular/union_find.cuh"

constexpr long long longest = 64;  // only lists up to this length are searched for a reverse edge

// Whether the list `list` contains `wanted`; false if the list is too long.
__device__ inline bool has(const Index* indptr, const Index* pred, Index list, Index wanted) {
  const long long from = indptr[list], to = indptr[list + 1];
  if (to - from > longest) return false;
  for (long long p = from; p < to; ++p)
    if (pred[p] == wanted) return true;
  return false;
}

// Adds to *edges the number of edges in the lists of every `apart`-th vertex, if the list is short,
// and to *both the number of these edges whose reverse edge is found.
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

// Unites the sets of the two vertices of each 2-cycle.
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
