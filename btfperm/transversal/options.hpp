// SPDX-License-Identifier: BSD-3-Clause
// Options: what a caller can set for one algorithm, by the names its registry row lists
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace btfperm {

struct Options {
  int threads = 1;
  std::uint64_t seed = 0;
  std::map<std::string, double> named;  // only what was set; the algorithm has the defaults

  double get(const char* name, double otherwise) const {
    const auto found = named.find(name);
    return found == named.end() ? otherwise : found->second;
  }
};

}  // namespace btfperm
