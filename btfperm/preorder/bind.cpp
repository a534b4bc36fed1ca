// SPDX-License-Identifier: BSD-3-Clause
#include "backends/cpu/bind.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "preorder/bind_columns.hpp"
#include "preorder/columns.hpp"
#include "preorder/residual.hpp"
#include "preorder/segments.hpp"
#include "preorder/weak.hpp"

namespace btfperm {
namespace {

template <class I, class T>
void bind_residual(nb::module_& module) {
  module.def(
      "residual",
      [](In<I> indptr, In<I> indices, In<T> values, int operation, bool wide, In<T> x, In<T> b,
         Out<T> residuals, Out<double> sizes) {
        const Columns<I, T> A = columns_of<I, T>(indptr, indices, values);
        const std::int64_t k = sides_of(x, A.n);
        require_places(b, k * A.n, "b");
        require_places(residuals, k * A.n, "residuals");
        require_places(sizes, A.n, "sizes");
        return run_pass([&](Budget& budget) {
          return residual(A, static_cast<Operation>(operation), wide, k, x.data(), b.data(),
                          residuals.data(), sizes.data(), budget);
        });
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("values").noconvert(),
      nb::arg("operation"), nb::arg("wide"), nb::arg("x").noconvert(), nb::arg("b").noconvert(),
      nb::arg("residuals").noconvert(), nb::arg("sizes").noconvert(),
      "Writes b - op(A) x to residuals and returns the largest componentwise backward error. "
      "operation is 0 for A, 1 for its transpose, 2 for the conjugate transpose. If wide is true, "
      "sums are computed in long double.");
  module.def(
      "residual_and_errors",
      [](In<I> indptr, In<I> indices, In<T> values, int operation, bool wide, In<T> x, In<T> b,
         In<double> rounding, std::int64_t errors, Out<T> sides) {
        const Columns<I, T> A = columns_of<I, T>(indptr, indices, values);
        const std::int64_t n = A.n, k = sides_of(x, n);
        if (errors < 1) throw std::invalid_argument("errors");
        const std::int64_t period = sides_of(rounding, errors);
        if (period < 1) throw std::invalid_argument("rounding has no numbers");
        require_places(b, k * n, "b");
        require_places(sides, (k + errors) * n, "sides");
        std::vector<double> sizes(static_cast<std::size_t>(n));
        return run_pass([&](Budget& budget) {
          const double error = residual(A, static_cast<Operation>(operation), wide, k, x.data(),
                                        b.data(), sides.data(), sizes.data(), budget);
          for (std::int64_t e = 0; e < errors; ++e) {
            multiply_by_errors(n, sizes.data(), period, rounding.data() + e * period,
                               sides.data() + (k + e) * n);
          }
          return error;
        });
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("values").noconvert(),
      nb::arg("operation"), nb::arg("wide"), nb::arg("x").noconvert(), nb::arg("b").noconvert(),
      nb::arg("rounding").noconvert(), nb::arg("errors"), nb::arg("sides").noconvert(),
      "The same as residual, but writes more to `sides`: after the residuals, it writes abs(op(A)) "
      "abs(x) + abs(b) of the last side, multiplied by each vector of rounding errors. `rounding` "
      "holds this number of vectors, which are repeated up to n numbers.");
}

template <class I>
void bind_lengths(nb::module_& module) {
  module.def(
      "longest_up_to",
      [](In<I> indptr, In<I> indices, int most) {
        const std::int64_t n = order_of(static_cast<std::int64_t>(indptr.shape(0)));
        const PatternView<I> A = checked_view_of<I>(n, indptr, indices);
        if (most >= std::numeric_limits<std::uint16_t>::max()) throw std::invalid_argument("most");
        const WithoutGil nogil;
        return longest_up_to(static_cast<I>(n), A.indptr, A.indices, most);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("most"),
      "The largest number of entries in a row or a column of a square matrix, or most + 1.");
}

template <class T>
void bind_values(nb::module_& module) {
  module.def(
      "largest_change",
      [](std::int64_t n, In<T> x, In<T> changes) {
        const std::int64_t sides = sides_of(x, n), k = sides_of(changes, n);
        if (sides != 1 && sides != k) throw std::invalid_argument("x has other sides");
        const WithoutGil nogil;
        const Change found = largest_change(n, k, x.data(), sides == 1, changes.data());
        return std::pair<double, bool>(found.largest, found.is_finite);
      },
      nb::arg("n"), nb::arg("x").noconvert(), nb::arg("changes").noconvert(),
      "(the largest change of a number, relative to the largest number of its solution; whether "
      "all changes are finite).");
  module.def(
      "copy_finite",
      [](In<T> from, Out<T> to) {
        require_places(from, static_cast<std::int64_t>(to.shape(0)), "from");
        const WithoutGil nogil;
        return copy_finite(static_cast<std::int64_t>(to.shape(0)), from.data(), to.data());
      },
      nb::arg("values").noconvert(), nb::arg("to").noconvert(),
      "Copies values. Returns the place of the first value that is NaN or infinite, or -1.");
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
      "Substitutes the solution at the places begin:end in the rows above; if transposed is true, "
      "substitutes the solution of the rows above at these places.");
}

template <class I, class T>
void bind_gather(nb::module_& module) {
  module.def(
      "gather_finite",
      [](In<I> places, In<T> from, Out<T> to) {
        const auto count = static_cast<std::int64_t>(to.shape(0));
        require_places(places, count, "places");
        if (static_cast<std::int64_t>(from.shape(0)) < count) {
          throw std::invalid_argument("there are fewer values than places");
        }
        const WithoutGil nogil;
        return gather_finite(count, places.data(), from.data(), to.data());
      },
      nb::arg("places").noconvert(), nb::arg("values").noconvert(), nb::arg("to").noconvert(),
      "Copies the values at the given places. The caller must have checked that the places exist. "
      "Returns the place in `to` of the first value that is NaN or infinite, or -1.");
}

template <class I>
void bind_order(nb::module_& module) {
  module.def(
      "is_order",
      [](std::int64_t n, In<I> row_perm, In<I> col_perm, In<I> blocks) {
        return is_permutation(n, row_perm) && is_permutation(n, col_perm) &&
               are_boundaries(n, blocks);
      },
      nb::arg("n"), nb::arg("row_perm").noconvert(), nb::arg("col_perm").noconvert(),
      nb::arg("blocks").noconvert(),
      "Whether these are two permutations and the boundaries of blocks.");
}

template <class I>
void bind_weak(nb::module_& module) {
  module.def(
      "count_weak",
      [](In<I> indptr, In<I> indices, In<double> values, std::optional<In<I>> row_block,
         std::optional<In<I>> col_block, In<I> col_match, double share, bool divide_rows) {
        const std::int64_t n = order_of(static_cast<std::int64_t>(indptr.shape(0)));
        const PatternView<I> A = checked_view_of<I>(n, indptr, indices);
        require_places(values, A.nnz(), "values");
        if (row_block.has_value() != col_block.has_value()) {
          throw std::invalid_argument("row_block and col_block are both None, or neither is");
        }
        const I *of_rows = nullptr, *of_cols = nullptr;
        if (row_block) {
          require_places(*row_block, n, "row_block");
          require_places(*col_block, n, "col_block");
          of_rows = row_block->data();
          of_cols = col_block->data();
        }
        require_places(col_match, n, "col_match");
        return run_pass([&](Budget& budget) {
          return count_weak(A, values.data(), of_rows, of_cols, col_match.data(), share,
                            divide_rows, budget);
        });
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("values").noconvert(),
      nb::arg("row_block").noconvert().none(), nb::arg("col_block").noconvert().none(),
      nb::arg("col_match").noconvert(), nb::arg("share"), nb::arg("divide_rows"),
      "Number of columns of a square matrix whose matched entry is less than `share` of the "
      "largest entry in the same block, by their moduli; row_block and col_block are None for one "
      "block.");
}

void bind_cut(nb::module_& module) {
  using I = std::int32_t;
  module.def(
      "cut",
      [](In<I> indptr, In<I> indices, In<I> row_perm, In<I> col_perm, In<I> blocks, I large,
         Out<I> inside, Out<I> above, Out<I> rows, Out<I> source) {
        const std::int64_t n = order_of(static_cast<std::int64_t>(indptr.shape(0)));
        const std::int64_t nnz = indptr.data()[n];
        require_places(indices, nnz, "indices");
        if (!is_permutation(n, row_perm) || !is_permutation(n, col_perm) ||
            !are_boundaries(n, blocks)) {
          throw std::invalid_argument("this is no order of the matrix");
        }
        require_places(inside, n + 1, "inside");
        require_places(above, n + 1, "above");
        require_places(rows, nnz, "rows");
        require_places(source, nnz, "source");
        std::vector<Segment<I>> segments;
        std::int64_t below = 0;
        {
          const WithoutGil nogil;
          const auto n_blocks = static_cast<I>(blocks.shape(0) - 1);
          segments = segments_of(blocks.data(), n_blocks, large);
          below = cut(static_cast<I>(n), indptr.data(), indices.data(), row_perm.data(),
                      col_perm.data(), blocks.data(), n_blocks, segments,
                      Cut<I>{inside.data(), above.data(), rows.data(), source.data()});
        }
        nb::list found;
        for (const Segment<I>& segment : segments) {
          found.append(nb::make_tuple(segment.begin, segment.end, segment.single));
        }
        return nb::make_tuple(found, below);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("row_perm").noconvert(), nb::arg("col_perm").noconvert(),
      nb::arg("blocks").noconvert(), nb::arg("large"), nb::arg("inside").noconvert(),
      nb::arg("above").noconvert(), nb::arg("rows").noconvert(), nb::arg("source").noconvert(),
      "Cuts a permuted matrix into segments, see preorder/segments.hpp. Returns ([(begin, end, "
      "whether its blocks have one row)], number of entries below the blocks).");
}

}  // namespace

void bind_singles(nb::module_& module);  // bind_singles.cpp
void bind_small(nb::module_& module);    // bind_small.cpp

void bind_preorder(nb::module_& module) {
  bind_residual<std::int32_t, double>(module);
  bind_residual<std::int32_t, std::complex<double>>(module);
  bind_residual<std::int64_t, double>(module);
  bind_residual<std::int64_t, std::complex<double>>(module);
  bind_lengths<std::int32_t>(module);
  bind_lengths<std::int64_t>(module);
  bind_values<double>(module);
  bind_values<std::complex<double>>(module);
  bind_gather<std::int32_t, double>(module);
  bind_gather<std::int32_t, std::complex<double>>(module);
  bind_gather<std::int64_t, double>(module);
  bind_gather<std::int64_t, std::complex<double>>(module);
  bind_order<std::int32_t>(module);
  bind_order<std::int64_t>(module);
  bind_weak<std::int32_t>(module);
  bind_weak<std::int64_t>(module);
  bind_cut(module);
  bind_singles(module);
  bind_small(module);
}

}  // namespace btfperm
