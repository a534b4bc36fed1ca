// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <string>
#include <tuple>

#include "backends/cpu/bind.hpp"
#include "weighted/graph/gpa.hpp"
#include "weighted/graph/greedy.hpp"
#include "weighted/graph/hem.hpp"
#include "weighted/graph/local_max.hpp"
#include "weighted/graph/random_greedy.hpp"
#include "weighted/graph/red_blue.hpp"
#include "weighted/graph_bound.hpp"
#include "weighted/graph_certificate.hpp"

namespace btfperm {
namespace {

template <class I>
PatternView<I> graph_of(const In<I>& indptr, const In<I>& indices, const In<double>& weight) {
  const auto n = static_cast<std::int64_t>(indptr.shape(0)) - 1;
  const PatternView<I> A = checked_view_of<I>(std::max<std::int64_t>(n, 0), indptr, indices);
  require_places(weight, A.nnz(), "weight");
  return A;
}

// Every algorithm has the same signature in Python: it sets mate, round_of and dual, and returns
// (the limit that stopped it, rounds, edges visited, edges sorted).
template <class I, class Run>
void bind_matcher(nb::module_& module, const char* name, Run run) {
  module.def(
      name,
      [run](In<I> indptr, In<I> indices, In<double> weight, Out<I> mate, Out<I> round_of,
            Out<double> dual, double time_limit, std::int64_t max_work, int threads,
            std::uint64_t seed, const std::map<std::string, double>& named) {
        const GraphView<I> G{graph_of<I>(indptr, indices, weight), weight.data()};
        require_places(mate, G.n(), "mate");
        require_places(round_of, G.n(), "round_of");
        require_places(dual, G.n(), "dual");
        std::fill(mate.data(), mate.data() + G.n(), I{-1});
        std::fill(round_of.data(), round_of.data() + G.n(), I{0});
        std::fill(dual.data(), dual.data() + G.n(), 0.0);
        Budget budget(time_limit, max_work, &python_interrupted);
        GraphCounters counters;
        {
          const WithoutGil nogil;
          Workspace workspace;
          try {
            run(G, GraphMatching<I>{mate.data(), round_of.data(), dual.data()},
                Options{threads, seed, named}, workspace, budget, counters);
          } catch (const Unfinished&) {
          }
        }
        raise_if_interrupted(budget);
        return std::tuple<int, std::int64_t, std::int64_t, std::int64_t>(
            static_cast<int>(budget.stop()), counters.rounds, counters.edges, counters.sorted);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weight").noconvert(),
      nb::arg("mate").noconvert(), nb::arg("round_of").noconvert(), nb::arg("dual").noconvert(),
      nb::arg("time_limit") = 0.0, nb::arg("max_work") = 0, nb::arg("threads") = 1,
      nb::arg("seed") = 0, nb::arg("options") = std::map<std::string, double>{},
      "A matching of a graph; (0 done, 2 time limit, 3 work limit; rounds; edges visited; edges "
      "sorted).");
}

template <class I>
void bind_searches(nb::module_& module) {
  bind_matcher<I>(module, "greedy", &greedy_graph<I>);
  bind_matcher<I>(module, "local_max", &local_max_graph<I>);
  bind_matcher<I>(module, "hem", &hem<I>);
  bind_matcher<I>(module, "gpa", &gpa<I>);
  bind_matcher<I>(module, "random_greedy", &random_greedy<I>);
  bind_matcher<I>(module, "red_blue", &red_blue<I>);
  module.def(
      "finish_local_max",
      [](In<I> u, In<I> v, In<double> weight, Out<I> mate, Out<I> round_of, std::uint64_t seed,
         bool renewed, std::int64_t round) {
        require_places(v, u.shape(0), "v");
        require_places(weight, u.shape(0), "weight");
        require_places(round_of, mate.shape(0), "round_of");
        const auto n = static_cast<std::int64_t>(mate.shape(0));
        const auto edges = static_cast<I>(u.shape(0));
        run_pass([&](Budget& budget) {
          Workspace workspace;
          Edge<I>* const E = workspace.take<Edge<I>>(edges);
          for (I e = 0; e < edges; ++e) {
            E[e] = {weight.data()[e], u.data()[e], v.data()[e]};
            if (E[e].u < 0 || E[e].u >= E[e].v || E[e].v >= n) {
              throw std::invalid_argument("an edge has a vertex that does not exist");
            }
          }
          EdgeOrder order{mixed(seed), renewed};
          GraphCounters counters;
          order.start_round(counters.rounds = round);
          finish_sorted(E, edges, workspace.take<Edge<I>>(edges), order,
                        GraphMatching<I>{mate.data(), round_of.data(), nullptr}, budget, counters);
        });
      },
      nb::arg("u").noconvert(), nb::arg("v").noconvert(), nb::arg("weight").noconvert(),
      nb::arg("mate").noconvert(), nb::arg("round_of").noconvert(), nb::arg("seed"),
      nb::arg("renewed"), nb::arg("round"),
      "Sorts and matches the edges {u, v}, u < v, that local-max leaves to this round.");
}

template <class I>
void bind_checks(nb::module_& module) {
  module.def(
      "find_fault",
      [](In<I> indptr, In<I> indices, In<double> weight) {
        const PatternView<I> A = graph_of<I>(indptr, indices, weight);
        const FaultyEntry found = run_pass([&](Budget& budget) {
          Workspace workspace;
          return find_fault(A, weight.data(), workspace, budget);
        });
        return std::tuple<int, std::int64_t, std::int64_t, double, double>(
            static_cast<int>(found.fault), found.i, found.j, found.value, found.counterpart);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weight").noconvert(),
      "(fault; row, column and value of the faulty entry; value of its counterpart). The faults: 0 "
      "none, 1 no counterpart, 2 a counterpart with another value, 3 no positive finite weight");
  module.def(
      "check_graph_matching",
      [](In<I> indptr, In<I> indices, In<double> weight, In<I> mate, In<I> round_of,
         Out<std::int64_t> removed) {
        const PatternView<I> A = graph_of<I>(indptr, indices, weight);
        require_places(mate, A.n, "mate");
        require_places(round_of, A.n, "round_of");
        if (removed.shape(0) == 0) throw std::invalid_argument("removed has no elements");
        const GraphCheck found = run_pass([&](Budget& budget) {
          Workspace workspace;
          return check_graph_matching(A, weight.data(), mate.data(), round_of.data(),
                                      static_cast<std::int64_t>(removed.shape(0)) - 1,
                                      removed.data(), workspace, budget);
        });
        return std::tuple<std::int64_t, std::int64_t, double, std::int64_t, std::int64_t,
                          std::int64_t>(found.wrong, found.size, found.weight, found.edges,
                                        found.free_at, found.heavy_at);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weight").noconvert(),
      nb::arg("mate").noconvert(), nb::arg("round_of").noconvert(), nb::arg("removed").noconvert(),
      "(a wrongly matched vertex or -1; matched edges; their weight; edges; an entry between "
      "unmatched vertices or -1; an entry heavier than the matched edges of its ends or -1)");
  module.def(
      "check_graph_duals",
      [](In<I> indptr, In<I> indices, In<double> weight, In<double> dual) {
        const PatternView<I> A = graph_of<I>(indptr, indices, weight);
        require_places(dual, A.n, "dual");
        const GraphDualCheck found = run_pass([&](Budget& budget) {
          return check_graph_duals(A, weight.data(), dual.data(), budget);
        });
        return std::tuple<double, std::int64_t, double, bool>(found.excess, found.at, found.total,
                                                              found.negative);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weight").noconvert(),
      nb::arg("dual").noconvert(),
      "(largest weight minus its two duals, at least 0; the position of an entry with this "
      "difference; sum of the duals; whether a dual is negative)");
}

template <class I>
void bind_bounds(nb::module_& module) {
  module.def(
      "bound_by_auction",
      [](In<I> indptr, In<I> indices, In<double> weight, Out<double> dual, double step,
         double passes) {
        const PatternView<I> A = graph_of<I>(indptr, indices, weight);
        require_places(dual, A.n, "dual");
        run_pass([&](Budget& budget) {
          Workspace workspace;
          bound_by_auction(A, weight.data(), step, passes, dual.data(), workspace, budget);
        });
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weight").noconvert(),
      nb::arg("dual").noconvert(), nb::arg("step"), nb::arg("passes"),
      "Sets feasible duals by an auction of this number of passes over the entries.");
  module.def(
      "tighten_duals",
      [](In<I> indptr, In<I> indices, In<double> weight, Out<double> dual) {
        const PatternView<I> A = graph_of<I>(indptr, indices, weight);
        require_places(dual, A.n, "dual");
        run_pass([&](Budget& budget) { tighten_duals(A, weight.data(), dual.data(), budget); });
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weight").noconvert(),
      nb::arg("dual").noconvert(), "Lowers each dual in turn as far as the others permit.");
}

template <class I>
void bind_graph_width(nb::module_& module) {
  bind_searches<I>(module);
  bind_checks<I>(module);
  bind_bounds<I>(module);
}

}  // namespace

void bind_graph(nb::module_& module) {
  bind_graph_width<std::int32_t>(module);
  bind_graph_width<std::int64_t>(module);
}

}  // namespace btfperm
