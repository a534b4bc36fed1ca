// SPDX-License-Identifier: BSD-3-Clause
// forward-backward: the giant component, on the device
//
// Idea        The component of a vertex, the pivot, is the intersection of the vertices that it
//             reaches and of those that reach it. Both searches start from the same pivot, a vertex
//             of large degree, and run in the same levels. No component has members with different
//             marks, so edges between vertices with different marks can be removed afterwards.
// Paper       L. K. Fleischer, B. Hendrickson, A. Pınar, "On identifying strongly connected
//             components in parallel", IPDPS 2000; one pivot only, as G. M. Slota, S.
//             Rajamanickam, K. Madduri, "BFS and coloring-based parallel algorithms for strongly
//             connected components", IPDPS 2014, because one pivot finds the giant component
// Cost        O(entries of the reached vertices), and a barrier for each level
// Prefer it   if one component is large. Long thin graphs have many small levels, so the number of
//             levels is limited
// Encodings   mark[v]: 1 if v reaches the pivot, 2 if the pivot reaches v, 3 if both, 7 if v is not
//             in the graph. Queue: v >= 0 in the search along predecessors, ~i in the search along
//             successors, which are in list i
// Races       atomicOr sets a bit; the thread that changes it queues the vertex

#include "backends/gpu/by_levels.cuh"
#include "backends/gpu/counting.cuh"

constexpr int reaches = 1, is_reached = 2, is_out = 7;

// Marks the vertices that are not in the graph, and finds the vertex with the largest product of
// its numbers of predecessors and successors. The upper half of *best holds this product, at most
// 2^32 - 1, the lower half the vertex.
extern "C" __global__ void begin_search(Index n, const Index* indptr, const Index* out, int* mark,
                                        Count* best) {
  Count mine = 0;
  for (long long v = first_item(); v < n; v += item_stride()) {
    mark[v] = out[v] < 0 ? is_out : 0;
    if (out[v] < 0) continue;
    const Count product =
        static_cast<Count>(indptr[v + 1] - indptr[v]) * static_cast<Count>(out[v]);
    const Count capped = product < 0xffffffffu ? product : 0xffffffffu;
    const Count own = capped << 32 | static_cast<Count>(v);
    if (own > mine) mine = own;
  }
  max_over_block(best, mine);
}

extern "C" __global__ void queue_pivot(Index pivot, const Index* row_of, int* mark, Index* items,
                                       Count* end) {
  mark[pivot] = reaches | is_reached;
  items[0] = pivot;
  items[1] = row_of ? ~row_of[pivot] : ~pivot;
  *end = 2;
}

// The successors of v are in list row_of[v], or in list v if row_of is null. A successor equal to v
// is ignored.
extern "C" __global__ void __launch_bounds__(512, 2)
    reach_both_ways(Levels* levels, Index lanes, const Index* indptr, const Index* pred,
                    const Index* succ_indptr, const Index* succ, const Index* row_of, int* mark,
                    Index* items) {
  const auto open = [=](Index item, const Round&, bool) {
    if (item >= 0) return List{item, indptr[item], indptr[item + 1]};
    return List{item, succ_indptr[~item], succ_indptr[~item + 1]};
  };
  const auto visit = [=](Index item, long long p, const Queue& queue) {
    const bool backward = item >= 0;
    const Index u = backward ? pred[p] : succ[p];
    const int bit = backward ? reaches : is_reached;
    if (u < 0 || (!queue.hurried && (seen(&mark[u]) & bit))) return;
    const Index list = backward || !row_of ? u : row_of[u];
    if (!(atomicOr(&mark[u], bit) & bit)) queue.push(backward ? list : ~list);
  };
  search_by_levels(levels, items, static_cast<int>(lanes), open, visit);
}

// Gives the members of the component the name of the pivot.
extern "C" __global__ void name_giant(Index n, const int* mark, Index pivot, Index* name,
                                      Count* size) {
  Count members = 0;
  for (long long v = first_item(); v < n; v += item_stride())
    if (mark[v] == (reaches | is_reached)) {
      name[v] = pivot;
      ++members;
    }
  add_over_block(size, members);
}
