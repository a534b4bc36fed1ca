// SPDX-License-Identifier: BSD-3-Clause
// ended_passes: runs one long pass of the core with a budget that has already ended, or with none
//
// ended_passes NAME THREADS SECONDS prints "ended" or "whole", and the number of output elements
// that the pass did not write. SECONDS is the time limit; 0 is no limit.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "backends/cpu/first_touch.hpp"
#include "backends/cpu/frontier.hpp"
#include "backends/cpu/parallel.hpp"
#include "backends/cpu/shared_loop.hpp"
#include "dulmage_mendelsohn/decompose.hpp"
#include "pattern/transpose_by_parts.hpp"
#include "transversal/certificate.hpp"
#include "transversal/interface.hpp"

namespace {

using namespace btfperm;
using I = std::int32_t;

constexpr I n = 1 << 20;
constexpr I unwritten = -7;

// The identity with one more row and one more column, both empty.
struct Diagonal {
  std::vector<I> indptr, indices, row_match, col_match;
  Diagonal() : indptr(n + 2, n), indices(n), row_match(n + 1, -1), col_match(n + 1, -1) {
    std::iota(indptr.begin(), indptr.end() - 1, 0);
    std::iota(indices.begin(), indices.end(), 0);
    std::iota(row_match.begin(), row_match.end() - 1, 0);
    std::iota(col_match.begin(), col_match.end() - 1, 0);
  }
  PatternView<I> pattern() const { return {n + 1, n + 1, indptr.data(), indices.data()}; }
  Matching<I> matching() { return {row_match.data(), col_match.data()}; }
};

using Out = std::vector<I>;
using Pass = std::function<void(int, Budget&, Out&)>;

void order(int threads, Budget& budget, Out& out) {
  Diagonal diagonal;
  Found<I> found{};
  Team team;
  team.threads = threads;
  Budget endless(0, 0, nullptr);
  std::vector<I> cols(out.size()), row_blocks(n + 3), col_blocks(n + 3);
  Workspace workspace;
  find_blocks(diagonal.pattern(), diagonal.matching(), team, found, workspace, endless);
  order_blocks(diagonal.pattern(), diagonal.matching(), team, found,
               {out.data(), cols.data(), row_blocks.data(), col_blocks.data()}, budget);
}

const std::map<std::string, Pass> passes = {
    {"fill",
     [](int threads, Budget& budget, Out& out) { fill(out.data(), n, 1, threads, budget); }},
    {"copy",
     [](int threads, Budget& budget, Out& out) {
       const Out ones(n, 1);
       copy(ones.data(), n, out.data(), threads, budget);
     }},
    {"select",
     [](int threads, Budget& budget, Out& out) {
       select(n, threads, out.data(), [](I) { return true; }, [](I k) { return k; }, budget);
     }},
    {"collect",
     [](int threads, Budget& budget, Out& out) {
       Frontier<I> frontier(out.data());
       frontier.collect(n, threads, budget, [](I k, auto& mine) {
         mine.push(k);
         return 0;
       });
     }},
    {"last_turn",  // another thread runs the long last iteration; thread 0 has none left and waits
     [](int threads, Budget& budget, Out& out) {
       std::atomic<bool> begun{threads == 1};
       Counters counters;
       shared_loop<I>(threads, 1, threads, budget, counters, [&](I turn, auto& own) {
         if (threads == 1) own.pass(n);
         if (threads > 1 && omp_get_thread_num() == 0) {
           while (!begun) std::this_thread::yield();
           return;
         }
         begun = true;
         for (int k = 0; threads > 1 && k < n && !own.stopped(); ++k) pause_core();
         const Share<I> part(n, turn, threads);
         if (!own.stopped()) std::fill(&out[part.first], &out[part.last], 0);
       });
       if (budget.stopped()) throw Unfinished();
     }},
    {"first_touch",
     [](int threads, Budget& budget, Out& out) {
       first_touch(out.data(), n, threads, budget);
       if (budget.stopped()) throw Unfinished();
     }},
    {"transpose",
     [](int threads, Budget& budget, Out& out) {
       const Diagonal diagonal;
       std::vector<I> indptr(n + 2);
       transpose_by_parts(diagonal.pattern(), threads, indptr.data(), out.data(), budget);
     }},
    {"certify",
     [](int threads, Budget& budget, Out& out) {
       Diagonal diagonal;
       const std::vector<std::uint8_t> rows(n + 1, 0);
       std::vector<std::uint8_t> cols(n + 1, 9);
       I where = 0;
       const Verdict verdict = certify(diagonal.pattern(), diagonal.matching(), rows.data(),
                                       cols.data(), threads, budget, where);
       for (I j = 0; j < n; ++j) out[j] = cols[j] == 9 ? unwritten : 0;
       if (verdict == Verdict::unfinished) throw Unfinished();
     }},
    {"blocks",
     [](int threads, Budget& budget, Out& out) {
       Diagonal diagonal;
       Found<I> found{};
       Workspace workspace;
       Team team;
       team.threads = threads;
       find_blocks(diagonal.pattern(), diagonal.matching(), team, found, workspace, budget);
       std::fill(out.begin(), out.end(), 0);
     }},
    {"order", order},
};

}  // namespace

int main(int, char** words) {
  Out out(n + 1, unwritten);
  Budget budget(std::atof(words[3]), 0, nullptr);
  const char* end = "whole";
  try {
    passes.at(words[1])(std::atoi(words[2]), budget, out);
  } catch (const Unfinished&) {
    end = "ended";
  }
  std::printf("%s %td\n", end, std::count(out.begin(), out.begin() + n, unwritten));
}
