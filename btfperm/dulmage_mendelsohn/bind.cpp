// SPDX-License-Identifier: BSD-3-Clause
#include "backends/cpu/bind.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <stdexcept>

#include "dulmage_mendelsohn/block_graph.hpp"
#include "dulmage_mendelsohn/decompose.hpp"
#include "dulmage_mendelsohn/fine_square/blocks_of_digraph.hpp"

namespace btfperm {
namespace {

template <class I>
void bind_width(nb::module_& module) {
  module.def(
      "decompose",
      [](std::int64_t m, In<I> indptr, In<I> indices, In<I> row_match, In<I> col_match,
         Out<I> coarse_rows, Out<I> coarse_cols, int threads) {
        const PatternView<I> A = checked_view_of<I>(m, indptr, indices);
        require_places(row_match, A.m, "row_match");
        require_places(col_match, A.n, "col_match");
        require_places(coarse_rows, 5, "coarse_rows");
        require_places(coarse_cols, 5, "coarse_cols");
        const Matching<I> match{const_cast<I*>(row_match.data()), const_cast<I*>(col_match.data())};
        Team team;
        team.threads = threads;
        Found<I> found{};
        auto kept = std::make_unique<Workspace>();
        const bool maximum = run_pass(
            [&](Budget& budget) { return find_blocks(A, match, team, found, *kept, budget); });
        if (!maximum) throw std::invalid_argument("the matching is not maximum");
        const auto places = static_cast<std::size_t>(found.n_blocks()) + 1;
        const bool all_square = found.n_blocks() == found.square_part.n_blocks;
        I* const rows = kept->take<I>(places);
        I* const cols = all_square ? rows : kept->take<I>(places);
        const Form<I> form{found.row_perm, found.col_perm, rows, cols};
        run_pass([&](Budget& budget) { order_blocks(A, match, team, found, form, budget); });
        std::copy(found.coarse_rows, found.coarse_rows + 5, coarse_rows.data());
        std::copy(found.coarse_cols, found.coarse_cols + 5, coarse_cols.data());
        const nb::capsule owner = owner_of(std::move(kept));
        return nb::make_tuple(NumpyArray<I>(form.row_perm, {static_cast<std::size_t>(A.m)}, owner),
                              NumpyArray<I>(form.col_perm, {static_cast<std::size_t>(A.n)}, owner),
                              NumpyArray<I>(rows, {places}, owner),
                              NumpyArray<I>(cols, {places}, owner));
      },
      nb::arg("m"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("row_match").noconvert(), nb::arg("col_match").noconvert(),
      nb::arg("coarse_rows").noconvert(), nb::arg("coarse_cols").noconvert(),
      nb::arg("threads") = 1,
      "Fill the coarse boundaries; return (row_perm, col_perm, row_blocks, col_blocks). The last "
      "two share their memory if all blocks are square.");
  module.def(
      "block_graph",
      [](std::int64_t m, In<I> indptr, In<I> indices, In<I> row_block, In<I> col_perm,
         In<I> col_blocks) {
        const PatternView<I> A = checked_view_of<I>(m, indptr, indices);
        require_places(row_block, A.m, "row_block");
        require_places(col_perm, A.n, "col_perm");
        if (col_blocks.shape(0) == 0) throw std::invalid_argument("col_blocks has no elements");
        require_places(col_perm, col_blocks.data()[col_blocks.shape(0) - 1], "col_perm");
        const I n_blocks = static_cast<I>(col_blocks.shape(0) - 1);
        if (!are_in_range(row_block.data(), A.m, n_blocks) ||
            !are_in_range(col_perm.data(), A.n, A.n) ||
            !are_boundaries(col_blocks.data(), n_blocks, A.n)) {
          throw std::invalid_argument("row_block, col_perm or col_blocks is out of range");
        }
        NumpyArray<I> arc_indptr = new_array<I>(static_cast<std::size_t>(n_blocks) + 1);
        NumpyArray<I> work = new_array<I>(n_blocks);
        NumpyArray<I> level = new_array<I>(n_blocks);
        Workspace workspace;
        I* seen = workspace.take<I>(n_blocks);
        I* place = workspace.take<I>(n_blocks);
        run_pass([&](Budget& budget) {
          return count_arcs(A, row_block.data(), col_perm.data(), col_blocks.data(), n_blocks,
                            arc_indptr.data(), work.data(), seen, budget);
        });
        NumpyArray<I> arcs = new_array<I>(arc_indptr.data()[n_blocks]);
        run_pass([&](Budget& budget) {
          return list_arcs(A, row_block.data(), col_perm.data(), col_blocks.data(), n_blocks,
                           arc_indptr.data(), arcs.data(), level.data(), place, seen, budget);
        });
        return std::tuple<NumpyArray<I>, NumpyArray<I>, NumpyArray<I>, NumpyArray<I>>(
            arc_indptr, arcs, level, work);
      },
      nb::arg("m"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("row_block").noconvert(), nb::arg("col_perm").noconvert(),
      nb::arg("col_blocks").noconvert(), "Return the block graph: (indptr, indices, level, work).");
  module.def(
      "blocks_of_digraph",
      [](In<I> indptr, In<I> predecessors, Out<I> height, Out<I> name) {
        const auto places = static_cast<std::int64_t>(indptr.shape(0)) - 1;
        const PatternView<I> A = checked_view_of<I>(places, indptr, predecessors);
        require_places(height, A.n, "height");
        require_places(name, A.n, "name");
        Budget budget(0, 0, &python_interrupted);
        {
          const WithoutGil nogil;
          blocks_of_digraph(A, height.data(), name.data(), budget);
        }
        raise_if_interrupted(budget);
      },
      nb::arg("indptr").noconvert(), nb::arg("predecessors").noconvert(),
      nb::arg("height").noconvert(), nb::arg("name").noconvert(),
      "Replace lower bounds in `height` by the heights of the strongly connected components, and "
      "write the name of the component of each vertex to `name`.");
}

}  // namespace

// preorder/bind_small.cpp calls these two functions, which are compiled only here.
template bool find_blocks(const PatternView<std::int32_t>&, const Matching<std::int32_t>&, Team,
                          Found<std::int32_t>&, Workspace&, Budget&);
template void order_blocks(const PatternView<std::int32_t>&, const Matching<std::int32_t>&, Team,
                           const Found<std::int32_t>&, const Form<std::int32_t>&, Budget&);

void bind_dulmage_mendelsohn(nb::module_& module) {
  bind_width<std::int32_t>(module);
  bind_width<std::int64_t>(module);
}

}  // namespace btfperm
