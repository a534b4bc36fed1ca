// SPDX-License-Identifier: BSD-3-Clause
// meeting-trees, before its search: free columns walk
//
// Idea        A free column takes the row of least label in its list. Who had that row gets up and
//             walks on, and the row's label becomes one more than the second least that was seen:
//             an estimate of how far it is to a free row that way. Whoever walks, all threads
//             together, stops at a free row, or after so many steps.
// Paper       the push of A. V. Goldberg, R. E. Tarjan, "A new approach to the maximum-flow
//             problem", J. ACM 35 (1988), as double push, without a global relabelling; see g-pr
// Cost        `most` steps a free column at most, each a list; no barrier. Workspace: n, m bytes
// Prefer it   behind a start that leaves free rows and columns near each other; behind one in order
//             on a mesh it spoils what that has left
// Encodings   label[i]: 0 for a free row; `hopeless`: nobody who sits there could go elsewhere;
//             with `touched`: somebody came to sit there
// Invariants  a column sits on one row, or is in the hand of one thread
// Races       a row goes to the last who takes it, by atomicExch; who sat there is in their hand.
//             Labels are hints, and may be old. col_match is of no use until `seat_columns` has put
//             it right

#include "backends/gpu/counting.cuh"
#include "backends/gpu/frontier.cuh"
#include "transversal/augmenting/forest.cuh"
#include "transversal/augmenting/walks.cuh"

using Bytes = Labels<unsigned char>;

struct Walked {
  Count listed, edges;
};

// Labels, and the list of the free columns; of the core alone, where it is not null.
extern "C" __global__ void prepare_walks(Index m, Index n, const Index* indptr,
                                         const Index* row_match, const Index* col_match,
                                         const Index* owner, const Index* core,
                                         unsigned char* label, Index* list, Walked* told) {
  const Frontier walkers{list, &told->listed};
  for (long long i = first_item(); i < m; i += item_stride())
    label[i] = row_match[i] == -1 ? 0 : core && Forest::is_done(owner[i]) ? Bytes::hopeless : 1;
  for (long long j = first_item(); j < n; j += item_stride())
    if (col_match[j] == -1 && (core ? core[j] > 1 : indptr[j] < indptr[j + 1]))
      walkers.push(static_cast<Index>(j));
}

// Nobody walks where fewer than `least` would.
extern "C" __global__ void walk(int most, Count least, Count seed, const Index* indptr,
                                const Index* indices, const Index* list, Index* row_match,
                                Index* col_match, unsigned char* label, Walked* told) {
  const long long walkers = static_cast<long long>(seen(&told->listed));
  const Bytes labels{label};
  if (seen(&told->listed) < least) return;
  Count edges = 0;
  for (long long k = first_item(); k < walkers; k += item_stride()) {
    const Index left = labels.walk(list[k], most, seed, indptr, indices, row_match, &edges);
    if (left != -1) col_match[left] = -1;
  }
  add_over_warp(&told->edges, edges);
}

extern "C" __global__ void seat_columns(Index m, const Index* row_match, unsigned char* label,
                                        Index* col_match) {
  for (long long i = first_item(); i < m; i += item_stride())
    Bytes{label}.seat(static_cast<Index>(i), row_match, col_match);
}
