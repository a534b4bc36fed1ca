// SPDX-License-Identifier: BSD-3-Clause
// owned trees: alternating trees over the rows and columns of one rank, on the GPU of the rank
//
// Idea        Trees, roots and lines are those of owned_trees.hpp. One launch of `grow` is one
//             step: it processes the received lines, expands columns level by level with a grid
//             barrier after each level, and counts the lines for each rank. The host reads the
//             counters, and then `write_lines` writes the lines, sorted by rank.
// Lines       No line is written while trees grow. Four lists of the step determine its lines: the
//             ghosts that it claimed, the rows whose mate or root another rank owns, the roots of
//             other ranks that it received for the first time, and the subscriptions to roots whose
//             trees have ended. So the lines need memory only for the time of the exchange.
// Roots       A hash table with open addressing gives the local numbers of the roots of other
//             ranks. A first pass over the received lines inserts the roots (`meet`), a second one
//             looks up their numbers (`accept`).
// Cost        O(entries of the expanded columns + lines) per step, O(rows + columns) to release
//             and to restart trees
// Races       Atomic operations claim rows, ghosts, roots and the ends of trees, each once. A tree
//             that has ended may still claim rows in the same step, which only blocks them until
//             the end of the phase. Paths of different trees share no row and no column.

#include "backends/gpu/lists.cuh"
#include "transversal/owned_trees.cuh"

// One step: processes the received lines, expands at most `most` columns of `in_trees` from `head`
// on, in at most `depth` levels, and counts the lines for other ranks. `lanes` threads visit a
// column together.
extern "C" __global__ void __launch_bounds__(256, 4)
    grow(Trees* state, Index n_lines, const Index* lines, Index first_root, Index head, Index depth,
         Index most, Index lanes) {
  Rank own(state);
  own.level = static_cast<Index>(state->level) + 1;
  Count* const barrier = &state->barrier;
  own.begin_step();
  if (n_lines > 0) {
    for (long long k = first_item(); k < n_lines; k += item_stride()) own.meet(lines + 3 * k);
    grid_barrier(barrier);
    for (long long k = first_item(); k < n_lines; k += item_stride()) own.accept(lines + 3 * k);
    grid_barrier(barrier);
  }
  Count edges = 0;
  const auto open = [&](long long k, bool first) {
    const Index c = own.in_trees[k];
    if (own.was_over(own.col_root[c])) return List{c, 0, 0};
    const List list{c, own.indptr[c], own.indptr[c + 1]};
    if (first) edges += static_cast<Count>(list.to - list.from + 1);
    return list;
  };
  const auto visit = [&](Index c, long long p) {
    const Index r = own.items[p];
    if (r >= own.n_rows)
      own.claim_ghost(r - own.n_rows, c);
    else if (seen(&own.row_root[r]) < 0)
      own.visit(r, c + own.col_first, own.col_root[c]);
  };
  long long from = head, left = most;
  long long end = static_cast<long long>(seen(&state->n_in_trees));
  for (grid_barrier(barrier); depth > 0 && left > 0 && from < end; grid_barrier(barrier)) {
    ++own.level;
    const long long to = end - from < left ? end : from + left;
    share_lists(from, to, static_cast<int>(lanes), Sharing::whole_grid(), open, visit);
    left -= to - from;
    from = to;
    grid_barrier(barrier);
    if (from < end) continue;  // `left` is 0
    --depth;
    end = static_cast<long long>(seen(&state->n_in_trees));
  }
  add_over_warp(&state->edges, edges);
  const long long n_over = static_cast<long long>(seen(&state->n_over));
  for (long long k = first_item(); k < n_over; k += item_stride()) own.notify(own.over[k]);
  if (first_item() == 0) {
    state->head = static_cast<Count>(from);
    state->level = static_cast<Count>(own.level);
  }
  grid_barrier(barrier);
  const long long count = own.count_lines(first_root);
  for (long long k = first_item(); k < count; k += item_stride())
    own.count_line(own.line(k, first_root).rank);
}

// Writes the lines of the last step, sorted by rank.
extern "C" __global__ void write_lines(Trees* state, Index first_root, Index* lines) {
  const Rank own(state);
  const long long count = own.count_lines(first_root);
  for (long long k = first_item(); k < count; k += item_stride())
    own.write(own.line(k, first_root), lines);
}

// One step of the augmentation: from the ends of the paths of all ended trees (`is_start`), or from
// the rows and columns in the received lines. Lines for other ranks are collected in `pending`, as
// rank, target and second field. `ended` counts the paths that begin at roots of this rank.
extern "C" __global__ void __launch_bounds__(256, 4)
    augment(Trees* state, Index n_lines, const Index* lines, Index is_start, Index* pending) {
  const Rank own(state);
  own.begin_step();
  Count paths = 0;
  for (long long c = first_item(); is_start && c < own.n_cols; c += item_stride()) {
    if (own.leaf[c] < 0) continue;
    ++paths;
    own.follow(own.leaf[c], pending);
  }
  for (long long k = first_item(); k < n_lines; k += item_stride()) {
    const Index* const line = lines + 3 * k;
    if (line[0] >= 0) {
      own.follow(line[0] + own.row_first, pending);
      continue;
    }
    Index* const match = &own.col_match[-1 - line[0]];
    const Index before = *match;
    *match = line[1];
    if (before >= 0) own.follow(before, pending);
  }
  add_over_warp(&state->ended, paths);
}

