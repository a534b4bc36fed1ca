// SPDX-License-Identifier: BSD-3-Clause
#include "backends/cpu/bind.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "diagnosis/identical_rows.hpp"
#include "diagnosis/items_by_degree.hpp"
#include "diagnosis/minimal_violators.hpp"
#include "diagnosis/outside_blocks.hpp"
#include "diagnosis/submatrix.hpp"
#include "diagnosis/violators_certificate.hpp"

namespace btfperm {
namespace {

// Throws if a group between two `starts` is empty, or if the groups do not hold all items.
template <class I>
void require_groups(const In<I>& starts, I n_items) {
  if (starts.shape(0) == 0) throw std::invalid_argument("starts has no elements");
  const std::size_t n_groups = starts.shape(0) - 1;
  for (std::size_t g = 0; g < n_groups; ++g) {
    if (starts.data()[g] >= starts.data()[g + 1]) throw std::invalid_argument("a group is empty");
  }
  if (starts.data()[0] != 0 || starts.data()[n_groups] != n_items) {
    throw std::invalid_argument("the groups do not hold all items");
  }
}

template <class I>
void bind_explanations(nb::module_& module) {
  module.def(
      "submatrix",
      [](std::int64_t m, In<I> indptr, In<I> indices, In<I> rows, In<I> cols) {
        const PatternView<I> A = checked_view_of<I>(m, indptr, indices);
        const auto n_rows = static_cast<I>(rows.shape(0));
        const auto n_cols = static_cast<I>(cols.shape(0));
        if (!are_in_range(rows.data(), n_rows, A.m) || !are_in_range(cols.data(), n_cols, A.n)) {
          throw std::invalid_argument("rows or cols is out of range");
        }
        auto starts = std::make_unique<Workspace>(), lists = std::make_unique<Workspace>();
        const PatternView<I> found = run_pass([&](Budget& budget) {
          return submatrix(A, rows.data(), n_rows, cols.data(), n_cols, *starts, *lists, budget);
        });
        const auto count = static_cast<std::size_t>(found.nnz());
        return std::pair(owned_array(std::move(starts), const_cast<I*>(found.indptr),
                                     static_cast<std::size_t>(n_cols) + 1),
                         owned_array(std::move(lists), const_cast<I*>(found.indices), count));
      },
      nb::arg("m"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("rows").noconvert(), nb::arg("cols").noconvert(),
      "(indptr, indices) of the matrix of the listed rows and columns, numbered as they are "
      "listed.");
  module.def(
      "mark_minimal_violators",
      [](In<I> indptr, In<I> indices, In<I> mate, In<I> starts, Out<std::uint8_t> in_item,
         Out<std::uint8_t> in_partner) {
        const PatternView<I> A =
            checked_view_of<I>(static_cast<std::int64_t>(mate.shape(0)), indptr, indices);
        require_places(in_item, A.n, "in_item");
        require_places(in_partner, A.m, "in_partner");
        const bool fits =
            std::all_of(mate.data(), mate.data() + A.m, [&](I j) { return j >= -1 && j < A.n; });
        if (!fits) throw std::invalid_argument("mate is out of range");
        require_groups(starts, A.n);
        run_pass([&](Budget& budget) {
          mark_minimal_violators(A, mate.data(), starts.data(), static_cast<I>(starts.shape(0) - 1),
                                 in_item.data(), in_partner.data(), budget);
        });
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("mate").noconvert(),
      nb::arg("starts").noconvert(), nb::arg("in_item").noconvert(),
      nb::arg("in_partner").noconvert(),
      "Marks the items (columns) and partners (rows) of one minimal Hall violator in each group.");
  module.def(
      "wrong_in_violators",
      [](In<I> indptr, In<I> indices, In<I> item_starts, In<I> partner_starts,
         In<std::uint8_t> in_item, In<std::uint8_t> in_partner) {
        const PatternView<I> A =
            checked_view_of<I>(static_cast<std::int64_t>(in_partner.shape(0)), indptr, indices);
        require_places(in_item, A.n, "in_item");
        require_groups(item_starts, A.n);
        require_places(partner_starts, static_cast<std::int64_t>(item_starts.shape(0)),
                       "partner_starts");
        if (!are_in_range(partner_starts.data(), static_cast<I>(partner_starts.shape(0)),
                          static_cast<I>(A.m + 1))) {
          throw std::invalid_argument("partner_starts is out of range");
        }
        const char* const wrong = run_pass([&](Budget& budget) {
          return wrong_in_violators(A, item_starts.data(), partner_starts.data(),
                                    static_cast<I>(item_starts.shape(0) - 1), in_item.data(),
                                    in_partner.data(), budget);
        });
        return std::string(wrong == nullptr ? "" : wrong);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("item_starts").noconvert(), nb::arg("partner_starts").noconvert(),
      nb::arg("in_item").noconvert(), nb::arg("in_partner").noconvert(),
      "Describes an error in marked explanations; an empty string if there is none.");
  module.def(
      "match_by_degree",
      [](In<I> indptr, In<I> indices, Out<I> row_match, Out<I> col_match, std::int64_t max_work) {
        const PatternView<I> A =
            checked_view_of<I>(static_cast<std::int64_t>(row_match.shape(0)), indptr, indices);
        require_places(col_match, A.n, "col_match");
        std::fill(row_match.data(), row_match.data() + A.m, I{-1});
        std::fill(col_match.data(), col_match.data() + A.n, I{-1});
        Budget budget(0, max_work, &python_interrupted);
        {
          const WithoutGil nogil;
          match_by_degree(A, Matching<I>{row_match.data(), col_match.data()}, budget);
        }
        raise_if_interrupted(budget);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("row_match").noconvert(), nb::arg("col_match").noconvert(), nb::arg("max_work"),
      "Sets a legal matching in which columns with few entries have priority.");
  module.def(
      "find_identical_rows",
      [](In<I> indptr, In<I> indices, Out<I> row_class) {
        const PatternView<I> A =
            checked_view_of<I>(static_cast<std::int64_t>(row_class.shape(0)), indptr, indices);
        run_pass([&](Budget& budget) { find_identical_rows(A, row_class.data(), budget); });
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("row_class").noconvert(),
      "Sets row_class to equal numbers for rows with identical patterns, and to -1 for others.");
}

template <class I>
void bind_outside_blocks(nb::module_& module) {
  module.def(
      "count_outside_blocks",
      [](In<I> indptr, In<I> indices, In<I> row_block, In<I> col_block, int threads) {
        const PatternView<I> A =
            checked_view_of<I>(static_cast<std::int64_t>(row_block.shape(0)), indptr, indices);
        require_places(col_block, A.n, "col_block");
        return run_pass([&](Budget& budget) {
          return count_outside_blocks(A, row_block.data(), col_block.data(), threads, budget);
        });
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("row_block").noconvert(), nb::arg("col_block").noconvert(), nb::arg("threads") = 1,
      "Number of entries outside the diagonal blocks; -1 if an entry is below the blocks.");
  module.def(
      "list_outside_blocks",
      [](In<I> indptr, In<I> indices, In<I> row_block, In<I> col_block, Out<I> rows, Out<I> cols) {
        const PatternView<I> A =
            checked_view_of<I>(static_cast<std::int64_t>(row_block.shape(0)), indptr, indices);
        require_places(col_block, A.n, "col_block");
        const auto places = static_cast<std::int64_t>(rows.shape(0));
        require_places(cols, places, "cols");
        const bool fits = run_pass([&](Budget& budget) {
          std::int64_t count = 0;
          for_outside_blocks(A, row_block.data(), col_block.data(), budget, [&](I p, I j) {
            if (count < places) {
              rows.data()[count] = A.indices[p];
              cols.data()[count] = j;
            }
            ++count;
          });
          return count == places;
        });
        if (!fits) throw std::invalid_argument("another number of entries is outside the blocks");
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("row_block").noconvert(), nb::arg("col_block").noconvert(),
      nb::arg("rows").noconvert(), nb::arg("cols").noconvert(),
      "Lists the entries outside the diagonal blocks. rows and cols must have one place for each.");
}

template <class I>
void bind_width(nb::module_& module) {
  bind_explanations<I>(module);
  bind_outside_blocks<I>(module);
}

}  // namespace

void bind_diagnosis(nb::module_& module) {
  bind_width<std::int32_t>(module);
  bind_width<std::int64_t>(module);
}

}  // namespace btfperm
