// SPDX-License-Identifier: BSD-3-Clause
#include "backends/cpu/bind.hpp"

#include <complex>
#include <stdexcept>

#include "preorder/columns.hpp"
#include "preorder/residual.hpp"
#include "preorder/segments.hpp"

namespace btfperm {
namespace {

std::int64_t order_of(std::int64_t places) {
  if (places == 0) throw std::invalid_argument("indptr has no places");
  return places - 1;
}

template <class I, class T>
Columns<I, T> columns_of(const In<I>& indptr, const In<I>& indices, const In<T>& values) {
  const std::int64_t n = order_of(static_cast<std::int64_t>(indptr.shape(0)));
  require_places(indices, indptr.data()[n], "indices");
  require_places(values, indptr.data()[n], "values");
  return {static_cast<I>(n), indptr.data(), indices.data(), values.data()};
}

// The number of right-hand sides in an array of n numbers each.
template <class Array>
std::int64_t sides_of(const Array& x, std::int64_t n) {
  const auto places = static_cast<std::int64_t>(x.shape(0));
  if (n == 0 || places % n != 0) throw std::invalid_argument("x has not n places for each side");
  return places / n;
}

template <class I, class T>
void bind_residual(nb::module_& module) {
  module.def(
      "residual",
      [](In<I> indptr, In<I> indices, In<T> values, int operation, In<T> x, In<T> b,
         Out<T> residuals, Out<double> sizes) {
        const Columns<I, T> A = columns_of<I, T>(indptr, indices, values);
        const std::int64_t k = sides_of(x, A.n);
        require_places(b, k * A.n, "b");
        require_places(residuals, k * A.n, "residuals");
        require_places(sizes, A.n, "sizes");
        return run_pass([&](Budget& budget) {
          return residual(A, static_cast<Operation>(operation), k, x.data(), b.data(),
                          residuals.data(), sizes.data(), budget);
        });
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("values").noconvert(),
      nb::arg("operation"), nb::arg("x").noconvert(), nb::arg("b").noconvert(),
      nb::arg("residuals").noconvert(), nb::arg("sizes").noconvert(),
      "Sets b - op(A) x and returns the largest componentwise backward error; the operation is 0 "
      "for A, 1 for its transpose, 2 for the conjugate transpose.");
}

template <class T>
void bind_values(nb::module_& module) {
  module.def(
      "copy_finite",
      [](In<T> from, Out<T> to) {
        require_places(from, static_cast<std::int64_t>(to.shape(0)), "from");
        const WithoutGil nogil;
        return copy_finite(static_cast<std::int64_t>(to.shape(0)), from.data(), to.data());
      },
      nb::arg("values").noconvert(), nb::arg("to").noconvert(),
      "Copies values and returns the first place of one that is NaN or infinite, or -1.");
  module.def(
      "substitute",
      [](In<std::int32_t> above, In<std::int32_t> inside, In<std::int32_t> rows, In<T> values,
         std::int32_t begin, std::int32_t end, bool single, bool transposed, Out<T> x) {
        const Columns<std::int32_t, T> A = columns_of<std::int32_t, T>(above, rows, values);
        require_places(inside, A.n + 1, "inside");
        if (begin < 0 || begin > end || end > A.n) throw std::invalid_argument("begin, end");
        const std::int64_t k = sides_of(x, A.n);
        run_pass([&](Budget& budget) {
          substitute(A, inside.data(), begin, end, single, transposed, k, x.data(), budget);
        });
      },
      nb::arg("above").noconvert(), nb::arg("inside").noconvert(), nb::arg("rows").noconvert(),
      nb::arg("values").noconvert(), nb::arg("begin"), nb::arg("end"), nb::arg("single"),
      nb::arg("transposed"), nb::arg("x").noconvert(),
      "Substitutes the solution at the places begin:end in the rows above, or the reverse.");
}

void bind_cut(nb::module_& module) {
  using I = std::int32_t;
  module.def(
      "cut",
      [](In<I> indptr, In<I> indices, In<I> row_place, In<I> col_perm, In<I> block, In<I> piece,
         In<I> begin, Out<I> inside, Out<I> above, Out<I> rows, Out<I> source) {
        const std::int64_t n = order_of(static_cast<std::int64_t>(indptr.shape(0)));
        const std::int64_t nnz = indptr.data()[n];
        require_places(indices, nnz, "indices");
        require_places(row_place, n, "row_place");
        require_places(col_perm, n, "col_perm");
        require_places(block, n, "block");
        require_places(piece, n, "piece");
        require_places(begin, n, "begin");
        require_places(inside, n + 1, "inside");
        require_places(above, n + 1, "above");
        require_places(rows, nnz, "rows");
        require_places(source, nnz, "source");
        const WithoutGil nogil;
        return cut(static_cast<I>(n), indptr.data(), indices.data(), row_place.data(),
                   col_perm.data(), block.data(), piece.data(), begin.data(),
                   Cut<I>{inside.data(), above.data(), rows.data(), source.data()});
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("row_place").noconvert(), nb::arg("col_perm").noconvert(),
      nb::arg("block").noconvert(), nb::arg("piece").noconvert(), nb::arg("begin").noconvert(),
      nb::arg("inside").noconvert(), nb::arg("above").noconvert(), nb::arg("rows").noconvert(),
      nb::arg("source").noconvert(),
      "Cuts a permuted matrix into pieces and returns the number of entries below them.");
}

}  // namespace

void bind_preorder(nb::module_& module) {
  bind_residual<std::int32_t, double>(module);
  bind_residual<std::int32_t, std::complex<double>>(module);
  bind_residual<std::int64_t, double>(module);
  bind_residual<std::int64_t, std::complex<double>>(module);
  bind_values<double>(module);
  bind_values<std::complex<double>>(module);
  bind_cut(module);
}

}  // namespace btfperm
