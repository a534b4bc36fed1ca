// SPDX-License-Identifier: BSD-3-Clause
// btfperm._core: the CPU core in Python. Each package binds its own functions in a submodule.
#include "backends/cpu/bind.hpp"
#include "backends/mpi/bind.hpp"

NB_MODULE(_core, module) {
  namespace nb = nanobind;
  // Objects of the core that a global variable keeps until the process ends are no leaks.
  nb::set_leak_warnings(false);
  module.doc() = "The CPU core of btfperm: plain arrays in, plain arrays out.";
#if defined(__clang__)
  module.attr("compiler") = __VERSION__;  // contains the compiler's name
#elif defined(__GNUC__)
  module.attr("compiler") = "GCC " __VERSION__;
#else
  module.attr("compiler") = "unknown";
#endif
  // A second call for the same package adds functions to its submodule.
  const auto bind = [&module](const char* package, void (*functions)(nb::module_&)) {
    nb::module_ submodule = module.def_submodule(package);
    functions(submodule);
  };
  bind("backends", &btfperm::bind_backends);
  bind("ranks", &btfperm::bind_ranks);
  bind("io", &btfperm::bind_io);
  bind("pattern", &btfperm::bind_pattern);
  bind("transversal", &btfperm::bind_transversal);
  bind("transversal", &btfperm::bind_owned_transversal);
  bind("dulmage_mendelsohn", &btfperm::bind_dulmage_mendelsohn);
  bind("dulmage_mendelsohn", &btfperm::bind_owned_decomposition);
  bind("ordering", &btfperm::bind_ordering);
  bind("weighted", &btfperm::bind_weighted);
  bind("weighted", &btfperm::bind_owned_weighted);
  bind("transversal", &btfperm::bind_starts);
  bind("preorder", &btfperm::bind_preorder);
  bind("diagnosis", &btfperm::bind_diagnosis);
}
