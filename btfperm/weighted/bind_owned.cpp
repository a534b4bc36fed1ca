// SPDX-License-Identifier: BSD-3-Clause
// One rank's part of weighted searches and certificates over MPI ranks, in `_core.weighted`
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "backends/mpi/bind.hpp"
#include "weighted/owned_auction.hpp"
#include "weighted/owned_graph.hpp"
#include "weighted/owned_values.hpp"

namespace btfperm {
namespace {

template <class T>
NumpyArray<T> copied(const std::vector<T>& from) {
  NumpyArray<T> found = new_array<T>(from.size());
  std::copy(from.begin(), from.end(), found.data());
  return found;
}

// The entries of one rank, and the arrays that hold them.
template <class I>
struct BoundValues {
  BoundValues(std::int64_t n_rows, In<std::int64_t> indptr, In<I> items, In<double> value,
              In<I> row_block, In<I> col_block)
      : kept(indptr, items, value, row_block, col_block) {
    const auto n_cols = static_cast<std::int64_t>(col_block.shape(0));
    const auto n_local = static_cast<std::int64_t>(row_block.shape(0));
    require_places(indptr, n_cols + 1, "indptr");
    require_places(items, indptr.data()[n_cols], "items");
    require_places(value, indptr.data()[n_cols], "value");
    if (n_rows < 0 || n_rows > n_local) throw std::invalid_argument("row_block is too short");
    if (!are_in_range(items, n_local)) {
      throw std::invalid_argument("an item is out of range");
    }
    A = {n_rows,       n_cols,       n_local,          indptr.data(),
         items.data(), value.data(), row_block.data(), col_block.data()};
  }

  std::tuple<In<std::int64_t>, In<I>, In<double>, In<I>, In<I>> kept;
  OwnedValues<I> A;
};

template <class I>
void bind_values(nb::module_& module, const char* name) {
  using Values = BoundValues<I>;
  nb::class_<Values>(module, name, "The entries of one rank with values.")
      .def(nb::init<std::int64_t, In<std::int64_t>, In<I>, In<double>, In<I>, In<I>>(),
           nb::arg("n_rows"), nb::arg("indptr").noconvert(), nb::arg("items").noconvert(),
           nb::arg("value").noconvert(), nb::arg("row_block").noconvert(),
           nb::arg("col_block").noconvert())
      .def(
          "col_duals",
          [](const Values& self, In<double> row_dual) {
            require_places(row_dual, self.A.n_local, "row_dual");
            NumpyArray<double> found = new_array<double>(static_cast<std::size_t>(self.A.n_cols));
            run_pass([&](Budget& budget) {
              set_col_duals(self.A, row_dual.data(), found.data(), budget);
            });
            return found;
          },
          nb::arg("row_dual").noconvert(), "The largest feasible dual of each column.")
      .def(
          "row_slack",
          [](const Values& self, In<double> row_dual, In<double> col_dual) {
            require_places(row_dual, self.A.n_local, "row_dual");
            require_places(col_dual, self.A.n_cols, "col_dual");
            NumpyArray<double> found = new_array<double>(static_cast<std::size_t>(self.A.n_local));
            run_pass([&](Budget& budget) {
              set_row_slack(self.A, row_dual.data(), col_dual.data(), found.data(), budget);
            });
            return found;
          },
          nb::arg("row_dual").noconvert(), nb::arg("col_dual").noconvert(),
          "The least slack of the entries of this rank in each row.")
      .def(
          "near",
          [](const Values& self, In<I> numbers, In<I> col_match, In<double> row_dual,
             In<double> col_dual, double most) {
            require_places(numbers, self.A.n_local, "numbers");
            require_places(col_match, self.A.n_cols, "col_match");
            require_places(row_dual, self.A.n_local, "row_dual");
            require_places(col_dual, self.A.n_cols, "col_dual");
            NumpyArray<bool> found =
                new_array<bool>(static_cast<std::size_t>(self.A.indptr[self.A.n_cols]));
            run_pass([&](Budget& budget) {
              mark_near(self.A, numbers.data(), col_match.data(), row_dual.data(), col_dual.data(),
                        most, found.data(), budget);
            });
            return found;
          },
          nb::arg("numbers").noconvert(), nb::arg("col_match").noconvert(),
          nb::arg("row_dual").noconvert(), nb::arg("col_dual").noconvert(), nb::arg("most"),
          "Marks the entries whose slack is at most `most`, and the matched entries.")
      .def(
          "differences",
          [](const Values& self, In<double> row_dual, double rounding) {
            require_places(row_dual, self.A.n_local, "row_dual");
            const Differences found = run_pass([&](Budget& budget) {
              return differences(self.A, row_dual.data(), rounding, budget);
            });
            return std::tuple(found.sum, found.positive);
          },
          nb::arg("row_dual").noconvert(), nb::arg("rounding"),
          "(sum of the differences between first and second choices, number of columns whose "
          "difference is not 0)")
      .def(
          "cross_edges",
          [](const Values& self, In<double> row_dual, In<double> col_dual) {
            require_places(row_dual, self.A.n_local, "row_dual");
            require_places(col_dual, self.A.n_cols, "col_dual");
            const CrossEdges<I> found = run_pass([&](Budget& budget) {
              return cross_edges(self.A, row_dual.data(), col_dual.data(), budget);
            });
            return std::tuple(copied(found.from), copied(found.to), copied(found.excess));
          },
          nb::arg("row_dual").noconvert(), nb::arg("col_dual").noconvert(),
          "(from, to, excess) of the entries between two blocks.");
}

template <class I>
struct BoundAuction {
  BoundAuction(const BoundValues<I>& values, In<I> ghosts, In<std::int64_t> row_bounds,
               In<std::int64_t> col_bounds, int rank, Out<double> dual, Out<I> row_match,
               Out<std::int64_t> match_at)
      : kept(ghosts, row_bounds, col_bounds, dual, row_match, match_at), entries(values) {
    const OwnedValues<I>& A = entries.A;
    ranks = static_cast<int>(row_bounds.shape(0)) - 1;
    require_places(col_bounds, ranks + 1, "col_bounds");
    if (rank < 0 || rank >= ranks) throw std::invalid_argument("there is no such rank");
    require_places(ghosts, A.n_local - A.n_rows, "ghosts");
    require_places(dual, A.n_local, "dual");
    require_places(row_match, A.n_rows, "row_match");
    require_places(match_at, A.n_cols, "match_at");
    if (row_bounds.data()[rank + 1] - row_bounds.data()[rank] != A.n_rows ||
        col_bounds.data()[rank + 1] - col_bounds.data()[rank] != A.n_cols) {
      throw std::invalid_argument("the bounds do not fit the entries");
    }
    const std::int64_t last = A.indptr[A.n_cols];
    for (std::int64_t c = 0; c < A.n_cols; ++c) {
      const std::int64_t at = match_at.data()[c];
      if (at < -1 || at >= last) throw std::invalid_argument("match_at is out of range");
    }
    auction = std::make_unique<OwnedAuction<I>>(entries.A, ghosts.data(), row_bounds.data(),
                                                col_bounds.data(), rank, ranks, dual.data(),
                                                row_match.data(), match_at.data());
    n_cols_of_all = col_bounds.data()[ranks];
  }

