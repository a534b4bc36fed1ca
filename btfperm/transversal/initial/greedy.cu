// SPDX-License-Identifier: BSD-3-Clause
// greedy: the cheap matching on a GPU, in order or at random
//
// Idea        In order: what one thread finds when each column in turn takes its first free row, by
//             many threads. Each column takes the first row of its list that no earlier column
//             holds; a later one that held it gets up, and looks again from the head of its list.
//             All rows prefer earlier columns, so what remains is the same whoever comes when.
//             At random: each column takes the first free row of its list, from a drawn place on.
// Paper       I. S. Duff, "On algorithms for obtaining a maximum transversal", ACM TOMS 7 (1981),
//             section 2. In order by deferred acceptance: D. Gale, L. S. Shapley, "College
//             admissions and the stability of marriage", Amer. Math. Monthly 69 (1962). Option
//             choice: first (in order) or random
// Cost        One launch; in order, one thread follows each chain of displaced columns, and such
//             chains are long on meshes in natural order. After some thousand columns the host
//             polls the limits, and the next launch continues. Workspace: m + 3 n, in order
// Prefer it   first before a search on a GPU; random where first leaves much: its unmatched rows
//             and columns lie near each other, while those of threads that take the first row they
//             get lie far apart
// Encodings   holder[i] = -1: row i was matched before; nobody: free; else the column that holds it
//             resume[j]: place in its list where column j sits or goes on, if the list is long
// Invariants  holder[i] only falls; a column that has got up holds nothing until it sits again. At
//             random, a matched row stays matched: a column that finds none free has none
// Races       holder by atomicMin: who finds a greater one there has the row, and wakes that one;
//             row_match by take: the first has it. An old value of resume is a place before the
//             right one, which costs a second look

#include "backends/gpu/atomics.cuh"
#include "backends/gpu/counting.cuh"
#include "backends/gpu/frontier.cuh"
#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"
#include "transversal/initial/vertex_hash.cuh"

constexpr Index nobody = static_cast<Index>(~Place{0} >> 1);
constexpr int longest_chain = 4096;  // columns that a thread seats one after the other

// What the host reads.
struct State {
  Count edges;
  Count left;  // columns that the next launch seats
};

extern "C" __global__ void empty_rows(Index m, const Index* row_match, Index* holder) {
  for (long long i = first_item(); i < m; i += item_stride())
    holder[i] = row_match[i] == -1 ? nobody : -1;
}

// Seats column v: the one that has to get up for it, or nobody. The holders of several rows are
// asked for before the first is looked at, since all the answers together take no longer than one.
// What a long list has been read for is not read again: rows only pass to earlier columns.
__device__ inline Index seat(Index v, const Index* indptr, const Index* indices, Index* resume,
                             Index* holder, Count* edges) {
  constexpr int together = 4;
  constexpr Index is_long = 64;
  const Index begin = indptr[v], size = indptr[v + 1] - begin;
  for (Index k = size > is_long ? seen(&resume[v]) : 0; k < size; k += together) {
    *edges += together;
    Index held[together];
#pragma unroll
    for (int t = 0; t < together; ++t)
      held[t] = t < size - k ? seen(&holder[indices[begin + k + t]]) : -1;
    for (int t = 0; t < together; ++t) {
      if (held[t] < v) continue;
      if (size > is_long) show(&resume[v], k);
      const Index other = atomicMin(&holder[indices[begin + k + t]], v);
      if (other > v) return other;
    }
  }
  return nobody;
}

// The columns of a list, or all where it is null.
extern "C" __global__ void take_in_order(Index size, const Index* list, Index* left,
                                         const Index* indptr, const Index* indices,
                                         const Index* col_match, Index* resume, Index* holder,
                                         State* state) {
  const Frontier later{left, &state->left};
  Count edges = 0;
  for (long long k = first_item(); k < size; k += item_stride()) {
    const Index j = list ? list[k] : static_cast<Index>(k);
    Index v = col_match[j] == -1 ? j : nobody;
    for (int seats = 0; v != nobody && seats < longest_chain; ++seats)
      v = seat(v, indptr, indices, resume, holder, &edges);
    if (v != nobody) later.push(v);
  }
  add_over_warp(&state->edges, edges);
}

extern "C" __global__ void keep_holders(Index m, const Index* holder, Index* row_match,
                                        Index* col_match) {
  for (long long i = first_item(); i < m; i += item_stride()) {
    const Index j = holder[i];
    if (j == -1 || j == nobody) continue;
    row_match[i] = j;
    col_match[j] = static_cast<Index>(i);
  }
}

extern "C" __global__ void take_at_random(Index n, Count seed, const Index* indptr,
                                          const Index* indices, Index* row_match, Index* col_match,
                                          State* state) {
  Count edges = 0;
  for (long long k = first_item(); k < n; k += item_stride()) {
    const Index j = static_cast<Index>(k), begin = indptr[j], size = indptr[j + 1] - begin;
    if (size == 0 || col_match[j] != -1) continue;
    const Count drawn = mixed(seed + static_cast<Count>(j));
    Index place = static_cast<Index>(drawn % static_cast<Count>(size)), found = -1;
    for (Index looked = 0; looked < size && found == -1; ++looked) {
      const Index i = indices[begin + place];
      if (take(&row_match[i], j)) found = i;
      if (++place == size) place = 0;
      ++edges;
    }
    if (found != -1) col_match[j] = found;
  }
  add_over_warp(&state->edges, edges);
}
