// SPDX-License-Identifier: BSD-3-Clause
// The counters of algorithms on the CPU, in the order of results and documentation
//
// BTFPERM_COUNTERS(SUM, LARGEST, LIST) calls SUM(name, summary) for each counter for which the
// numbers of several threads are added. For each counter that is the maximum over the threads, it
// calls LARGEST with these arguments, and LIST for each list of numbers, which only the calling
// thread makes. From this macro, interface.hpp makes the members of Counters and its function
// `add`, and registry/counters.py the keys in Python and a table of the documentation. A counter
// that does not apply to a thread is 0 there.
#pragma once

#define BTFPERM_COUNTERS(SUM, LARGEST, LIST)                                               \
  SUM(edges, "visited entries")                                                            \
  SUM(phases, "rounds of search and augmentation")                                         \
  SUM(augmentations, "augmenting paths along which the matching was augmented")            \
  SUM(path_edges, "edges of all augmenting paths")                                         \
  LARGEST(longest_path, "edges of the longest augmenting path")                            \
  SUM(pushes,                                                                              \
      "pushes, each of which matches a row to a column; `push-relabel` counts only those " \
      "that take the row from another column")                                             \
  SUM(relabels, "global relabellings")                                                     \
  SUM(top_down_steps, "levels searched from the columns of the frontier")                  \
  SUM(bottom_up_steps, "levels searched from the unvisited rows; over ranks, by one rank") \
  SUM(bottom_up_edges, "entries visited in rows, in bottom-up steps and grafts")           \
  SUM(grafts, "phases that started with trees of the phase before, by grafting")           \
  SUM(top_down_us, "microseconds of the top-down steps")                                   \
  SUM(bottom_up_us, "microseconds of the bottom-up steps")                                 \
  SUM(augment_us, "microseconds of the augmentations")                                     \
  SUM(graft_us, "microseconds of the grafts")                                              \
  SUM(statistics_us, "microseconds of the decisions between steps")                        \
  LIST(frontier_sizes,                                                                     \
       "columns in each level of `ms-bfs-graft`, with 0 after each phase; at most "        \
       "10,000 numbers")
