// SPDX-License-Identifier: BSD-3-Clause
// meeting-trees, before the search: pushes from unmatched columns
//
// Idea        A push matches an unmatched column to the row of least label among at most 64 rows of
//             its list. The label of this row becomes one more than the second least label (1 if it
//             was 0): an estimate of its distance to an unmatched row. The column that was matched
//             to the row pushes next. Such a chain of pushes is called a walk. It ends at an
//             unmatched row, after a fixed number of steps, or if all scanned labels are
//             `hopeless`. Walks run on all threads at once
// Paper       the push of A. V. Goldberg, R. E. Tarjan, "A new approach to the maximum-flow
//             problem", J. ACM 35 (1988), in the double-push form, without a global relabelling
// Cost        at most `max_steps` pushes for each unmatched column, each of which scans at most
//             `max_scanned` entries (walks.cuh); no grid barrier. Workspace: n indices, m bytes
// Prefer it   after an initial matching that leaves unmatched rows and columns near each other. On
//             a mesh, after an initializer that visits the columns in order, walks make the
//             remaining augmenting paths longer
// Encodings   label[i] = 0: row i is unmatched; `hopeless`, the largest label: no push chooses row
//             i any more, because its label has reached this value or meeting_peel.cu has matched
//             it. The bit `touched` states that a push has changed the mate of row i
// Invariants  a column is matched to at most one row; one thread holds a column that lost its row
// Races       atomicExch matches a row to the column of the last thread that takes it, which then
//             holds the displaced column. Labels are estimates and may be out of date. col_match is
//             wrong until `correct_col_match` has corrected it

#include "backends/gpu/counting.cuh"
#include "backends/gpu/frontier.cuh"
#include "transversal/augmenting/forest.cuh"
#include "transversal/augmenting/walks.cuh"

using Label = unsigned char;
constexpr Label touched = 128, hopeless = 127;

// The number of listed columns, and of entries that the walks have visited.
struct WalkCounters {
  Count listed, edges;
};

// Runs the walk from unmatched column j. Returns the column that is unmatched at its end, or -1.
__device__ inline Index walk_from(Index j, int max_steps, Count seed, const Index* indptr,
                                  const Index* indices, Index* row_match, Label* label,
                                  Count* edges) {
  for (int step = 0; step < max_steps && j != -1; ++step) {
    const Count drawn = seed + (static_cast<Count>(j) << 16) + static_cast<Count>(step);
    const Choice<Label> to = choose_row<Label>(j, drawn, max_scanned, indptr, indices, label,
                                               touched - 1, hopeless, edges);
    if (to.row == -1) break;
    const int next = to.least == 0 ? 1 : to.second < hopeless ? to.second + 1 : hopeless;
    Place* mate = reinterpret_cast<Place*>(&row_match[to.row]);
    j = static_cast<Index>(atomicExch(mate, static_cast<Place>(j)));
    show(&label[to.row], static_cast<Label>(touched | next));
  }
  return j;
}

// Sets the labels and lists the unmatched columns that have entries. If `core` is not null, lists
// only those of the core, where core[j] > 1, see `meeting_peel.cu`.
extern "C" __global__ void prepare_walks(Index m, Index n, const Index* indptr,
                                         const Index* row_match, const Index* col_match,
                                         const Index* owner, const Index* core, Label* label,
                                         Index* list, WalkCounters* counters) {
  const Frontier walkers{list, &counters->listed};
  for (long long i = first_item(); i < m; i += item_stride())
    label[i] = row_match[i] == -1 ? 0 : core && Forest::is_done(owner[i]) ? hopeless : 1;
  for (long long j = first_item(); j < n; j += item_stride())
    if (col_match[j] == -1 && (core ? core[j] > 1 : indptr[j] < indptr[j + 1]))
      walkers.push(static_cast<Index>(j));
}

// Runs a walk from each listed column; does nothing if there are fewer than `least`.
extern "C" __global__ void walk(int max_steps, Count least, Count seed, const Index* indptr,
                                const Index* indices, const Index* list, Index* row_match,
                                Index* col_match, Label* label, WalkCounters* counters) {
  const long long walkers = static_cast<long long>(seen(&counters->listed));
  if (seen(&counters->listed) < least) return;
  Count edges = 0;
  for (long long k = first_item(); k < walkers; k += item_stride()) {
    const Index left =
        walk_from(list[k], max_steps, seed, indptr, indices, row_match, label, &edges);
    if (left != -1) col_match[left] = -1;
  }
  add_over_warp(&counters->edges, edges);
}

// Corrects col_match by row_match, for the rows whose mate has changed.
extern "C" __global__ void correct_col_match(Index m, const Index* row_match, const Label* label,
                                             Index* col_match) {
  for (long long i = first_item(); i < m; i += item_stride())
    if (label[i] & touched) col_match[row_match[i]] = static_cast<Index>(i);
}
