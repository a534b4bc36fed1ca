// SPDX-License-Identifier: BSD-3-Clause
// levels: the heights of the components, by several threads
//
// Idea        As in the peel, but by components: one whose successors are all finished is ready,
// and
//             goes into the queue with all its members. The giant component takes no part in this:
//             what stands before it reaches it, and so is higher than it is, by one at least. So
//             first come the others, then its height is known, then what stands before it; its
//             lists are not read, and the threads do not meet at its counter.
// Cost        O(entries), two random accesses each. (`heights` needs one, but also the components
//             in order, which only tarjan knows)
// Encodings   a component is named by one of its rows; of that vertex mark = entries that lead out
//             and are not counted down, height = the component's. block[name] = 1 + the number of
//             a block of several rows, 0: it has one row
// Races       heights rise by compare and exchange before the counter falls (release, acquire): who
//             finds the counter at 0 sees all of them
#pragma once

#include "dulmage_mendelsohn/fine_square/components.hpp"
#include "dulmage_mendelsohn/fine_square/heights.hpp"

namespace btfperm {

// The members of each component of several rows.
template <class I>
struct Blocks {
  Block<I>* several;
  I count;
  I* block;  // m
  I* start;  // of each block but the giant one in `members`; count + 1 places
  I* members;
};

// Sizes into B.block[name], without the name itself and without the giant component.
template <class I>
bool count_members(const Components<I>& C, const Members<I>& left, const Team& team, I* size,
                   Budget& budget) {
  fill(size, C.A.m, I{0}, team.threads);
  return for_each(left.count, team, budget, [&](I k) {
    const I name = C.of[left[k]];
    if (name != C.giant && name != left[k]) {
      std::atomic_ref<I>(size[name]).fetch_add(1, std::memory_order_relaxed);
    }
    return std::int64_t{1};
  });
}

// Numbers the components of several rows and lists their members; the giant one, which the caller
// has by itself, comes last. `names` (as many places as left) is workspace.
template <class I>
bool list_blocks(const Components<I>& C, const Members<I>& left, I giant_size, const Team& team,
                 I* names, Blocks<I>& B, Budget& budget) {
  if (!count_members(C, left, team, B.block, budget)) return false;
  const I count = select(
      left.count, team.threads, names, [&](I k) { return B.block[left[k]] > 0; },
      [&](I k) { return left[k]; });
  for (I b = 0; b < count; ++b) {
    const I size = B.block[names[b]] + 1;
    B.several[b] = {size, 0};
    B.start[b] = size;
    B.block[names[b]] = b + 1;
  }
  sum_up(B.start, count, team.threads);
  const auto put = [&](I k) {
    const I b = B.block[C.of[left[k]]] - 1;
    if (b >= 0) {
      B.members[std::atomic_ref<I>(B.start[b]).fetch_add(1, std::memory_order_relaxed)] = left[k];
    }
    return std::int64_t{1};
  };
  if (!for_each(left.count, team, budget, put)) return false;
  for (I b = count; b > 0; --b) B.start[b] = B.start[b - 1];  // undo the advance
  B.start[0] = 0;
  B.count = count;
  if (giant_size > 1) {
    B.several[B.count++] = {giant_size, 0};
    B.block[C.giant] = B.count;
  }
  return true;
}

// Counts the entries that lead from one component to another one, and raises each component to its
// highest member.
template <class I>
bool count_exits(const Components<I>& C, const Members<I>& left, const Team& team, Budget& budget) {
  const auto clear = [&](I k) {
    C.vertices[left[k]].mark = 0;
    return std::int64_t{1};
  };
  if (!for_each(left.count, team, budget, clear)) return false;
  return for_each(left.count, team, budget, [&](I k) -> std::int64_t {
    const I v = left[k];
    const I own = C.of[v];
    if (own == C.giant) {
      raise(C.vertices[own].height, load(C.vertices[v].height));
      return 1;
    }
    if (k + 8 < left.count) C.fetch_list(left[k + 8]);
    if (k + 4 < left.count) {
      fetch_targets(C.A, C.vertices[left[k + 4]], C.of);
      fetch_targets(C.A, C.vertices[left[k + 4]], C.vertices);
    }
    if (own != v) raise(C.vertices[own].height, load(C.vertices[v].height));
    return C.for_each_predecessor(v, [&](I u) {
      const I other = C.of[u];
      if (other == own || other < 0 || other == C.giant) return;
      std::atomic_ref<I>(C.vertices[other].mark).fetch_add(1, std::memory_order_relaxed);
    });
  });
}

// The heights of all components of `left`, as `heights` leaves them. `queue` has a place for each
// of `left`. False: the budget ended it.
template <class I>
bool levels(const Components<I>& C, const Members<I>& left, const Team& team, I* queue,
            Blocks<I>& B, Budget& budget) {
  const auto row = [&](I k) { return left[k]; };
  const I giant_size =
      select(left.count, team.threads, queue, [&](I k) { return C.of[left[k]] == C.giant; }, row);
  if (!list_blocks(C, left, giant_size, team, queue, B, budget)) return false;
  if (!count_exits(C, left, team, budget)) return false;
  Frontier<I> ready(queue);
  // The components of the region are finished that is `backward`, or is not.
  const auto finish = [&](std::uint8_t side) {
    const auto is_ready = [&](I k) {
      const I name = C.of[left[k]];
      return name != C.giant && (C.region[name] & backward) == side && C.vertices[name].mark == 0;
    };
    ready.assign(select(left.count, team.threads, queue, is_ready, row));
    return flood(
               ready, I{0}, team, budget, [&](I v) { C.fetch_record(v); },
               [&](I v) { C.fetch_list(v); },
               [&](I v) {
                 fetch_targets(C.A, C.vertices[v], C.of);
                 fetch_targets(C.A, C.vertices[v], C.vertices);
               },
               [&](I v, auto push, auto shared) {
                 const I own = C.of[v];
                 const I above = load(C.vertices[own].height) + 1;
                 return C.for_each_predecessor(v, [&](I u) {
                   const I name = C.of[u];
                   if (name == own || name < 0) return;
                   raise(C.vertices[name].height, above);
                   if (name == C.giant) return;
                   if (!count_down(C.vertices[name].mark, shared)) return;
                   if ((C.region[name] & backward) != side) return;
                   const I b = B.block[name] - 1;
                   if (b < 0) return push(name);
                   for (I k = B.start[b]; k < B.start[b + 1]; ++k) push(B.members[k]);
                 });
               }) >= 0;
  };
  if (!finish(0)) return false;
  const I above = C.vertices[C.giant].height + 1;
  const auto lift = [&](I k) {
    const I v = left[k];
    if (C.of[v] != C.giant && (C.region[v] & backward) != 0)
      raise(C.vertices[C.of[v]].height, above);
    return std::int64_t{1};
  };
  if (!for_each(left.count, team, budget, lift)) return false;
  if (!finish(backward)) return false;
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