  // Number of lines. Throws unless each line names a row of this rank and a column, or a ghost.
  std::int64_t checked(const In<std::int64_t>& lines) const {
    if (lines.shape(0) % 3 != 0) throw std::invalid_argument("a line has three fields");
    const In<I>& ghosts = std::get<0>(kept);
    for (std::size_t k = 0; k < lines.shape(0); k += 3) {
      const std::int64_t target = lines.data()[k], col = lines.data()[k + 1];
      const bool is_here = target >= 0
                               ? target < entries.A.n_rows && col >= 0 && col < n_cols_of_all
                               : std::binary_search(ghosts.data(), ghosts.data() + ghosts.shape(0),
                                                    static_cast<I>(-1 - target));
      if (!is_here) throw std::invalid_argument("a target is out of range");
    }
    return static_cast<std::int64_t>(lines.shape(0)) / 3;
  }

  std::tuple<In<I>, In<std::int64_t>, In<std::int64_t>, Out<double>, Out<I>, Out<std::int64_t>>
      kept;
  BoundValues<I> entries;
  int ranks;
  std::int64_t n_cols_of_all;
  std::unique_ptr<OwnedAuction<I>> auction;
};

template <class I>
void bind_auction(nb::module_& module, const char* name) {
  using Auction = BoundAuction<I>;
  nb::class_<Auction>(module, name, "The part of one rank in an auction.")
      .def(nb::init<const BoundValues<I>&, In<I>, In<std::int64_t>, In<std::int64_t>, int,
                    Out<double>, Out<I>, Out<std::int64_t>>(),
           nb::arg("values"), nb::arg("ghosts").noconvert(), nb::arg("row_bounds").noconvert(),
           nb::arg("col_bounds").noconvert(), nb::arg("rank"), nb::arg("dual").noconvert(),
           nb::arg("row_match").noconvert(), nb::arg("match_at").noconvert())
      .def(
          "begin",
          [](Auction& self, double epsilon) {
            run_pass([&](Budget& budget) { self.auction->begin(epsilon, budget); });
          },
          nb::arg("epsilon"))
      .def(
          "bid",
          [](Auction& self, In<std::int64_t> lines, double epsilon, std::int64_t most) {
            const std::int64_t count = self.checked(lines);
            const std::int64_t edges = run_pass([&](Budget& budget) {
              return self.auction->bid(count, lines.data(), epsilon, most, budget);
            });
            auto& outbox = self.auction->outbox();
            NumpyArray<std::int64_t> found = new_array<std::int64_t>(3 * outbox.size());
            NumpyArray<std::int64_t> sent = new_array<std::int64_t>(self.ranks);
            outbox.deliver(self.ranks, sent.data(), found.data());
            return std::tuple(found, sent, edges, self.auction->waiting());
          },
          nb::arg("lines").noconvert(), nb::arg("epsilon"), nb::arg("most"),
          "(lines to send, number of lines for each rank, entries visited, columns in the queue)")
      .def_prop_ro("bids", [](const Auction& self) { return self.auction->bids(); });
}

template <class I>
struct BoundGraph {
  BoundGraph(std::int64_t n_own, In<std::int64_t> indptr, In<I> items, In<double> weight,
             In<I> numbers)
      : kept(indptr, items, weight, numbers) {
    const auto n_local = static_cast<std::int64_t>(numbers.shape(0));
    if (n_own < 0 || n_own > n_local) throw std::invalid_argument("numbers is too short");
    require_places(indptr, n_own + 1, "indptr");
    require_places(items, indptr.data()[n_own], "items");
    require_places(weight, indptr.data()[n_own], "weight");
    if (!are_in_range(items, n_local)) {
      throw std::invalid_argument("an item is out of range");
    }
    G = {n_own, n_local, indptr.data(), items.data(), weight.data(), numbers.data()};
  }

