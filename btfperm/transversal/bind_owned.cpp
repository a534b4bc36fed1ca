// SPDX-License-Identifier: BSD-3-Clause
// Functions of `_core.transversal` for one rank's part of searches and certificates over MPI ranks
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "backends/mpi/bind.hpp"
#include "transversal/owned_growth.hpp"
#include "transversal/owned_karp_sipser.hpp"
#include "transversal/owned_pairs.hpp"
#include "transversal/owned_rows.hpp"

namespace btfperm {
namespace {

template <class I>
OwnedBipartite<I> owned_bipartite(const In<std::int64_t>& indptr, const In<I>& items,
                                  const AscendingNumbers<I>& ghosts,
                                  const In<std::int64_t>& row_bounds,
                                  const In<std::int64_t>& col_bounds, int rank,
                                  const Out<I>& row_match, const Out<I>& col_match) {
  const int ranks = static_cast<int>(row_bounds.shape(0)) - 1;
  require_places(col_bounds, ranks + 1, "col_bounds");
  if (rank < 0 || rank >= ranks) throw std::invalid_argument("there is no such rank");
  const std::int64_t n_rows = row_bounds.data()[rank + 1] - row_bounds.data()[rank];
  const std::int64_t n_cols = col_bounds.data()[rank + 1] - col_bounds.data()[rank];
  const std::int64_t n_ghosts = ghosts.size();
  require_places(indptr, n_cols + 1, "indptr");
  require_places(items, indptr.data()[n_cols], "items");
  require_places(row_match, n_rows, "row_match");
  require_places(col_match, n_cols, "col_match");
  if (!are_in_range(items, n_rows + n_ghosts)) {
    throw std::invalid_argument("an item is out of range");
  }
  return {n_rows,       n_cols,  n_ghosts,          indptr.data(),
          items.data(), &ghosts, row_bounds.data(), col_bounds.data(),
          rank,         ranks,   row_match.data(),  col_match.data()};
}

// The lines of an outbox, and how many of them each rank gets.
template <class I>
std::pair<NumpyArray<I>, NumpyArray<std::int64_t>> delivered(Outbox<I>& outbox, int ranks) {
  NumpyArray<I> lines = new_array<I>(3 * outbox.size());
  NumpyArray<std::int64_t> counts = new_array<std::int64_t>(ranks);
  outbox.deliver(ranks, counts.data(), lines.data());
  return {lines, counts};
}

// Returns `by_row`; throws if it holds lists that were made from other columns.
template <class I>
OwnedRows<I>& fitting(OwnedRows<I>& by_row, const OwnedBipartite<I>& A) {
  if (!by_row.fits(A)) throw std::invalid_argument("by_row has the lists of other columns");
  return by_row;
}

// The trees and the arrays that they refer to.
template <class I>
struct BoundTrees {
  BoundTrees(In<std::int64_t> indptr, In<I> items, const AscendingNumbers<I>& ghosts,
             In<std::int64_t> row_bounds, In<std::int64_t> col_bounds, int rank, Out<I> row_match,
             Out<I> col_match, OwnedRows<I>& by_row, int direction)
      : kept(indptr, items, row_bounds, col_bounds, row_match, col_match),
        A(owned_bipartite<I>(indptr, items, ghosts, row_bounds, col_bounds, rank, row_match,
                             col_match)),
        trees(A, fitting(by_row, A), static_cast<Direction>(direction)) {}

  std::pair<NumpyArray<I>, NumpyArray<std::int64_t>> sent() {
    return delivered(trees.outbox(), A.ranks);
  }

  // Throws unless the target of each line is a row or column of this rank; notices of ended trees
  // have no target. Returns the number of lines.
  std::int64_t checked(const In<I>& lines) const {
    if (lines.shape(0) % 3 != 0) throw std::invalid_argument("a line has three fields");
    for (std::size_t k = 0; k < lines.shape(0); k += 3) {
      const I target = lines.data()[k];
      const bool notice = lines.data()[k + 2] == -3;
      if (!notice && (target >= A.n_rows || -1 - target >= A.n_cols)) {
        throw std::invalid_argument("a target is out of range");
      }
    }
    return static_cast<std::int64_t>(lines.shape(0)) / 3;
  }

