// SPDX-License-Identifier: BSD-3-Clause
// digraph: the square part as a graph on the device, whole and in parts
//
// A vertex is a matched pair, named by its column; edge u -> v if the row of u has an entry in
// column v. So the list of v's column holds its predecessors, and predecessors are what is kept:
// pred[p] is one, or -1 where the entry is no edge (the pair itself, or a row outside the part).
//
// Races: counters are only added to; places in a list are handed out by atomicAdd, in any order.

#include "backends/gpu/append.cuh"
#include "backends/gpu/index.cuh"
#include "backends/gpu/lists.cuh"
#include "backends/gpu/visible.cuh"

// pred, and the number of successors of each vertex in out, which is zero at first. What is not in
// the square part has col_part != 0 and gets out = -1; col_part is null where all is.
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

// A part of a graph: place[v] is v's new number, or -1, own[k] the old one of new vertex k. Edges
// are kept between vertices of the same side (where side is not null). First how many each list
// keeps ...
extern "C" __global__ void count_kept(Index kept, Index lanes, const Index* own,
                                      const Index* indptr, const Index* pred, const Index* place,
                                      const int* side, Index* degree) {
  const auto open = [=](long long k, bool) {
    return List{static_cast<Index>(k), indptr[own[k]], indptr[own[k] + 1]};
  };
  const auto visit = [=](Index k, long long p) {
    const Index u = pred[p];
    if (u >= 0 && place[u] >= 0 && (!side || side[u] == side[own[k]]))
      atomicAdd(reinterpret_cast<Place*>(&degree[k]), 1u);
  };
  share_lists(0, kept, static_cast<int>(lanes), Sharing::whole_grid(), open, visit);
}

// ... then the lists; next[k] is where the list of new vertex k goes on. out is zero at first.
extern "C" __global__ void fill_kept(Index kept, Index lanes, const Index* own, const Index* indptr,
                                     const Index* pred, const Index* place, const int* side,
                                     Index* next, Index* new_pred, Index* out) {
  const auto open = [=](long long k, bool) {
    return List{static_cast<Index>(k), indptr[own[k]], indptr[own[k] + 1]};
  };
  const auto visit = [=](Index k, long long p) {
    const Index u = pred[p];
    if (u < 0 || place[u] < 0 || (side && side[u] != side[own[k]])) return;
    new_pred[atomicAdd(reinterpret_cast<Place*>(&next[k]), 1u)] = place[u];
    atomicAdd(reinterpret_cast<Place*>(&out[place[u]]), 1u);
  };
  share_lists(0, kept, static_cast<int>(lanes), Sharing::whole_grid(), open, visit);
}

// 1 for the vertices that are kept: out >= 0, and where side is not null, side != dropped.
extern "C" __global__ void mark_kept(Index n, const Index* out, const int* side, Index dropped,
                                     Index* kept) {
  for (long long v = first_item(); v < n; v += item_stride())
    kept[v] = (!out || out[v] >= 0) && (!side || side[v] != dropped);
}

// From running totals of those marks: new numbers, and the old number of each new vertex.
extern "C" __global__ void number_kept(Index n, const Index* totals, Index* place, Index* own) {
  for (long long v = first_item(); v < n; v += item_stride()) {
    const bool kept = totals[v] != (v > 0 ? totals[v - 1] : 0);
    place[v] = kept ? totals[v] - 1 : -1;
    if (kept) own[totals[v] - 1] = static_cast<Index>(v);
  }
}

// The numbers of the names at both ends of the edges between different names, where both ends have
// one; how many there are in `count`.
extern "C" __global__ void list_between(Index n, Index lanes, const Index* indptr,
                                        const Index* pred, const Index* name, const Index* number,
                                        Index* heads, Index* tails, Count* count) {
  __shared__ Basket<2> found;
  found.begin();
  const auto open = [=](long long v, bool) {
    return List{name[v], indptr[v], name[v] >= 0 ? indptr[v + 1] : indptr[v]};
  };
  const auto visit = [&](Index head, long long p) {
    const Index u = pred[p];
    if (u < 0) return;
    const Index tail = name[u];
    if (tail >= 0 && tail != head) found.put({number[head], number[tail]}, {heads, tails}, count);
  };
  share_lists(0, n, static_cast<int>(lanes), Sharing::whole_grid(), open, visit);
  found.end({heads, tails}, count);
}

// How often each vertex is a head, and how often a tail; both are zero at first. Many edges are a
// giant's: the lanes of a warp that count the same go to memory together.
extern "C" __global__ void count_ends(Index count, const Index* heads, const Index* tails,
                                      Index* in, Index* out) {
  const auto add = [](Index* counts, Index v) {
    const unsigned same = __match_any_sync(__activemask(), v);
    if (threadIdx.x % 32 == __ffs(same) - 1)
      atomicAdd(reinterpret_cast<Place*>(&counts[v]), static_cast<Place>(__popc(same)));
  };
  for (long long e = first_item(); e < count; e += item_stride()) {
    add(in, heads[e]);
    add(out, tails[e]);
  }
}

// Each tail to the list of its head; next[v] is where the list of v goes on.
extern "C" __global__ void place_tails(Index count, const Index* heads, const Index* tails,
                                       Index* next, Index* pred) {
  const int lane = threadIdx.x % 32;
  for (long long e = first_item(); e < count; e += item_stride()) {
    const unsigned same = __match_any_sync(__activemask(), heads[e]);
    const int first = __ffs(same) - 1;
    Place place = 0;
    if (lane == first)
      place =
          atomicAdd(reinterpret_cast<Place*>(&next[heads[e]]), static_cast<Place>(__popc(same)));
    pred[__shfl_sync(same, place, first) + __popc(same & ((1u << lane) - 1))] = tails[e];
  }
}

// 1 for the vertices that are names.
extern "C" __global__ void mark_names(Index n, const Index* name, Index* marks) {
  for (long long v = first_item(); v < n; v += item_stride()) marks[v] = name[v] == v;
}

// The list that each entry is in.
extern "C" __global__ void heads_of_lists(Index n, Index lanes, const Index* indptr, Index* heads) {
  const auto visit = [=](Index v, long long p) { heads[p] = v; };
  share_all_lists(n, indptr, static_cast<int>(lanes), visit);
}

// The highest floor of each block's vertices; height is zero at first.
extern "C" __global__ void raise_floor(Index n, const Index* name, const Index* number,
                                       const Index* floor, Index* height) {
  for (long long v = first_item(); v < n; v += item_stride()) {
    if (name[v] < 0 || floor[v] == 0) continue;
    Index* word = &height[number[name[v]]];
    if (seen(word) < floor[v]) atomicMax(word, floor[v]);
  }
}