  std::tuple<In<std::int64_t>, In<I>, In<double>, In<I>> kept;
  OwnedGraph<I> G;
};

template <class I>
void bind_graph_of_rank(nb::module_& module, const char* name) {
  using Graph = BoundGraph<I>;
  const auto filled = [](std::int64_t count, auto fill) {
    NumpyArray<double> found = new_array<double>(static_cast<std::size_t>(count));
    run_pass([&](Budget& budget) { fill(found.data(), budget); });
    return found;
  };
  nb::class_<Graph>(module, name, "The vertices of one rank in a graph.")
      .def(nb::init<std::int64_t, In<std::int64_t>, In<I>, In<double>, In<I>>(), nb::arg("n_own"),
           nb::arg("indptr").noconvert(), nb::arg("items").noconvert(),
           nb::arg("weight").noconvert(), nb::arg("numbers").noconvert())
      .def(
          "candidates",
          [](const Graph& self, In<std::uint8_t> matched, std::uint64_t seed, bool renewed,
             std::int64_t round) {
            require_places(matched, self.G.n_local, "matched");
            NumpyArray<I> found = new_array<I>(static_cast<std::size_t>(self.G.n_own));
            EdgeOrder order{mixed(seed), renewed};
            order.start_round(round);
            const std::int64_t visited = run_pass([&](Budget& budget) {
              return choose_candidates(self.G, order, matched.data(), found.data(), budget);
            });
            return std::tuple(found, visited);
          },
          nb::arg("matched").noconvert(), nb::arg("seed"), nb::arg("renewed"), nb::arg("round"),
          "(the neighbour at the heaviest edge of each unmatched vertex, or -1; entries visited)")
      .def(
          "mate_weights",
          [filled](const Graph& self, In<I> mate) {
            require_places(mate, self.G.n_own, "mate");
            return filled(self.G.n_own, [&](double* weight, Budget& budget) {
              set_mate_weights(self.G, mate.data(), weight, budget);
            });
          },
          nb::arg("mate").noconvert(), "The weight of the matched edge of each vertex, or 0.")
      .def(
          "half_weights",
          [filled](const Graph& self) {
            return filled(self.G.n_own, [&](double* dual, Budget& budget) {
              set_half_weights(self.G, dual, budget);
            });
          },
          "Half of the largest weight at each vertex.")
      .def(
          "check",
          [](const Graph& self, In<I> mate, In<double> mate_weight, In<I> round_of,
             Out<std::int64_t> removed) {
            require_places(mate, self.G.n_own, "mate");
            require_places(mate_weight, self.G.n_local, "mate_weight");
            require_places(round_of, self.G.n_local, "round_of");
            const auto rounds = static_cast<std::int64_t>(removed.shape(0)) - 1;
            const OwnedGraphFacts found = run_pass([&](Budget& budget) {
              return check_owned_graph(self.G, mate.data(), mate_weight.data(), round_of.data(),
                                       rounds, removed.data(), budget);
            });
            return std::tuple(found.wrong, found.weight, found.edges, found.free_at,
                              found.heavy_at);
          },
          nb::arg("mate").noconvert(), nb::arg("mate_weight").noconvert(),
          nb::arg("round_of").noconvert(), nb::arg("removed").noconvert(),
          "The fields of OwnedGraphFacts.")
      .def(
          "lower_duals",
          [](const Graph& self, bool upper, Out<double> dual) {
            require_places(dual, self.G.n_local, "dual");
            run_pass([&](Budget& budget) { lower_duals(self.G, upper, dual.data(), budget); });
          },
          nb::arg("upper"), nb::arg("dual").noconvert())
      .def(
          "largest_excess",
          [](const Graph& self, In<double> dual) {
            require_places(dual, self.G.n_local, "dual");
            return run_pass(
                [&](Budget& budget) { return largest_excess(self.G, dual.data(), budget); });
          },
          nb::arg("dual").noconvert());
}

template <class I>
void bind_width(nb::module_& module) {
  module.def(
      "relax",
      [](In<I> from, In<I> to, In<double> excess, Out<double> shift) {
        const auto count = static_cast<std::int64_t>(from.shape(0));
        require_places(to, count, "to");
        require_places(excess, count, "excess");
        const auto places = static_cast<std::int64_t>(shift.shape(0));
        if (!are_in_range(from, places) || !are_in_range(to, places)) {
          throw std::invalid_argument("a block is out of range");
        }
        return run_pass([&](Budget& budget) {
          return relax(count, from.data(), to.data(), excess.data(), shift.data(), budget);
        });
      },
      nb::arg("from").noconvert(), nb::arg("to").noconvert(), nb::arg("excess").noconvert(),
      nb::arg("shift").noconvert(),
      "Raises the shifts of blocks in one pass; returns how often a shift rose.");
  module.def(
      "check_owned_duals",
      [](In<std::int64_t> indptr, In<I> items, In<I> numbers, In<double> value, In<I> col_match,
         In<double> row_dual, In<double> col_dual) {
        const auto n_cols = static_cast<std::int64_t>(col_match.shape(0));
        require_places(indptr, n_cols + 1, "indptr");
        require_places(items, indptr.data()[n_cols], "items");
        require_places(value, indptr.data()[n_cols], "value");
        require_places(col_dual, n_cols, "col_dual");
        require_places(row_dual, static_cast<std::int64_t>(numbers.shape(0)), "row_dual");
        if (!are_in_range(items, static_cast<std::int64_t>(numbers.shape(0)))) {
          throw std::invalid_argument("an item is out of range");
        }
        const DualCheck found = run_pass([&](Budget& budget) {
          return check_owned_duals(n_cols, indptr.data(), items.data(), numbers.data(),
                                   value.data(), col_match.data(), row_dual.data(), col_dual.data(),
                                   budget);
        });
        return std::tuple(found.excess, found.at, found.slack, found.total.value(), found.matched);
      },
      nb::arg("indptr").noconvert(), nb::arg("items").noconvert(), nb::arg("numbers").noconvert(),
      nb::arg("value").noconvert(), nb::arg("col_match").noconvert(),
      nb::arg("row_dual").noconvert(), nb::arg("col_dual").noconvert(),
      "The same as check_duals for the entries of one rank.");
}

}  // namespace

void bind_owned_weighted(nb::module_& module) {
  bind_values<std::int32_t>(module, "OwnedValues32");
  bind_values<std::int64_t>(module, "OwnedValues64");
  bind_auction<std::int32_t>(module, "OwnedAuction32");
  bind_auction<std::int64_t>(module, "OwnedAuction64");
  bind_graph_of_rank<std::int32_t>(module, "OwnedGraph32");
  bind_graph_of_rank<std::int64_t>(module, "OwnedGraph64");
  bind_width<std::int32_t>(module);
  bind_width<std::int64_t>(module);
}

}  // namespace btfperm
