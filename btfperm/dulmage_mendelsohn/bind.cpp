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
#include "dulmage_mendelsohn/owned_digraph.hpp"

namespace btfperm {
namespace {

template <class I>
OwnedDigraph<I> owned_digraph(const In<std::int64_t>& indptr, const In<I>& targets,
                              const In<std::uint8_t>& active, std::size_t places) {
  if (indptr.shape(0) == 0) throw std::invalid_argument("indptr has no places");
  const auto count = static_cast<std::int64_t>(indptr.shape(0)) - 1;
  const std::int64_t n_ghosts = static_cast<std::int64_t>(places) - count;
  require_places(targets, indptr.data()[count], "targets");
  require_places(active, count, "active");
  if (n_ghosts < 0 ||
      !are_in_range(targets.data(), static_cast<I>(targets.shape(0)), static_cast<I>(places))) {
    throw std::invalid_argument("a target is out of range");
  }
  return {count, n_ghosts, indptr.data(), targets.data(), active.data()};
}

template <class I>
NumpyArray<I> array_of(const std::vector<I>& found) {
  NumpyArray<I> copy = new_array<I>(found.size());
  std::copy(found.begin(), found.end(), copy.data());
  return copy;
}

template <class I>
GrowingLists<I> growing_lists(const Out<std::int64_t>& next, const Out<I>& items) {
  return {static_cast<std::int64_t>(next.shape(0)), static_cast<std::int64_t>(items.shape(0)),
          next.data(), items.data()};
}

// Throws unless all vertices are owned.
template <class I>
void require_owned(const OwnedDigraph<I>& G, const In<I>& vertices, const char* what) {
  if (!are_in_range(vertices.data(), static_cast<I>(vertices.shape(0)), static_cast<I>(G.count))) {
    throw std::invalid_argument(std::string(what) + " is out of range");
  }
}

// Propagation over the vertices of one rank.
template <class I>
void bind_owned(nb::module_& module) {
  module.def(
      "spread",
      [](In<std::int64_t> indptr, In<I> targets, In<std::uint8_t> active, In<I> within,
         Out<I> label, In<I> seeds, In<I> values) {
        const OwnedDigraph<I> G = owned_digraph<I>(indptr, targets, active, label.shape(0));
        require_places(values, static_cast<std::int64_t>(seeds.shape(0)), "values");
        if (within.shape(0) != 0) require_places(within, G.count + G.n_ghosts, "within");
        require_owned(G, seeds, "a seed");
        Touched<I> touched(G);
        run_pass([&](Budget& budget) {
          spread(G, within.shape(0) == 0 ? nullptr : within.data(), label.data(),
                 static_cast<std::int64_t>(seeds.shape(0)), seeds.data(), values.data(), touched,
                 budget);
        });
        return array_of(touched.ghosts);
      },
      nb::arg("indptr").noconvert(), nb::arg("targets").noconvert(), nb::arg("active").noconvert(),
      nb::arg("within").noconvert(), nb::arg("label").noconvert(), nb::arg("seeds").noconvert(),
      nb::arg("values").noconvert(),
      "Propagate labels from the seeds; the ghosts with new labels.");
  module.def(
      "peel_owned",
      [](In<std::int64_t> indptr, In<I> targets, In<std::uint8_t> active, Out<I> degree,
         Out<I> height, In<I> ready) {
        const OwnedDigraph<I> G = owned_digraph<I>(indptr, targets, active, degree.shape(0));
        require_places(height, G.count + G.n_ghosts, "height");
        require_owned(G, ready, "a ready vertex");
        Touched<I> touched(G);
        run_pass([&](Budget& budget) {
          peel_owned(G, degree.data(), height.data(), static_cast<std::int64_t>(ready.shape(0)),
                     ready.data(), touched, budget);
        });
        return array_of(touched.ghosts);
      },
      nb::arg("indptr").noconvert(), nb::arg("targets").noconvert(), nb::arg("active").noconvert(),
      nb::arg("degree").noconvert(), nb::arg("height").noconvert(), nb::arg("ready").noconvert(),
      "Peel vertices without successors; the ghosts that lost some.");
  module.def(
      "list_predecessors",
      [](std::int64_t col_first, In<std::int64_t> lists, In<I> rows, In<I> mates) {
        if (lists.shape(0) == 0) throw std::invalid_argument("lists has no places");
        const auto n_cols = static_cast<std::int64_t>(lists.shape(0)) - 1;
        require_places(rows, lists.data()[n_cols], "rows");
        if (!are_in_range(rows.data(), static_cast<I>(rows.shape(0)),
                          static_cast<I>(mates.shape(0)))) {
          throw std::invalid_argument("a row is out of range");
        }
        auto indptr = new_array<std::int64_t>(lists.shape(0));
        auto in_unmatched_row = new_array<std::uint8_t>(n_cols);
        auto workspace = std::make_unique<Workspace>();
        I* const found = workspace->take<I>(rows.shape(0));
        const std::int64_t used =
            list_predecessors(col_first, n_cols, lists.data(), rows.data(), mates.data(),
                              indptr.data(), found, in_unmatched_row.data());
        return std::tuple(indptr,
                          owned_array(std::move(workspace), found, static_cast<std::size_t>(used)),
                          in_unmatched_row);
      },
      nb::arg("col_first"), nb::arg("lists").noconvert(), nb::arg("rows").noconvert(),
      nb::arg("mates").noconvert(), "(indptr, predecessors, in_unmatched_row)");
}

// Passes over the edges of one rank.
template <class I>
void bind_edges(nb::module_& module) {
  module.def(
      "count_in_lists",
      [](In<std::int64_t> indptr, In<I> items, In<std::uint8_t> active, Out<I> counts) {
        const OwnedDigraph<I> G = owned_digraph<I>(indptr, items, active, counts.shape(0));
        count_in_lists(G.count, indptr.data(), items.data(), active.data(), counts.data());
      },
      nb::arg("indptr").noconvert(), nb::arg("items").noconvert(), nb::arg("active").noconvert(),
      nb::arg("counts").noconvert(), "Count in how many lists of active vertices each number is.");
  module.def(
      "reverse_edges",
      [](std::int64_t first, std::int64_t begin, std::int64_t end, In<std::int64_t> indptr,
         In<I> items, Out<std::int64_t> next, Out<I> reversed) {
        GrowingLists<I> lists = growing_lists(next, reversed);
        require_places(indptr, lists.count + 1, "indptr");
        require_places(items, indptr.data()[lists.count], "items");
        if (begin < 0 || begin > end || end > lists.count) {
          throw std::invalid_argument("a vertex is out of range");
        }
        std::vector<I> of_ghosts[2];
        reverse_edges(first, begin, end, indptr.data(), items.data(), lists, of_ghosts);
        return std::pair(array_of(of_ghosts[0]), array_of(of_ghosts[1]));
      },
      nb::arg("first"), nb::arg("begin"), nb::arg("end"), nb::arg("indptr").noconvert(),
      nb::arg("items").noconvert(), nb::arg("next").noconvert(), nb::arg("reversed").noconvert(),
      "Put reversed edges that start here into their lists; (ghosts, numbers) of the others.");
  module.def(
      "put_in_lists",
      [](In<I> lists, In<I> items, Out<std::int64_t> next, Out<I> places) {
        GrowingLists<I> to = growing_lists(next, places);
        require_places(items, static_cast<std::int64_t>(lists.shape(0)), "items");
        if (!are_in_range(lists.data(), static_cast<I>(lists.shape(0)), static_cast<I>(to.count))) {
          throw std::invalid_argument("a list is out of range");
        }
        for (std::size_t k = 0; k < lists.shape(0); ++k) to.put(lists.data()[k], items.data()[k]);
      },
      nb::arg("lists").noconvert(), nb::arg("items").noconvert(), nb::arg("next").noconvert(),
      nb::arg("places").noconvert(), "Put items[k] to the next place of lists[k].");
  module.def(
      "edges_between",
      [](In<std::int64_t> indptr, In<I> items, In<I> names) {
        const auto count = static_cast<std::int64_t>(indptr.shape(0)) - 1;
        if (count < 0) throw std::invalid_argument("indptr has no places");
        require_places(items, indptr.data()[count], "items");
        if (!are_in_range(items.data(), static_cast<I>(items.shape(0)),
                          static_cast<I>(names.shape(0)))) {
          throw std::invalid_argument("an item is out of range");
        }
        return array_of(edges_between(count, indptr.data(), items.data(), names.data()));
      },
      nb::arg("indptr").noconvert(), nb::arg("items").noconvert(), nb::arg("names").noconvert(),
      "Pairs of names: the edges between vertices of different names, flat.");
  module.def(
      "connect_entries",
      [](In<std::int64_t> indptr, In<I> rows, In<std::uint8_t> col_part, In<std::uint8_t> row_part,
         std::uint8_t left_out) {
        const auto n_cols = static_cast<std::int64_t>(col_part.shape(0));
        const auto n_rows = static_cast<std::int64_t>(row_part.shape(0));
        require_places(indptr, n_cols + 1, "indptr");
        require_places(rows, indptr.data()[n_cols], "rows");
        if (!are_in_range(rows.data(), static_cast<I>(rows.shape(0)), static_cast<I>(n_rows))) {
          throw std::invalid_argument("a row is out of range");
        }
        NumpyArray<I> component = new_array<I>(n_cols + n_rows);
        run_pass([&](Budget& budget) {
          connect_entries(n_cols, n_rows, indptr.data(), rows.data(), col_part.data(),
                          row_part.data(), left_out, component.data(), budget);
        });
        return component;
      },
      nb::arg("indptr").noconvert(), nb::arg("rows").noconvert(), nb::arg("col_part").noconvert(),
      nb::arg("row_part").noconvert(), nb::arg("left_out"),
      "A member of the connected component of each column, then of each row.");
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

// preorder/bind_small.cpp calls what is compiled here.
template bool find_blocks(const PatternView<std::int32_t>&, const Matching<std::int32_t>&, Team,
                          Found<std::int32_t>&, Workspace&, Budget&);
template void order_blocks(const PatternView<std::int32_t>&, const Matching<std::int32_t>&, Team,
                           const Found<std::int32_t>&, const Form<std::int32_t>&, Budget&);

void bind_dulmage_mendelsohn(nb::module_& module) {
  bind_width<std::int32_t>(module);
  bind_width<std::int64_t>(module);
  bind_owned<std::int32_t>(module);
  bind_owned<std::int64_t>(module);
  bind_edges<std::int32_t>(module);
  bind_edges<std::int64_t>(module);
}

}  // namespace btfperm
