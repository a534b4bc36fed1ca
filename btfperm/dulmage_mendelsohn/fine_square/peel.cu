// SPDX-License-Identifier: BSD-3-Clause
// peel: vertices without successors, again and again, with their heights
//
// Idea        A vertex without successors is a block alone. Taken away, it may leave predecessors
//             without successors: those of the next level. Where nothing had a height before, all
//             levels are kept apart, and the level is the height; elsewhere each vertex tells its
//             predecessors how high they stand. What is left has cycles, or only such successors.
// Cost        O(entries of what is peeled), and a barrier a level. Below 30 vertices a level the
//             CPU continues
// Encodings   out[v]: successors that are not peeled yet; -1: not in the graph, or peeled
// Invariants  What is peeled after the last level that was kept apart stands higher than that: what
//             such levels would have told it does not count any more
// Races       Two atomics have no order, unless the second waits for the answer of the first: a
//             height is told before the count of successors falls, and read after it fell to zero

#include "backends/gpu/append.cuh"
#include "backends/gpu/by_levels.cuh"

extern "C" __global__ void queue_ready(Index n, const Index* out, Index* items, Count* end) {
  __shared__ Basket<1> ready;
  ready.begin();
  for (long long v = first_item(); v < n; v += item_stride())
    if (out[v] == 0) ready.put({static_cast<Index>(v)}, {items}, end);
  ready.end({items}, end);
}

// True where u has no successor left. `told` is what an atomic operation before it gave back, and
// never negative.
__device__ inline bool lose_successors(Index* out, Index u, Index count, Index told) {
  const Index lost = told < 0 ? 0 : count;
  return atomicAdd(reinterpret_cast<Place*>(&out[u]), ~static_cast<Place>(lost) + 1) ==
         static_cast<Place>(count);
}

// Height: zeros, or what each vertex must not fall below; then no level is kept apart. Where levels
// are, predecessors need not be told but of what comes last, for nobody asks before the end.
extern "C" __global__ void __launch_bounds__(512, 2)
    peel(Levels* levels, Index lanes, const Index* indptr, const Index* pred, Index* out,
         Index* height, Index* items) {
  const auto open = [=](Index v, const Round& round, bool first) {
    Index own = static_cast<Index>(round.level);
    if (!round.ordered) {
      const Index told = seen(&height[v]);
      if (told > own) own = told;
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
    const Index told = seen(&height[u]) < above ? atomicMax(&height[u], above) : 0;
    // Many lose the same one, a giant block: the lanes of a warp that do go to memory together.
    const unsigned together = __activemask(), same = __match_any_sync(together, u);
    const Index none = __any_sync(together, told < 0) ? -1 : 0;
    if (static_cast<int>(lane_id()) != first_of(same)) return;
    if (lose_successors(out, u, static_cast<Index>(__popc(same)), none)) queue.push(u);
  };
  search_by_levels(levels, items, static_cast<int>(lanes), open, visit);
}

// What still waits when the search gives up is not peeled, be it looked at already.
extern "C" __global__ void put_back(Index count, const Index* waiting, Index* out) {
  for (long long k = first_item(); k < count; k += item_stride()) out[waiting[k]] = 0;
}

// How high what is left must stand above what `peel` took out.
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
