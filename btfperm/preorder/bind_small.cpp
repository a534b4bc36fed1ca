// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <complex>
#include <limits>
#include <stdexcept>

#include "backends/cpu/bind.hpp"
#include "preorder/columns.hpp"
#include "preorder/small.hpp"

namespace btfperm {

// The packages of these functions instantiate them in their own translation units. The other steps
// are short. They are instantiated here, because calls to another unit, which are not inlined,
// would be slower for the smallest matrices.
using Width = std::int32_t;
extern template bool find_blocks(const PatternView<Width>&, const Matching<Width>&, Team,
                                 Found<Width>&, Workspace&, Budget&);
extern template void order_blocks(const PatternView<Width>&, const Matching<Width>&, Team,
                                  const Found<Width>&, const Form<Width>&, Budget&);
extern template OrderCounters order_blocks(const BlockForm<Width>&, Method, FillLimits, int, Width*,
                                           Budget&);
extern template SymmetryCounters count_symmetric(const BlockForm<Width>&, int, Budget&);
extern template FillCounters count_fill(const BlockForm<Width>&, const Width*, std::int64_t, int,
                                        Budget&);
extern template void assign(const PatternView<Width>&, const double*, const FineBlocks<Width>&,
                            WeightedSearch, const AfterAuction<Width>*, const Assigned<Width>&, int,
                            Workspace&, Budget&, WeightedCounters&);

namespace {

using I = Width;

std::int64_t count_nonzero(std::int64_t count, const double* values) {
  return count - std::count(values, values + count, 0.0);
}

template <class J, class T>
bool copy_columns(std::int64_t n, const In<J>& indptr, const In<J>& indices, const In<T>& values,
                  const Out<I>& to_indptr, const Out<I>& to_indices, const Out<T>& to_values) {
  const auto places = static_cast<std::int64_t>(to_indices.shape(0));
  constexpr std::int64_t most = std::numeric_limits<I>::max();
  if (n < 0 || n > most || places > most || static_cast<std::int64_t>(indptr.shape(0)) != n + 1 ||
      static_cast<std::int64_t>(indices.shape(0)) != places ||
      static_cast<std::int64_t>(values.shape(0)) != places) {
    return false;
  }
  require_places(to_indptr, n + 1, "to_indptr");
  require_places(to_values, places, "to_values");
  const WithoutGil nogil;
  return copy_canonical(static_cast<I>(n), static_cast<I>(places), indptr.data(), indices.data(),
                        values.data(), to_indptr.data(), to_indices.data(), to_values.data());
}

template <class J, class T>
bool copy_same(const In<J>& indptr, const In<J>& indices, const In<T>& values,
               const In<I>& known_indptr, const In<I>& known_indices, const Out<T>& to_values) {
  const auto same = [](const In<J>& one, const In<I>& other) {
    return one.shape(0) == other.shape(0) &&
           std::equal(one.data(), one.data() + one.shape(0), other.data());
  };
  const auto places = static_cast<std::int64_t>(to_values.shape(0));
  if (static_cast<std::int64_t>(values.shape(0)) != places) return false;
  const WithoutGil nogil;
  return same(indptr, known_indptr) && same(indices, known_indices) &&
         copy_finite(places, values.data(), to_values.data()) < 0;
}

template <class J, class T>
void bind_copy(nb::module_& module) {
  module.def("copy_same", &copy_same<J, T>, nb::arg("indptr").noconvert(),
             nb::arg("indices").noconvert(), nb::arg("values").noconvert(),
             nb::arg("known_indptr").noconvert(), nb::arg("known_indices").noconvert(),
             nb::arg("to_values").noconvert(),
             "Copies the values of compressed columns. Returns False if other entries than the "
             "known ones are stored, or if a value is NaN or infinite.");
  module.def("copy_columns", &copy_columns<J, T>, nb::arg("n"), nb::arg("indptr").noconvert(),
             nb::arg("indices").noconvert(), nb::arg("values").noconvert(),
             nb::arg("to_indptr").noconvert(), nb::arg("to_indices").noconvert(),
             nb::arg("to_values").noconvert(),
             "Copies compressed columns of a square matrix. Returns False if they are not sorted, "
             "contain duplicates, or describe no matrix, or if a value is NaN or infinite.");
}

}  // namespace

void bind_small(nb::module_& module) {
  bind_copy<std::int32_t, double>(module);
  bind_copy<std::int32_t, std::complex<double>>(module);
  bind_copy<std::int64_t, double>(module);
  bind_copy<std::int64_t, std::complex<double>>(module);
  nb::class_<SmallRules>(module, "SmallRules")
      .def(nb::init<bool, double, double, double, double, double, double, double, double,
                    std::int64_t, double>(),
           nb::arg("for_klu"), nb::arg("symmetric_enough"), nb::arg("most_small"), nb::arg("weak"),
           nb::arg("small"), nb::arg("fill_more"), nb::arg("less_fill"),
           nb::arg("work_per_operation"), nb::arg("work_per_entry"), nb::arg("most_fill"),
           nb::arg("tolerance"));
  module.def(
      "small_order",
      [](In<I> indptr, In<I> indices, In<double> values, nb::callable logarithms,
         const SmallRules& rules, Out<I> row_perm, Out<I> col_perm, Out<I> blocks) {
        const auto n = static_cast<std::int64_t>(indptr.shape(0)) - 1;
        const PatternView<I> A = checked_view_of<I>(n, indptr, indices);
        require_places(values, A.nnz(), "values");
        require_places(row_perm, n, "row_perm");
        require_places(col_perm, n, "col_perm");
        require_places(blocks, n + 1, "blocks");
        SmallOrder<I> order({A.n, indptr.data(), indices.data(), values.data()}, rules);
        SmallStatus status = SmallStatus::not_here;
        {
          const WithoutGil nogil;
          status = order.run();
        }
        if (status == SmallStatus::needs_logarithms) {
          const auto logs = nb::cast<In<double>>(logarithms());
          require_places(logs, count_nonzero(A.nnz(), values.data()), "logarithms");
          const WithoutGil nogil;
          status = order.run_weighted(logs.data());
        }
        const bool is_ordered = status == SmallStatus::ordered;
        if (is_ordered) {
          std::copy(order.choice().rows, order.choice().rows + n, row_perm.data());
          std::copy(order.choice().cols, order.choice().cols + n, col_perm.data());
          std::copy(order.blocks(), order.blocks() + order.n_blocks() + 1, blocks.data());
        }
        const auto& found = order.choice();
        const auto& fill = found.fill;
        return nb::make_tuple(is_ordered, order.n_blocks(), static_cast<int>(found.inside),
                              found.is_weighted, order.is_nearly_symmetric(),
                              found.is_counted && fill.has_room, fill.lower, fill.upper,
                              fill.operations);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("values").noconvert(),
      nb::arg("logarithms"), nb::arg("rules"), nb::arg("row_perm").noconvert(),
      nb::arg("col_perm").noconvert(), nb::arg("blocks").noconvert(),
      "Sets the order of a small matrix in canonical columns, which `copy_columns` has checked. "
      "Returns (whether the matrix was ordered; number of blocks; order inside the blocks; whether "
      "the weighted transversal was taken; whether the blocks are nearly symmetric; whether the "
      "fill is known; the three numbers of the fill). If the matrix was not ordered, the caller "
      "must run the steps in Python. logarithms() returns the logarithms of the moduli of the "
      "values that are not zero.");
}

}  // namespace btfperm
