// SPDX-License-Identifier: BSD-3-Clause
// btfperm._core: the CPU core under Python; each room binds its own functions
#include <omp.h>

#include "backends/cpu/bind.hpp"
#include "backends/cpu/sharing.hpp"

NB_MODULE(_core, module) {
  namespace nb = nanobind;
  module.doc() = "The CPU core of btfperm: plain arrays in, plain arrays out.";
  module.def(
      "fail_allocation_at", [](long k) { btfperm::fail_at.store(k); }, nb::arg("k"),
      "Make the k-th following allocation of the core fail, once; 0 turns it off. For tests.");
  module.def(
      "share_always", [](bool always) { return btfperm::share_always.exchange(always); },
      nb::arg("always"),
      "Share the smallest pieces of work among the threads, too; whether that was so. For tests.");
  module.def("max_threads", [] { return omp_get_max_threads(); }, "Threads OpenMP would use.");
  btfperm::bind_pattern(module);
  btfperm::bind_transversal(module);
  btfperm::bind_dulmage_mendelsohn(module);
}
