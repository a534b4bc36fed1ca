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

using Label = unsigned char;
constexpr Label touched = 128, hopeless = 127;

struct Walked {
  Count listed, edges;
};

// Walks from free column j, at most so many steps; the column that ends without a row, or -1.
__device__ inline Index walk_from(Index j, int most, Count seed, const Index* indptr,
                                  const Index* indices, Index* row_match, Label* label,
                                  Count* edges) {
  for (int step = 0; step < most && j != -1; ++step) {
    const Count drawn = seed + (static_cast<Count>(j) << 16) + static_cast<Count>(step);
    const Choice<Label> to = choose_row<Label>(j, drawn, most_seen, indptr, indices, label,
                                               touched - 1, hopeless, edges);
    if (to.row == -1) break;
    const int next = to.least == 0 ? 1 : to.second < hopeless ? to.second + 1 : hopeless;
    Place* mate = reinterpret_cast<Place*>(&row_match[to.row]);
    j = static_cast<Index>(atomicExch(mate, static_cast<Place>(j)));
    show(&label[to.row], static_cast<Label>(touched | next));
  }
  return j;
}

// Labels, and the list of the free columns; of the core alone, where it is not null.
extern "C" __global__ void prepare_walks(Index m, Index n, const Index* indptr,
                                         const Index* row_match, const Index* col_match,
                                         const Index* owner, const Index* core, Label* label,
                                         Index* list, Walked* told) {
  const Frontier walkers{list, &told->listed};
  for (long long i = first_item(); i < m; i += item_stride())
    label[i] = row_match[i] == -1 ? 0 : core && Forest::is_done(owner[i]) ? hopeless : 1;
  for (long long j = first_item(); j < n; j += item_stride())
    if (col_match[j] == -1 && (core ? core[j] > 1 : indptr[j] < indptr[j + 1]))
      walkers.push(static_cast<Index>(j));
}

// Nobody walks where fewer than `least` would.
extern "C" __global__ void walk(int most, Count least, Count seed, const Index* indptr,
                                const Index* indices, const Index* list, Index* row_match,
                                Index* col_match, Label* label, Walked* told) {
  const long long walkers = static_cast<long long>(seen(&told->listed));
  if (seen(&told->listed) < least) return;
  Count edges = 0;
  for (long long k = first_item(); k < walkers; k += item_stride()) {
    const Index left = walk_from(list[k], most, seed, indptr, indices, row_match, label, &edges);
    if (left != -1) col_match[left] = -1;
  }
  add_over_warp(&told->edges, edges);
}

extern "C" __global__ void seat_columns(Index m, const Index* row_match, const Label* label,
                                        Index* col_match) {
  for (long long i = first_item(); i < m; i += item_stride())
    if (label[i] & touched) col_match[row_match[i]] = static_cast<Index>(i);
}
