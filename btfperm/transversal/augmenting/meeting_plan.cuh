// SPDX-License-Identifier: BSD-3-Clause
// Decides the next action of meeting-trees. Each block decides for itself, from the same numbers;
// meeting_trees.cu defines the terms
#pragma once

#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"

// cols: trees from unmatched columns; rows: trees from unmatched rows.
enum Side : int { cols, rows };

// plant: list the unmatched columns and rows; grow: extend the trees; turn: augment along the paths
// of this phase, then list again the vertices of other trees that may have released neighbours
enum Action : int { plant, grow, turn, stop };

// What the blocks count in a round. Three of these structs are used in turn: one is read while the
// next one is filled and the third one is cleared, so that one grid barrier per round is enough.
struct Round {
  Count next[2];    // by side: number of vertices that the next round scans
  Count pieces[2];  // by side: number of parts of the lists of hubs
  Count border[2];  // by side: number of vertices with neighbours in other trees
  Count paths, edges;
  Count n_unmatched;  // number of unmatched columns; counted only when roots are planted

  // Positions of these counts in the struct.
  static constexpr int in_next = 0, in_border = 4, in_paths = 6, in_edges = 7, in_unmatched = 8;
};

struct Limits {
  Count edges, rounds;  // limits for one launch
  // A round is thin if it has at most this number of open vertices: it does not fill the device.
  Count max_thin;
  // A phase ends when it has one path per share[0] vertices, or per share[1] vertices if the round
  // is thin.
  Count share[2];
  // Maximum number of steps of a block between two barriers, if the sides that grow have at most
  // max_thin open vertices.
  int steps;
  // If a round is not thin, a side waits if it has more than this number of times the open vertices
  // of the other side.
  Count max_ratio;
  // If both sides together have more open vertices than this, the side with more of them waits.
  Count few_open;
};

struct Plan {
  Count round, phase, paths_before, edges;  // since the start of the search
  Count closed;       // when no path is left: 1 + the side whose trees are complete; else 0
  Count n_unmatched;  // number of unmatched columns at the start
  Action action;
  Count paths;  // number of paths of this phase so far
  Count next[2], pieces[2], border[2];
  int buffer[2];       // by side: which of its two lists holds the vertices to scan
  bool grows[2];       // by side: whether its trees grow in this round
  bool may_be_joined;  // whether open vertices may be in a tree that has a path
  int steps;           // maximum number of steps of a block in this round; 0: only one

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

  // Decides the next action. `over`: this launch has reached its limit.
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
      // If one side has few open vertices while the other waits, hundreds of small rounds may
      // follow. Several steps between two barriers make them faster.
      steps = growing <= limits.max_thin ? limits.steps : 0;
      may_be_joined = paths != 0 || steps != 0;
    }
  }
};
