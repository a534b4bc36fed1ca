// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/vector.h>

#include <complex>
#include <cstdint>
#include <stdexcept>

#include "backends/cpu/bind.hpp"
#include "preorder/bind_columns.hpp"
#include "preorder/columns.hpp"
#include "preorder/singles.hpp"

namespace btfperm {
namespace {

template <class I>
void bind_pivots(nb::module_& module) {
  module.def(
      "find_pivots",
      [](In<I> indptr, In<I> indices, In<I> row_perm, In<I> col_perm, Out<I> pivot) {
        const std::int64_t n = order_of(static_cast<std::int64_t>(indptr.shape(0)));
        require_places(indices, indptr.data()[n], "indices");
        require_places(pivot, n, "pivot");
        require_numbers(row_perm, n, "row_perm");
        require_numbers(col_perm, n, "col_perm");
        const WithoutGil nogil;
        return find_pivots(static_cast<I>(n), indptr.data(), indices.data(),
                           {row_perm.data(), col_perm.data(), pivot.data()});
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("row_perm").noconvert(), nb::arg("col_perm").noconvert(),
      nb::arg("pivot").noconvert(),
      "Sets pivot to the position of each diagonal entry of a permuted triangular matrix, or -1. "
      "Returns the positions of the entries below the diagonal. The caller must have checked that "
      "the permutations are permutations.");
  module.def(
      "entries_below",
      [](In<I> indptr, In<I> indices, In<I> row_perm, In<I> col_perm, In<I> blocks) {
        const std::int64_t n = order_of(static_cast<std::int64_t>(indptr.shape(0)));
        require_places(indices, indptr.data()[n], "indices");
        require_numbers(row_perm, n, "row_perm");
        require_numbers(col_perm, n, "col_perm");
        if (!are_boundaries(n, blocks)) throw std::invalid_argument("these are no blocks");
        const WithoutGil nogil;
        return entries_below(static_cast<I>(n), indptr.data(), indices.data(), row_perm.data(),
                             col_perm.data(), blocks.data(), static_cast<I>(blocks.shape(0) - 1));
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("row_perm").noconvert(), nb::arg("col_perm").noconvert(),
      nb::arg("blocks").noconvert(),
      "The positions of the entries below the diagonal blocks, ascending. The caller must have "
      "checked that the permutations are permutations.");
  module.def(
      "solve_estimated_triangle",
      [](In<I> indptr, In<I> indices, In<double> values, In<I> row_perm, In<I> col_perm,
         Out<I> pivot, int operation, In<double> rounding, double tolerance, In<double> b,
         Out<double> x) {
        const Columns<I, double> A = columns_of<I, double>(indptr, indices, values);
        require_places(row_perm, A.n, "row_perm");
        require_places(col_perm, A.n, "col_perm");
        require_places(pivot, A.n, "pivot");
        require_places(b, A.n, "b");
        require_places(x, A.n, "x");
        const auto period = static_cast<std::int64_t>(rounding.shape(0));
        if (period == 0) throw std::invalid_argument("rounding has no numbers");
        return run_pass([&](Budget& budget) {
          EstimatedTriangle<I> triangle(A, {row_perm.data(), col_perm.data(), pivot.data()}, period,
                                        rounding.data(), tolerance);
          return triangle.solve(static_cast<Operation>(operation), b.data(), x.data(), budget);
        });
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("values").noconvert(),
      nb::arg("row_perm").noconvert(), nb::arg("col_perm").noconvert(),
      nb::arg("pivot").noconvert(), nb::arg("operation"), nb::arg("rounding").noconvert(),
      nb::arg("tolerance"), nb::arg("b").noconvert(), nb::arg("x").noconvert(),
      "Solves a permuted triangular system by substitution. Returns the largest change of the "
      "solution by rounded entries, relative to its largest number, or NaN; see EstimatedTriangle "
      "in preorder/singles.hpp.");
}

template <class I, class T>
void bind_triangle(nb::module_& module) {
  module.def(
      "solve_triangle",
      [](In<I> indptr, In<I> indices, In<T> values, In<I> row_perm, In<I> col_perm, Out<I> pivot,
         int operation, Out<T> b, Out<T> x) {
        const Columns<I, T> A = columns_of<I, T>(indptr, indices, values);
        require_places(row_perm, A.n, "row_perm");
        require_places(col_perm, A.n, "col_perm");
        require_places(pivot, A.n, "pivot");
        const std::int64_t k = sides_of(x, A.n);
        require_places(b, k * A.n, "b");
        run_pass([&](Budget& budget) {
          solve_triangle(A, {row_perm.data(), col_perm.data(), pivot.data()},
                         static_cast<Operation>(operation), k, b.data(), x.data(), budget);
        });
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("values").noconvert(),
      nb::arg("row_perm").noconvert(), nb::arg("col_perm").noconvert(),
      nb::arg("pivot").noconvert(), nb::arg("operation"), nb::arg("b").noconvert(),
      nb::arg("x").noconvert(),
      "Solves a permuted triangular system by substitution; b is overwritten. operation is as for "
      "residual.");
}

template <class I>
void bind_all(nb::module_& module) {
  bind_pivots<I>(module);
  bind_triangle<I, double>(module);
  bind_triangle<I, std::complex<double>>(module);
}

}  // namespace

void bind_singles(nb::module_& module) {
  bind_all<std::int32_t>(module);
  bind_all<std::int64_t>(module);
}

}  // namespace btfperm
