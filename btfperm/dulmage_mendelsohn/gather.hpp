// SPDX-License-Identifier: BSD-3-Clause
// gather: writes the members (rows or columns) of each block, ascending, to the places of the block
//
// Idea        One thread uses a counting sort. Several threads count by atomic additions, write
//             each member to the next place of its block, and sort each block. For a block with a
//             large share of all members, all threads would compete for its counter; so a separate
//             pass selects its members in order.
// Cost        O(members + blocks) with one thread; with several O(k log k) for a block of k
//             members, and a pass for each large block, of which there are at most 15
// Races       atomic additions assign places; sorting makes the result independent of their order
#pragma once

#include <algorithm>
#include <array>
#include <atomic>

#include "backends/cpu/workspace.hpp"
#include "dulmage_mendelsohn/row_lists.hpp"
#include "dulmage_mendelsohn/team.hpp"

namespace btfperm {

constexpr int large_share = 16;  // a block with more than 1/16 of the members is large

// block_of(k) must return the block of members[k]. Afterwards block b has the places from
// boundaries[b] to boundaries[b + 1] - 1 of `perm`.
template <class I, class BlockOf>
void gather_alone(const Members<I>& members, I first, I n_blocks, I begin, BlockOf block_of,
                  Budget& budget, I* boundaries, I* perm) {
  I* start = boundaries + first;
  std::fill(start, start + n_blocks + 1, I{0});
  in_pieces(members.count, budget, [&](I k) { ++start[block_of(k) - first + 1]; });
  start[0] = begin;
  for (I b = 0; b < n_blocks; ++b) start[b + 1] += start[b];
  in_pieces(members.count, budget, [&](I k) { perm[start[block_of(k) - first]++] = members[k]; });
  for (I b = n_blocks; b > 0; --b) start[b] = start[b - 1];  // each start had become an end
  start[0] = begin;
}

// Guesses the block with the largest share of all members: the most frequent block in a sample of
// 256 members. Returns -1 if it has at most an eighth of the sample, or if there are fewer than 256
// members.
template <class I, class BlockOf>
I guess_giant(I count, BlockOf block_of) {
  constexpr I samples = 256;
  std::array<I, static_cast<std::size_t>(samples)> seen{};
  if (count < samples) return -1;
  for (I s = 0; s < samples; ++s) seen[s] = block_of(s * (count / samples));
  std::sort(seen.begin(), seen.end());
  I giant = -1;
  I most = samples / 8;
  for (I s = 0, run = 1; s < samples; ++s, ++run) {
    if (s > 0 && seen[s] != seen[s - 1]) run = 1;
    if (run > most) {
      most = run;
      giant = seen[s];
    }
  }
  return giant;
}

// Counts the members of the blocks on several threads, and writes the boundaries of the blocks (the
// prefix sums of their sizes, starting with `begin`) to boundaries[first ...].
template <class I, class BlockOf>
void count_together(I count, I first, I n_blocks, I begin, BlockOf block_of, const Team& team,
                    Budget& budget, I* boundaries) {
  I* start = boundaries + first;
  fill(start, n_blocks + 1, I{0}, team.threads, budget);
  const I giant = guess_giant(count, block_of);
  std::atomic<I> in_giant{0};
  on_team(team.threads, true, [&](int t, int size) {
    I own_in_giant = 0;
    in_own_pieces(Share<I>(count, t, size), t, budget, [&](I k) {
      const I b = block_of(k);
      if (b == giant) {
        ++own_in_giant;
      } else {
        increment(start[b - first]);
      }
    });
    in_giant += own_in_giant;
  });
  if (budget.stopped()) throw Unfinished();
  if (giant >= 0) start[giant - first] += in_giant;
  start[0] += begin;
  sum_up(start, n_blocks, team.threads);
  start[0] = begin;
}

// Writes the members to the places of their blocks, whose boundaries are given. Members with
// block_of(k) < 0 are left out. `next` (n_blocks) is workspace.
template <class I, class BlockOf>
void place_together(const Members<I>& members, I first, I n_blocks, BlockOf block_of,
                    const Team& team, Budget& budget, const I* boundaries, I* next, I* perm) {
  const I large = std::max<I>(members.count / large_share, 2);
  std::array<I, static_cast<std::size_t>(large_share)> large_ones{};
  std::atomic<int> n_large{0};
  const I* start = boundaries + first;
  const auto size = [start](I b) { return start[b + 1] - start[b]; };
#pragma omp parallel num_threads(team.threads)
  {
    const int t = omp_get_thread_num();
    const int all = omp_get_num_threads();
    in_own_pieces(Share<I>(n_blocks, t, all), t, budget, [&](I b) { next[b] = start[b]; });
#pragma omp barrier
    in_own_pieces(Share<I>(members.count, t, all), t, budget, [&](I k) {
      const I b = block_of(k) - first;
      if (b < 0 || size(b) > large) return;
      const I place = size(b) == 1 ? start[b] : increment(next[b]);
      perm[place] = members[k];
    });
#pragma omp barrier
#pragma omp for schedule(dynamic, 256)
    for (I b = 0; b < n_blocks; ++b) {
      if (budget.stopped()) continue;
      if (size(b) > large) {
        large_ones[n_large.fetch_add(1)] = b;
      } else if (size(b) > 1) {
        std::sort(perm + start[b], perm + start[b + 1]);
      }
    }
  }
  if (budget.stopped()) throw Unfinished();
  for (int l = 0; l < n_large.load(); ++l) {
    const I b = large_ones[l];
    select(
        members.count, team.threads, perm + start[b], [&](I k) { return block_of(k) - first == b; },
        [&](I k) { return members[k]; }, budget);
  }
}

// Computes boundaries and places from the blocks of the members; the first of the n_blocks has the
// number `first` and starts at place `begin`. Throws Unfinished if the budget ends the call.
template <class I, class BlockOf>
void gather(const Members<I>& members, I first, I n_blocks, I begin, BlockOf block_of,
            const Team& team, Budget& budget, I* boundaries, I* perm) {
  if (team.is_one(members.count, team.level)) {
    gather_alone(members, first, n_blocks, begin, block_of, budget, boundaries, perm);
    return;
  }
  Workspace workspace;
  I* next = workspace.take<I>(n_blocks);
  count_together(members.count, first, n_blocks, begin, block_of, team, budget, boundaries);
  place_together(members, first, n_blocks, block_of, team, budget, boundaries, next, perm);
}

}  // namespace btfperm
