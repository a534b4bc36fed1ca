// SPDX-License-Identifier: BSD-3-Clause
// peel: repeatedly removes vertices without successors, and computes their heights
//
// Idea        A vertex without successors is a block by itself. After its removal, predecessors
//             without other successors form the next level. If the caller gives no lower bounds on
//             the heights, all levels are exact: the height of each vertex is the number of its
//             level. Otherwise, each vertex raises the heights of its predecessors. The vertices
//             that remain in the end are on cycles, or have successors that remain.
// Cost        O(entries of removed vertices), and a barrier for each level. If many successive
//             levels have fewer than 30 vertices on average, the CPU continues
// Encodings   out[v]: number of remaining successors; -1: not in the graph, or removed
// Invariants  In an exact level, no height is read, so the successors need not raise it
// Races       If levels are not exact, a thread must raise a height before it decreases the count
//             of successors, because another thread reads the height when the count is zero. Two
//             atomic operations of a thread have no order, unless the second one needs the result
//             of the first; see lose_successors

#include "backends/gpu/append.cuh"
#include "backends/gpu/by_levels.cuh"

extern "C" __global__ void queue_ready(Index n, const Index* out, Index* items, Count* end) {
  __shared__ Basket<1> ready;
  ready.begin();
  for (long long v = first_item(); v < n; v += item_stride())
    if (out[v] == 0) ready.put({static_cast<Index>(v)}, {items}, end);
  ready.end({items}, end);
}

// Subtracts `count` from the number of successors of u; returns true if u has none left.
// `height_before` is the result of an atomic operation that must precede this one. It is never
// negative; the test only makes this operation depend on that result, so that the order is kept.
__device__ inline bool lose_successors(Index* out, Index u, Index count, Index height_before) {
  const Index lost = height_before < 0 ? 0 : count;
  return atomicAdd(reinterpret_cast<Place*>(&out[u]), ~static_cast<Place>(lost) + 1) ==
         static_cast<Place>(count);
}

// height: zeros, or a lower bound for each vertex, in which case no level is exact (round.ordered
// is false). In exact levels, a vertex does not raise the heights of its predecessors: afterwards,
// `raise_left` does this for the items of the queue. Only rounds that one block of threads
// processes (round.narrow) raise them at once, because their items may never be in the queue.
extern "C" __global__ void __launch_bounds__(512, 2)
    peel(Levels* levels, Index lanes, const Index* indptr, const Index* pred, Index* out,
         Index* height, Index* items) {
  const auto open = [=](Index v, const Round& round, bool first) {
    Index own = static_cast<Index>(round.level);
    if (!round.ordered) {
      const Index stored = seen(&height[v]);
      if (stored > own) own = stored;
    }
    if (first) {
      height[v] = own;
      out[v] = -1;
    }
    const Index above = own + 1;
    return List{!round.ordered ? above : round.narrow ? -above : 0, indptr[v], indptr[v + 1]};
  };
  const auto visit = [=](Index above, long long p, const Queue& queue) {
    const Index u = pred[p];
    if (u < 0) return;
    if (above <= 0) {
      if (above < 0) atomicMax(&height[u], -above);
      if (lose_successors(out, u, 1, 0)) queue.push(u);
      return;
    }
    const Index before = seen(&height[u]) < above ? atomicMax(&height[u], above) : 0;
    // A giant block may be the predecessor of many vertices. So the lanes of a warp that decrease
    // the same count combine their updates.
    const unsigned together = __activemask(), same = __match_any_sync(together, u);
    const Index none = __any_sync(together, before < 0) ? -1 : 0;
    if (static_cast<int>(lane_id()) != first_of(same)) return;
    if (lose_successors(out, u, static_cast<Index>(__popc(same)), none)) queue.push(u);
  };
  search_by_levels(levels, items, static_cast<int>(lanes), open, visit);
}

// Marks the vertices that are still in the queue when the search ends early as not removed.
extern "C" __global__ void put_back(Index count, const Index* waiting, Index* out) {
  for (long long k = first_item(); k < count; k += item_stride()) out[waiting[k]] = 0;
}

// Raises the heights of the remaining vertices above those of their successors in items[0 ...
// count - 1], which `peel` removed in exact levels. The results are lower bounds.
extern "C" __global__ void raise_left(Index lanes, const Index* indptr, const Index* pred,
                                      const Index* out, Index* height, Index count,
                                      const Index* items) {
  const auto open = [=](long long k, bool) {
    const Index v = items[k];
    return List{static_cast<Index>(height[v] + 1), indptr[v], indptr[v + 1]};
  };
  const auto visit = [=](Index above, long long p) {
    const Index u = pred[p];
    if (u >= 0 && out[u] >= 0 && seen(&height[u]) < above) atomicMax(&height[u], above);
  };
  share_lists(0, count, static_cast<int>(lanes), Sharing::whole_grid(), open, visit);
}
