// SPDX-License-Identifier: BSD-3-Clause
// forward-backward: the giant component, on the device
//
// Idea        The component of a vertex is what it reaches and is reached from. Both searches from
//             one well connected pivot run in the same levels, and their two marks split the rest:
//             no component has members with different marks.
// Paper       L. K. Fleischer, B. Hendrickson, A. Pınar, "On identifying strongly connected
//             components in parallel", IPDPS 2000; one pivot only, as G. M. Slota, S.
//             Rajamanickam, K. Madduri, "BFS and coloring-based parallel algorithms for strongly
//             connected components", IPDPS 2014, since the giant is found by it
// Cost        O(entries reached), a barrier a level
// Prefer it   where one component is large; long thin graphs crawl: the levels are limited
// Encodings   mark[v]: bit 1 it reaches the pivot, bit 2 the pivot reaches it, 7: not in the
//             graph. Queue: v >= 0 for the search along predecessors, ~i for that along successors,
//             which are list i
// Races       a bit is set by atomicOr; whoever sets it queues the vertex

#include "backends/gpu/by_levels.cuh"
#include "backends/gpu/counting.cuh"

constexpr int reaches = 1, is_reached = 2, is_out = 7;

// Marks what is not in the graph; and finds the largest product of degrees, in the upper half of a
// word, and whose it is.
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

// Successor lists are those of row_of[v]; row_of is null where they go by v itself, and a successor
// that is v itself is none.
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

// The giant gets the pivot's name.
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
