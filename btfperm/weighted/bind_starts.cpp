// SPDX-License-Identifier: BSD-3-Clause
// Binds algorithms for graphs as initializers of transversals, in `_core.transversal`.
#include "transversal/bind_algorithm.hpp"
#include "weighted/bipartite_graph.hpp"
#include "weighted/graph/gpa.hpp"
#include "weighted/graph/hem.hpp"
#include "weighted/graph/random_greedy.hpp"
#include "weighted/graph/red_blue.hpp"

namespace btfperm {
namespace {

// All weights are 1, and the lists are searched from random places.
constexpr Select by_random{false, false};

constexpr auto gpa_on = [](const auto& G, auto M, auto& options, auto&... rest) {
  gpa(G, M, options, rest...);
};
constexpr auto hem_on = [](const auto& G, auto M, auto& options, auto&... rest) {
  hem(G, M, options, rest...);
};
constexpr auto random_greedy_on = [](const auto& G, auto M, auto& options, auto&... rest) {
  match_vertices(G, M, by_random, true, options.seed, rest...);
};
constexpr auto red_blue_on = [](const auto& G, auto M, auto& options, auto&... rest) {
  red_blue_by(by_random, G, M, options, rest...);
};

template <class I, class Algorithm>
void bind_start(nb::module_& module, const char* name, Algorithm algorithm) {
  bind_algorithm<I>(module, name,
                    [algorithm](const PatternView<I>& A, Matching<I> M, const Options& options,
                                Workspace& workspace, Budget& budget, Counters& counters, Proof&) {
                      match_as_graph(A, M, options, workspace, budget, counters, algorithm);
                    });
}

template <class I>
void bind_starts_of(nb::module_& module) {
  bind_start<I>(module, "gpa", gpa_on);
  bind_start<I>(module, "hem", hem_on);
  bind_start<I>(module, "random_greedy", random_greedy_on);
  bind_start<I>(module, "red_blue", red_blue_on);
}

// Tests run the code for graphs of more than 2^30 entries, whose indices have 64 bits, on small
// ones.
template <class Algorithm>
void bind_wide_start(nb::module_& module, const char* name, Algorithm algorithm) {
  using I = std::int32_t;
  const auto run = [algorithm](const PatternView<I>& A, Matching<I> M, const Options& options,
                               Workspace& workspace, Budget& budget, Counters& counters, Proof&) {
    match_graph_of<std::int64_t>(A, M, options, workspace, budget, counters, algorithm);
  };
  bind_algorithm<I>(module, name, run);
}

}  // namespace

void bind_starts(nb::module_& module) {
  bind_starts_of<std::int32_t>(module);
  bind_starts_of<std::int64_t>(module);
  bind_wide_start(module, "gpa_in_64_bits", gpa_on);
  bind_wide_start(module, "random_greedy_in_64_bits", random_greedy_on);
}

}  // namespace btfperm
