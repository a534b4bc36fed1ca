// SPDX-License-Identifier: BSD-3-Clause
// local-max: matches entries of maximum weight in their row and in their column, on a GPU
//
// Idea        In each round, every entry between an unmatched row and an unmatched column has a
//             random weight. An entry with the largest weight of its row and of its column is
//             matched. Rounds repeat until no entry has both ends unmatched. On average a round
//             removes at least half of the entries.
// Paper       M. Birn, V. Osipov, P. Sanders, C. Schulz, N. Sitchinava, "Efficient parallel and
//             external matching", Euro-Par 2013, section 3.3, on the bipartite graph, with equal
//             weights, among which random numbers decide that change in each round: a list of
//             edges, segmented maxima, prefix sums and compaction. local_max.cuh has the steps and
//             states what is changed in them. Changed here: columns and rows have a list each, and
//             one launch runs many rounds. The random numbers, and so the matching, are those of
//             local_max.hpp
// Cost        O(nnz) expected; the time of a round is proportional to the number of entries left,
//             even if one row or column has most of them. Memory: the row lists, four lists of nnz
//             entries with two indices each, and m + n indices; before the first round, 2 nnz
//             indices more
// Prefer it   for comparison. Otherwise prefer greedy, which has no rounds
// Encodings   in the lists of columns, v is a column and u a row; in those of rows it is the other
//             way round. There is a list for this round and one for the next
// Invariants  at the start of a round, both lists hold the entries between unmatched rows and
//             unmatched columns, and at = -1 for their rows and columns
// Races       see local_max.cuh; each match has one writer, because the order of entries is strict

#include "backends/gpu/grid_barrier.cuh"
#include "backends/gpu/index.cuh"
#include "transversal/initial/local_max.cuh"

// Numbers for the host and for the next launch.
struct State {
  Count edges;   // lengths of the list of columns, summed over all rounds
  Count rounds;  // number of complete rounds
  Count size;    // number of entries that remain, the length of the lists
  Count turn;    // number (0 or 1) of the list of each side that holds the remaining entries
  Count barrier;
};

// The random number of an entry in a round.
struct ColumnTie {
  Count round;
  __device__ Count operator()(Index j, Index i) const { return entry_hash(round, i, j); }
};
struct RowTie {
  Count round;
  __device__ Count operator()(Index i, Index j) const { return entry_hash(round, i, j); }
};

// Makes the first list of one side: the entries between unmatched rows and columns.
extern "C" __global__ void __launch_bounds__(256, blocks_together)
    list_entries(Index entries, Index* heads, Index* indices, const Index* match,
                 const Index* other_match, Index* v, Index* u, Index* at, Index* of_blocks,
                 State* state) {
  const Index size =
      compact({heads, indices, nullptr}, entries, {v, u, nullptr}, at, of_blocks, &state->barrier,
              [=](Index one, Index other) { return match[one] == -1 && other_match[other] == -1; });
  if (first_item() == 0) state->size = static_cast<Count>(size);
}

// Runs rounds until no entry is left, or `until` entries were visited.
extern "C" __global__ void __launch_bounds__(256, 4)
    run_rounds(Count seed, Count until, Index* col_v0, Index* col_u0, Index* col_v1, Index* col_u1,
               Index* row_v0, Index* row_u0, Index* row_v1, Index* row_u1, Index* col_at,
               Index* row_at, Index* col_match, Index* row_match, Index* of_blocks, State* state) {
  const EdgeList by_cols[2] = {{col_v0, col_u0, nullptr}, {col_v1, col_u1, nullptr}};
  const EdgeList by_rows[2] = {{row_v0, row_u0, nullptr}, {row_v1, row_u1, nullptr}};
  Count edges = state->edges, rounds = state->rounds, turn = state->turn;
  Index size = static_cast<Index>(state->size);
  while (size > 0 && edges < until) {
    edges += static_cast<Count>(size);
    ++rounds;
    const EdgeList cols = by_cols[turn], rows = by_rows[turn];
    const Count round = mixed(mixed(seed) + rounds);
    find_heaviest(cols, size, col_at, ColumnTie{round});
    find_heaviest(rows, size, row_at, RowTie{round});
    grid_barrier(&state->barrier);
    find_mutual(cols, size, col_at, rows, row_at, [&](Index j, Index i) {
      col_match[j] = i;
      row_match[i] = j;
    });
    grid_barrier(&state->barrier);
    turn = 1 - turn;
    compact(cols, size, by_cols[turn], col_at, of_blocks, &state->barrier,
            [&](Index j, Index i) { return col_match[j] == -1 && row_match[i] == -1; });
    grid_barrier(&state->barrier);
    size = compact(rows, size, by_rows[turn], row_at, of_blocks, &state->barrier,
                   [&](Index i, Index j) { return col_match[j] == -1 && row_match[i] == -1; });
    grid_barrier(&state->barrier);
  }
  if (first_item() != 0) return;
  state->edges = edges;
  state->rounds = rounds;
  state->size = static_cast<Count>(size);
  state->turn = turn;
}
