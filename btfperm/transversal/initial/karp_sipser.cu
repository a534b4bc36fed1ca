// SPDX-License-Identifier: BSD-3-Clause
// karp-sipser: matches vertices with one unmatched neighbour before all others, on a GPU
//
// Idea        1. One launch matches all columns that have only one unmatched neighbour left, the
//             next one all such rows, and so on, level by level, until there is none. 2. About one
//             in eight of the remaining columns is matched to a random unmatched row of its list.
//             Then step 1 is repeated.
// Paper       R. M. Karp, M. Sipser, "Maximum matchings in sparse random graphs", FOCS 1981. In
//             step 2, the paper chooses one edge at random. Here many columns choose a row in a
//             round; if at most 64 columns are left, all choose
// Cost        O(m + n + nnz) work, some atomic operations per entry. A single thread scans the list
//             of a vertex, so one long list may dominate the time. Workspace: the row lists, and
//             2 m + 4 n indices
// Prefer it   on random, triangular and circuit patterns with short columns. On meshes prefer
//             greedy
// Encodings   queue[begin..end): vertices of one side that had one unmatched neighbour when they
//             were queued
// Invariants  between launches, degree[v] = number of unmatched neighbours of v, if v is unmatched.
//             It never increases, so a vertex is queued at most once. The vertices of a launch are
//             on one side, and only the thread of such a vertex writes its mate
// Races       a vertex of the other side is matched by the first thread that takes it. The thread
//             whose atomicAdd of -1 reduces a degree to one queues the vertex

#include "backends/gpu/atomics.cuh"
#include "backends/gpu/counting.cuh"
#include "backends/gpu/frontier.cuh"
#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"
#include "transversal/initial/vertex_hash.cuh"

// Counters for the host.
struct State {
  Count edges;
  Count queued[2];  // lengths of the queues of columns and of rows
  Count left;       // number of columns that may choose a row in a later round
};

// One side of the bipartite graph, with the lists of its vertices.
struct Side {
  const Index *indptr, *indices;
  Index* match;
  Place* degree;
  Frontier queue;

  __device__ bool is_free(Index v) const { return seen(&match[v]) == -1; }

  // Reduces by one the degrees of all vertices in the list of a vertex of the other side.
  __device__ void lower(const Index* list, const Index* end) const {
    for (; list < end; ++list)
      if (atomicAdd(&degree[*list], ~Place{0}) == 2 && is_free(*list)) queue.push(*list);
  }
};

// Matches v to its first unmatched neighbour from position `first` on, cyclically, and reduces the
// degrees of the neighbours of both.
__device__ inline Count take_one(Index v, Index first, const Side& mine, const Side& other) {
  const Index begin = mine.indptr[v], size = mine.indptr[v + 1] - begin;
  Count edges = 0;
  for (Index k = 0; k < size; ++k) {
    const Index w = mine.indices[begin + (k < size - first ? first + k : k - (size - first))];
    ++edges;
    if (!take(&other.match[w], v)) continue;
    show(&mine.match[v], w);
    const Index *list = other.indices + other.indptr[w], *end = other.indices + other.indptr[w + 1];
    mine.lower(list, end);
    other.lower(mine.indices + begin, mine.indices + begin + size);
    return edges + static_cast<Count>(end - list + size);
  }
  return edges;
}

extern "C" __global__ void count_degrees(Index vertices, const Index* indptr, const Index* indices,
                                         const Index* match, const Index* other_match,
                                         Place* degree, Index* queue, Count* queued, Count* edges) {
  const Frontier forced{queue, queued};
  Count read = 0;
  for (long long v = first_item(); v < vertices; v += item_stride()) {
    Place n_unmatched = 0;
    for (Index p = indptr[v]; p < indptr[v + 1] && match[v] == -1; ++p, ++read)
      n_unmatched += other_match[indices[p]] == -1;
    degree[v] = n_unmatched;
    if (n_unmatched == 1) forced.push(static_cast<Index>(v));
  }
  add_over_warp(edges, read);
}

extern "C" __global__ void match_forced(Index begin, Index end, const Index* indptr,
                                        const Index* indices, Index* match, Place* degree,
                                        Index* queue, Count* queued, const Index* other_indptr,
                                        const Index* other_indices, Index* other_match,
                                        Place* other_degree, Index* other_queue,
                                        Count* other_queued, Count* edges) {
  const Side mine{indptr, indices, match, degree, {queue, queued}};
  const Side other{
      other_indptr, other_indices, other_match, other_degree, {other_queue, other_queued}};
  Count read = 0;
  for (long long k = begin + first_item(); k < end; k += item_stride()) {
    const Index v = queue[k];
    if (mine.is_free(v)) read += take_one(v, 0, mine, other);
  }
  add_over_warp(edges, read);
}

// Matches about one in `one_in` of the listed columns (of all columns if `list` is null) to a
// random unmatched row; writes the others to `left`.
extern "C" __global__ void match_some(Count round, Index one_in, Index size, const Index* list,
                                      Index* left, const Index* indptr, const Index* indices,
                                      Index* match, Place* degree, Index* queue,
                                      const Index* other_indptr, const Index* other_indices,
                                      Index* other_match, Place* other_degree, Index* other_queue,
                                      State* state) {
  const Side mine{indptr, indices, match, degree, {queue, &state->queued[0]}};
  const Side other{
      other_indptr, other_indices, other_match, other_degree, {other_queue, &state->queued[1]}};
  const Frontier undrawn{left, &state->left};
  Count read = 0;
  for (long long k = first_item(); k < size; k += item_stride()) {
    const Index j = list ? list[k] : static_cast<Index>(k);
    if (!mine.is_free(j) || seen(&degree[j]) == 0) continue;
    const Count drawn = mixed(round ^ static_cast<Count>(j));
    if (drawn % static_cast<Count>(one_in) != 0) {
      undrawn.push(j);
      continue;
    }
    const Count place = (drawn >> 8) % static_cast<Count>(indptr[j + 1] - indptr[j]);
    read += take_one(j, static_cast<Index>(place), mine, other);
  }
  add_over_warp(&state->edges, read);
}
