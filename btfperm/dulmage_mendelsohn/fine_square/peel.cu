// SPDX-License-Identifier: BSD-3-Clause
// peel: vertices without successors, again and again, with their heights
//
// Idea        A vertex without successors is a block alone. Taken away, it may leave predecessors
//             without successors: those of the next level. Where nothing had a height before, the
//             level is the height. What is left has cycles, or only such successors.
// Cost        O(entries of what is peeled), a barrier a level. A level costs 4 to 8 us while the
//             CPU peels 7 vertices a microsecond: below 40 vertices a level the CPU takes over
// Encodings   out[v]: successors that are not peeled yet; -1: not in the graph, or peeled (after
//             `take_out`)
// Races       Two atomics have no order: a height is read when its vertex is taken from the queue,
//             after the barrier, and then all successors have told it theirs

#include "backends/gpu/by_levels.cuh"
#include "backends/gpu/frontier.cuh"

extern "C" __global__ void queue_ready(Index n, const Index* out, Index* items, Count* end) {
  const Frontier frontier{items, end};
  for (long long v = first_item(); v < n; v += item_stride())
    if (out[v] == 0) frontier.push(static_cast<Index>(v));
}

__device__ inline bool lose_successor(Index* out, Index u) {
  return atomicAdd(reinterpret_cast<Place*>(&out[u]), ~Place{0}) == 1;
}

// No vertex has a height before: `height` is written for what is peeled alone.
extern "C" __global__ void peel(Levels* levels, Index lanes, const Index* indptr, const Index* pred,
                                Index* out, Index* height, Index* items) {
  const auto open = [=](Index v, Count level, bool first) {
    if (first) height[v] = static_cast<Index>(level);
    return List{v, indptr[v], indptr[v + 1]};
  };
  const auto visit = [=](Index, long long p, const Queue& queue) {
    const Index u = pred[p];
    if (u >= 0 && lose_successor(out, u)) queue.push(u);
  };
  search_by_levels(levels, items, static_cast<int>(lanes), open, visit);
}

// Each vertex has a height that it must not fall below.
extern "C" __global__ void peel_raising(Levels* levels, Index lanes, const Index* indptr,
                                        const Index* pred, Index* out, Index* height,
                                        Index* items) {
  const auto open = [=](Index v, Count, bool) {
    return List{static_cast<Index>(seen(&height[v]) + 1), indptr[v], indptr[v + 1]};
  };
  const auto visit = [=](Index above, long long p, const Queue& queue) {
    const Index u = pred[p];
    if (u < 0) return;
    if (seen(&height[u]) < above) atomicMax(&height[u], above);
    // Many lose the same one, a giant block: the lanes of a warp that do go to memory together.
    const unsigned same = __match_any_sync(__activemask(), u);
    if (threadIdx.x % 32 != __ffs(same) - 1) return;
    const Place count = static_cast<Place>(__popc(same));
    if (atomicAdd(reinterpret_cast<Place*>(&out[u]), ~count + 1) == count) queue.push(u);
  };
  search_by_levels(levels, items, static_cast<int>(lanes), open, visit);
}

// Marks what is peeled, the first `count` of the queue.
extern "C" __global__ void take_out(Index count, const Index* items, Index* out) {
  for (long long k = first_item(); k < count; k += item_stride()) out[items[k]] = -1;
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
