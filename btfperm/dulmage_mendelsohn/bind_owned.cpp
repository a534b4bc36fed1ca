// SPDX-License-Identifier: BSD-3-Clause
// Functions of `_core.dulmage_mendelsohn` for one rank's part of the decomposition over MPI ranks
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "backends/mpi/bind.hpp"
#include "dulmage_mendelsohn/fine_square/spread.hpp"
#include "dulmage_mendelsohn/owned_digraph.hpp"
#include "dulmage_mendelsohn/owned_order.hpp"

namespace btfperm {
namespace {

template <class I>
OwnedDigraph<I> owned_digraph(const In<std::int64_t>& indptr, const In<I>& targets,
                              const In<std::uint8_t>& active, std::size_t places) {
  if (indptr.shape(0) == 0) throw std::invalid_argument("indptr has no elements");
  const auto count = static_cast<std::int64_t>(indptr.shape(0)) - 1;
  const std::int64_t n_ghosts = static_cast<std::int64_t>(places) - count;
  require_places(targets, indptr.data()[count], "targets");
  require_places(active, count, "active");
  if (n_ghosts < 0 || !are_in_range(targets, count + n_ghosts)) {
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
NumpyArray<I> listed(const Touched<I>& touched) {
  NumpyArray<I> places = new_array<I>(touched.count());
  touched.list(places.data());
  return places;
}

template <class I>
GrowingLists<I> growing_lists(const Out<std::int64_t>& next, const Out<I>& items) {
  return {static_cast<std::int64_t>(next.shape(0)), static_cast<std::int64_t>(items.shape(0)),
          next.data(), items.data()};
}

// Throws unless this rank owns all these vertices.
template <class I>
void require_owned(const OwnedDigraph<I>& G, const In<I>& vertices, const char* what) {
  if (!are_in_range(vertices, G.count)) {
    throw std::invalid_argument(std::string(what) + " is out of range");
  }
}

// Binds the functions of spread.hpp, which propagate labels and heights over the vertices of one
// rank, and the one that lists the predecessors of these vertices.
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
        return listed(touched);
      },
      nb::arg("indptr").noconvert(), nb::arg("targets").noconvert(), nb::arg("active").noconvert(),
      nb::arg("within").noconvert(), nb::arg("label").noconvert(), nb::arg("seeds").noconvert(),
      nb::arg("values").noconvert(),
      "Propagate labels from the seeds; return the ghosts with new labels.");
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
        return listed(touched);
      },
      nb::arg("indptr").noconvert(), nb::arg("targets").noconvert(), nb::arg("active").noconvert(),
      nb::arg("degree").noconvert(), nb::arg("height").noconvert(), nb::arg("ready").noconvert(),
      "Peel vertices of degree 0; return the ghosts whose degree has decreased.");
  module.def(
      "list_predecessors",
      [](std::int64_t col_first, In<std::int64_t> lists, In<I> rows, In<I> mates) {
        if (lists.shape(0) == 0) throw std::invalid_argument("lists has no elements");
        const auto n_cols = static_cast<std::int64_t>(lists.shape(0)) - 1;
        require_places(rows, lists.data()[n_cols], "rows");
        if (!are_in_range(rows, static_cast<std::int64_t>(mates.shape(0)))) {
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
      nb::arg("mates").noconvert(), "Return (indptr, predecessors, in_unmatched_row).");
}

// The number of lists; throws unless each item has a name.
template <class I>
std::int64_t checked_names(const In<std::int64_t>& indptr, const In<I>& items, const In<I>& names) {
  const auto count = static_cast<std::int64_t>(indptr.shape(0)) - 1;
  if (count < 0) throw std::invalid_argument("indptr has no elements");
  require_places(items, indptr.data()[count], "items");
  if (static_cast<std::int64_t>(names.shape(0)) < count ||
      !are_in_range(items, static_cast<std::int64_t>(names.shape(0)))) {
    throw std::invalid_argument("an item is out of range");
  }
  return count;
}

// Binds the functions that visit the edges of one rank.
template <class I>
void bind_edges(nb::module_& module) {
  module.def(
      "count_in_lists",
      [](In<std::int64_t> indptr, In<I> items, In<std::uint8_t> active, Out<I> counts) {
        const OwnedDigraph<I> G = owned_digraph<I>(indptr, items, active, counts.shape(0));
        count_in_lists(G.count, indptr.data(), items.data(), active.data(), counts.data());
      },
      nb::arg("indptr").noconvert(), nb::arg("items").noconvert(), nb::arg("active").noconvert(),
      nb::arg("counts").noconvert(),
      "Add to `counts`, for each local number, the number of lists of active vertices with it.");
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
      "Put the reversed edges that start at vertices of this rank into their lists. Return the "
      "others as (ghosts, numbers).");
  module.def(
      "put_in_lists",
      [](In<I> lists, In<I> items, Out<std::int64_t> next, Out<I> places) {
        GrowingLists<I> to = growing_lists(next, places);
        require_places(items, static_cast<std::int64_t>(lists.shape(0)), "items");
        if (!are_in_range(lists, to.count)) {
          throw std::invalid_argument("a list is out of range");
        }
        for (std::size_t k = 0; k < lists.shape(0); ++k) to.put(lists.data()[k], items.data()[k]);
      },
      nb::arg("lists").noconvert(), nb::arg("items").noconvert(), nb::arg("next").noconvert(),
      nb::arg("places").noconvert(), "Write items[k] to the next place of the list lists[k].");
  module.def(
      "count_edges_between",
      [](In<std::int64_t> indptr, In<I> items, In<I> names) {
        const std::int64_t count = checked_names(indptr, items, names);
        return count_edges_between(count, indptr.data(), items.data(), names.data());
      },
      nb::arg("indptr").noconvert(), nb::arg("items").noconvert(), nb::arg("names").noconvert(),
      "The number of edges that edges_between returns.");
  module.def(
      "edges_between",
      [](In<std::int64_t> indptr, In<I> items, In<I> names) {
        const std::int64_t count = checked_names(indptr, items, names);
        const std::int64_t edges =
            count_edges_between(count, indptr.data(), items.data(), names.data());
        NumpyArray<I> found = new_array<I>(2 * static_cast<std::size_t>(edges));
        I* next = found.data();
        for_edges_between(count, indptr.data(), items.data(), names.data(), [&next](I v, I other) {
          *next++ = v;
          *next++ = other;
        });
        return found;
      },
      nb::arg("indptr").noconvert(), nb::arg("items").noconvert(), nb::arg("names").noconvert(),
      "The edges between vertices with different names, as pairs of names in a flat array.");
  module.def(
      "connect_entries",
      [](In<std::int64_t> indptr, In<I> rows, In<std::uint8_t> col_part, In<std::uint8_t> row_part,
         std::uint8_t left_out) {
        const auto n_cols = static_cast<std::int64_t>(col_part.shape(0));
        const auto n_rows = static_cast<std::int64_t>(row_part.shape(0));
        require_places(indptr, n_cols + 1, "indptr");
        require_places(rows, indptr.data()[n_cols], "rows");
        if (!are_in_range(rows, n_rows)) {
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
      "A member of the connected component of each column, followed by those of each row.");
}

// Throws unless each number is in first .. first + count - 1.
template <class I>
void require_between(const I* numbers, std::size_t size, std::size_t step, std::int64_t first,
                     std::int64_t count, const char* what) {
  for (std::size_t k = 0; k < size; k += step) {
    const std::int64_t place = std::int64_t{numbers[k]} - first;
    if (place < 0 || place >= count) {
      throw std::invalid_argument(std::string(what) + " is out of range");
    }
  }
}

// The canonical order on one rank.
template <class I>
void bind_order(nb::module_& module) {
  module.def(
      "list_members",
      [](In<I> names, In<I> of_cols, In<I> cols, In<I> of_rows, In<I> rows, bool by_rows) {
        const auto count = static_cast<std::int64_t>(names.shape(0));
        require_places(cols, static_cast<std::int64_t>(of_cols.shape(0)), "cols");
        require_places(rows, static_cast<std::int64_t>(of_rows.shape(0)), "rows");
        require_between(of_cols.data(), of_cols.shape(0), 1, 0, count, "a name");
        require_between(of_rows.data(), of_rows.shape(0), 1, 0, count, "a name");
        NumpyArray<I> lines = new_array<I>(4 * names.shape(0));
        list_members(count, names.data(), static_cast<std::int64_t>(of_cols.shape(0)),
                     of_cols.data(), cols.data(), static_cast<std::int64_t>(of_rows.shape(0)),
                     of_rows.data(), rows.data(), by_rows, lines.data());
        return lines;
      },
      nb::arg("names").noconvert(), nb::arg("of_cols").noconvert(), nb::arg("cols").noconvert(),
      nb::arg("of_rows").noconvert(), nb::arg("rows").noconvert(), nb::arg("by_rows"),
      "Return (name, columns, rows, smallest) of each block in a flat array.");
  module.def(
      "number_blocks",
      [](std::int64_t first, std::int64_t count, Out<I> lines) {
        require_between(lines.data(), lines.shape(0), 4, first, count, "a name");
        return array_of(number_blocks(first, count, static_cast<std::int64_t>(lines.shape(0)) / 4,
                                      lines.data()));
      },
      nb::arg("first"), nb::arg("count"), nb::arg("lines").noconvert(),
      "In each line, replace the name by the number of its block, and the counts by those on lower "
      "ranks. Return (name, columns, rows, smallest) of each block in a flat array.");
  module.def(
      "number_in_levels",
      [](std::int64_t first, std::int64_t count, In<I> items, In<I> level, std::int64_t n_levels) {
        const auto n_blocks = static_cast<std::int64_t>(level.shape(0));
        require_places(items, 4 * n_blocks, "items");
        require_between(items.data(), items.shape(0), 4, first, count, "a block");
        require_between(level.data(), level.shape(0), 1, 0, n_levels, "a level");
        NumpyArray<std::int64_t> sums = new_array<std::int64_t>(3 * n_levels);
        NumpyArray<I> before = new_array<I>(3 * level.shape(0));
        std::fill(sums.data(), sums.data() + 3 * n_levels, std::int64_t{0});
        std::fill(before.data(), before.data() + 3 * level.shape(0), I{0});
        number_in_levels(first, count, n_blocks, items.data(), level.data(), sums.data(),
                         before.data());
        return std::pair(sums, before);
      },
      nb::arg("first"), nb::arg("count"), nb::arg("items").noconvert(),
      nb::arg("level").noconvert(), nb::arg("n_levels"),
      "Return two flat arrays with numbers of blocks, columns and rows: those of each level, and "
      "those before each block in its level.");
  module.def(
      "hand_out",
      [](In<I> of, Out<I> next) {
        require_between(of.data(), of.shape(0), 1, 0, static_cast<std::int64_t>(next.shape(0)),
                        "a group");
        NumpyArray<I> positions = new_array<I>(of.shape(0));
        hand_out(static_cast<std::int64_t>(of.shape(0)), of.data(), next.data(), positions.data());
        return positions;
      },
      nb::arg("of").noconvert(), nb::arg("next").noconvert(),
      "Return the next position of the group of each member, and advance it in `next`.");
}

}  // namespace

void bind_owned_decomposition(nb::module_& module) {
  bind_owned<std::int32_t>(module);
  bind_owned<std::int64_t>(module);
  bind_edges<std::int32_t>(module);
  bind_edges<std::int64_t>(module);
  bind_order<std::int32_t>(module);
  bind_order<std::int64_t>(module);
}

}  // namespace btfperm
