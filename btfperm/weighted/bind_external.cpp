// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cerrno>
#include <map>
#include <string>
#include <tuple>

#include "backends/cpu/bind.hpp"
#include "weighted/external_certificate.hpp"
#include "weighted/graph/local_max_external.hpp"

namespace btfperm {
namespace {

constexpr std::int64_t scanned_block = 1 << 16;  // edges

// Raises OSError in Python, as Python itself does for a file.
[[noreturn]] void raise(const IoFailure& failure, const std::string& folder) {
  errno = failure.number;
  PyErr_SetFromErrnoWithFilename(PyExc_OSError, folder.c_str());
  throw nb::python_error();
}

template <class I>
void require_ends(const ExternalGraph& G, const Out<I>& mate) {
  require_places(mate, G.n, "mate");
  if (G.n > std::int64_t{1} << 32) throw std::invalid_argument("there are too many vertices");
}

template <class I>
nb::dict match_in_files(const ExternalGraph& G, Out<I>& mate, const std::string& folder,
                        std::int64_t memory, double time_limit, std::int64_t max_work,
                        std::uint64_t seed, const std::map<std::string, double>& named) {
  require_ends(G, mate);
  std::fill(mate.data(), mate.data() + G.n, I{-1});
  Budget budget(time_limit, max_work, &python_interrupted);
  ExternalCounters counters;
  const Options options{1, seed, named};
  const EdgeOrder order{mixed(seed), options.get("ties") == 0};
  try {
    const WithoutGil nogil;
    try {
      ExternalLocalMax<I>(G, mate.data(), order, options.get("limit"), folder, memory,
                          static_cast<ExternalModel>(options.get("model")), budget, counters)
          .run();
    } catch (const Unfinished&) {
    }
  } catch (const IoFailure& failure) {
    raise(failure, folder);
  }
  raise_if_interrupted(budget);
  nb::dict found;
  found["stop"] = static_cast<int>(budget.stop());
  found["rounds"] = counters.work.rounds;
  found["edges"] = counters.work.edges;
  found["sorted"] = counters.work.sorted;
  found["bytes_read"] = counters.volume.read;
  found["bytes_written"] = counters.volume.written;
  found["external_rounds"] = counters.external_rounds;
  found["left"] = nb::cast(counters.left);
  found["matched"] = nb::cast(counters.matched);
  found["twice"] = std::tuple(counters.twice_x, counters.twice_y);
  return found;
}

template <class I>
auto check_in_file(const ExternalGraph& G, const In<I>& mate, Out<double>& weight_of) {
  require_places(mate, G.n, "mate");
  require_places(weight_of, G.n, "weight_of");
  IoVolume volume;
  try {
    const FileCheck found = run_pass([&](Budget& budget) {
      const auto for_edges = [&](auto body) {
        BlockReader<HalfEdge> edges(G.descriptor, 0, G.edges, scanned_block, volume);
        while (const HalfEdge* const e = edges.next()) body(e->x, e->y, e->weight);
      };
      return check_edges(G.n, mate.data(), weight_of.data(), for_edges, budget);
    });
    return std::tuple(found.wrong, found.size, found.weight, found.maximal, found.dominant,
                      volume.read);
  } catch (const IoFailure& failure) {
    raise(failure, "the edges");
  }
}

template <class I>
void bind_external_width(nb::module_& module) {
  module.def(
      "local_max_external",
      [](int descriptor, std::int64_t edges, std::int64_t n, Out<I> mate, const std::string& folder,
         std::int64_t memory, double time_limit, std::int64_t max_work, std::uint64_t seed,
         const std::map<std::string, double>& named) {
        return match_in_files<I>({descriptor, edges, n}, mate, folder, memory, time_limit, max_work,
                                 seed, named);
      },
      nb::arg("descriptor"), nb::arg("edges"), nb::arg("n"), nb::arg("mate").noconvert(),
      nb::arg("folder"), nb::arg("memory"), nb::arg("time_limit") = 0.0, nb::arg("max_work") = 0,
      nb::arg("seed") = 0, nb::arg("options") = std::map<std::string, double>{},
      "Sets mate for a file of edges (uint32 larger end, uint32 smaller end, float64 weight).");
  module.def(
      "check_matching_in_file",
      [](int descriptor, std::int64_t edges, std::int64_t n, In<I> mate, Out<double> weight_of) {
        return check_in_file<I>({descriptor, edges, n}, mate, weight_of);
      },
      nb::arg("descriptor"), nb::arg("edges"), nb::arg("n"), nb::arg("mate").noconvert(),
      nb::arg("weight_of").noconvert(),
      "(a wrongly matched vertex or -1; matched edges; their weight; whether maximal; whether "
      "locally dominant; bytes read); sets the weight of the matched edge of each vertex.");
}

}  // namespace

void bind_external(nb::module_& module) {
  bind_external_width<std::int32_t>(module);
  bind_external_width<std::int64_t>(module);
}

}  // namespace btfperm
