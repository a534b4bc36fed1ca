// SPDX-License-Identifier: BSD-3-Clause
// forest: disjoint alternating trees from free columns and from free rows, and paths between them
//
// A pair is a row and the column matched to it, known by its row. A tree from a column takes a pair
// through its row and goes on from its column; a tree from a row takes it through its column and
// goes on from its row.
//
// Encodings   a root: its column j, or -2 - i for row i
//             owner[i] = the root whose tree has taken row i's pair; -1: none yet. A free row's is
//             itself. in_cover, out_of_cover: row i's pair is done for good (`meeting_peel.cu`);
//             its row, or its column, is in a least cover
//             up[i] = the row of the pair before it in its tree, towards the root: for the first
//             pair from column j, -1 - j; for the first from row i, i
//             state[j], state[n + i]: see State, of the roots
// Invariants  while trees grow, the matching stands still. An owner changes only from none or from
//             a released root. A root has at most one path, so paths are disjoint
// Races       a pair goes to the first who sets its owner. A path is made by who first gets its
//             column root, then its row root, in this order. A column root that was gained in vain
//             is given back; who saw it meanwhile has its column or row on the border, and as the
//             row root was lost to another path, the phase is not the last

#pragma once

#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"

enum State : int { growing, trying, joined, released };

struct Graph {
  Index m, n;
  const Index *starts[2], *lists[2];  // [0]: rows of each column, [1]: columns of each row
  Index *row_match, *col_match;
};

struct Forest {
  Index *owner, *up;
  int* state;
  Index n;

  static constexpr Index none = -1;
  static constexpr Index in_cover = static_cast<Index>(~(~Place{0} >> 1));  // the least number
  static constexpr Index out_of_cover = in_cover + 1;

  __device__ static Index of_row(Index i) { return -2 - i; }
  __device__ static bool is_row(Index root) { return root < none; }
  __device__ static bool is_done(Index owner) { return owner <= out_of_cover; }

  __device__ int* state_of(Index root) const {
    return is_row(root) ? &state[static_cast<long long>(n) + (-2 - root)] : &state[root];
  }

  // A tree that is tried for a path grows on: it may not get it.
  __device__ bool grows(Index root) const { return seen(state_of(root)) <= trying; }

  // Takes row i's pair for `root` if no tree that grows has it; whose it is then, or `root` if it
  // is done. It was taken now where `*taken` is set.
  __device__ Index take(Index i, Index root, Index parent, bool* taken) const {
    const Index before = seen(&owner[i]);
    if (before == root || is_done(before)) return root;
    if (before != none && seen(state_of(before)) != released) return before;
    const Place was = static_cast<Place>(before);
    const Place found =
        atomicCAS(reinterpret_cast<Place*>(&owner[i]), was, static_cast<Place>(root));
    if (found != was) return static_cast<Index>(found);
    show(&up[i], parent);
    *taken = true;
    return root;
  }

  // True for the one that joins these two trees.
  __device__ bool join(Index col_root, Index row_root) const {
    if (seen(state_of(row_root)) != growing) return false;
    if (atomicCAS(state_of(col_root), growing, trying) != growing) return false;
    const bool both = atomicCAS(state_of(row_root), growing, joined) == growing;
    show(state_of(col_root), static_cast<int>(both ? joined : growing));
    return both;
  }
};

// Where two trees meet: column `col`, whose pair is that of row `below` (or -1 - col, the root),
// has an entry in row `row` of the other tree.
struct Meeting {
  Index col, below, row;
};

// Moves each column on the row's side of a path to the next row: `col` gets `row`, whose column
// gets the row above it, until one was free.
__device__ inline void shift_rows(const Graph& graph, const Forest& forest, Meeting at) {
  const Index root = seen(&forest.owner[at.row]);
  Index col = at.col, row = at.row;
  while (true) {
    const Index next = seen(&forest.up[row]), other = seen(&graph.row_match[row]);
    show(&graph.row_match[row], col);
    show(&graph.col_match[col], row);
    if (other < 0) break;
    col = other;
    row = next;
  }
  show(forest.state_of(root), static_cast<int>(released));
}

// The same on the column's side: each row gets the column above it.
__device__ inline void shift_cols(const Graph& graph, const Forest& forest, Meeting at) {
  const Index root = at.below < 0 ? at.col : seen(&forest.owner[at.below]);
  Index row = at.below, above = row < 0 ? row : seen(&forest.up[row]);
  while (row >= 0) {  // asks for two at once: waiting is what takes time
    const Index next = above < 0 ? above : seen(&forest.up[above]);
    const Index col = above < 0 ? -1 - above : seen(&graph.row_match[above]);
    show(&graph.row_match[row], col);
    show(&graph.col_match[col], row);
    row = above;
    above = next;
  }
  show(forest.state_of(root), static_cast<int>(released));
}
