// SPDX-License-Identifier: BSD-3-Clause
// Times the serial version of a method and its shared version, which is written for several
// threads. Both run on one thread, in turns. For serial_shared.py
#include <omp.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "dulmage_mendelsohn/decompose.hpp"
#include "pattern/transpose_by_parts.hpp"
#include "transversal/augmenting/ms_bfs.hpp"
#include "transversal/augmenting/pothen_fan.hpp"
#include "transversal/displacement/guided_displacement.hpp"
#include "transversal/initial/greedy.hpp"
#include "transversal/initial/karp_sipser.hpp"
#include "weighted/graph/local_max.hpp"

namespace btfperm {
namespace {

using I = std::int32_t;
using Clock = std::chrono::steady_clock;

constexpr int parts = 4;  // the largest number of times of a turn; the times not used are 0

// The seconds of the parts of a turn, and a number that must be the same for both versions.
struct Turn {
  std::array<double, parts> seconds{};
  std::int64_t result = 0;
};

double between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

// A search on one thread. `list` holds the unmatched columns that have entries, or after a step the
// columns that the step left unmatched.
struct SearchState {
  const PatternView<I>& A;
  std::vector<I> row_match;
  std::vector<I> col_match;
  std::vector<I> list;
  std::vector<std::uint8_t> row_in_cover;
  I count;
  const DisplacementRules rules{};
  Workspace workspace{};
  Budget budget{0, 0, nullptr};
  Counters counters{};
  Proof proof{nullptr};

