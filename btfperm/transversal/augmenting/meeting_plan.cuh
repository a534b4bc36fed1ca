// SPDX-License-Identifier: BSD-3-Clause
// What all blocks do next: each works it out for itself, from the same numbers
#pragma once

#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"

// cols: trees from free columns; rows: trees from free rows.
enum Side : int { cols, rows };

// plant: put the free columns and rows on the lists; grow: extend trees; turn: shift the columns on
// the paths that were found, and go on with what may have become free
enum Action : int { plant, grow, turn, stop };

// What the blocks count in a round. Three take turns, so that one can be read while the next fills
// and the third is emptied: one barrier a round is enough.
struct Round {
  Count next[2];    // list that the next round grows from
  Count pieces[2];  // of columns or rows with very long lists
  Count border[2];  // reached by a tree, with entries in others
  Count paths, edges;
  Count free;  // columns, when roots are planted

  // Where they stand among all numbers.
  static constexpr int in_next = 0, in_border = 4, in_paths = 6, in_edges = 7, in_free = 8;
};

struct Limits {
  Count edges, rounds;  // in one launch
  Count thin;           // so few columns and rows that grow do not fill the device
  Count share[2];       // a phase ends with one path for so many columns and rows; [1]: thin
  int steps;            // taken without a barrier, then
  Count lean;           // else a side so many times larger than the other waits
  Count much;           // where more is open, the larger waits
};

struct Plan {
  Count round, phase, paths_before, edges;  // all so far
  Count closed;  // 1 + the side whose trees are complete, when there is no path left
  Count free;    // columns at first
  Action action;
  Count paths;  // of this phase
  Count next[2], pieces[2], border[2];
  int buffer[2];       // which of two lists holds `next`
  bool grows[2];       // in this round
  bool may_be_joined;  // a tree with something open; not in the first round of a phase
  int steps;

  __device__ Count open(int side) const { return next[side] + pieces[side]; }

  // What the round has brought.
  __device__ void take_over(const Round& counted) {
    for (int side : {cols, rows}) {
      if (action == grow && !grows[side]) continue;
      next[side] = counted.next[side];
      pieces[side] = counted.pieces[side];
      border[side] = action == grow ? border[side] + counted.border[side] : 0;
      buffer[side] ^= 1;
    }
    if (action == plant) free = counted.free;
    if (action == turn) {
      paths_before += paths;
      paths = 0;
      ++phase;
    }
    paths += counted.paths;
    edges += counted.edges;
    ++round;
  }

  // `over`: this launch has done its share.
  __device__ void decide(const Limits& limits, bool over) {
    const Count both = open(cols) + open(rows);
    const bool dry = open(cols) == 0 || open(rows) == 0, all_thin = both <= limits.thin;
    // What a new phase looks at again counts, too, where there is so much that it costs.
    const Count weighed = all_thin ? both : both + border[cols] + border[rows];
    if (paths == 0 && (dry || over)) {
      action = stop;
      closed = !dry ? 0 : open(cols) == 0 ? 1 + cols : 1 + rows;
    } else if (dry || over || paths * limits.share[all_thin] >= weighed) {
      action = turn;
    } else {
      action = grow;
      // The larger side waits, unless it costs nothing to take it along.
      Count growing = 0;
      for (int side : {cols, rows}) {
        grows[side] =
            all_thin || open(side) <= (both > limits.much ? 1 : limits.lean) * open(1 - side);
        if (grows[side]) growing += open(side);
      }
      // A side may run dry while the other waits, in hundreds of small rounds.
      steps = growing <= limits.thin ? limits.steps : 0;
      may_be_joined = paths != 0 || steps != 0;
    }
  }
};
