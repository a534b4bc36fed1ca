// SPDX-License-Identifier: BSD-3-Clause
// Functions of the core that only the MPI backend calls
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/cpu/bind.hpp"

namespace btfperm {

// Whether each number of an array is one of 0 ... limit - 1. The comparison uses 64 bits, because a
// limit (the number of entries of a rank) may exceed the integer type of rows and columns.
template <class Array>
bool are_in_range(const Array& numbers, std::int64_t limit) {
  return std::all_of(numbers.data(), numbers.data() + numbers.shape(0),
                     [&](std::int64_t number) { return number >= 0 && number < limit; });
}

void bind_ranks(nb::module_& module);
void bind_owned_transversal(nb::module_& module);
void bind_owned_weighted(nb::module_& module);
void bind_owned_decomposition(nb::module_& module);

}  // namespace btfperm