  std::tuple<In<std::int64_t>, In<I>, In<std::int64_t>, In<std::int64_t>, Out<I>, Out<I>> kept;
  OwnedBipartite<I> A;
  GrowingTrees<I> trees;
};

template <class Has>
NumpyArray<std::uint8_t> bytes_of(std::int64_t count, Has has) {
  NumpyArray<std::uint8_t> found = new_array<std::uint8_t>(static_cast<std::size_t>(count));
  for (std::int64_t k = 0; k < count; ++k) found.data()[k] = has(k);
  return found;
}

template <class I>
void bind_trees(nb::module_& module, const char* name) {
  using Trees = BoundTrees<I>;
  nb::class_<Trees>(module, name, "Alternating trees of one rank.")
      .def(nb::init<In<std::int64_t>, In<I>, const AscendingNumbers<I>&, In<std::int64_t>,
                    In<std::int64_t>, int, Out<I>, Out<I>, OwnedRows<I>&, int>(),
           nb::keep_alive<1, 4>(), nb::keep_alive<1, 10>(), nb::arg("indptr").noconvert(),
           nb::arg("items").noconvert(), nb::arg("ghosts"), nb::arg("row_bounds").noconvert(),
           nb::arg("col_bounds").noconvert(), nb::arg("rank"), nb::arg("row_match").noconvert(),
           nb::arg("col_match").noconvert(), nb::arg("by_row"), nb::arg("direction"))
      .def("restart", [](Trees& self) { self.trees.restart(); })
      .def("regrow", [](Trees& self) { self.trees.regrow(); })
      .def("release", [](Trees& self) { return self.trees.release(); })
      .def(
          "grow",
          [](Trees& self, In<I> lines, std::int64_t depth, std::int64_t most) {
            const std::int64_t count = self.checked(lines);
            std::int64_t edges = 0;
            const std::int64_t ended = run_pass([&](Budget& budget) {
              return self.trees.grow(count, lines.data(), depth, most, edges, budget);
            });
            const auto [found, sent] = self.sent();
            return std::tuple(found, sent, ended, edges, self.trees.waiting());
          },
          nb::arg("lines").noconvert(), nb::arg("depth"), nb::arg("most"),
          "Return (lines, sent, trees that ended, entries visited, columns that later calls must "
          "expand); sent[p] lines are for rank p.")
      .def(
          "augment",
          [](Trees& self, In<I> lines, bool is_start) {
            const std::int64_t count = self.checked(lines);
            const std::int64_t paths = self.trees.augment(count, lines.data(), is_start);
            const auto [found, sent] = self.sent();
            return std::tuple(found, sent, paths);
          },
          nb::arg("lines").noconvert(), nb::arg("is_start"),
          "Return (lines, sent, augmenting paths that begin at roots of this rank).")
      .def("rows_in_trees",
           [](Trees& self) {
             return bytes_of(self.A.n_rows, [&](std::int64_t r) { return self.trees.has_row(r); });
           })
      .def("cols_in_trees",
           [](Trees& self) {
             return bytes_of(self.A.n_cols, [&](std::int64_t c) { return self.trees.has_col(c); });
           })
      .def(
          "set_ghosts_seen",
          [](Trees& self, In<std::uint8_t> seen) {
            require_places(seen, self.A.n_ghosts, "seen");
            self.trees.set_ghosts_seen(seen.data());
          },
          nb::arg("seen").noconvert())
      .def(
          "bottom_up",
          [](Trees& self) {
            return std::pair(self.trees.bottom_up_steps(), self.trees.bottom_up_edges());
          },
          "Return (number of bottom-up steps, entries visited in them).");
}

// The degrees of one rank and the arrays that they refer to.
template <class I>
struct BoundKarpSipser {
  BoundKarpSipser(In<std::int64_t> indptr, In<I> items, const AscendingNumbers<I>& ghosts,
                  In<std::int64_t> row_bounds, In<std::int64_t> col_bounds, int rank,
                  Out<I> row_match, Out<I> col_match, OwnedRows<I>& by_row,
                  In<std::uint8_t> ghost_matched, const nb::list& copies)
      : kept(indptr, items, row_bounds, col_bounds, row_match, col_match),
        A(owned_bipartite<I>(indptr, items, ghosts, row_bounds, col_bounds, rank, row_match,
                             col_match)),
        degrees(A, fitting(by_row, A), checked(ghost_matched, copies), ghost_matched.data()) {}

  Copies<I> checked(const In<std::uint8_t>& ghost_matched, const nb::list& copies) const {
    require_places(ghost_matched, A.n_ghosts, "ghost_matched");
    Copies<I> found;
    for (const nb::handle rows : copies) {
      found.push_back(nb::cast<const AscendingNumbers<I>*>(rows));
      const std::int64_t count = found.back()->size();
      if (count > 0 && (*found.back())[count - 1] >= A.n_rows) {
        throw std::invalid_argument("a row is out of range");
      }
    }
    if (static_cast<int>(found.size()) != A.ranks) {
      throw std::invalid_argument("copies has not a list for each rank");
    }
    return found;
  }

