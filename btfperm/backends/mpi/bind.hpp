// SPDX-License-Identifier: BSD-3-Clause
// Functions of the core that only the engine over MPI ranks calls
#pragma once

#include "backends/cpu/bind.hpp"

namespace btfperm {

void bind_ranks(nb::module_& module);
void bind_owned_transversal(nb::module_& module);
void bind_owned_weighted(nb::module_& module);
void bind_owned_decomposition(nb::module_& module);

}  // namespace btfperm
