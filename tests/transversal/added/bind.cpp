// SPDX-License-Identifier: BSD-3-Clause
// last-row as a function of Python: the line of bind_algorithms in transversal/bind.cpp, in a
// module of its own; and a function about the counters of all algorithms
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "last_row.hpp"
#include "transversal/bind_algorithm.hpp"

namespace {

// Counters whose numbers are all `number`, and a list of one number.
btfperm::Counters counted(std::int64_t number) {
  btfperm::Counters result;
#define SET_NUMBER(name, summary) result.name = number;
#define SET_LIST(name, summary) result.name = {number};
  BTFPERM_COUNTERS(SET_NUMBER, SET_NUMBER, SET_LIST)
#undef SET_NUMBER
#undef SET_LIST
  return result;
}

// The names and numbers of counters `one` after those of a thread with `other` were added.
std::vector<std::pair<std::string, std::int64_t>> added(std::int64_t one, std::int64_t other) {
  btfperm::Counters counters = counted(one);
  counters.add(counted(other));
  std::vector<std::pair<std::string, std::int64_t>> result;
#define NAME_NUMBER(name, summary) result.emplace_back(#name, counters.name);
#define NAME_LIST(name, summary) \
  for (const std::int64_t number : counters.name) result.emplace_back(#name, number);
  BTFPERM_COUNTERS(NAME_NUMBER, NAME_NUMBER, NAME_LIST)
#undef NAME_NUMBER
#undef NAME_LIST
  return result;
}

}  // namespace

NB_MODULE(last_row_core, module) {
  btfperm::bind_algorithm<std::int32_t>(module, "last_row", &btfperm::last_row<std::int32_t>);
  btfperm::bind_algorithm<std::int64_t>(module, "last_row", &btfperm::last_row<std::int64_t>);
  module.def("added_counters", &added);
}
