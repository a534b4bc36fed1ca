// SPDX-License-Identifier: BSD-3-Clause
#include "backends/cpu/bind.hpp"

#include <nanobind/stl/pair.h>

#include "transversal/augmenting/hopcroft_karp.hpp"
#include "transversal/augmenting/ms_bfs.hpp"
#include "transversal/augmenting/pothen_fan.hpp"
#include "transversal/augmenting/ss_bfs.hpp"
#include "transversal/certificate.hpp"
#include "transversal/displacement/guided_displacement.hpp"
#include "transversal/initial/greedy.hpp"
#include "transversal/initial/karp_sipser.hpp"
#include "transversal/interface.hpp"

namespace btfperm {
namespace {

// Every algorithm looks alike from Python: it improves row_match and col_match in place and
// answers (what stopped it, what it counted).
template <class I, class Run>
void bind_algorithm(nb::module_& module, const char* name, Run run) {
  module.def(
      name,
      [run](std::int64_t m, In<I> indptr, In<I> indices, Out<I> row_match, Out<I> col_match,
            double time_limit, std::int64_t max_work) {
        const PatternView<I> A = view_of<I>(m, indptr, indices);
        Budget budget(time_limit, max_work, &python_interrupted);
        Counters counters;
        {
          nb::gil_scoped_release nogil;
          Workspace workspace;
          run(A, Matching<I>{row_match.data(), col_match.data()}, workspace, budget, counters);
        }
        raise_if_interrupted(budget);
        nb::dict counted;
        for (const auto& counter : counters.named()) {
          if (counter.value != 0) counted[counter.name] = counter.value;
        }
        return std::pair<int, nb::dict>(static_cast<int>(budget.stop()), counted);
      },
      nb::arg("m"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("row_match").noconvert(), nb::arg("col_match").noconvert(),
      nb::arg("time_limit") = 0.0, nb::arg("max_work") = 0,
      "Improve a matching in place; (0 done, 2 time limit, 3 work limit; counters).");
}

template <class I>
void bind_width(nb::module_& module) {
  using View = const PatternView<I>&;
  using M = Matching<I>;

  bind_algorithm<I>(module, "greedy", [](View A, M match, Workspace&, Budget& b, Counters& c) {
    greedy(A, match, b, c);
  });
  bind_algorithm<I>(module, "karp_sipser", &karp_sipser<I>);
  bind_algorithm<I>(module, "pothen_fan",
                    [](View A, M match, Workspace& w, Budget& b, Counters& c) {
                      pothen_fan(A, match, true, w, b, c);
                    });
  bind_algorithm<I>(module, "hopcroft_karp", &hopcroft_karp<I>);
  bind_algorithm<I>(module, "ss_bfs", &ss_bfs<I>);
  bind_algorithm<I>(module, "ms_bfs", &ms_bfs<I>);
  bind_algorithm<I>(module, "guided_displacement", &guided_displacement<I>);

  module.def(
      "find_cover",
      [](std::int64_t m, In<I> indptr, In<I> indices, In<I> row_match, In<I> col_match,
         Out<std::uint8_t> row_in_cover, Out<std::uint8_t> col_in_cover) {
        const PatternView<I> A = view_of<I>(m, indptr, indices);
        // find_cover only reads the matching.
        const Matching<I> match{const_cast<I*>(row_match.data()), const_cast<I*>(col_match.data())};
        Budget budget(0, 0, &python_interrupted);
        bool found = false;
        {
          nb::gil_scoped_release nogil;
          Workspace workspace;
          found = find_cover(A, match, row_in_cover.data(), col_in_cover.data(), workspace, budget);
        }
        raise_if_interrupted(budget);
        return found;
      },
      nb::arg("m"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("row_match").noconvert(), nb::arg("col_match").noconvert(),
      nb::arg("row_in_cover").noconvert(), nb::arg("col_in_cover").noconvert(),
      "Minimum cover of a maximum matching; False when the matching is not maximum.");
  module.def(
      "check_matching",
      [](std::int64_t m, In<I> indptr, In<I> indices, In<I> row_match, In<I> col_match) {
        const PatternView<I> A = view_of<I>(m, indptr, indices);
        const Matching<I> match{const_cast<I*>(row_match.data()), const_cast<I*>(col_match.data())};
        nb::gil_scoped_release nogil;
        I where = -1;
        const Verdict verdict = check_matching(A, match, where);
        return std::pair<int, std::int64_t>(static_cast<int>(verdict), where);
      },
      nb::arg("m"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("row_match").noconvert(), nb::arg("col_match").noconvert(),
      "(0 a matching of the pattern, 1 arrays disagree, 2 no such entry; column at fault)");
  module.def(
      "check_cover",
      [](std::int64_t m, In<I> indptr, In<I> indices, In<I> row_match, In<I> col_match,
         In<std::uint8_t> row_in_cover, In<std::uint8_t> col_in_cover) {
        const PatternView<I> A = view_of<I>(m, indptr, indices);
        const Matching<I> match{const_cast<I*>(row_match.data()), const_cast<I*>(col_match.data())};
        nb::gil_scoped_release nogil;
        I where = -1;
        const Verdict verdict =
            check_cover(A, match, row_in_cover.data(), col_in_cover.data(), where);
        return std::pair<int, std::int64_t>(static_cast<int>(verdict), where);
      },
      nb::arg("m"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("row_match").noconvert(), nb::arg("col_match").noconvert(),
      nb::arg("row_in_cover").noconvert(), nb::arg("col_in_cover").noconvert(),
      "(0 a cover of the matching's size, 3 larger, 4 an entry is not touched; its column)");
}

}  // namespace

void bind_transversal(nb::module_& module) {
  bind_width<std::int32_t>(module);
  bind_width<std::int64_t>(module);
}

}  // namespace btfperm
