// SPDX-License-Identifier: BSD-3-Clause
// last-row as a function of Python: the line of bind_algorithms in transversal/bind.cpp, in a
// module of its own
#include "last_row.hpp"
#include "transversal/bind_algorithm.hpp"

NB_MODULE(last_row_core, module) {
  btfperm::bind_algorithm<std::int32_t>(module, "last_row", &btfperm::last_row<std::int32_t>);
  btfperm::bind_algorithm<std::int64_t>(module, "last_row", &btfperm::last_row<std::int64_t>);
}