// Writes the lines of the last launch of `augment`, sorted by rank.
extern "C" __global__ void write_paths(Trees* state, const Index* pending, Index* lines) {
  const Rank own(state);
  const long long count = static_cast<long long>(state->n_pending);
  for (long long k = first_item(); k < count; k += item_stride()) {
    const Index* const place = pending + 3 * k;
    own.write({static_cast<int>(place[0]), place[1], place[2], 0}, lines);
  }
}

// Releases the rows and columns of ended trees, and lists the columns of the other trees in
// `in_trees`. Counts the released rows.
extern "C" __global__ void __launch_bounds__(256, 4) release(Trees* state) {
  const Rank own(state);
  own.begin_step();
  if (first_item() == 0) state->n_in_trees = 0;
  grid_barrier(&state->barrier);
  Count released = 0;
  for (long long r = first_item(); r < own.n_rows; r += item_stride()) {
    if (own.row_root[r] < 0 || !own.is_over(own.row_root[r])) continue;
    own.row_root[r] = own.unvisited(static_cast<Index>(r));
    ++released;
  }
  for (long long c = first_item(); c < own.n_cols; c += item_stride()) {
    const Index root = own.col_root[c];
    if (root < 0) continue;
    if (own.is_over(root))
      own.col_root[c] = -1;
    else
      own.in_trees[place_at_end(&state->n_in_trees)] = static_cast<Index>(c);
  }
  add_over_warp(&state->released, released);
  grid_barrier(&state->barrier);  // no thread needs `leaf` to find ended trees any more
  for (long long c = first_item(); c < own.n_cols; c += item_stride()) own.leaf[c] = -1;
}

// Deletes all trees and makes each unmatched column the root of a new tree.
extern "C" __global__ void __launch_bounds__(256, 4) restart(Trees* state) {
  const Rank own(state);
  own.begin_step();
  if (first_item() == 0) state->n_in_trees = state->n_roots = state->n_subscriptions = 0;
  grid_barrier(&state->barrier);
  for (long long r = first_item(); r < own.n_rows; r += item_stride())
    own.row_root[r] = own.unvisited(static_cast<Index>(r));
  for (long long c = first_item(); c < own.n_cols; c += item_stride()) {
    own.col_root[c] = own.leaf[c] = own.ended_level[c] = own.first_subscription[c] = -1;
    if (own.col_match[c] < 0) own.join(static_cast<Index>(c), static_cast<Index>(c));
  }
  for (Count g = first_item(); g < state->n_ghosts; g += item_stride()) own.ghost_col[g] = -1;
  for (Count slot = first_item(); slot <= own.mask; slot += item_stride()) own.keys[slot] = -1;
}

// Copies the roots of other ranks and the subscriptions from the old arrays, which are arguments,
// to the larger ones, to which `state` refers already. The keys of the new hash table must be -1.
extern "C" __global__ void enlarge(Trees* state, const Index* by_root, Index most_roots,
                                   const Index* by_subscription, Index most_subscriptions) {
  const Rank own(state);
  for (Count k = first_item(); k < state->n_roots; k += item_stride()) {
    bool is_new;
    own.foreign[k] = by_root[k];
    own.foreign_over[k] = by_root[most_roots + k];
    own.foreign_level[k] = by_root[2 * static_cast<Count>(most_roots) + k];
    own.places[own.take_slot(by_root[k], is_new)] = static_cast<Index>(k);
  }
  for (Count k = first_item(); k < state->n_subscriptions; k += item_stride())
    for (int part = 0; part < 3; ++part)
      own.subscribed[part * state->most_subscriptions + k] =
          by_subscription[part * static_cast<Count>(most_subscriptions) + k];
}

// Sets rows[r] and cols[c] to 1 for rows and columns in trees, else to 0.
extern "C" __global__ void mark(Trees* state, unsigned char* rows, unsigned char* cols) {
  const Rank own(state);
  for (long long r = first_item(); r < own.n_rows; r += item_stride())
    rows[r] = own.row_root[r] >= 0;
  for (long long c = first_item(); c < own.n_cols; c += item_stride())
    cols[c] = own.col_root[c] >= 0;
}

// Sets marks[k] to 1 if the row positions[k] is in a tree, else to 0.
extern "C" __global__ void mark_shared(Trees* state, Index count, const Index* positions,
                                       unsigned char* marks) {
  const Rank own(state);
  for (long long k = first_item(); k < count; k += item_stride())
    marks[k] = own.row_root[positions[k]] >= 0;
}

// Marks as claimed exactly the ghosts that their owners have visited.
extern "C" __global__ void see_ghosts(Trees* state, const unsigned char* is_visited) {
  const Rank own(state);
  for (Count g = first_item(); g < state->n_ghosts; g += item_stride())
    own.ghost_col[g] = is_visited[g] ? 0 : -1;
}
