// SPDX-License-Identifier: BSD-3-Clause
// Options: the values of an algorithm's options, of which its registry row declares the names and
// the defaults
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>

namespace btfperm {

struct Options {
  int threads = 1;
  std::uint64_t seed = 0;
  std::map<std::string, double> named;  // all options of the algorithm

  double get(const char* name) const {
    const auto found = named.find(name);
    if (found == named.end()) throw std::invalid_argument(std::string("no option ") + name);
    return found->second;
  }
};

}  // namespace btfperm
