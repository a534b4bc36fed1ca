// SPDX-License-Identifier: BSD-3-Clause
// The checks of graph_certificate.hpp for a graph on a GPU: of the input, of the matching, and of
// duals that bound the optimum. They share no code with the algorithms in weighted/graph.
//
// Cost        O(n + nnz log(longest list)) for each check. The threads share the entries, not the
//             lists of the vertices, so that a long list is no bottleneck
// Encodings   heads[p]: the column of entry p. weight is null if all weights are 1. In Fault and
//             Facts, the largest Count in the fields first, wrong, free_at and heavy_at means that
//             there is no such entry or vertex

#include "backends/gpu/counting.cuh"
#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"
#include "backends/gpu/warp.cuh"

constexpr double largest_weight = 1.7976931348623157e308;
constexpr Count no_counterpart = 1, other_value = 2, no_weight = 3;

struct Graph {
  const Index* indptr;
  const Index* indices;
  const double* weight;

  __device__ double weight_of(long long p) const { return weight ? weight[p] : 1.0; }

  // The place of row i in column j, or -1. The rows of a column ascend.
  __device__ Index find(Index i, Index j) const {
    Index low = indptr[j], high = indptr[j + 1];
    while (low < high) {
      const Index middle = low + (high - low) / 2;
      if (indices[middle] < i)
        low = middle + 1;
      else
        high = middle;
    }
    return low < indptr[j + 1] && indices[low] == i ? low : -1;
  }
};

__device__ inline void lower(Count* word, Count value) {
  if (value < seen(word)) atomicMin(word, value);
}

__device__ inline void raise_to(Count* word, double value) {
  // The order of doubles from 0 on is that of their bits as whole numbers.
  const Count bits = static_cast<Count>(__double_as_longlong(value));
  if (bits > seen(word)) atomicMax(word, bits);
}

struct Fault {
  Count first;    // 4 times the place of the first entry at fault, and the kind of the fault
  Count largest;  // the bits of the largest weight
};

extern "C" __global__ void find_fault(Index entries, const Index* indptr, const Index* indices,
                                      const double* weight, const Index* heads, Fault* fault) {
  const Graph G{indptr, indices, weight};
  for (long long p = first_item(); p < entries; p += item_stride()) {
    const Index i = indices[p], j = heads[p];
    if (i == j) continue;
    const Index q = G.find(j, i);
    const double w = G.weight_of(p);
    Count kind = 0;
    if (q == -1)
      kind = no_counterpart;
    else if (!(w > 0 && w <= largest_weight))
      kind = no_weight;
    else if (w != G.weight_of(q))
      kind = other_value;
    else
      raise_to(&fault->largest, w);
    if (kind) lower(&fault->first, 4 * static_cast<Count>(p) + kind);
  }
}

struct Facts {
  Count wrong;     // the first vertex whose mate is no neighbour, or has another mate
  Count size;      // matched edges
  Count edges;     // of the graph
  Count free_at;   // the first entry between two unmatched vertices
  Count heavy_at;  // the first entry heavier than the matched edges at both of its ends
};

// The round in which a vertex was matched, limited to 1 ... rounds; rounds + 1 if it was not.
__device__ inline Index round_at(Index v, const Index* mate, const Index* round_of, Index rounds) {
  if (mate[v] < 0 || round_of[v] > rounds) return rounds + (mate[v] < 0);
  return round_of[v] < 1 ? 1 : round_of[v];
}

// matched_weight[v]: the weight of the matched edge of v, or 0. in_round[r]: the number of vertices
// that were matched in round r.
extern "C" __global__ void check_mates(Index n, const Index* indptr, const Index* indices,
                                       const double* weight, const Index* mate,
                                       const Index* round_of, Index rounds, double* matched_weight,
                                       Index* in_round, Facts* facts) {
  const Graph G{indptr, indices, weight};
  Count size = 0;
  for (long long k = first_item(); k < n; k += item_stride()) {
    const Index v = static_cast<Index>(k), w = mate[v];
    matched_weight[v] = 0;
    if (w == -1) continue;
    const bool is_vertex = w >= 0 && w < n && w != v;
    const Index p = is_vertex && mate[w] == v ? G.find(w, v) : -1;
    if (p == -1) {
      lower(&facts->wrong, static_cast<Count>(v));
      continue;
    }
    matched_weight[v] = G.weight_of(p);
    size += w > v;
    const Index round = round_at(v, mate, round_of, rounds);
    count_by_key(round, &in_round[round]);
  }
  add_over_warp(&facts->size, size);
}

// Requires that check_mates found nothing wrong. removed[r]: the number of edges of which round r
// was the first to match an end; removed[rounds + 1]: the number between unmatched vertices.
// heaviest[v] receives the bits of the weight of the heaviest edge of v.
extern "C" __global__ void check_edges(Index entries, const Index* indices, const double* weight,
                                       const Index* heads, const Index* mate, const Index* round_of,
                                       Index rounds, const double* matched_weight, Index* removed,
                                       Count* heaviest, Facts* facts) {
  Count edges = 0;
  for (long long p = first_item(); p < entries; p += item_stride()) {
    const Index u = indices[p], v = heads[p];
    if (u == v) continue;
    const double w = weight ? weight[p] : 1.0;
    raise_to(&heaviest[v], w);
    if (u > v) continue;
    ++edges;
    const Index one = round_at(u, mate, round_of, rounds);
    const Index other = round_at(v, mate, round_of, rounds);
    const Index round = one < other ? one : other;
    count_by_key(round, &removed[round]);
    if (mate[u] < 0 && mate[v] < 0) lower(&facts->free_at, static_cast<Count>(p));
    if (w > matched_weight[u] && w > matched_weight[v])
      lower(&facts->heavy_at, static_cast<Count>(p));
  }
  add_over_warp(&facts->edges, edges);
}

// heaviest[v] becomes half of the weight whose bits check_edges stored. These are feasible duals.
extern "C" __global__ void halve(Index n, double* heaviest) {
  for (long long v = first_item(); v < n; v += item_stride()) heaviest[v] /= 2;
}

// Each thread block stores the sum of its part. The host adds these sums in their order, so the
// total is the same in each run.
extern "C" __global__ void add_up(Index n, const double* values, double* of_blocks) {
  __shared__ double of_warps[32];
  double sum = 0;
  for (long long k = first_item(); k < n; k += item_stride()) sum += values[k];
  sum = sum_to_first_lane(sum);
  if (lane_id() == 0) of_warps[warp_id()] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  sum = 0;
  for (unsigned w = 0; w < blockDim.x / 32; ++w) sum += of_warps[w];
  of_blocks[blockIdx.x] = sum;
}

struct Excess {
  Count bits;      // of the largest positive value of a weight minus the duals of its edge; 0: none
  Count largest;   // of the largest dual
  Count negative;  // whether a dual is below 0 or no number
};

extern "C" __global__ void check_duals(Index n, Index entries, const Index* indices,
                                       const double* weight, const Index* heads, const double* dual,
                                       Excess* excess) {
  for (long long v = first_item(); v < n; v += item_stride()) {
    if (dual[v] >= 0)
      raise_to(&excess->largest, dual[v]);
    else
      raise(&excess->negative, Count{1});
  }
  for (long long p = first_item(); p < entries; p += item_stride()) {
    const Index u = indices[p], v = heads[p];
    if (u >= v) continue;
    const double over = (weight ? weight[p] : 1.0) - (dual[u] + dual[v]);
    if (over > 0) raise_to(&excess->bits, over);
  }
}
