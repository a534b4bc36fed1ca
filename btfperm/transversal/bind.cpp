// SPDX-License-Identifier: BSD-3-Clause
#include "backends/cpu/bind.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "backends/cpu/sharing.hpp"
#include "transversal/augmenting/hkdw.hpp"
#include "transversal/augmenting/hopcroft_karp.hpp"
#include "transversal/augmenting/ms_bfs.hpp"
#include "transversal/augmenting/ms_bfs_graft.hpp"
#include "transversal/augmenting/p_dbfs.hpp"
#include "transversal/augmenting/pothen_fan.hpp"
#include "transversal/augmenting/ss_bfs.hpp"
#include "transversal/augmenting/ss_dfs.hpp"
#include "transversal/bind_algorithm.hpp"
#include "transversal/certificate.hpp"
#include "transversal/displacement/guided_displacement.hpp"
#include "transversal/initial/greedy.hpp"
#include "transversal/initial/karp_sipser.hpp"
#include "transversal/initial/local_max.hpp"
#include "transversal/initial/min_degree.hpp"
#include "transversal/initial/singles_first.hpp"
#include "transversal/initial/two_sided.hpp"
#include "transversal/interface.hpp"
#include "transversal/push_relabel/push_relabel.hpp"
#include "transversal/push_relabel/push_relabel_mt.hpp"

