// SPDX-License-Identifier: BSD-3-Clause
// The part of one rank in a search over ranks with GPUs: its arrays, trees and lines. The head of
// owned_trees.cu explains them.
#pragma once

#include "backends/gpu/atomics.cuh"
#include "backends/gpu/counting.cuh"
#include "backends/gpu/grid_barrier.cuh"
#include "backends/gpu/warp.cuh"

constexpr Index joins = -1, subscribes = -2, has_ended = -3;  // third fields of lines
constexpr Index unmatched = -2;  // the root of a row that is unvisited and unmatched

// The host writes these numbers before the launches and reads them afterwards. Behind the struct
// are two numbers for each rank: how many lines it gets, and how many of them write_lines has
// written.
struct Trees {
  Count barrier;
  // of the rank
  Count n_rows, n_cols, n_ghosts, row_first, col_first, rank, ranks;
  // addresses of arrays
  Count indptr, items, ghosts, bounds, row_match, col_match;
  Count by_row, by_col, by_ghost, by_root, by_subscription;
  // Numbers of roots and of subscriptions that fit the last two; most_roots is a power of two.
  Count most_roots, most_subscriptions;
  // counters of a phase
  Count n_in_trees, n_roots, n_subscriptions, level;
  // counters of a step
  Count head, n_claimed, n_leaving, n_notices, n_over, n_pending, ended, edges, released;
};

struct Line {
  int rank;
  Index target, a, b;
};

template <class Word>
__device__ inline Word* array_at(Count address) {
  return reinterpret_cast<Word*>(address);
}

// The arrays of a rank.
struct Rank {
  Trees* state;
  Index level = 0;  // levels are numbered over all steps; processing received lines is one level
  Index n_rows, n_cols, row_first, col_first;
  int rank, ranks;
  const long long* indptr;
  const Index *items, *ghosts, *row_bounds, *col_bounds;
  Index *row_match, *col_match;
  Index *row_root, *row_parent;
  Index* leaving;  // rows visited in this step whose mate or root another rank owns
  Index* col_root;
  Index* leaf;                // for each root, the row at which its tree ended, or -1
  Index* ended_level;         // for each root, the level in which its tree ended, or -1
  Index* first_subscription;  // for each root, its first subscription, or -1
  Index* in_trees;            // columns in trees; the columns from `head` on are not expanded yet
  Index* over;                // roots with subscriptions whose trees ended in this step
  Index* ghost_col;           // for each ghost, the column that claimed it in this phase, or -1
  Index* claimed;             // ghosts claimed in this step
  Index* foreign;             // numbers of the roots of other ranks, in the whole matrix
  Index* foreign_over;        // for each root in `foreign`: 0 if its tree has ended, else -1
  Index* foreign_level;       // as ended_level, but for the roots in `foreign`
  Index *keys, *places;       // the hash table: numbers of roots, and their places in `foreign`
  Count mask;                 // the size of the hash table minus 1
  // By subscription: its root, the rank that subscribed, and the next subscription to this root.
  Index *subscribed, *subscriber, *next_subscription;
  Index* notices;  // subscriptions whose ranks must be notified in this step

  __device__ explicit Rank(Trees* s) : state(s) {
    n_rows = static_cast<Index>(s->n_rows);
    n_cols = static_cast<Index>(s->n_cols);
    row_first = static_cast<Index>(s->row_first);
    col_first = static_cast<Index>(s->col_first);
    rank = static_cast<int>(s->rank);
    ranks = static_cast<int>(s->ranks);
    indptr = array_at<const long long>(s->indptr);
    items = array_at<const Index>(s->items);
    ghosts = array_at<const Index>(s->ghosts);
    row_bounds = array_at<const Index>(s->bounds);
    col_bounds = row_bounds + ranks + 1;
    row_match = array_at<Index>(s->row_match);
    col_match = array_at<Index>(s->col_match);
    row_root = array_at<Index>(s->by_row);
    row_parent = row_root + n_rows;
    leaving = row_parent + n_rows;
    col_root = array_at<Index>(s->by_col);
    leaf = col_root + n_cols;
    ended_level = leaf + n_cols;
    first_subscription = ended_level + n_cols;
    in_trees = first_subscription + n_cols;
    over = in_trees + n_cols;
    ghost_col = array_at<Index>(s->by_ghost);
    claimed = ghost_col + s->n_ghosts;
    foreign = array_at<Index>(s->by_root);
    foreign_over = foreign + s->most_roots;
    foreign_level = foreign_over + s->most_roots;
    keys = foreign_level + s->most_roots;
    places = keys + 2 * s->most_roots;
    mask = 2 * s->most_roots - 1;
    subscribed = array_at<Index>(s->by_subscription);
    subscriber = subscribed + s->most_subscriptions;
    next_subscription = subscriber + s->most_subscriptions;
    notices = next_subscription + s->most_subscriptions;
  }