  SearchState(const PatternView<I>& pattern, const I* rows, const I* cols)
      : A(pattern),
        row_match(rows, rows + A.m),
        col_match(cols, cols + A.n),
        list(static_cast<std::size_t>(A.n) + 1),
        row_in_cover(static_cast<std::size_t>(A.m)),
        count(list_unmatched(A, M(), 1, list.data())),
        proof{row_in_cover.data()} {}
  Matching<I> M() { return {row_match.data(), col_match.data()}; }
  Options options() const { return {1, 0, {{"fairness", 1}}}; }
  I rank() { return static_cast<I>(count_matched(A.n, col_match.data(), 1)); }
};

using Run = std::function<void(SearchState&)>;

// The two versions of a step, and whether guided-displacement takes it on this matrix.
struct Versions {
  Run serial;
  Run shared;
  bool applies;
};

Versions initial(const std::string& name) {
  if (name == "greedy") {
    return {[](SearchState& s) {
              greedy(s.A, s.M(), s.options(), s.workspace, s.budget, s.counters, s.proof);
            },
            [](SearchState& s) { shared_greedy(s.A, s.M(), 1, s.budget, s.counters); }, true};
  }
  return {[](SearchState& s) {
            karp_sipser(s.A, s.M(), s.options(), s.workspace, s.budget, s.counters, s.proof);
          },
          [](SearchState& s) {
            KarpSipserShared<I>(s.A, s.M(), 1, s.workspace, s.budget, s.counters).run();
          },
          true};
}

// Searches that end with a maximum matching.
Versions whole_search(const std::string& name) {
  if (name == "pothen-fan") {
    return {[](SearchState& s) {
              pothen_fan(s.A, s.M(), s.options(), s.workspace, s.budget, s.counters, s.proof);
            },
            [](SearchState& s) {
              const auto phase = [&s](I n_free, auto turn) {
                shared_loop(n_free, block_for(n_free, 1, I{16}), 1, s.budget, s.counters, turn);
              };
              pothen_fan_phases<I, Together<Counters>>(s.A, s.M(), s.options(), s.workspace,
                                                       s.budget, s.counters, phase);
            },
            true};
  }
  static constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
  return {[](SearchState& s) {
            MsBfs<I> trees(s.A, s.M(), s.row_in_cover.data(), s.workspace, s.budget, s.counters);
            trees.run(s.list.data(), s.count, any, any);
          },
          [](SearchState& s) {
            SharedTrees<I> trees(s.A, s.M(), s.row_in_cover.data(), 1, s.count, 0, s.workspace,
                                 s.budget, s.counters);
            trees.run(s.list.data(), s.count, any, any);
          },
          true};
}

// Steps of guided-displacement before the trees.
Versions first_step(const std::string& name, SearchState& s) {
  const bool few = s.count < s.rules.few_unmatched * s.A.n;
  const bool local = local_share(s.A, s.rules.diagonal_width) >= s.rules.local_entries;
  const bool near = near_share(s.A, s.M(), s.list.data(), s.count) >= s.rules.near_rows;
  if (name == "label pushes") {
    return {[](SearchState& t) {
              Workspace labels;
              LabelPush<I> push(t.A, t.M(), t.list.data(), t.count, labels, t.budget, t.counters);
              push.run();
              t.count = go_on_from(push, t.A, t.M(), t.list.data(), 1, t.rules, t.budget,
                                   t.counters, t.proof);
            },
            [](SearchState& t) {
              t.count = push_together(t.A, t.M(), t.list.data(), t.count, 1, t.rules, t.budget,
                                      t.counters, t.proof);
            },
            !local && !few && !near};
  }
  if (name == "short searches") {
    return {[](SearchState& t) {
              t.count = search_shortly(t.A, t.M(), t.list.data(), t.count, t.rules, t.budget,
                                       t.counters, t.proof);
            },
            [](SearchState& t) {
              t.count = search_together(t.A, t.M(), t.list.data(), t.count, 1, t.rules, t.budget,
                                        t.counters, t.proof);
            },
            local};
  }
  return {[](SearchState& t) {
            t.count = match_in_two_steps(t.A, t.M(), t.list.data(), t.count, t.budget, t.counters);
          },
          [](SearchState& t) {
            t.count = match_in_two_steps_together(t.A, t.M(), t.list.data(), t.count, 1, t.budget,
                                                  t.counters);
            rows_to_columns(t.A, t.M(), 1);
          },
          !local && (few || near)};
}

// Times the step, and the search to a maximum matching that it begins.
Turn search(const PatternView<I>& A, const I* rows, const I* cols, const Run& run, bool finishes) {
  SearchState s(A, rows, cols);
  const auto begin = Clock::now();
  run(s);
  const auto end = Clock::now();
  if (finishes && s.count > 0) {
    finish_by_trees(A, s.M(), s.list.data(), s.count, 1, {}, s.workspace, s.budget, s.counters,
                    s.proof);
  }
  return {{between(begin, end), between(begin, Clock::now())}, s.rank()};
}

std::uint64_t mix(std::uint64_t sum, std::int64_t k) {
  return sum * 31 + static_cast<std::uint64_t>(k);
}

// Times the transpose. `result` depends on all lists. The shared version asks for two threads.
Turn transposed(const PatternView<I>& A, std::vector<I>& indptr, std::vector<I>& indices,
                bool shared) {
  Budget budget(0, 0, nullptr);
  const auto begin = Clock::now();
  if (shared)
    transpose_by_parts(A, 2, indptr.data(), indices.data(), budget);
  else
    transpose(A, indptr.data(), indices.data(), budget);
  const auto end = Clock::now();
  const auto all = std::accumulate(indptr.begin(), indptr.end(), std::uint64_t{}, mix);
  return {{between(begin, end)},
          static_cast<std::int64_t>(std::accumulate(indices.begin(), indices.end(), all, mix))};
}

// Times local-max on a symmetric pattern: both models on one thread, with random weights and with
// equal ones. `result` depends on both matchings.
Turn local_max(const PatternView<I>& A, const std::vector<double>& random,
               const std::vector<double>& equal, bool shared) {
  Turn turn;
  std::uint64_t all = 0;
  const double model =
      static_cast<double>(shared ? LocalMaxModel::crew : LocalMaxModel::sequential);
  for (const std::vector<double>* const weight : {&random, &equal}) {
    const auto n = static_cast<std::size_t>(A.n);
    std::vector<I> mate(n, I{-1}), round_of(n);
    std::vector<double> dual(n);
    Workspace workspace;
    Budget budget(0, 0, nullptr);
    GraphCounters counters;
    const GraphView<I> G{A, weight->data()};
    const auto begin = Clock::now();
    local_max_graph(G, GraphMatching<I>{mate.data(), round_of.data(), dual.data()},
                    Options{1, 0, {{"ties", 0}, {"model", model}, {"limit", 8}}}, workspace, budget,
                    counters);
    turn.seconds[weight == &equal] = between(begin, Clock::now());
    all = std::accumulate(mate.begin(), mate.end(), all, mix);
  }
  turn.result = static_cast<std::int64_t>(all);
  return turn;
}

// A weight between 0 and 1 for each edge of a symmetric pattern.
std::vector<double> random_weights(const PatternView<I>& A) {
  std::vector<double> weight(static_cast<std::size_t>(A.nnz()));
  for (I j = 0; j < A.n; ++j) {
    for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
      const I i = A.indices[p];
      const auto word = entry_hash(1, std::int64_t{std::min(i, j)}, std::int64_t{std::max(i, j)});
      weight[p] = (static_cast<double>(word >> 12) + 1) * 0x1p-52;
    }
  }
  return weight;
}

// Times the stages of the decomposition. `result` depends on the whole order. The shared version
// asks for two threads; OpenMP gives it one (see `compare`).
Turn decompose(const PatternView<I>& A, const Matching<I>& M, bool shared) {
  Team team;
  team.threads = shared ? 2 : 1;
  Workspace kept;
  Budget budget(0, 0, nullptr);
  Found<I> found{};
  const auto begin = Clock::now();
  coarse(A, M, team, found.parts, budget);
  count_coarse(found);
  found.row_perm = kept.take<I>(static_cast<std::size_t>(A.m) + static_cast<std::size_t>(A.n));
  found.col_perm = found.row_perm + A.m;
  const auto rectangles = Clock::now();
  found.horizontal_part = order_rectangles(found, horizontal, team, found.boundaries, budget);
  found.vertical_part = order_rectangles(found, vertical, team, found.boundaries, budget);
  found.parts.of_others.give_back();
  const auto squares = Clock::now();
  Square<I>& S = found.square_part;
  S.rows = found.parts.rows[square];
  S.cols = found.parts.cols[square];
  if (S.rows.count > 0) {
    I* const order = found.row_perm + found.coarse_rows[1];
    const I behind = order[S.rows.count];
    find_square(A, M, team, S, order, found.vertices, budget);
    order[S.rows.count] = behind;
  }
  const auto places = static_cast<std::size_t>(found.n_blocks()) + 1;
  const Form<I> form{found.row_perm, found.col_perm, kept.take<I>(places), kept.take<I>(places)};
  const auto order = Clock::now();
  order_blocks(A, M, team, found, form, budget);
  const auto end = Clock::now();
  const auto all =
      std::accumulate(found.row_perm, found.row_perm + A.m + A.n, std::uint64_t{}, mix);
  return {{between(begin, rectangles), between(rectangles, squares), between(squares, order),
           between(order, end)},
          static_cast<std::int64_t>(all)};
}

}  // namespace
}  // namespace btfperm