namespace btfperm {
namespace {

template <class I>
Matching<I> matching_of(const In<I>& row_match, const In<I>& col_match) {
  // The functions that get this matching do not change it.
  return {const_cast<I*>(row_match.data()), const_cast<I*>(col_match.data())};
}

std::pair<int, std::int64_t> answer(Verdict verdict, std::int64_t where) {
  return {static_cast<int>(verdict), where};
}

// Only the last step of guided-displacement, for tests: some of its cases are rare in whole calls.
template <class I>
void only_finish(const PatternView<I>& A, Matching<I> M, const Options& options,
                 Workspace& workspace, Budget& budget, Counters& counters, Proof& proof) {
  FinishRules rules;
  const auto given = [&options](const char* name, auto& rule) {
    const auto found = options.named.find(name);
    if (found != options.named.end())
      rule = static_cast<std::decay_t<decltype(rule)>>(found->second);
  };
  given("passes", rules.passes);
  given("pushed_passes", rules.pushed_passes);
  given("max_phases", rules.max_phases);
  given("first_root", rules.first_root);
  I* const unmatched = workspace.take<I>(A.n);
  const I n_unmatched = list_unmatched(A, M, options.threads, unmatched);
  finish_by_trees(A, M, unmatched, n_unmatched, options.threads, rules, workspace, budget, counters,
                  proof);
}

template <class I>
void bind_algorithms(nb::module_& module) {
  bind_algorithm<I>(module, "greedy", &greedy<I>);
  bind_algorithm<I>(module, "singles_first", &singles_first<I>);
  bind_algorithm<I>(module, "karp_sipser", &karp_sipser<I>);
  bind_algorithm<I>(module, "min_degree", &min_degree<I>);
  bind_algorithm<I>(module, "two_sided", &two_sided<I>);
  bind_algorithm<I>(module, "local_max", &local_max<I>);
  bind_algorithm<I>(module, "ss_dfs", &ss_dfs<I>);
  bind_algorithm<I>(module, "ss_bfs", &ss_bfs<I>);
  bind_algorithm<I>(module, "ms_bfs", &ms_bfs<I>);
  bind_algorithm<I>(module, "pothen_fan", &pothen_fan<I>);
  bind_algorithm<I>(module, "hopcroft_karp", &hopcroft_karp<I>);
  bind_algorithm<I>(module, "hkdw", &hkdw<I>);
  bind_algorithm<I>(module, "p_dbfs", &p_dbfs<I>);
  bind_algorithm<I>(module, "ms_bfs_graft", &ms_bfs_graft<I>);
  bind_algorithm<I>(module, "push_relabel", &push_relabel<I>);
  bind_algorithm<I>(module, "push_relabel_mt", &push_relabel_mt<I>);
  bind_algorithm<I>(module, "guided_displacement", &guided_displacement<I>);
}

template <class I>
void bind_matchings(nb::module_& module) {
  module.def(
      "unmatched",
      [](std::int64_t m, In<I> indptr, int threads) {
        if (indptr.shape(0) == 0) throw std::invalid_argument("indptr has no elements");
        if (m < 0 || m > std::numeric_limits<I>::max()) {
          throw std::invalid_argument("m is out of range");
        }
        const std::size_t rows = static_cast<std::size_t>(m);
        const std::size_t cols = indptr.shape(0) - 1;
        auto memory = std::make_unique<Workspace>();
        I* const row_match = memory->take<I>(rows);
        I* const col_match = memory->take<I>(cols);
        std::uint8_t* const row_in_cover = memory->take<std::uint8_t>(rows + cols);
        std::uint8_t* const col_in_cover = row_in_cover + rows;
        run_pass([&](Budget& budget) {
          fill(row_match, m, I{-1}, threads, budget);
          fill(col_match, static_cast<std::int64_t>(cols), I{-1}, threads, budget);
          fill(row_in_cover, m, std::uint8_t{0}, threads, budget);
        });
        const nb::capsule owner = owner_of(std::move(memory));
        return nb::make_tuple(NumpyArray<I>(row_match, {rows}, owner),
                              NumpyArray<I>(col_match, {cols}, owner),
                              NumpyArray<std::uint8_t>(row_in_cover, {rows}, owner),
                              NumpyArray<std::uint8_t>(col_in_cover, {cols}, owner));
      },
      nb::arg("m"), nb::arg("indptr").noconvert(), nb::arg("threads") = 1,
      "Return (row_match, col_match, row_in_cover, col_in_cover) for a matrix with m rows. The "
      "first two are all -1, the third is all 0, the last is not initialised. The core reuses "
      "their memory.");
  module.def(
      "count_matched",
      [](In<I> match, int threads) {
        const WithoutGil nogil;
        return count_matched(static_cast<I>(match.shape(0)), match.data(), threads);
      },
      nb::arg("match").noconvert(), nb::arg("threads") = 1, "Number of elements that are not -1.");
}

// The steps after a search: cover, completed cover, rank bound, legality and certificate.
template <class I>
void bind_certificate(nb::module_& module) {
  module.def(
      "find_cover",
      [](std::int64_t m, In<I> indptr, In<I> indices, In<I> row_match, In<I> col_match,
         Out<std::uint8_t> row_in_cover, int threads) {
        const PatternView<I> A = matched_view_of<I>(m, indptr, indices, row_match, col_match);
        require_places(row_in_cover, A.m, "row_in_cover");
        return run_pass([&](Budget& budget) {
          Workspace workspace;
          return find_cover(A, matching_of<I>(row_match, col_match), row_in_cover.data(), threads,
                            workspace, budget);
        });
      },
      nb::arg("m"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("row_match").noconvert(), nb::arg("col_match").noconvert(),
      nb::arg("row_in_cover").noconvert(), nb::arg("threads") = 1,
      "Mark the rows of a minimum cover; return False if the matching is not maximum.");
  module.def(
      "complete_cover",
      [](In<I> match, In<std::uint8_t> other_in_cover, Out<std::uint8_t> in_cover) {
        require_places(in_cover, static_cast<std::int64_t>(match.shape(0)), "in_cover");
        const auto count = static_cast<I>(match.shape(0));
        const auto others = static_cast<std::int64_t>(other_in_cover.shape(0));
        const bool fits = std::all_of(match.data(), match.data() + count,
                                      [others](I partner) { return partner < others; });
        if (!fits) throw std::invalid_argument("match is out of range");
        run_pass([&](Budget& budget) {
          complete_cover(count, match.data(), other_in_cover.data(), in_cover.data(), budget);
        });
      },
      nb::arg("match").noconvert(), nb::arg("other_in_cover").noconvert(),
      nb::arg("in_cover").noconvert(),
      "Mark the columns of a minimum cover from its rows, or the rows from its columns.");
  module.def(
      "rank_at_most",
      [](std::int64_t m, In<I> indptr, In<I> indices) {
        const PatternView<I> A = checked_view_of<I>(m, indptr, indices);
        return run_pass([&](Budget& budget) {
          Workspace workspace;
          return rank_at_most(A, workspace.take<std::uint8_t>(A.m), budget);
        });
      },
      nb::arg("m"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      "An upper bound of the structural rank: the smaller of the numbers of nonempty columns and "
      "nonempty rows.");
  module.def(
      "check_matching",
      [](std::int64_t m, In<I> indptr, In<I> indices, In<I> row_match, In<I> col_match) {
        const PatternView<I> A = matched_view_of<I>(m, indptr, indices, row_match, col_match);
        return run_pass([&](Budget& budget) {
          I where = -1;
          const Verdict verdict =
              check_matching(A, matching_of<I>(row_match, col_match), where, budget);
          return answer(verdict, where);
        });
      },
      nb::arg("m"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("row_match").noconvert(), nb::arg("col_match").noconvert(),
      "Return (verdict, column): 0 a matching of the pattern, 1 the arrays disagree, 2 it contains "
      "a pair that is no entry; and a column where this was found, or -1.");
  module.def(
      "certify",
      [](std::int64_t m, In<I> indptr, In<I> indices, In<I> row_match, In<I> col_match,
         In<std::uint8_t> row_in_cover, Out<std::uint8_t> col_in_cover, int threads) {
        const PatternView<I> A = matched_view_of<I>(m, indptr, indices, row_match, col_match);
        require_places(row_in_cover, A.m, "row_in_cover");
        require_places(col_in_cover, A.n, "col_in_cover");
        return run_pass([&](Budget& budget) {
          I where = -1;
          I pairs = 0;
          const Verdict verdict =
              certify(A, matching_of<I>(row_match, col_match), row_in_cover.data(),
                      col_in_cover.data(), threads, budget, where, &pairs);
          return std::tuple<int, std::int64_t, std::int64_t>(static_cast<int>(verdict), where,
                                                             pairs);
        });
      },
      nb::arg("m"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("row_match").noconvert(), nb::arg("col_match").noconvert(),
      nb::arg("row_in_cover").noconvert(), nb::arg("col_in_cover").noconvert(),
      nb::arg("threads") = 1,
      "Check the certificate, given the rows of a cover; write its columns. Return (verdict, "
      "column, matched rows): 0 proven, 1 the arrays disagree, 2 the matching contains a pair that "
      "is no entry, 3 the cover is too large, 4 the cover does not touch an entry; and a column "
      "where this was found, or -1.");
}

// Parts of guided-displacement, for tests.
template <class I>
void bind_for_tests(nb::module_& module) {
  bind_algorithm<I>(module, "finish_by_trees", &only_finish<I>);
  module.def(
      "push_labels",
      [](std::int64_t m, In<I> indptr, In<I> indices, Out<I> row_match, Out<I> col_match,
         std::int64_t steps, std::int64_t gap_every) {
        const PatternView<I> A = matched_view_of<I>(m, indptr, indices, row_match, col_match);
        const Matching<I> M{row_match.data(), col_match.data()};
        Budget budget(0, 0, nullptr);
        Counters counters;
        auto workspace = std::make_unique<Workspace>();
        I* const unmatched = workspace->take<I>(A.n);
        const I n_unmatched = list_unmatched(A, M, 1, unmatched);
        LabelPush<I> push(A, M, unmatched, n_unmatched, *workspace, budget, counters);
        const std::uint8_t* const label =
            push.run_steps(steps, std::max<std::int64_t>(1, gap_every));
        rows_to_columns(A, M, 1);
        return owned_array(std::move(workspace), const_cast<std::uint8_t*>(label), A.m);
      },
      nb::arg("m"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("row_match").noconvert(), nb::arg("col_match").noconvert(), nb::arg("steps"),
      nb::arg("gap_every"),
      "Make at most `steps` label pushes in place; return the labels (255: hopeless). For tests of "
      "invariants.");
  module.def(
      "push_until_stalled",
      [](std::int64_t m, In<I> indptr, In<I> indices, Out<I> row_match, Out<I> col_match,
         Out<std::uint8_t> row_in_cover) {
        require_places(row_in_cover, m, "row_in_cover");
        const PatternView<I> A = matched_view_of<I>(m, indptr, indices, row_match, col_match);
        const Matching<I> M{row_match.data(), col_match.data()};
        Budget budget(0, 0, nullptr);
        Counters counters;
        Workspace workspace;
        I* const unmatched = workspace.take<I>(A.n);
        const I n_unmatched = list_unmatched(A, M, 1, unmatched);
        LabelPush<I> push(A, M, unmatched, n_unmatched, workspace, budget, counters);
        push.run();
        rows_to_columns(A, M, 1);
        push.mark_hopeless(row_in_cover.data());
        return push.active();
      },
      nb::arg("m"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("row_match").noconvert(), nb::arg("col_match").noconvert(),
      nb::arg("row_in_cover").noconvert(),
      "Push in place until no column is active or the pushes make no progress. Mark the hopeless "
      "rows; return the number of active columns. For tests.");
}

template <class I>
void bind_width(nb::module_& module) {
  bind_algorithms<I>(module);
  bind_matchings<I>(module);
  bind_certificate<I>(module);
  bind_for_tests<I>(module);
}

}  // namespace

void bind_transversal(nb::module_& module) {
  module.def(
      "counters",
      [] {
        std::vector<std::pair<std::string, std::string>> rows;
        Counters{}.for_each([&rows](const char* name, const auto&, const char* summary) {
          rows.emplace_back(name, summary);
        });
        return rows;
      },
      "Name and summary of each counter that the algorithms of this package report.");
  bind_width<std::int32_t>(module);
  bind_width<std::int64_t>(module);
}

}  // namespace btfperm
