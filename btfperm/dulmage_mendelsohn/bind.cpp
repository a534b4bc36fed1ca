// SPDX-License-Identifier: BSD-3-Clause
#include "backends/cpu/bind.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <stdexcept>

#include "dulmage_mendelsohn/block_graph.hpp"
#include "dulmage_mendelsohn/decompose.hpp"
#include "dulmage_mendelsohn/fine_square/blocks_of_digraph.hpp"
#include "dulmage_mendelsohn/fine_square/spread.hpp"

namespace btfperm {
namespace {

template <class I>
NumpyArray<I> new_array(std::size_t count) {
  auto workspace = std::make_unique<Workspace>();
  I* data = workspace->take<I>(count);
  return owned_array(std::move(workspace), data, count);
}

template <class I>
OwnedDigraph<I> owned_digraph(std::int64_t first, const In<std::int64_t>& indptr,
                              const In<I>& targets, const In<std::uint8_t>& active) {
  if (indptr.shape(0) == 0) throw std::invalid_argument("indptr has no places");
  const auto count = static_cast<std::int64_t>(indptr.shape(0)) - 1;
  require_places(targets, indptr.data()[count], "targets");
  require_places(active, count, "active");
  return {first, count, indptr.data(), targets.data(), active.data()};
}

template <class I>
std::pair<NumpyArray<I>, NumpyArray<I>> arrays_of(const Outbox<I>& outbox) {
  NumpyArray<I> targets = new_array<I>(outbox.targets.size());
  NumpyArray<I> values = new_array<I>(outbox.values.size());
  std::copy(outbox.targets.begin(), outbox.targets.end(), targets.data());
  std::copy(outbox.values.begin(), outbox.values.end(), values.data());
  return {targets, values};
}

// Propagation over the vertices of one rank.
template <class I>
void bind_owned(nb::module_& module) {
  module.def(
      "spread",
      [](std::int64_t first, In<std::int64_t> indptr, In<I> targets, In<std::uint8_t> active,
         In<I> within, Out<I> label, In<I> seeds, In<I> values) {
        const OwnedDigraph<I> G = owned_digraph<I>(first, indptr, targets, active);
        require_places(label, G.count, "label");
        require_places(values, static_cast<std::int64_t>(seeds.shape(0)), "values");
        if (within.shape(0) != 0) require_places(within, G.count, "within");
        for (std::size_t k = 0; k < seeds.shape(0); ++k) {
          if (!G.owns(seeds.data()[k])) throw std::invalid_argument("a seed is out of range");
        }
        Outbox<I> outbox;
        run_pass([&](Budget& budget) {
          spread(G, within.shape(0) == 0 ? nullptr : within.data(), label.data(),
                 static_cast<std::int64_t>(seeds.shape(0)), seeds.data(), values.data(), outbox,
                 budget);
        });
        return arrays_of(outbox);
      },
      nb::arg("first"), nb::arg("indptr").noconvert(), nb::arg("targets").noconvert(),
      nb::arg("active").noconvert(), nb::arg("within").noconvert(), nb::arg("label").noconvert(),
      nb::arg("seeds").noconvert(), nb::arg("values").noconvert(),
      "Propagate labels from the seeds; (targets, values) for vertices of other ranks.");
  module.def(
      "peel_owned",
      [](std::int64_t first, In<std::int64_t> indptr, In<I> targets, In<std::uint8_t> active,
         Out<I> degree, Out<I> height, In<I> ready) {
        const OwnedDigraph<I> G = owned_digraph<I>(first, indptr, targets, active);
        require_places(degree, G.count, "degree");
        require_places(height, G.count, "height");
        for (std::size_t k = 0; k < ready.shape(0); ++k) {
          if (ready.data()[k] < 0 || ready.data()[k] >= G.count) {
            throw std::invalid_argument("a ready vertex is out of range");
          }
        }
        Outbox<I> outbox;
        run_pass([&](Budget& budget) {
          peel_owned(G, degree.data(), height.data(), static_cast<std::int64_t>(ready.shape(0)),
                     ready.data(), outbox, budget);
        });
        return arrays_of(outbox);
      },
      nb::arg("first"), nb::arg("indptr").noconvert(), nb::arg("targets").noconvert(),
      nb::arg("active").noconvert(), nb::arg("degree").noconvert(), nb::arg("height").noconvert(),
      nb::arg("ready").noconvert(),
      "Peel vertices without successors; (targets, heights) for vertices of other ranks.");
}

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
      "Fill the coarse boundaries; (row_perm, col_perm, row_blocks, col_blocks), the last two one "
      "array where all is square.");
  module.def(
      "block_graph",
      [](std::int64_t m, In<I> indptr, In<I> indices, In<I> row_block, In<I> col_perm,
         In<I> col_blocks) {
        const PatternView<I> A = checked_view_of<I>(m, indptr, indices);
        require_places(row_block, A.m, "row_block");
        require_places(col_perm, A.n, "col_perm");
        if (col_blocks.shape(0) == 0) throw std::invalid_argument("col_blocks has no places");
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
      nb::arg("col_blocks").noconvert(), "(indptr, indices, level, work) of the block graph.");
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
      "Raise `height` to the heights of the strongly connected components, and name them.");
}

}  // namespace

void bind_dulmage_mendelsohn(nb::module_& module) {
  bind_width<std::int32_t>(module);
  bind_width<std::int64_t>(module);
  bind_owned<std::int32_t>(module);
  bind_owned<std::int64_t>(module);
}

}  // namespace btfperm
