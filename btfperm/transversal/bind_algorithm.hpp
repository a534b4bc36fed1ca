// SPDX-License-Identifier: BSD-3-Clause
// bind_algorithm: makes an algorithm of this package a Python function
#pragma once

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>

#include "backends/cpu/bind.hpp"
#include "backends/cpu/pieces.hpp"
#include "backends/cpu/sharing.hpp"
#include "transversal/interface.hpp"

namespace btfperm {

template <class I, class Match>
PatternView<I> matched_view_of(std::int64_t m, const In<I>& indptr, const In<I>& indices,
                               const Match& row_match, const Match& col_match) {
  const PatternView<I> A = checked_view_of<I>(m, indptr, indices);
  require_places(row_match, A.m, "row_match");
  require_places(col_match, A.n, "col_match");
  return A;
}

// Every algorithm has the same signature in Python: it improves row_match and col_match in place
// and returns (what stopped it, whether row_in_cover holds the rows of a cover, its counters).
template <class I, class Run>
void bind_algorithm(nb::module_& module, const char* name, Run run) {
  module.def(
      name,
      [run](std::int64_t m, In<I> indptr, In<I> indices, Out<I> row_match, Out<I> col_match,
            Out<std::uint8_t> row_in_cover, double time_limit, std::int64_t max_work, int threads,
            std::uint64_t seed, const std::map<std::string, double>& named) {
        const PatternView<I> A = matched_view_of<I>(m, indptr, indices, row_match, col_match);
        require_places(row_in_cover, m, "row_in_cover");
        const Options options{threads_for_search(A.nnz(), threads), seed, named};
        Budget budget(time_limit, max_work, &python_interrupted);
        Counters counters;
        Proof proof{row_in_cover.data()};
        {
          const WithoutGil nogil;
          Workspace workspace;
          try {
            run(A, Matching<I>{row_match.data(), col_match.data()}, options, workspace, budget,
                counters, proof);
          } catch (const Unfinished&) {  // the budget or Ctrl-C ended a pass
          }
        }
        raise_if_interrupted(budget);
        nb::dict counted;
        counters.for_each([&counted](const char* key, const auto& value, const char*) {
          if (value != std::decay_t<decltype(value)>{}) counted[key] = nb::cast(value);
        });
        return std::tuple<int, bool, nb::dict>(static_cast<int>(budget.stop()), proof.complete,
                                               counted);
      },
      nb::arg("m"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("row_match").noconvert(), nb::arg("col_match").noconvert(),
      nb::arg("row_in_cover").noconvert(), nb::arg("time_limit") = 0.0, nb::arg("max_work") = 0,
      nb::arg("threads") = 1, nb::arg("seed") = 0,
      nb::arg("options") = std::map<std::string, double>{},
      "Improve a matching in place. Return (stop, proven, counters): stop is 0 if the algorithm is "
      "done, 2 after the time limit, 3 after the work limit; proven is whether row_in_cover, which "
      "must be all 0, now marks the rows of a minimum cover.");
}

}  // namespace btfperm