// Writes the seconds of the parts of both versions, and their results, for each of at most `rounds`
// rounds. Returns the number of rounds: 0 if the method does not apply, -1 if its first turn takes
// longer than `longest`, -2 if OpenMP did not run on one thread. No round starts after `seconds`,
// except for the first two. The versions change their order from round to round; short turns are
// repeated until a sample takes a millisecond.
extern "C" int compare(const char* name, btfperm::I m, btfperm::I n, const btfperm::I* indptr,
                       const btfperm::I* indices, const btfperm::I* row_match,
                       const btfperm::I* col_match, double seconds, double longest, int rounds,
                       double* times, std::int64_t* results) {
  using namespace btfperm;
  omp_set_max_active_levels(0);
  int team = 2;
#pragma omp parallel num_threads(2)
#pragma omp single
  team = omp_get_num_threads();
  if (team != 1) return -2;
  const PatternView<I> A{m, n, indptr, indices};
  const std::string method = name;
  std::function<Turn(bool)> turn;
  std::vector<I> starts, lists;
  std::vector<double> random, equal;
  if (method == "decomposition") {
    const Matching<I> M{const_cast<I*>(row_match), const_cast<I*>(col_match)};
    turn = [&A, M](bool shared) { return decompose(A, M, shared); };
  } else if (method == "transpose") {
    if (A.nnz() < worth_sharing) return 0;  // transpose_by_parts then calls transpose
    starts.resize(static_cast<std::size_t>(m) + 1);
    lists.resize(static_cast<std::size_t>(A.nnz()));
    turn = [&](bool shared) { return transposed(A, starts, lists, shared); };
  } else if (method == "local max") {
    random = random_weights(A);
    equal.assign(random.size(), 1.0);
    turn = [&](bool shared) { return local_max(A, random, equal, shared); };
  } else {
    SearchState start(A, row_match, col_match);
    const bool is_initial = method == "greedy" || method == "karp-sipser";
    const bool is_whole = method == "trees" || method == "pothen-fan";
    if (start.count == 0) return 0;
    const Versions versions = is_initial ? initial(method)
                              : is_whole ? whole_search(method)
                                         : first_step(method, start);
    if (!versions.applies) return 0;
    turn = [&, versions, is_first = !is_initial && !is_whole](bool shared) {
      return search(A, row_match, col_match, shared ? versions.shared : versions.serial, is_first);
    };
  }
  const auto start = Clock::now();
  const auto all = turn(false).seconds;
  const double first = std::accumulate(all.begin(), all.end(), 0.0);
  if (first > longest) return -1;
  turn(true);
  const int repeats = static_cast<int>(std::clamp(1e-3 / first, 1.0, 1000.0));
  int done = 0;
  for (; done < rounds && (done < 2 || between(start, Clock::now()) < seconds); ++done) {
    for (const int k : {0, 1}) {
      const int shared = (k + done) % 2;
      double* const sums = times + (2 * done + shared) * parts;
      std::fill(sums, sums + parts, 0.0);
      for (int r = 0; r < repeats; ++r) {
        const Turn sample = turn(shared == 1);
        for (int p = 0; p < parts; ++p) sums[p] += sample.seconds[p] / repeats;
        results[2 * done + shared] = sample.result;
      }
    }
  }
  return done;
}
