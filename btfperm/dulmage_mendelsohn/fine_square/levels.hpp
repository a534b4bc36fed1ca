// SPDX-License-Identifier: BSD-3-Clause
// levels: the heights of the components, by several threads
//
// Idea        As in the peel, but by components: if the heights of all successors of a component
//             are known, all its members are appended to the queue. The giant component is treated
//             separately: every component that reaches it is higher by at least one. So the heights
//             of the components that do not reach it are computed first, then its own height, then
//             those of the components that reach it. In this way its lists are not visited, and the
//             threads do not compete for its counter.
// Cost        O(entries), two random accesses for each entry. `heights` needs one, but it also
//             needs the order of the components, which only tarjan computes
// Encodings   a component is named by one of its rows. The record of this vertex holds the data of
//             the component: height = the height; mark = the number of entries that lead from the
//             component to another one, except to the giant one, whose height is not known yet.
//             block[name] = 1 + the number of a block of several rows; 0 for a block of one row
// Races       a thread raises a height by compare and exchange before it decreases the counter
//             (release, acquire), so the thread that decreases the counter to 0 reads all raised
//             heights
#pragma once

#include "dulmage_mendelsohn/fine_square/components.hpp"
#include "dulmage_mendelsohn/fine_square/heights.hpp"

namespace btfperm {

// The components of several rows, called blocks here, and the members of each block except the
// giant one.
template <class I>
struct Blocks {
  Block<I>* several;
  I count;
  I* block;    // m: see Encodings
  I* start;    // count + 1 elements
  I* members;  // those of block b are members[start[b] ... start[b + 1] - 1]
};

// Numbers the components of several rows and lists their members. The giant component has the last
// number; its members are not listed. `names` (as many elements as `rest`) is workspace.
template <class I>
bool list_blocks(const Components<I>& C, const Members<I>& rest, I giant_size, const Team& team,
                 I* names, Blocks<I>& B, Budget& budget) {
  fill(B.block, C.A.m, I{0}, team.threads, budget);
  const auto count_member = [&](I k) {
    const I name = C.of[rest[k]];
    if (name != rest[k]) increment(B.block[name]);
    return std::int64_t{1};
  };
  if (!for_each(rest.count, team, budget, count_member)) return false;
  const I count = select(
      rest.count, team.threads, names, [&](I k) { return B.block[rest[k]] > 0; },
      [&](I k) { return rest[k]; }, budget);
  for (I b = 0; b < count; ++b) {
    const I size = B.block[names[b]] + 1;
    B.several[b] = {size, 0};
    B.start[b] = size;
    B.block[names[b]] = b + 1;
  }
  sum_up(B.start, count, team.threads);
  const auto put = [&](I k) {
    const I b = B.block[C.of[rest[k]]] - 1;
    if (b >= 0) {
      B.members[increment(B.start[b])] = rest[k];
    }
    return std::int64_t{1};
  };
  if (!for_each(rest.count, team, budget, put)) return false;
  for (I b = count; b > 0; --b) B.start[b] = B.start[b - 1];  // `put` moved each start to the end
  B.start[0] = 0;
  B.count = count;
  if (giant_size > 1) {
    B.several[B.count++] = {giant_size, 0};
    B.block[C.giant] = B.count;
  }
  return true;
}

// Counts for each component the entries that lead from it to another component, except to the giant
// one. Raises the height of each component to the largest height of its members.
template <class I>
bool count_exits(const Components<I>& C, const Members<I>& left, const Members<I>& rest,
                 const Team& team, Budget& budget) {
  const auto prepare = [&](I k) {
    const I v = left[k];
    const I own = C.of[v];
    if (own == v) {
      C.vertices[v].mark = 0;
    } else {
      raise(C.vertices[own].height, load(C.vertices[v].height));
    }
    return std::int64_t{1};
  };
  if (!for_each(left.count, team, budget, prepare)) return false;
  return for_each(rest.count, team, budget, [&](I k) {
    const I v = rest[k];
    const I own = C.of[v];
    if (k + 8 < rest.count) C.fetch_list(rest[k + 8]);
    if (k + 4 < rest.count) {
      fetch_targets(C.A, C.vertices[rest[k + 4]], C.of);
      fetch_targets(C.A, C.vertices[rest[k + 4]], C.vertices);
    }
    return C.for_each_predecessor(v, [&](I u) {
      const I other = C.of[u];
      if (other == own || other < 0 || other == C.giant) return;
      increment(C.vertices[other].mark);
    });
  });
}

// Computes the heights of the components that reach the pivot (`side` = backward) or that do not
// reach it (`side` = 0), each after its successors on this side. `queue` has an element for each
// element of `rest`.
template <class I>
bool finish_side(const Components<I>& C, const Members<I>& rest, std::uint8_t side,
                 const Team& team, I* queue, const Blocks<I>& B, Budget& budget) {
  const auto is_ready = [&](I k) {
    const I name = C.of[rest[k]];
    return (C.region[name] & backward) == side && C.vertices[name].mark == 0;
  };
  Frontier<I> ready(queue);
  ready.assign(
      select(rest.count, team.threads, queue, is_ready, [&](I k) { return rest[k]; }, budget));
  const auto targets = [&](I v) {
    fetch_targets(C.A, C.vertices[v], C.of);
    fetch_targets(C.A, C.vertices[v], C.vertices);
  };
  const auto visit = [&](I v, auto push, auto shared) {
    const I own = C.of[v];
    const I above = load(C.vertices[own].height) + 1;
    return C.for_each_predecessor(v, [&](I u) {
      const I name = C.of[u];
      if (name == own || name < 0) return;
      raise(C.vertices[name].height, above);
      if (name == C.giant || !count_down(C.vertices[name].mark, shared)) return;
      if ((C.region[name] & backward) != side) return;
      const I b = B.block[name] - 1;
      if (b < 0) return push(name);
      for (I k = B.start[b]; k < B.start[b + 1]; ++k) push(B.members[k]);
    });
  };
  return flood(
             ready, I{0}, team, budget, [&](I v) { C.fetch_record(v); },
             [&](I v) { C.fetch_list(v); }, targets, visit) >= 0;
}

// Computes the heights of all components of `left` and stores them in the encoding of heights.hpp.
// `rest` is `left` without the giant component. `queue` has an element for each element of `rest`.
// Returns false if the budget ended the call.
template <class I>
bool levels(const Components<I>& C, const Members<I>& left, const Members<I>& rest,
            const Team& team, I* queue, Blocks<I>& B, Budget& budget) {
  if (!list_blocks(C, rest, static_cast<I>(left.count - rest.count), team, queue, B, budget) ||
      !count_exits(C, left, rest, team, budget) ||
      !finish_side(C, rest, 0, team, queue, B, budget)) {
    return false;
  }
  const I above = C.vertices[C.giant].height + 1;
  const auto lift = [&](I k) {
    const I name = C.of[rest[k]];
    if ((C.region[name] & backward) != 0) raise(C.vertices[name].height, above);
    return std::int64_t{1};
  };
  if (!for_each(rest.count, team, budget, lift) ||
      !finish_side(C, rest, backward, team, queue, B, budget)) {
    return false;
  }
  const auto note_block = [&](I k) {  // the vertex that names a block stores its height
    const I b = B.block[left[k]] - 1;
    if (b >= 0) B.several[b].height = C.vertices[left[k]].height;
    return std::int64_t{1};
  };
  if (!for_each(left.count, team, budget, note_block)) return false;
  return for_each(left.count, team, budget, [&](I k) {
    const I b = B.block[C.of[left[k]]] - 1;
    if (b >= 0) C.vertices[left[k]].height = ~b;
    return std::int64_t{1};
  });
}

}  // namespace btfperm
