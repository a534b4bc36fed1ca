// SPDX-License-Identifier: BSD-3-Clause
// The counters of algorithms on the CPU, in the order of results and documentation
//
// BTFPERM_COUNTERS(SUM, LARGEST, LIST) calls SUM(name, summary) for each counter that is the sum of
// what all threads count, LARGEST for each that is the largest number of a thread, and LIST for
// each that is a list of numbers, which the calling thread alone makes. Members of Counters and its
// function add (interface.hpp), keys in Python and the table of the documentation
// (registry/counters.py) follow from it. A thread leaves a counter that does not apply to it at 0.
#pragma once

#define BTFPERM_COUNTERS(SUM, LARGEST, LIST)                                               \
  SUM(edges, "entries read")                                                               \
  SUM(phases, "rounds of search and augmentation")                                         \
  SUM(augmentations, "augmenting paths along which the matching was augmented")            \
  SUM(path_edges, "edges of all augmenting paths")                                         \
  LARGEST(longest_path, "edges of the longest augmenting path")                            \
  SUM(pushes,                                                                              \
      "rows that pushes match to a column; `push-relabel` counts only those that "         \
      "another column loses")                                                              \
  SUM(relabels, "global relabellings")                                                     \
  SUM(top_down_steps, "levels searched from the columns of the frontier")                  \
  SUM(bottom_up_steps, "levels searched from the unvisited rows; over ranks, by one rank") \
  SUM(bottom_up_edges, "entries read from rows, in bottom-up steps and grafts")            \
  SUM(grafts, "phases that kept trees by grafting")                                        \
  SUM(top_down_us, "microseconds of the top-down steps")                                   \
  SUM(bottom_up_us, "microseconds of the bottom-up steps")                                 \
  SUM(augment_us, "microseconds of the augmentations")                                     \
  SUM(graft_us, "microseconds of the grafts")                                              \
  SUM(statistics_us, "microseconds of the decisions between steps")                        \
  LIST(frontier_sizes,                                                                     \
       "columns in each level of `ms-bfs-graft`, with 0 after each phase; at most "        \
       "10,000 numbers")
