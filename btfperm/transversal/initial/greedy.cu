// SPDX-License-Identifier: BSD-3-Clause
// greedy: the cheap matching on a GPU, in order or at random
//
// Idea        In order: computes the matching of a sequential run, which matches each column in
//             turn to its first unmatched row. Each column proposes to the first row of its list
//             that no earlier column holds, and then holds this row. If a later column held the row
//             before, that column is displaced and scans its list again. All rows prefer earlier
//             columns, so the result does not depend on the order of the proposals. At random: each
//             column is matched to the first unmatched row of its list, from a random position on.
// Paper       I. S. Duff, "On algorithms for obtaining a maximum transversal", ACM TOMS 7 (1981),
//             section 2. In order by deferred acceptance: D. Gale, L. S. Shapley, "College
//             admissions and the stability of marriage", Amer. Math. Monthly 69 (1962). Option
//             choice: first (in order) or random
// Cost        In order, one thread follows each chain of displaced columns; such chains are long on
//             meshes in natural order. A launch ends a chain after 4096 proposals; the host polls
//             the limits, and the next launch continues. Workspace in order: m + 3 n
// Prefer it   `first` if entries are near the diagonal, where `random` leaves unmatched rows far
//             from unmatched columns, or if lists have very different lengths; otherwise `random`
//             before meeting-trees (choose_start in meeting_starts_gpu.py)
// Encodings   holder[i] = -1: row i was matched before the run; `unheld`: no column holds row i;
//             else the column that holds it
//             resume[j]: for a long list, the first position of the batch in which column j
//             proposed last (`propose` loads the holders of a batch of rows at once)
// Invariants  holder[i] never increases. A displaced column holds no row until its next proposal
//             succeeds. At random, a matched row stays matched, so a column that finds no unmatched
//             row stays unmatched
// Races       holder changes by atomicMin: a thread whose column replaces a greater one continues
//             with this displaced column. row_match changes by `take`: the first thread gets the
//             row. An out-of-date value of resume is an earlier position, which costs a second scan

#include "backends/gpu/atomics.cuh"
#include "backends/gpu/counting.cuh"
#include "backends/gpu/frontier.cuh"
#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"
#include "transversal/initial/vertex_hash.cuh"

constexpr Index unheld = static_cast<Index>(~Place{0} >> 1);
constexpr int longest_chain = 4096;  // proposals that a thread makes in sequence

// Counters for the host.
struct State {
  Count edges;
  Count left;  // number of columns for the next launch
};

extern "C" __global__ void empty_rows(Index m, const Index* row_match, Index* holder) {
  for (long long i = first_item(); i < m; i += item_stride())
    holder[i] = row_match[i] == -1 ? unheld : -1;
}

// Proposes for column v. Returns the displaced column, or `unheld` if there is none. The loads of a
// batch of holders are issued together to hide their latency. The scan of a long list starts at the
// batch of the last proposal: earlier rows are held by columns before v, and remain so.
__device__ inline Index propose(Index v, const Index* indptr, const Index* indices, Index* resume,
                                Index* holder, Count* edges) {
  constexpr int batch = 4;
  constexpr Index is_long = 64;
  const Index begin = indptr[v], size = indptr[v + 1] - begin;
  for (Index k = size > is_long ? seen(&resume[v]) : 0; k < size; k += batch) {
    *edges += batch;
    Index held[batch];
#pragma unroll
    for (int t = 0; t < batch; ++t)
      held[t] = t < size - k ? seen(&holder[indices[begin + k + t]]) : -1;
    for (int t = 0; t < batch; ++t) {
      if (held[t] < v) continue;
      if (size > is_long) show(&resume[v], k);
      const Index other = atomicMin(&holder[indices[begin + k + t]], v);
      if (other > v) return other;
    }
  }
  return unheld;
}

// Each thread proposes for one of the listed columns (of all columns if `list` is null), and then
// for the columns that are displaced in turn. If this takes too many proposals, it puts the last
// displaced column into `left`, for the next launch.
extern "C" __global__ void take_in_order(Index size, const Index* list, Index* left,
                                         const Index* indptr, const Index* indices,
                                         const Index* col_match, Index* resume, Index* holder,
                                         State* state) {
  const Frontier later{left, &state->left};
  Count edges = 0;
  for (long long k = first_item(); k < size; k += item_stride()) {
    const Index j = list ? list[k] : static_cast<Index>(k);
    Index v = col_match[j] == -1 ? j : unheld;
    for (int proposals = 0; v != unheld && proposals < longest_chain; ++proposals)
      v = propose(v, indptr, indices, resume, holder, &edges);
    if (v != unheld) later.push(v);
  }
  add_over_warp(&state->edges, edges);
}

extern "C" __global__ void keep_holders(Index m, const Index* holder, Index* row_match,
                                        Index* col_match) {
  for (long long i = first_item(); i < m; i += item_stride()) {
    const Index j = holder[i];
    if (j == -1 || j == unheld) continue;
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
    Index place = static_cast<Index>(drawn % static_cast<Count>(size)), chosen = -1;
    for (Index n_scanned = 0; n_scanned < size && chosen == -1; ++n_scanned) {
      const Index i = indices[begin + place];
      if (take(&row_match[i], j)) chosen = i;
      if (++place == size) place = 0;
      ++edges;
    }
    if (chosen != -1) col_match[j] = chosen;
  }
  add_over_warp(&state->edges, edges);
}
