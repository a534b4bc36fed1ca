// SPDX-License-Identifier: BSD-3-Clause
#include "backends/cpu/bind.hpp"

#include <nanobind/stl/tuple.h>

#include <stdexcept>
#include <tuple>

#include "weighted/assign.hpp"
#include "weighted/certificate.hpp"

namespace btfperm {
namespace {

// Every search has the same signature in Python: it sets the matching and the duals.
template <class I>
void bind_search(nb::module_& module, const char* name, WeightedSearch which) {
  module.def(
      name,
      [which](std::int64_t m, In<I> indptr, In<I> indices, In<double> value, In<I> row_perm,
              In<I> col_perm, In<I> row_blocks, In<I> col_blocks, Out<I> row_match,
              Out<I> col_match, Out<double> row_dual, Out<double> col_dual, double time_limit,
              std::int64_t max_work, int threads) {
        const PatternView<I> A = checked_view_of<I>(m, indptr, indices);
        require_places(value, A.nnz(), "value");
        require_places(row_perm, A.m, "row_perm");
        require_places(col_perm, A.n, "col_perm");
        if (row_blocks.shape(0) == 0) throw std::invalid_argument("row_blocks has no places");
        const auto places = static_cast<std::int64_t>(row_blocks.shape(0));
        require_places(col_blocks, places, "col_blocks");
        require_places(row_match, A.m, "row_match");
        require_places(col_match, A.n, "col_match");
        require_places(row_dual, A.m, "row_dual");
        require_places(col_dual, A.n, "col_dual");
        const Blocks<I> blocks{row_perm.data(), col_perm.data(), row_blocks.data(),
                               col_blocks.data(), static_cast<I>(places - 1)};
        const Assigned<I> out{row_match.data(), col_match.data(), row_dual.data(), col_dual.data()};
        Budget budget(time_limit, max_work, &python_interrupted);
        WeightedCounters counters;
        {
          const WithoutGil nogil;
          Workspace workspace;
          assign(A, value.data(), blocks, which, out, threads, workspace, budget, counters);
        }
        raise_if_interrupted(budget);
        return std::tuple<int, std::int64_t, std::int64_t, std::int64_t, std::int64_t>(
            static_cast<int>(budget.stop()), counters.edges, counters.searches, counters.bids,
            counters.rounds);
      },
      nb::arg("m"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("value").noconvert(), nb::arg("row_perm").noconvert(),
      nb::arg("col_perm").noconvert(), nb::arg("row_blocks").noconvert(),
      nb::arg("col_blocks").noconvert(), nb::arg("row_match").noconvert(),
      nb::arg("col_match").noconvert(), nb::arg("row_dual").noconvert(),
      nb::arg("col_dual").noconvert(), nb::arg("time_limit") = 0.0, nb::arg("max_work") = 0,
      nb::arg("threads") = 1,
      "A maximum matching with a large sum of values, by the blocks of the decomposition, and its "
      "duals. (0 done, 2 time limit, 3 work limit; entries visited; searches; bids; rounds)");
}

template <class I>
void bind_width(nb::module_& module) {
  bind_search<I>(module, "mc64", WeightedSearch::mc64);
  bind_search<I>(module, "heavy_perfect", WeightedSearch::heavy_perfect);
  module.def(
      "check_duals",
      [](std::int64_t m, In<I> indptr, In<I> indices, In<double> value, In<I> row_match,
         In<I> col_match, In<double> row_dual, In<double> col_dual) {
        const PatternView<I> A = checked_view_of<I>(m, indptr, indices);
        require_places(value, A.nnz(), "value");
        require_places(row_match, A.m, "row_match");
        require_places(col_match, A.n, "col_match");
        require_places(row_dual, A.m, "row_dual");
        require_places(col_dual, A.n, "col_dual");
        const Matching<I> M{const_cast<I*>(row_match.data()), const_cast<I*>(col_match.data())};
        const DualCheck found = run_pass([&](Budget& budget) {
          return check_duals(A, value.data(), M, row_dual.data(), col_dual.data(), budget);
        });
        return std::tuple<double, std::int64_t, double, double, double, std::int64_t>(
            found.excess, found.at, found.slack, found.largest_slack, found.total, found.matched);
      },
      nb::arg("m"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("value").noconvert(), nb::arg("row_match").noconvert(),
      nb::arg("col_match").noconvert(), nb::arg("row_dual").noconvert(),
      nb::arg("col_dual").noconvert(),
      "(largest scaled value, or 0; an entry that has it; slack of the matched entries, and its "
      "largest term; their sum of values; their number)");
}

}  // namespace

void bind_weighted(nb::module_& module) {
  bind_width<std::int32_t>(module);
  bind_width<std::int64_t>(module);
}

}  // namespace btfperm
