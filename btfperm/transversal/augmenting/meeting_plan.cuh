// SPDX-License-Identifier: BSD-3-Clause
// The next action of all blocks of meeting-trees; each computes it. Terms: see meeting_trees.cu
#pragma once

#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"

// cols: trees from unmatched columns; rows: trees from unmatched rows.
enum Side : int { cols, rows };

// plant: list the unmatched columns and rows; grow: extend trees; turn: augment along the paths of
// this phase, then list again the vertices that may reach released ones
enum Action : int { plant, grow, turn, stop };

// What the blocks count in a round. Three of these take turns: one is read while the next is filled
// and the third is cleared, so that one grid barrier per round is enough.
struct Round {
  Count next[2];    // vertices that the next round scans
  Count pieces[2];  // parts of the lists of hubs
  Count border[2];  // vertices with neighbours in other trees
  Count paths, edges;
  Count n_unmatched;  // unmatched columns, when roots are planted

  // Positions of these counts.
  static constexpr int in_next = 0, in_border = 4, in_paths = 6, in_edges = 7, in_unmatched = 8;
};

struct Limits {
  Count edges, rounds;  // in one launch
  Count max_thin;       // a round is thin, too small for the device, up to this many open vertices
  Count share[2];       // a phase ends with one path for this number of vertices; [1]: if thin
  int steps;            // of a block between barriers, if the growing sides have <= max_thin open
  Count max_ratio;      // a side with more times the open vertices of the other waits, if not thin
  Count few_open;       // if more are open on both sides together, the side with more waits
};

struct Plan {
  Count round, phase, paths_before, edges;  // since the start of the search
  Count closed;       // 1 + the side whose trees are complete, when there is no path left
  Count n_unmatched;  // unmatched columns at the start
  Action action;
  Count paths;  // of this phase
  Count next[2], pieces[2], border[2];
  int buffer[2];       // which of two lists holds `next`
  bool grows[2];       // in this round
  bool may_be_joined;  // open vertices may be in a tree with a path
  int steps;

  __device__ Count open(int side) const { return next[side] + pieces[side]; }

  // Adds the counts of a round.
  __device__ void take_over(const Round& counted) {
    for (int side : {cols, rows}) {
      if (action == grow && !grows[side]) continue;
      next[side] = counted.next[side];
      pieces[side] = counted.pieces[side];
      border[side] = action == grow ? border[side] + counted.border[side] : 0;
      buffer[side] ^= 1;
    }
    if (action == plant) n_unmatched = counted.n_unmatched;
    if (action == turn) {
      paths_before += paths;
      paths = 0;
      ++phase;
    }
    paths += counted.paths;
    edges += counted.edges;
    ++round;
  }

  // `over`: this launch has reached its limit.
  __device__ void decide(const Limits& limits, bool over) {
    const Count both = open(cols) + open(rows);
    const bool dry = open(cols) == 0 || open(rows) == 0, all_thin = both <= limits.max_thin;
    // The next phase visits the vertices at the border of the trees again. This costs time, unless
    // both sides have few open vertices.
    const Count weighed = all_thin ? both : both + border[cols] + border[rows];
    if (paths == 0 && (dry || over)) {
      action = stop;
      closed = !dry ? 0 : open(cols) == 0 ? 1 + cols : 1 + rows;
    } else if (dry || over || paths * limits.share[all_thin] >= weighed) {
      action = turn;
    } else {
      action = grow;
      // A side waits (its trees do not grow) if it has too many open vertices for the other. In a
      // thin round both sides grow: it does not fill the device, so the larger side costs no time.
      Count growing = 0;
      for (int side : {cols, rows}) {
        grows[side] = all_thin || open(side) <= (both > limits.few_open ? 1 : limits.max_ratio) *
                                                    open(1 - side);
        if (grows[side]) growing += open(side);
      }
      // If one side has few open vertices while the other waits, there can be hundreds of small
      // rounds.
      steps = growing <= limits.max_thin ? limits.steps : 0;
      may_be_joined = paths != 0 || steps != 0;
    }
  }
};
