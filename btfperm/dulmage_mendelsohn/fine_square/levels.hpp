// SPDX-License-Identifier: BSD-3-Clause
// levels: the heights of the components, by several threads
//
// Idea        As in the peel, but by components: a component whose successors are all finished is
//             ready, and goes into the queue with all its members. The giant component is treated
//             separately: a component that reaches it is higher by at least one. So the components
//             that do not reach it come first, then its height, then those that reach it. Its lists
//             are not visited, and the threads do not compete for its counter.
// Cost        O(entries), two random accesses each. (`heights` needs one, but also the components
//             in order, which only tarjan computes)
// Encodings   a component is named by one of its rows; for that vertex mark = entries that lead to
//             others but the giant one, not yet counted down, height = that of the component.
//             block[name] = 1 + the number of a block of several rows, 0: it has one row
// Races       heights rise by compare and exchange before the counter falls (release, acquire): the
//             thread that finds the counter at 0 reads all of them
#pragma once

#include "dulmage_mendelsohn/fine_square/components.hpp"
#include "dulmage_mendelsohn/fine_square/heights.hpp"

namespace btfperm {

// The components of several rows, and the members of all of them except the giant one.
template <class I>
struct Blocks {
  Block<I>* several;
  I count;
  I* block;  // m
  I* start;  // of each block in `members`; count + 1 places
  I* members;
};

// Numbers the components of several rows and lists their members; the giant one is the last.
// `names` (as many places as `rest`) is workspace.
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
  for (I b = count; b > 0; --b) B.start[b] = B.start[b - 1];  // undo the advance
  B.start[0] = 0;
  B.count = count;
  if (giant_size > 1) {
    B.several[B.count++] = {giant_size, 0};
    B.block[C.giant] = B.count;
  }
  return true;
}

// Counts the entries that lead from one component to another, except the giant one, and raises each
// component to its highest member.
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

// Finishes the components that reach the pivot (`side` = backward) or do not reach it (0), each
// after its successors on this side. `queue` has a place for each of `rest`.
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

// The heights of all components of `left`, as `heights` leaves them; `rest` is `left` without the
// giant component. `queue` has a place for each of `rest`. False: the budget ended the call.
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
  const auto note_block = [&](I k) {  // a block has the height of the vertex that names it
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
