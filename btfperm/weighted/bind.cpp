// SPDX-License-Identifier: BSD-3-Clause
#include "backends/cpu/bind.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "weighted/assign.hpp"
#include "weighted/certificate.hpp"

namespace btfperm {
namespace {

// The arguments that Python passes to every search. A search sets row_match, col_match, row_dual
// and col_dual.
template <class I>
struct Arguments {
  std::int64_t m;
  In<I> indptr, indices;
  In<double> value;
  In<I> row_perm, col_perm, row_blocks, col_blocks;
  Out<I> row_match, col_match;
  Out<double> row_dual, col_dual;
  double time_limit;
  std::int64_t max_work;
  int threads;
};

// The reason why the search ended, a value of Stop, and its counters in the order of counters.hpp.
using Counted = std::pair<int, std::vector<std::int64_t>>;

template <class I>
Counted run_search(const Arguments<I>& given, WeightedSearch which,
                   const AfterAuction<I>* auction) {
  const PatternView<I> A = checked_view_of<I>(given.m, given.indptr, given.indices);
  require_places(given.value, A.nnz(), "value");
  require_places(given.row_perm, A.m, "row_perm");
  require_places(given.col_perm, A.n, "col_perm");
  if (given.row_blocks.shape(0) == 0) throw std::invalid_argument("row_blocks has no elements");
  const auto places = static_cast<std::int64_t>(given.row_blocks.shape(0));
  require_places(given.col_blocks, places, "col_blocks");
  require_places(given.row_match, A.m, "row_match");
  require_places(given.col_match, A.n, "col_match");
  require_places(given.row_dual, A.m, "row_dual");
  require_places(given.col_dual, A.n, "col_dual");
  const FineBlocks<I> blocks{given.row_perm.data(), given.col_perm.data(), given.row_blocks.data(),
                             given.col_blocks.data(), static_cast<I>(places - 1)};
  const Assigned<I> out{given.row_match.data(), given.col_match.data(), given.row_dual.data(),
                        given.col_dual.data()};
  Budget budget(given.time_limit, given.max_work, &python_interrupted);
  WeightedCounters counters;
  {
    const WithoutGil nogil;
    Workspace workspace;
    assign(A, given.value.data(), blocks, which, auction, out, given.threads, workspace, budget,
           counters);
  }
  raise_if_interrupted(budget);
  std::vector<std::int64_t> counted;
  counters.for_each(
      [&](const char*, std::int64_t value, const char*) { counted.push_back(value); });
  return {static_cast<int>(budget.stop()), counted};
}

template <class I>
void bind_search(nb::module_& module, const char* name, WeightedSearch which) {
  module.def(
      name,
      [which](std::int64_t m, In<I> indptr, In<I> indices, In<double> value, In<I> row_perm,
              In<I> col_perm, In<I> row_blocks, In<I> col_blocks, Out<I> row_match,
              Out<I> col_match, Out<double> row_dual, Out<double> col_dual, double time_limit,
              std::int64_t max_work, int threads) {
        return run_search<I>(
            {m, indptr, indices, value, row_perm, col_perm, row_blocks, col_blocks, row_match,
             col_match, row_dual, col_dual, time_limit, max_work, threads},
            which, nullptr);
      },
      nb::arg("m"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("value").noconvert(), nb::arg("row_perm").noconvert(),
      nb::arg("col_perm").noconvert(), nb::arg("row_blocks").noconvert(),
      nb::arg("col_blocks").noconvert(), nb::arg("row_match").noconvert(),
      nb::arg("col_match").noconvert(), nb::arg("row_dual").noconvert(),
      nb::arg("col_dual").noconvert(), nb::arg("time_limit") = 0.0, nb::arg("max_work") = 0,
      nb::arg("threads") = 1,
      "A maximum matching with a large sum of values, by the blocks of the decomposition, and its "
      "duals. (0 done, 2 time limit, 3 work limit; counters)");
}

// Binds the searches after an auction on a GPU, which found `start_match`. The binding checks that
// each matched pair of `start_match` is an entry.
template <class I>
void bind_completion(nb::module_& module) {
  module.def(
      "complete_auction",
      [](std::int64_t m, In<I> indptr, In<I> indices, In<double> value, In<I> row_perm,
         In<I> col_perm, In<I> row_blocks, In<I> col_blocks, Out<I> row_match, Out<I> col_match,
         Out<double> row_dual, Out<double> col_dual, In<I> start_match, In<double> start_price,
         double time_limit, std::int64_t max_work, int threads) {
        const PatternView<I> A = checked_view_of<I>(m, indptr, indices);
        require_places(start_match, A.n, "start_match");
        require_places(start_price, A.m, "start_price");
        for (I j = 0; j < A.n; ++j) {
          const I i = start_match.data()[j];
          if (i == -1) continue;
          const I* const end = A.indices + A.indptr[j + 1];
          if (std::find(A.indices + A.indptr[j], end, i) == end) {
            throw std::invalid_argument("start_match has a pair that is no entry");
          }
        }
        const AfterAuction<I> auction{start_match.data(), start_price.data()};
        return run_search<I>(
            {m, indptr, indices, value, row_perm, col_perm, row_blocks, col_blocks, row_match,
             col_match, row_dual, col_dual, time_limit, max_work, threads},
            WeightedSearch::heavy_perfect, &auction);
      },
      nb::arg("m"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("value").noconvert(), nb::arg("row_perm").noconvert(),
      nb::arg("col_perm").noconvert(), nb::arg("row_blocks").noconvert(),
      nb::arg("col_blocks").noconvert(), nb::arg("row_match").noconvert(),
      nb::arg("col_match").noconvert(), nb::arg("row_dual").noconvert(),
      nb::arg("col_dual").noconvert(), nb::arg("start_match").noconvert(),
      nb::arg("start_price").noconvert(), nb::arg("time_limit") = 0.0, nb::arg("max_work") = 0,
      nb::arg("threads") = 1,
      "The same as heavy_perfect after an auction: matches the columns that have no row in "
      "start_match. start_price is the price of each row; NaN in blocks without an auction.");
}

template <class I>
void bind_width(nb::module_& module) {
  bind_search<I>(module, "mc64", WeightedSearch::mc64);
  bind_search<I>(module, "heavy_perfect", WeightedSearch::heavy_perfect);
  bind_completion<I>(module);
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
            found.excess, found.at, found.slack, found.largest_slack, found.total.value(),
            found.matched);
      },
      nb::arg("m"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("value").noconvert(), nb::arg("row_match").noconvert(),
      nb::arg("col_match").noconvert(), nb::arg("row_dual").noconvert(),
      nb::arg("col_dual").noconvert(),
      "(largest scaled value, at least 0; the position of an entry with this value; sum of the "
      "slacks of the matched entries; the largest of these slacks; sum of the values of the "
      "matched entries; number of matched entries)");
}

}  // namespace

// preorder/bind_small.cpp calls this instantiation.
template void assign(const PatternView<std::int32_t>&, const double*,
                     const FineBlocks<std::int32_t>&, WeightedSearch,
                     const AfterAuction<std::int32_t>*, const Assigned<std::int32_t>&, int,
                     Workspace&, Budget&, WeightedCounters&);

void bind_weighted(nb::module_& module) {
  module.def(
      "counters",
      [] {
        std::vector<std::pair<std::string, std::string>> rows;
        WeightedCounters{}.for_each([&rows](const char* name, std::int64_t, const char* summary) {
          rows.emplace_back(name, summary);
        });
        return rows;
      },
      "Name and summary of each counter of a search, in the order of its results.");
  bind_width<std::int32_t>(module);
  bind_width<std::int64_t>(module);
  bind_graph(module);
  bind_external(module);
}

}  // namespace btfperm