  // Throws unless the target of each line that names a row or column of this rank is one. The
  // search itself finds the ghosts that lines name. Returns the number of lines.
  std::int64_t checked(const In<I>& lines) const {
    if (lines.shape(0) % 3 != 0) throw std::invalid_argument("a line has three fields");
    for (std::size_t k = 0; k < lines.shape(0); k += 3) {
      const I* const line = lines.data() + k;
      const std::int64_t other = -1 - std::int64_t{line[0]};
      const bool is_claim = line[2] == 0;
      if (line[0] >= A.n_rows || (line[0] < 0 && is_claim && other >= A.n_cols)) {
        throw std::invalid_argument("a target is out of range");
      }
    }
    return static_cast<std::int64_t>(lines.shape(0)) / 3;
  }

  std::tuple<In<std::int64_t>, In<I>, In<std::int64_t>, In<std::int64_t>, Out<I>, Out<I>> kept;
  OwnedBipartite<I> A;
  OwnedKarpSipser<I> degrees;
};

template <class I>
void bind_karp_sipser(nb::module_& module, const char* name) {
  using Bound = BoundKarpSipser<I>;
  nb::class_<Bound>(module, name, "Degrees of the rows and columns of one rank.")
      .def(nb::init<In<std::int64_t>, In<I>, const AscendingNumbers<I>&, In<std::int64_t>,
                    In<std::int64_t>, int, Out<I>, Out<I>, OwnedRows<I>&, In<std::uint8_t>,
                    const nb::list&>(),
           nb::keep_alive<1, 4>(), nb::keep_alive<1, 10>(), nb::arg("indptr").noconvert(),
           nb::arg("items").noconvert(), nb::arg("ghosts"), nb::arg("row_bounds").noconvert(),
           nb::arg("col_bounds").noconvert(), nb::arg("rank"), nb::arg("row_match").noconvert(),
           nb::arg("col_match").noconvert(), nb::arg("by_row"),
           nb::arg("ghost_matched").noconvert(), nb::arg("copies"))
      .def("start", [](Bound& self) { self.degrees.start(); })
      .def(
          "send_degrees",
          [](Bound& self, std::int64_t begin, std::int64_t end) {
            if (begin < 0 || begin > end || end > self.A.n_ghosts) {
              throw std::invalid_argument("a ghost is out of range");
            }
            self.degrees.send_degrees(begin, end);
            return delivered(self.degrees.outbox(), self.A.ranks);
          },
          nb::arg("begin"), nb::arg("end"), "Return (lines, sent); sent[p] lines are for rank p.")
      .def(
          "add_degrees",
          [](Bound& self, In<I> lines) {
            const std::int64_t count = self.checked(lines);
            for (std::int64_t k = 0; k < count; ++k) {
              if (lines.data()[3 * k] < 0) throw std::invalid_argument("a target is no row");
            }
            self.degrees.add_degrees(count, lines.data());
          },
          nb::arg("lines").noconvert())
      .def(
          "step",
          [](Bound& self, In<I> lines, std::int64_t choices, I first, std::int64_t most) {
            const std::int64_t count = self.checked(lines);
            const std::int64_t edges = run_pass([&](Budget& budget) {
              return self.degrees.step(count, lines.data(), choices, first, most, budget);
            });
            const auto [found, sent] = delivered(self.degrees.outbox(), self.A.ranks);
            return std::tuple(found, sent, edges, self.degrees.left(), self.degrees.waiting());
          },
          nb::arg("lines").noconvert(), nb::arg("choices"), nb::arg("first"), nb::arg("most"),
          "Return (lines, sent, entries visited, columns that may still be matched, rows and "
          "columns of degree one that the next step must match).")
      .def(
          "settle",
          [](Bound& self, In<I> lines) { self.degrees.settle(self.checked(lines), lines.data()); },
          nb::arg("lines").noconvert());
}

template <class I>
void bind_pairs(nb::module_& module) {
  module.def(
      "match_own_rows",
      [](In<std::int64_t> indptr, In<I> items, const AscendingNumbers<I>& ghosts,
         In<std::int64_t> row_bounds, In<std::int64_t> col_bounds, int rank, Out<I> row_match,
         Out<I> col_match) {
        const OwnedBipartite<I> A = owned_bipartite<I>(indptr, items, ghosts, row_bounds,
                                                       col_bounds, rank, row_match, col_match);
        return run_pass([&](Budget& budget) { return match_own_rows(A, budget); });
      },
      nb::arg("indptr").noconvert(), nb::arg("items").noconvert(), nb::arg("ghosts"),
      nb::arg("row_bounds").noconvert(), nb::arg("col_bounds").noconvert(), nb::arg("rank"),
      nb::arg("row_match").noconvert(), nb::arg("col_match").noconvert(),
      "Match columns to rows of the same rank; return the number of visited entries.");
  module.def(
      "propose_to_ghosts",
      [](In<std::int64_t> indptr, In<I> items, std::int64_t n_rows, In<I> col_match,
         In<std::uint8_t> ghost_matched, Out<std::int64_t> cursor) {
        const auto n_cols = static_cast<std::int64_t>(cursor.shape(0));
        require_places(indptr, n_cols + 1, "indptr");
        require_places(items, indptr.data()[n_cols], "items");
        require_places(col_match, n_cols, "col_match");
        const auto unmatched = static_cast<std::size_t>(
            std::count_if(col_match.data(), col_match.data() + n_cols, [](I r) { return r < 0; }));
        NumpyArray<I> cols = new_array<I>(unmatched), ghosts = new_array<I>(unmatched);
        OwnedBipartite<I> A{};
        A.n_rows = n_rows;
        A.n_cols = n_cols;
        A.indptr = indptr.data();
        A.items = items.data();
        A.col_match = const_cast<I*>(col_match.data());
        const std::int64_t count =
            propose_to_ghosts(A, ghost_matched.data(), cursor.data(), cols.data(), ghosts.data());
        return std::tuple(cols, ghosts, count);
      },
      nb::arg("indptr").noconvert(), nb::arg("items").noconvert(), nb::arg("n_rows"),
      nb::arg("col_match").noconvert(), nb::arg("ghost_matched").noconvert(),
      nb::arg("cursor").noconvert(),
      "Return (cols, ghosts, count): column cols[k] proposes to ghosts[k], for k < count.");
  module.def(
      "answer_proposals",
      [](In<I> rows, In<I> suitors, Out<I> row_match) {
        require_places(suitors, static_cast<std::int64_t>(rows.shape(0)), "suitors");
        if (!are_in_range(rows, static_cast<std::int64_t>(row_match.shape(0)))) {
          throw std::invalid_argument("a row is out of range");
        }
        NumpyArray<std::uint8_t> accepted = new_array<std::uint8_t>(rows.shape(0));
        answer_proposals(static_cast<std::int64_t>(rows.shape(0)), rows.data(), suitors.data(),
                         row_match.data(), accepted.data());
        return accepted;
      },
      nb::arg("rows").noconvert(), nb::arg("suitors").noconvert(), nb::arg("row_match").noconvert(),
      "Each unmatched row accepts the first proposal; return which proposals were accepted.");
  module.def(
      "uncovered",
      [](In<std::int64_t> indptr, In<I> items, In<std::uint8_t> col_in_cover,
         In<std::uint8_t> row_in_cover) {
        const auto n_cols = static_cast<std::int64_t>(col_in_cover.shape(0));
        require_places(indptr, n_cols + 1, "indptr");
        require_places(items, indptr.data()[n_cols], "items");
        if (!are_in_range(items, static_cast<std::int64_t>(row_in_cover.shape(0)))) {
          throw std::invalid_argument("an item is out of range");
        }
        return uncovered(n_cols, indptr.data(), items.data(), col_in_cover.data(),
                         row_in_cover.data());
      },
      nb::arg("indptr").noconvert(), nb::arg("items").noconvert(),
      nb::arg("col_in_cover").noconvert(), nb::arg("row_in_cover").noconvert(),
      "Number of entries outside the cover.");
  module.def(
      "matched_entries",
      [](In<std::int64_t> indptr, In<I> items, const AscendingNumbers<I>& ghosts,
         In<std::int64_t> row_bounds, In<std::int64_t> col_bounds, int rank, Out<I> row_match,
         Out<I> col_match) {
        return matched_entries(owned_bipartite<I>(indptr, items, ghosts, row_bounds, col_bounds,
                                                  rank, row_match, col_match));
      },
      nb::arg("indptr").noconvert(), nb::arg("items").noconvert(), nb::arg("ghosts"),
      nb::arg("row_bounds").noconvert(), nb::arg("col_bounds").noconvert(), nb::arg("rank"),
      nb::arg("row_match").noconvert(), nb::arg("col_match").noconvert(),
      "Number of matched columns whose row is in their list.");
}

}  // namespace

void bind_owned_transversal(nb::module_& module) {
  const char* const lists =
      "The columns of each row and ghost of one rank. The lists are made at their first use.";
  nb::class_<OwnedRows<std::int32_t>>(module, "OwnedRows32", lists).def(nb::init<>());
  nb::class_<OwnedRows<std::int64_t>>(module, "OwnedRows64", lists).def(nb::init<>());
  bind_trees<std::int32_t>(module, "OwnedTrees32");
  bind_trees<std::int64_t>(module, "OwnedTrees64");
  bind_karp_sipser<std::int32_t>(module, "OwnedKarpSipser32");
  bind_karp_sipser<std::int64_t>(module, "OwnedKarpSipser64");
  bind_pairs<std::int32_t>(module);
  bind_pairs<std::int64_t>(module);
}

}  // namespace btfperm
