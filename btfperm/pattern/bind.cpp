// SPDX-License-Identifier: BSD-3-Clause
#include "backends/cpu/bind.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "pattern/canonical.hpp"
#include "pattern/features.hpp"
#include "pattern/owned_lists.hpp"
#include "pattern/owned_values.hpp"
#include "pattern/raster.hpp"
#include "pattern/transpose_by_parts.hpp"

namespace btfperm {
namespace {

// The lists of one rank, from pairs or triples that the ranks sent.
template <class I>
void bind_owned(nb::module_& module) {
  module.def(
      "owned_lists",
      [](std::int64_t first, In<I> lists, Out<I> items, Out<std::int64_t> indptr) {
        const auto pairs = static_cast<std::int64_t>(lists.shape(0));
        require_places(items, pairs, "items");
        if (indptr.shape(0) == 0) throw std::invalid_argument("indptr has no elements");
        const auto count = static_cast<std::int64_t>(indptr.shape(0)) - 1;
        for (std::int64_t k = 0; k < pairs; ++k) {
          if (lists.data()[k] < first || lists.data()[k] >= first + count) {
            throw std::invalid_argument("a list is out of range");
          }
        }
        return run_pass([&](Budget& budget) {
          return owned_lists(first, count, pairs, lists.data(), items.data(), indptr.data(),
                             budget);
        });
      },
      nb::arg("first"), nb::arg("lists").noconvert(), nb::arg("items").noconvert(),
      nb::arg("indptr").noconvert(),
      "Sort pairs (list, item) into lists without duplicates, in place; the number of items.");
  module.def(
      "owned_values",
      [](std::int64_t first, In<I> lists, In<I> items, In<double> values, Out<std::int64_t> indptr,
         Out<I> own_items, Out<double> own_values) {
        const auto triples = static_cast<std::int64_t>(lists.shape(0));
        require_places(items, triples, "items");
        require_places(own_items, triples, "own_items");
        const bool is_complex = triples > 0 && values.shape(0) == 2 * lists.shape(0);
        const int parts = is_complex ? 2 : 1;
        require_places(values, parts * triples, "values");
        require_places(own_values, parts * triples, "own_values");
        if (indptr.shape(0) == 0) throw std::invalid_argument("indptr has no elements");
        const auto count = static_cast<std::int64_t>(indptr.shape(0)) - 1;
        for (std::int64_t k = 0; k < triples; ++k) {
          if (lists.data()[k] < first || lists.data()[k] >= first + count) {
            throw std::invalid_argument("a list is out of range");
          }
        }
        return run_pass([&](Budget& budget) {
          return owned_values(first, count, triples, parts, lists.data(), items.data(),
                              values.data(), indptr.data(), own_items.data(), own_values.data(),
                              budget);
        });
      },
      nb::arg("first"), nb::arg("lists").noconvert(), nb::arg("items").noconvert(),
      nb::arg("values").noconvert(), nb::arg("indptr").noconvert(),
      nb::arg("own_items").noconvert(), nb::arg("own_values").noconvert(),
      "Sort triples (list, item, value) into lists and add up the values of duplicates; the number "
      "of items. A complex value is two doubles.");
}

// Checks of lists that callers give, and their conversion to canonical columns.
template <class I>
void bind_conversions(nb::module_& module) {
  module.def(
      "check_columns",
      [](std::int64_t m, In<I> indptr, In<I> indices, int threads) {
        const PatternView<I> A = view_of<I>(m, indptr, indices);
        return run_pass([&](Budget& budget) {
          std::int64_t where = 0;
          const Order order =
              check_columns(A, static_cast<I>(indices.shape(0)), threads, budget, where);
          return std::pair<int, std::int64_t>(static_cast<int>(order), where);
        });
      },
      nb::arg("m"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("threads") = 1, "(0 canonical, 1 unsorted, 2 duplicates, 3 invalid; where)");
  module.def(
      "transpose",
      [](std::int64_t m, In<I> indptr, In<I> indices, Out<I> out_indptr, Out<I> out_indices,
         int threads) {
        const PatternView<I> A = view_of<I>(m, indptr, indices);
        run_pass([&](Budget& budget) {
          transpose_by_parts(A, threads, out_indptr.data(), out_indices.data(), budget);
        });
      },
      nb::arg("m"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("out_indptr").noconvert(), nb::arg("out_indices").noconvert(), nb::arg("threads") = 1,
      "Row lists of a pattern, each ascending.");
  module.def(
      "merge_duplicates",
      [](Out<I> indptr, Out<I> indices) {
        return run_pass([&](Budget& budget) {
          return static_cast<std::int64_t>(merge_duplicates(static_cast<I>(indptr.shape(0) - 1),
                                                            indptr.data(), indices.data(), budget));
        });
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      "Drop repeated neighbours of sorted columns in place; the number of entries left.");
  module.def(
      "first_out_of_range",
      [](std::int64_t m, std::int64_t n, In<I> rows, In<I> cols) {
        require_places(cols, static_cast<std::int64_t>(rows.shape(0)), "cols");
        return run_pass([&](Budget& budget) {
          return first_out_of_range(static_cast<I>(m), static_cast<I>(n),
                                    static_cast<I>(rows.shape(0)), rows.data(), cols.data(),
                                    budget);
        });
      },
      nb::arg("m"), nb::arg("n"), nb::arg("rows").noconvert(), nb::arg("cols").noconvert(),
      "Position of the first entry outside m x n, or -1.");
  module.def(
      "columns_of_triplets",
      [](std::int64_t m, Out<I> rows, Out<I> cols, Out<I> indptr) {
        return run_pass([&](Budget& budget) {
          Workspace workspace;
          const I nnz = static_cast<I>(rows.shape(0));
          const auto take = [&](I count) {
            return workspace.take<I>(static_cast<std::size_t>(count));
          };
          return static_cast<std::int64_t>(
              columns_of_triplets(static_cast<I>(m), static_cast<I>(indptr.shape(0) - 1), nnz,
                                  rows.data(), cols.data(), indptr.data(), take, budget));
        });
      },
      nb::arg("m"), nb::arg("rows").noconvert(), nb::arg("cols").noconvert(),
      nb::arg("indptr").noconvert(),
      "Sorted columns of a list of positions, into `rows` and `indptr`; the number of entries.");
  module.def(
      "columns_of_triangle",
      [](In<I> rows, In<I> cols, Out<I> indptr, Out<I> indices) {
        return run_pass([&](Budget& budget) {
          return static_cast<std::int64_t>(columns_of_triangle(
              static_cast<I>(indptr.shape(0) - 1), static_cast<I>(rows.shape(0)), rows.data(),
              cols.data(), indptr.data(), indices.data(), budget));
        });
      },
      nb::arg("rows").noconvert(), nb::arg("cols").noconvert(), nb::arg("indptr").noconvert(),
      nb::arg("indices").noconvert(),
      "Sorted columns of a symmetric matrix, one entry of each pair listed; number of entries.");
}

// Differences, places and samples of patterns in canonical columns.
template <class I>
void bind_canonical(nb::module_& module) {
  module.def(
      "difference",
      [](std::int64_t m, In<I> indptr, In<I> indices, In<I> less_indptr, In<I> less_indices,
         Out<I> out_indptr, Out<I> out_indices) {
        const PatternView<I> A = view_of<I>(m, indptr, indices);
        const PatternView<I> B = view_of<I>(m, less_indptr, less_indices);
        return run_pass([&](Budget& budget) {
          return static_cast<std::int64_t>(
              difference(A, B, out_indptr.data(), out_indices.data(), budget));
        });
      },
      nb::arg("m"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("less_indptr").noconvert(), nb::arg("less_indices").noconvert(),
      nb::arg("out_indptr").noconvert(), nb::arg("out_indices").noconvert(),
      "A pattern without the entries of another; the number of entries left.");
  module.def(
      "places_of_entries",
      [](std::int64_t m, In<I> indptr, In<I> indices, In<I> rows, In<I> cols, Out<I> places) {
        const PatternView<I> A = view_of<I>(m, indptr, indices);
        const auto count = static_cast<std::int64_t>(rows.shape(0));
        require_places(cols, count, "cols");
        require_places(places, count, "places");
        return run_pass([&](Budget& budget) {
          Workspace workspace;
          const auto take = [&](I places_needed) {
            return workspace.take<I>(static_cast<std::size_t>(places_needed));
          };
          return places_of_entries(A, count, rows.data(), cols.data(), places.data(), take, budget);
        });
      },
      nb::arg("m"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("rows").noconvert(), nb::arg("cols").noconvert(), nb::arg("places").noconvert(),
      "The place of each entry of a list in canonical columns, or -1; the number of entries "
      "found.");
  module.def(
      "sample",
      [](std::int64_t m, In<I> indptr, In<I> indices, bool positions) {
        const Sample found = sample(view_of<I>(m, indptr, indices), {.positions = positions});
        return std::tuple(found.longest, found.skew, found.empty, found.single, found.hidden,
                          found.diagonal, found.near);
      },
      nb::arg("m"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("positions") = true,
      "Features of a sample of columns: longest, skew, empty, single, hidden, diagonal, near; the "
      "last two are 0 without `positions`.");
}

// An axis of a picture of a matrix with `places` rows (or columns). Throws (ValueError) unless
// `perm` is in range and the window is inside the matrix and has a place or more for each cell.
template <class I>
Axis<I> checked_axis(const In<I>& perm, I places, std::int64_t first, std::int64_t last,
                     std::int64_t cells, const char* name) {
  if (perm.shape(0) != 0) require_places(perm, places, name);
  if (!are_in_range(perm.data(), static_cast<I>(perm.shape(0)), places)) {
    throw std::invalid_argument(std::string(name) + " is out of range");
  }
  if (first < 0 || last > places || cells < 1 || cells > last - first || cells >= outside) {
    throw std::invalid_argument(std::string(name) + ": the window or its cells are out of range");
  }
  return {perm.shape(0) == 0 ? nullptr : perm.data(), static_cast<I>(first), static_cast<I>(last),
          static_cast<I>(cells)};
}

template <class I>
void bind_raster(nb::module_& module) {
  module.def(
      "raster",
      [](std::int64_t m, In<I> indptr, In<I> indices, In<I> row_perm, In<I> col_perm,
         std::tuple<std::int64_t, std::int64_t> rows, std::tuple<std::int64_t, std::int64_t> cols,
         std::tuple<std::int64_t, std::int64_t> cells, int threads, Out<std::int64_t> counts) {
        const PatternView<I> A = view_of<I>(m, indptr, indices);
        const auto [height, width] = cells;
        const Axis<I> down =
            checked_axis(row_perm, A.m, std::get<0>(rows), std::get<1>(rows), height, "row_perm");
        const Axis<I> across =
            checked_axis(col_perm, A.n, std::get<0>(cols), std::get<1>(cols), width, "col_perm");
        require_places(counts, height * width, "counts");
        run_pass([&](Budget& budget) {
          Workspace workspace;
          raster(A, down, across, threads, counts.data(), workspace, budget);
        });
      },
      nb::arg("m"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("row_perm").noconvert(), nb::arg("col_perm").noconvert(), nb::arg("rows"),
      nb::arg("cols"), nb::arg("cells"), nb::arg("threads"), nb::arg("counts").noconvert(),
      "Entries in each cell of a picture, column by column; an empty permutation is the identity.");
}

}  // namespace

void bind_pattern(nb::module_& module) {
  bind_owned<std::int32_t>(module);
  bind_owned<std::int64_t>(module);
  bind_conversions<std::int32_t>(module);
  bind_conversions<std::int64_t>(module);
  bind_canonical<std::int32_t>(module);
  bind_canonical<std::int64_t>(module);
  bind_raster<std::int32_t>(module);
  bind_raster<std::int64_t>(module);
}

}  // namespace btfperm