  __device__ Count* sent() const { return reinterpret_cast<Count*>(state + 1); }
  __device__ Count* written() const { return sent() + ranks; }

  __device__ bool owns_row(Index number) const {
    return number >= row_first && number - row_first < n_rows;
  }
  __device__ bool owns_col(Index number) const {
    return number >= col_first && number - col_first < n_cols;
  }

  __device__ int owner(const Index* bounds, Index number) const {
    int low = 0, high = ranks - 1;  // the last rank whose range begins at `number` or before
    while (low < high) {
      const int middle = (low + high + 1) / 2;
      if (bounds[middle] <= number)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }

  __device__ Line to_row(Index number, Index a, Index b) const {
    const int rank = owner(row_bounds, number);
    return {rank, number - row_bounds[rank], a, b};
  }
  __device__ Line to_col(Index number, Index a, Index b) const {
    const int rank = owner(col_bounds, number);
    return {rank, -1 - (number - col_bounds[rank]), a, b};
  }

  // -- roots ------------------------------------------------------------------------------------

  __device__ Index number_of_root(Index root) const {
    return root < n_cols ? root + col_first : foreign[root - n_cols];
  }

  __device__ Count slot_of(Index number) const {
    return (static_cast<Count>(number) * 0x9E3779B97F4A7C15ull >> 32) & mask;
  }

  // Returns the slot that holds the number. `is_new`: this thread has put it there.
  __device__ Count take_slot(Index number, bool& is_new) const {
    for (Count slot = slot_of(number);; slot = (slot + 1) & mask) {
      is_new = take(&keys[slot], number);
      if (is_new || seen(&keys[slot]) == number) return slot;
    }
  }

  __device__ void meet_root(Index number) const {
    if (owns_col(number)) return;
    bool is_new;
    const Count slot = take_slot(number, is_new);
    if (!is_new) return;
    const Index place = static_cast<Index>(place_at_end(&state->n_roots));
    foreign[place] = number;
    foreign_over[place] = foreign_level[place] = -1;
    places[slot] = place;
  }

  // The local number of a root that the rank owns or has received; -1 for other roots.
  __device__ Index local_root(Index number) const {
    if (owns_col(number)) return number - col_first;
    for (Count slot = slot_of(number); keys[slot] != -1; slot = (slot + 1) & mask)
      if (keys[slot] == number) return n_cols + places[slot];
    return -1;
  }

  __device__ bool is_over(Index root) const {
    return seen(root < n_cols ? &leaf[root] : &foreign_over[root - n_cols]) >= 0;
  }

  // Whether the tree had ended before this level: all threads of a level get the same answer.
  __device__ bool was_over(Index root) const {
    const Index ended = root < n_cols ? ended_level[root] : foreign_level[root - n_cols];
    return ended >= 0 && ended < level;
  }

  // The tree of the root ends at an unmatched row, if it has not ended before. Returns whether a
  // line to the owner of the root must report this.
  __device__ bool end_tree(Index root, Index row) const {
    if (root >= n_cols) {
      if (!take(&foreign_over[root - n_cols], 0)) return false;
      foreign_level[root - n_cols] = level;
      return true;
    }
    if (!take(&leaf[root], row)) return false;
    ended_level[root] = level;
    place_at_end(&state->ended);
    if (first_subscription[root] >= 0) over[place_at_end(&state->n_over)] = root;
    return false;
  }

  // -- growth -----------------------------------------------------------------------------------

  __device__ Index unvisited(Index r) const { return row_match[r] < 0 ? unmatched : Index{-1}; }

  __device__ void join(Index c, Index root) const {
    col_root[c] = root;
    in_trees[place_at_end(&state->n_in_trees)] = c;
  }

  // Adds an unvisited row and its mate to a tree, unless another thread adds the row first.
  __device__ void visit(Index r, Index parent, Index root) const {
    const Index before = seen(&row_root[r]);
    if (before >= 0 || root < 0 || is_over(root)) return;
    if (atomicCAS(reinterpret_cast<Place*>(&row_root[r]), static_cast<Place>(before),
                  static_cast<Place>(root)) != static_cast<Place>(before))
      return;
    row_parent[r] = parent;
    const Index mate = row_match[r];
    if (mate >= 0 && owns_col(mate)) {
      join(mate - col_first, root);
    } else if (mate >= 0 || end_tree(root, r + row_first)) {
      leaving[place_at_end(&state->n_leaving)] = r;
    }
  }

  __device__ void claim_ghost(Index g, Index c) const {
    if (take(&ghost_col[g], c)) claimed[place_at_end(&state->n_claimed)] = g;
  }

  // First pass over the received lines: inserts roots of other ranks, and subscriptions.
  __device__ void meet(const Index* line) const {
    const Index c = -1 - line[0];
    if (line[0] >= 0) {
      if (row_root[line[0]] < 0) meet_root(line[2]);
    } else if (line[2] == joins) {
      meet_root(line[1]);
    } else if (line[2] == subscribes) {
      const Index s = static_cast<Index>(place_at_end(&state->n_subscriptions));
      subscribed[s] = c;
      subscriber[s] = line[1];
      if (leaf[c] >= 0)
        notices[place_at_end(&state->n_notices)] = s;
      else
        next_subscription[s] = static_cast<Index>(
            atomicExch(reinterpret_cast<Place*>(&first_subscription[c]), static_cast<Place>(s)));
    }
  }

  // Second pass over the received lines: everything else.
  __device__ void accept(const Index* line) const {
    const Index c = -1 - line[0];
    if (line[0] >= 0) {
      if (seen(&row_root[line[0]]) < 0) visit(line[0], line[1], local_root(line[2]));
    } else if (line[2] >= 0) {
      end_tree(c, line[2]);
    } else if (line[2] == joins) {
      join(c, local_root(line[1]));
    } else if (line[2] == has_ended) {
      const Index root = local_root(line[1]);
      if (root >= n_cols) end_tree(root, 0);
    }
  }

  __device__ void notify(Index root) const {
    for (Index s = first_subscription[root]; s >= 0; s = next_subscription[s])
      notices[place_at_end(&state->n_notices)] = s;
    first_subscription[root] = -1;
  }

  // -- lines ------------------------------------------------------------------------------------

  // The number of lines of this step; the roots from `first_root` on are new.
  __device__ long long count_lines(Index first_root) const {
    return static_cast<long long>(seen(&state->n_claimed) + seen(&state->n_leaving) +
                                  seen(&state->n_roots) + seen(&state->n_notices)) -
           first_root;
  }

  __device__ Line line(long long k, Index first_root) const {
    const long long ghosts_end = static_cast<long long>(seen(&state->n_claimed));
    if (k < ghosts_end) {
      const Index g = claimed[k], c = ghost_col[g];
      return to_row(ghosts[g], c + col_first, number_of_root(col_root[c]));
    }
    k -= ghosts_end;
    const long long rows_end = static_cast<long long>(seen(&state->n_leaving));
    if (k < rows_end) {
      const Index r = leaving[k], mate = row_match[r], root = number_of_root(row_root[r]);
      return mate >= 0 ? to_col(mate, root, joins) : to_col(root, 0, r + row_first);
    }
    k -= rows_end;
    const long long roots_end = static_cast<long long>(seen(&state->n_roots)) - first_root;
    if (k < roots_end) return to_col(foreign[first_root + k], rank, subscribes);
    const Index s = notices[k - roots_end];
    return {static_cast<int>(subscriber[s]), -1, subscribed[s] + col_first, has_ended};
  }

  // Counts a line for a rank. Only the calling lanes take part.
  __device__ void count_line(int to) const {
    once_by_key(to,
                [&](unsigned same) { atomicAdd(&sent()[to], static_cast<Count>(__popc(same))); });
  }

  // Writes a line behind those for lower ranks and those written before.
  __device__ void write(const Line& line, Index* lines) const {
    Count place = take_place(__match_any_sync(__activemask(), line.rank), &written()[line.rank]);
    for (int lower = 0; lower < line.rank; ++lower) place += sent()[lower];
    lines[3 * place] = line.target;
    lines[3 * place + 1] = line.a;
    lines[3 * place + 2] = line.b;
  }

  __device__ void begin_step() const {
    if (first_item() == 0) {
      state->n_claimed = state->n_leaving = state->n_notices = state->n_over = 0;
      state->n_pending = state->ended = state->edges = state->released = 0;
    }
    for (long long p = first_item(); p < 2 * ranks; p += item_stride()) sent()[p] = 0;
    grid_barrier(&state->barrier);
  }

  // -- augmentation -----------------------------------------------------------------------------

  __device__ void send_later(const Line& line, Index* pending) const {
    count_line(line.rank);
    Index* const place = pending + 3 * place_at_end(&state->n_pending);
    place[0] = line.rank;
    place[1] = line.target;
    place[2] = line.a;
  }

  // Augments along a path, from a row (its number in the whole matrix) towards the root, until the
  // path leaves the rank or ends.
  __device__ void follow(Index number, Index* pending) const {
    while (owns_row(number)) {
      const Index r = number - row_first, parent = row_parent[r];
      row_match[r] = parent;
      if (!owns_col(parent)) return send_later(to_col(parent, number, 0), pending);
      const Index before = col_match[parent - col_first];
      col_match[parent - col_first] = number;
      if (before < 0) return;
      number = before;
    }
    send_later(to_row(number, 0, 0), pending);
  }
};
