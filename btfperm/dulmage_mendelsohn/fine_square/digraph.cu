// SPDX-License-Identifier: BSD-3-Clause
// digraph: the square part as a graph on the device, whole and in parts
//
// A vertex is a column of the square part together with the row matched to it. There is an edge
// u -> v if the row matched to u has an entry in column v. So the list of column v contains the
// predecessors of v, and the graph is stored by predecessors: for entry p of column v, pred[p] is a
// predecessor of v. It is -1 if the entry is no edge, because it is matched or because its row is
// not in the square part.
//
// Races: counters change only by atomicAdd, which also assigns the places in a list, in any order.

#include "backends/gpu/lists.cuh"
#include "backends/gpu/running_totals.cuh"
#include "dulmage_mendelsohn/fine_square/edges.cuh"

// Writes the predecessors of all vertices to `pred`, and the number of successors of each vertex to
// `out`, which must be zero before. A column outside the square part has col_part != 0 and gets
// out = -1; col_part is null if all columns are in the square part.
extern "C" __global__ void contract(Index n, Index lanes, const Index* indptr, const Index* indices,
                                    const Index* row_match, const int* col_part, Index* pred,
                                    Index* out) {
  const auto open = [=](long long j, bool first) {
    const bool inside = !col_part || col_part[j] == 0;
    if (!inside && first) out[j] = -1;
    return List{static_cast<Index>(j), indptr[j], inside ? indptr[j + 1] : indptr[j]};
  };
  const auto visit = [=](Index j, long long p) {
    const Index u = row_match[indices[p]];
    const bool edge = u >= 0 && u != j && (!col_part || col_part[u] == 0);
    pred[p] = edge ? u : -1;
    if (edge) atomicAdd(reinterpret_cast<Place*>(&out[u]), 1u);
  };
  share_lists(0, n, static_cast<int>(lanes), Sharing::whole_grid(), open, visit);
}

// The sizes of a part, which the host reads, and the counter of the grid barriers.
struct Part {
  Count vertices, edges, barrier;
};

// Makes a graph of a part of the vertices: those with out >= 0 and, if side is not null,
// side != dropped. Its edges are those between vertices of this part and, if side is not null, of
// the same side. place[v] becomes the new number of v, or -1; own[k] becomes the old number of the
// new vertex k. starts, new_pred and new_out are the new graph; next and of_blocks are workspace.
extern "C" __global__ void __launch_bounds__(256, 4)
    keep_part(Index n, Index lanes, const Index* indptr, const Index* pred, const Index* out,
              const int* side, int dropped, Index* place, Index* own, Index* starts, Index* next,
              Index* new_pred, Index* new_out, Index* of_blocks, Part* sizes) {
  Count* barrier = &sizes->barrier;
  if (first_item() == 0) starts[0] = 0;
  const Index count = running_totals(
      n, of_blocks, barrier,
      [=](long long v) { return out[v] >= 0 && (!side || side[v] != dropped); },
      [=](long long v, Index before, Index kept) {
        place[v] = kept ? before : -1;
        if (!kept) return;
        own[before] = static_cast<Index>(v);
        starts[before + 1] = new_out[before] = 0;
      });
  grid_barrier(barrier);
  const auto open = [=](long long k, bool) {
    return List{static_cast<Index>(k), indptr[own[k]], indptr[own[k] + 1]};
  };
  const auto stays = [=](Index k, Index u) {
    return u >= 0 && place[u] >= 0 && (!side || side[u] == side[own[k]]);
  };
  const auto count_one = [=](Index k, long long p) {
    if (stays(k, pred[p])) atomicAdd(reinterpret_cast<Place*>(&starts[k + 1]), 1u);
  };
  share_lists(0, count, static_cast<int>(lanes), Sharing::whole_grid(), open, count_one);
  grid_barrier(barrier);
  const Index edges = degrees_to_starts(count, starts, next, of_blocks, barrier);
  grid_barrier(barrier);
  const auto fill_one = [=](Index k, long long p) {
    const Index u = pred[p];
    if (!stays(k, u)) return;
    new_pred[atomicAdd(reinterpret_cast<Place*>(&next[k]), 1u)] = place[u];
    atomicAdd(reinterpret_cast<Place*>(&new_out[place[u]]), 1u);
  };
  share_lists(0, count, static_cast<int>(lanes), Sharing::whole_grid(), open, fill_one);
  if (first_item() == 0) {
    sizes->vertices = static_cast<Count>(count);
    sizes->edges = static_cast<Count>(edges);
  }
}

// See edges.cuh for the two following kernels.
extern "C" __global__ void count_ends(Index count, const Index* heads, const Index* tails,
                                      Index* in, Index* out) {
  count_ends_of(count, heads, tails, in, out);
}

extern "C" __global__ void place_tails(Index count, const Index* heads, const Index* tails,
                                       Index* next, Index* pred) {
  place_tails_of(count, heads, tails, next, pred);
}

// The head of each edge, which is the number of the list that holds the edge.
extern "C" __global__ void heads_of_lists(Index n, Index lanes, const Index* indptr, Index* heads) {
  const auto visit = [=](Index v, long long p) { heads[p] = v; };
  share_all_lists(n, indptr, static_cast<int>(lanes), visit);
}
