// SPDX-License-Identifier: BSD-3-Clause
#include "backends/cpu/bind.hpp"

#include <nanobind/stl/tuple.h>

#include <stdexcept>
#include <tuple>

#include "ordering/order_blocks.hpp"
#include "ordering/symbolic.hpp"
#include "ordering/symmetry.hpp"

namespace btfperm {
namespace {

// The block triangular form that the arguments of the functions below describe. Checks the lengths
// of the arrays.
template <class I>
BlockForm<I> checked_form_of(const In<I>& indptr, const In<I>& indices, const In<I>& row_place,
                             const In<I>& col_perm, const In<I>& blocks, std::int64_t order) {
  if (indptr.shape(0) == 0) throw std::invalid_argument("indptr has no elements");
  const auto n = static_cast<std::int64_t>(indptr.shape(0)) - 1;
  const PatternView<I> A = checked_view_of<I>(n, indptr, indices);
  require_places(row_place, n, "row_place");
  require_places(col_perm, n, "col_perm");
  if (order != n) throw std::invalid_argument("order has not one place for each column");
  const auto places = static_cast<std::int64_t>(blocks.shape(0));
  if (places == 0 || blocks.data()[0] != 0 || blocks.data()[places - 1] != n) {
    throw std::invalid_argument("blocks must begin with 0 and end with the number of columns");
  }
  return {A, row_place.data(), col_perm.data(), blocks.data(), static_cast<I>(places - 1)};
}

template <class I>
void bind_width(nb::module_& module) {
  module.def(
      "order_blocks",
      [](In<I> indptr, In<I> indices, In<I> row_place, In<I> col_perm, In<I> blocks, int method,
         std::int64_t most, std::int64_t most_work, int threads, Out<I> order) {
        const BlockForm<I> form = checked_form_of<I>(indptr, indices, row_place, col_perm, blocks,
                                                     static_cast<std::int64_t>(order.shape(0)));
        const FillLimits limits{most, most_work};
        const OrderCounters found = run_pass([&](Budget& budget) {
          return order_blocks(form, static_cast<Method>(method), limits, threads, order.data(),
                              budget);
        });
        return std::tuple<bool, std::int64_t, std::int64_t>(
            found.is_complete, found.symmetry.entries, found.symmetry.mirrored);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("row_place").noconvert(), nb::arg("col_perm").noconvert(),
      nb::arg("blocks").noconvert(), nb::arg("method"), nb::arg("most"), nb::arg("most_work"),
      nb::arg("threads"), nb::arg("order").noconvert(),
      "Sets the order of the places inside each block of a block triangular matrix, by minimum "
      "degree of B + B' (methods 0 and 4) or of B'B (1), by reverse Cuthill-McKee (2), or by "
      "minimum local fill (3). With method 4, variables that are eliminated together are in the "
      "order of their numbers. Returns (whether the order is complete; with methods 0 and 4, the "
      "two numbers of count_symmetric). The order is incomplete if method 3 exceeded `most` "
      "entries of L + U or `most_work` visited entries in a block.");
  module.def(
      "count_symmetric",
      [](In<I> indptr, In<I> indices, In<I> row_place, In<I> col_perm, In<I> blocks, int threads) {
        const BlockForm<I> form = checked_form_of<I>(indptr, indices, row_place, col_perm, blocks,
                                                     static_cast<std::int64_t>(col_perm.shape(0)));
        const SymmetryCounters found =
            run_pass([&](Budget& budget) { return count_symmetric(form, threads, budget); });
        return std::tuple<std::int64_t, std::int64_t>(found.entries, found.mirrored);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("row_place").noconvert(), nb::arg("col_perm").noconvert(),
      nb::arg("blocks").noconvert(), nb::arg("threads"),
      "(number of entries off the diagonal in blocks of at least three rows; number of those among "
      "them whose mirror image is an entry)");
  module.def(
      "count_fill",
      [](In<I> indptr, In<I> indices, In<I> row_place, In<I> col_perm, In<I> blocks, In<I> order,
         std::int64_t most, int threads) {
        const BlockForm<I> form = checked_form_of<I>(indptr, indices, row_place, col_perm, blocks,
                                                     static_cast<std::int64_t>(order.shape(0)));
        const FillCounters found = run_pass(
            [&](Budget& budget) { return count_fill(form, order.data(), most, threads, budget); });
        return std::tuple<bool, std::int64_t, std::int64_t, double>(found.has_room, found.lower,
                                                                    found.upper, found.operations);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("row_place").noconvert(), nb::arg("col_perm").noconvert(),
      nb::arg("blocks").noconvert(), nb::arg("order").noconvert(), nb::arg("most"),
      nb::arg("threads"),
      "(whether no block of L has more than `most` entries; entries of L below the diagonal; "
      "entries of U; operations), with pivots on the diagonal.");
}

}  // namespace

// preorder/bind_small.cpp calls these instantiations.
template OrderCounters order_blocks(const BlockForm<std::int32_t>&, Method, FillLimits, int,
                                    std::int32_t*, Budget&);
template SymmetryCounters count_symmetric(const BlockForm<std::int32_t>&, int, Budget&);
template FillCounters count_fill(const BlockForm<std::int32_t>&, const std::int32_t*, std::int64_t,
                                 int, Budget&);

void bind_ordering(nb::module_& module) {
  bind_width<std::int32_t>(module);
  bind_width<std::int64_t>(module);
}

}  // namespace btfperm
