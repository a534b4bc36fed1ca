// SPDX-License-Identifier: BSD-3-Clause
// The counters of algorithms on the CPU, in the order of results and documentation
//
// BTFPERM_COUNTERS(NUMBER, LIST) calls NUMBER(name, summary) for each counter that is one number,
// and LIST for each that is a list of numbers. Members of Counters (interface.hpp), keys in Python
// and the table of the documentation (registry/counters.py) follow from it.
#pragma once

#define BTFPERM_COUNTERS(NUMBER, LIST)                                                        \
  NUMBER(edges, "entries read")                                                               \
  NUMBER(phases, "rounds of search and augmentation")                                         \
  NUMBER(augmentations, "augmenting paths along which the matching was augmented")            \
  NUMBER(path_edges, "edges of all augmenting paths")                                         \
  NUMBER(longest_path, "edges of the longest augmenting path")                                \
  NUMBER(pushes,                                                                              \
         "rows that pushes match to a column; `push-relabel` counts only those that "         \
         "another column loses")                                                              \
  NUMBER(relabels, "global relabellings")                                                     \
  NUMBER(top_down_steps, "levels searched from the columns of the frontier")                  \
  NUMBER(bottom_up_steps, "levels searched from the unvisited rows; over ranks, by one rank") \
  NUMBER(bottom_up_edges, "entries read from rows, in bottom-up steps and grafts")            \
  NUMBER(grafts, "phases that kept trees by grafting")                                        \
  NUMBER(top_down_us, "microseconds of the top-down steps")                                   \
  NUMBER(bottom_up_us, "microseconds of the bottom-up steps")                                 \
  NUMBER(augment_us, "microseconds of the augmentations")                                     \
  NUMBER(graft_us, "microseconds of the grafts")                                              \
  NUMBER(statistics_us, "microseconds of the decisions between steps")                        \
  LIST(frontier_sizes,                                                                        \
       "columns in each level of `ms-bfs-graft`, with 0 after each phase; at most "           \
       "10,000 numbers")
