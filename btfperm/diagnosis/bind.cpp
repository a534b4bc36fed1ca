// SPDX-License-Identifier: BSD-3-Clause
#include "backends/cpu/bind.hpp"

#include <algorithm>
#include <stdexcept>

#include "diagnosis/identical_rows.hpp"
#include "diagnosis/items_by_degree.hpp"
#include "diagnosis/minimal_violators.hpp"
#include "diagnosis/outside_blocks.hpp"

namespace btfperm {
namespace {

template <class I>
void bind_explanations(nb::module_& module) {
  module.def(
      "mark_minimal_violators",
      [](std::int64_t m, In<I> indptr, In<I> indices, In<I> mate, In<I> items, In<I> starts,
         Out<std::uint8_t> in_item, Out<std::uint8_t> in_partner) {
        const PatternView<I> A = checked_view_of<I>(m, indptr, indices);
        require_places(mate, A.m, "mate");
        require_places(in_item, A.n, "in_item");
        require_places(in_partner, A.m, "in_partner");
        if (starts.shape(0) == 0) throw std::invalid_argument("starts has no places");
        const I n_groups = static_cast<I>(starts.shape(0) - 1);
        const auto count = static_cast<I>(items.shape(0));
        const bool fits =
            std::all_of(mate.data(), mate.data() + A.m, [&](I j) { return j >= -1 && j < A.n; });
        if (!fits || !are_in_range(items.data(), count, A.n)) {
          throw std::invalid_argument("mate or items is out of range");
        }
        for (I g = 0; g < n_groups; ++g) {
          if (starts.data()[g] >= starts.data()[g + 1]) {
            throw std::invalid_argument("a group is empty");
          }
        }
        if (starts.data()[0] != 0 || starts.data()[n_groups] != count) {
          throw std::invalid_argument("the groups do not hold all items");
        }
        run_pass([&](Budget& budget) {
          mark_minimal_violators(A, mate.data(), items.data(), starts.data(), n_groups,
                                 in_item.data(), in_partner.data(), budget);
        });
      },
      nb::arg("m"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("mate").noconvert(), nb::arg("items").noconvert(), nb::arg("starts").noconvert(),
      nb::arg("in_item").noconvert(), nb::arg("in_partner").noconvert(),
      "Mark the items (columns) and partners (rows) of one minimal Hall violator in each group.");
  module.def(
      "match_by_degree",
      [](In<I> indptr, In<I> indices, In<I> items, Out<I> row_match, Out<I> col_match,
         std::int64_t max_work) {
        const PatternView<I> A =
            checked_view_of<I>(static_cast<std::int64_t>(row_match.shape(0)), indptr, indices);
        require_places(col_match, A.n, "col_match");
        const auto count = static_cast<I>(items.shape(0));
        if (!are_in_range(items.data(), count, A.n)) {
          throw std::invalid_argument("items is out of range");
        }
        std::fill(row_match.data(), row_match.data() + A.m, I{-1});
        std::fill(col_match.data(), col_match.data() + A.n, I{-1});
        Budget budget(0, max_work, &python_interrupted);
        {
          const WithoutGil nogil;
          match_by_degree(A, items.data(), count, Matching<I>{row_match.data(), col_match.data()},
                          budget);
        }
        raise_if_interrupted(budget);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("items").noconvert(),
      nb::arg("row_match").noconvert(), nb::arg("col_match").noconvert(), nb::arg("max_work"),
      "Set a legal matching in which columns with few entries have priority.");
  module.def(
      "find_identical_rows",
      [](In<I> indptr, In<I> indices, Out<I> row_class) {
        const PatternView<I> A =
            checked_view_of<I>(static_cast<std::int64_t>(row_class.shape(0)), indptr, indices);
        run_pass([&](Budget& budget) { find_identical_rows(A, row_class.data(), budget); });
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("row_class").noconvert(), "Equal numbers for rows with identical patterns, else -1.");
}

template <class I>
void bind_outside_blocks(nb::module_& module) {
  module.def(
      "count_outside_blocks",
      [](In<I> indptr, In<I> indices, In<I> row_block, In<I> col_block) {
        const PatternView<I> A =
            checked_view_of<I>(static_cast<std::int64_t>(row_block.shape(0)), indptr, indices);
        require_places(col_block, A.n, "col_block");
        return run_pass([&](Budget& budget) {
          std::int64_t count = 0;
          for_outside_blocks(A, row_block.data(), col_block.data(), budget, [&](I, I) { ++count; });
          return count;
        });
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("row_block").noconvert(), nb::arg("col_block").noconvert(),
      "The number of entries outside the diagonal blocks.");
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
      "List the entries outside the diagonal blocks, in as many places as they are.");
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
