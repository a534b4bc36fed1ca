// SPDX-License-Identifier: BSD-3-Clause
// forest: disjoint alternating trees from unmatched columns and from unmatched rows, and the paths
// between them
//
// A matched entry is identified by its row. A tree from a column enters a matched entry through its
// row and continues from its column; a tree from a row enters it through its column and continues
// from its row.
//
// Encodings   a root: its column j, or -2 - i for row i
//             owner[i] = the root of the tree that contains row i's matched entry; -1: none yet. An
//             unmatched row is its own root. in_cover, out_of_cover: row i was matched permanently
//             by `meeting_peel.cu`; its row, or its column, is in a minimum cover
//             up[i] = the row of the previous matched entry in its tree, towards the root. For the
//             first entry below the root: -1 - j if the root is column j, k if it is row k
//             state[j], state[n + i] = the State of the tree with root column j, or row i. trying:
//             a thread is forming a path; joined: the tree has a path; released: the matching was
//             augmented along the path, and the tree no longer exists
// Invariants  the matching does not change while trees grow. An owner changes only from none or
//             from a released root. A root has at most one path, so paths are disjoint
// Races       atomicCAS on owner adds a matched entry to only one tree. A thread forms a path by
//             setting the state of the column root to `trying`, then that of the row root to
//             `joined`. If the second fails, the thread resets the state of the column root.
//             Another thread may have read `trying` in between; then it formed no path and put its
//             vertex on the border. This is safe: the second step failed because the row root has
//             another path, so this phase is not the last one
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

  // A tree in state `trying` still grows: the path may fail.
  __device__ bool grows(Index root) const { return seen(state_of(root)) <= trying; }

  // Adds the matched entry of row i to the tree of `root` if no tree has it, or if its tree was
  // released. Returns the root of the tree that has the entry after the call, or `root` if row i
  // was matched permanently. Sets `*taken` if this call added the entry.
  __device__ Index take(Index i, Index root, Index parent, bool* taken) const {
    const Index before = seen(&owner[i]);
    if (before == root || is_done(before)) return root;
    if (before != none && seen(state_of(before)) != released) return before;
    const Place was = static_cast<Place>(before);
    const Place previous =
        atomicCAS(reinterpret_cast<Place*>(&owner[i]), was, static_cast<Place>(root));
    if (previous != was) return static_cast<Index>(previous);
    show(&up[i], parent);
    *taken = true;
    return root;
  }

  // Forms a path between two trees if neither has one. Returns true to the one thread that did so.
  __device__ bool join(Index col_root, Index row_root) const {
    if (seen(state_of(row_root)) != growing) return false;
    if (atomicCAS(state_of(col_root), growing, trying) != growing) return false;
    const bool both = atomicCAS(state_of(row_root), growing, joined) == growing;
    show(state_of(col_root), static_cast<int>(both ? joined : growing));
    return both;
  }
};

// The place where two trees meet. Column `col` of the one tree has an entry in row `row` of the
// other. `below` is the row matched to `col`, or -1 - col if this column is the root.
struct Meeting {
  Index col, below, row;
};

// Augments along the part of a path in the tree of a row: matches `col` to `row`, then the previous
// mate of `row` to the row of the previous entry, and so on up to the unmatched row.
__device__ inline void augment_rows(const Graph& graph, const Forest& forest, Meeting at) {
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

// Augments along the part of a path in the tree of a column: matches each row to the column of the
// previous entry, up to the unmatched column.
__device__ inline void augment_cols(const Graph& graph, const Forest& forest, Meeting at) {
  const Index root = at.below < 0 ? at.col : seen(&forest.owner[at.below]);
  Index row = at.below, above = row < 0 ? row : seen(&forest.up[row]);
  while (row >= 0) {  // two loads at once hide their latency
    const Index next = above < 0 ? above : seen(&forest.up[above]);
    const Index col = above < 0 ? -1 - above : seen(&graph.row_match[above]);
    show(&graph.row_match[row], col);
    show(&graph.col_match[col], row);
    row = above;
    above = next;
  }
  show(forest.state_of(root), static_cast<int>(released));
}
