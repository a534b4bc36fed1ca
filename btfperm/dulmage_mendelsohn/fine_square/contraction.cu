// SPDX-License-Identifier: BSD-3-Clause
// contraction: the graph of the components found so far, in one launch
//
// Idea        A component is named by one of its members. The names are numbered in ascending
//             order, and the edges between different components are sorted into lists by these
//             numbers. All steps are in one launch because, on small graphs, one launch for each
//             step and transfers to the host would take most of the time.
// Cost        O(n + all + edges), seven steps with a grid barrier between them; `all`: see below
// Encodings   name[v] = the member that names the component of v; -1: v and its edges are omitted
// Races       as in union_find.cuh; counters only increase; atomicAdd assigns places in a list, in
//             any order

#include "backends/gpu/append.cuh"
#include "backends/gpu/lists.cuh"
#include "backends/gpu/running_totals.cuh"
#include "dulmage_mendelsohn/fine_rectangular/union_find.cuh"
#include "dulmage_mendelsohn/fine_square/edges.cuh"

// The sizes of the result, which the host reads, and the counter of the grid barriers.
struct Contracted {
  Count names;
  Count edges;
  Count barrier;
};

// The arguments, as far as they need an explanation:
// sets: whether `name` holds parents of union_find.cuh whose paths are not compressed yet.
// vertex: null, or one element for each of the `all` vertices of an earlier graph, from which this
//   graph was contracted: before the call, its vertex in this graph; after the call, the number of
//   its component. If `fresh` holds, the earlier graph is this one, and `vertex` is only written.
// old_member: a vertex of the earlier graph for each vertex of this graph; null if the graphs are
//   the same. member: the result, one vertex of the earlier graph for each component.
// floor: null, or a lower bound on the height of each vertex of this graph. height: the result, a
//   lower bound on the height of each component.
// heads, tails, next, of_blocks: workspace. starts, new_pred, out: the new graph, see digraph.cu.
extern "C" __global__ void __launch_bounds__(256, 4)
    contract_names(Index n, Index lanes, const Index* indptr, const Index* pred, Index sets,
                   Index* name, Index* number, Index all, Index fresh, Index* vertex,
                   const Index* old_member, Index* member, const Index* floor, Index* height,
                   Index* heads, Index* tails, Index* starts, Index* next, Index* new_pred,
                   Index* out, Index* of_blocks, Contracted* result) {
  __shared__ Basket<2> found;
  Count* barrier = &result->barrier;
  if (first_item() == 0) starts[0] = 0;
  const Index names = running_totals(
      n, of_blocks, barrier, [=](long long v) { return seen(&name[v]) == v; },
      [=](long long v, Index before, Index is_name) {
        if (sets) flatten_way(name, static_cast<Index>(v));
        if (!is_name) return;
        number[v] = before;
        starts[before + 1] = out[before] = 0;
        if (member) member[before] = old_member ? old_member[v] : static_cast<Index>(v);
        if (height) height[before] = 0;
      });
  grid_barrier(barrier);

  if (vertex)
    for (long long v = first_item(); v < all; v += item_stride())
      vertex[v] = number[name[fresh ? v : vertex[v]]];
  if (floor)
    for (long long v = first_item(); v < n; v += item_stride()) {
      if (name[v] < 0 || floor[v] == 0) continue;
      Index* word = &height[number[name[v]]];
      if (seen(word) < floor[v]) atomicMax(word, floor[v]);
    }
  found.begin();
  const auto open = [=](long long v, bool) {
    return List{name[v], indptr[v], name[v] >= 0 ? indptr[v + 1] : indptr[v]};
  };
  const auto visit = [&](Index head, long long p) {
    const Index u = pred[p];
    if (u < 0) return;
    const Index tail = name[u];
    if (tail >= 0 && tail != head)
      found.put({number[head], number[tail]}, {heads, tails}, &result->edges);
  };
  share_lists(0, n, static_cast<int>(lanes), Sharing::whole_grid(), open, visit);
  found.end({heads, tails}, &result->edges);
  grid_barrier(barrier);

  const Index edges = static_cast<Index>(seen(&result->edges));
  count_ends_of(edges, heads, tails, &starts[1], out);
  grid_barrier(barrier);
  degrees_to_starts(names, starts, next, of_blocks, barrier);
  grid_barrier(barrier);
  place_tails_of(edges, heads, tails, next, new_pred);
  if (first_item() == 0) result->names = static_cast<Count>(names);
}
