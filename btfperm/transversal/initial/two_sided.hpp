// SPDX-License-Identifier: BSD-3-Clause
// two-sided: every row and column chooses one neighbour at random; the graph of these choices is
// matched exactly
//
// Idea        A few sweeps of Sinkhorn-Knopp scale the pattern towards row and column sums of one;
//             the scaled value of an entry that no maximum transversal contains becomes small. Each
//             row and column then chooses one neighbour at random, with probabilities proportional
//             to its scaled entries. Each component of the graph of these choices has at most one
//             cycle, so Karp-Sipser finds a maximum matching of this graph in linear time.
// Paper       F. Dufosse, K. Kaya, B. Ucar, "Two approximation algorithms for bipartite matching on
//             multicore architectures", J. Parallel and Distributed Computing 85 (2015):
//             TwoSidedMatch, then KarpSipserMT, first from the rows, then from the columns.
//             Restricted to the vertices that the initial matching leaves unmatched
// Cost        O((sweeps + 1) (m + n + nnz)) time, on all threads. Workspace: row lists (nnz + m +
//             1), 2 (m + n), m + n floats, m + n bytes; with several threads 2 nnz more while the
//             row lists are made
// Prefer it   on many cores; the paper states about .866 of the maximum if every entry is in a
//             perfect transversal. On one core prefer karp-sipser
// Options     sweeps: the number of sweeps of the scaling
// Encodings   scale[k] = 0: vertex k is inactive (matched, or without an unmatched neighbour); then
//             choice[k] = -1. choices[k] = degree of k in the graph of choices, without removed
//             vertices: k has an edge to its own choice, and to each vertex that chose k.
//             chosen[k] = 1: some vertex chose k
// Races       each row and column has its own scale, choice and random numbers, which one thread
//             writes. In match_chains, the thread that reduces choices[k] to one continues with k,
//             so each chain has one thread; if two chains reach the same vertex of the other side,
//             the first one is matched to it. So the graph of choices and the size of the matching
//             do not depend on the number of threads; the matched entries may
#pragma once

#include <omp.h>

#include <algorithm>

#include "backends/cpu/atomics.hpp"
#include "backends/cpu/parallel.hpp"
#include "pattern/transpose_by_parts.hpp"
#include "transversal/interface.hpp"
#include "transversal/options.hpp"

namespace btfperm {

template <class I>
class TwoSided {
 public:
  TwoSided(const PatternView<I>& A, Matching<I> M, const Options& options, Workspace& workspace,
           Budget& budget, Counters& counters)
      : sweeps_(options.get("sweeps")),
        seed_(options.seed),
        threads_(std::max(1, options.threads)),
        budget_(budget),
        counters_(counters) {
    I* row_indptr = workspace.take<I>(static_cast<std::size_t>(A.m) + 1);
    I* row_indices = workspace.take<I>(A.nnz());
    transpose_by_parts(A, threads_, row_indptr, row_indices, budget);
    cols_ = side(A, M.col_match, workspace);
    rows_ = side({A.n, A.m, row_indptr, row_indices}, M.row_match, workspace);
  }

  void run() {
    for (double sweep = 0; sweep < sweeps_; ++sweep) {
      scale(cols_, rows_);
      scale(rows_, cols_);
      if (!budget_.spend(1)) return;  // polls even if there are no entries
    }
    draw(rows_, cols_, mixed(2 * seed_));
    draw(cols_, rows_, mixed(2 * seed_ + 1));
    if (budget_.stopped()) return;  // some vertices have not chosen yet
    count_choices(rows_, cols_);
    count_choices(cols_, rows_);
    match_chains(rows_, cols_);
    match_chains(cols_, rows_);
    match_cycles();
  }

 private:
  struct Side {
    PatternView<I> lists;
    I* match;
    float* scale;
    I* choice;
    I* choices;
    std::uint8_t* chosen;
  };

  Side side(const PatternView<I>& lists, I* match, Workspace& workspace) {
    const Side own{lists,
                   match,
                   workspace.take<float>(lists.n),
                   workspace.take<I>(lists.n),
                   workspace.take<I>(lists.n),
                   workspace.take<std::uint8_t>(lists.n)};
    for_parts(lists.n, threads_, budget_, [&](I k) {
      own.scale[k] = match[k] < 0 ? 1.0F : 0.0F;
      own.choice[k] = -1;
    });
    return own;
  }

  // Calls step(k) for each active vertex of a side, by all threads.
  template <class Step>
  void for_all(const Side& own, Step step) {
    std::int64_t edges = 0;
#pragma omp parallel num_threads(threads_) reduction(+ : edges)
    {
      const bool spends = omp_get_thread_num() == 0;
      const int team = omp_get_num_threads();
#pragma omp for schedule(dynamic, 512)
      for (I k = 0; k < own.lists.n; ++k) {
        if (own.scale[k] == 0 || budget_.stopped()) continue;
        step(k);
        const std::int64_t read = own.lists.degree(k);
        edges += read;
        if (spends) budget_.spend(read * team);
      }
    }
    counters_.edges += edges;
  }

  static double sum(const PatternView<I>& lists, I k, const float* weight) {
    double total = 0;
    for (I p = lists.indptr[k]; p < lists.indptr[k + 1]; ++p) total += weight[lists.indices[p]];
    return total;
  }

  // Half a sweep: scales the vertices of one side so that the sum over the entries of each one is
  // 1. Bounds keep the scales in the range of a float, because scaled values may tend to 0.
  void scale(Side& own, const Side& other) {
    for_all(own, [&](I k) {
      const double total = sum(own.lists, k, other.scale);
      own.scale[k] = total > 0 ? static_cast<float>(std::clamp(1 / total, 1e-30, 1e30)) : 0.0F;
    });
  }

  // Chooses a neighbour of each vertex k at random, with probability proportional to the scale of
  // the neighbour. (The scale of k would be the same factor for all neighbours.)
  void draw(Side& own, const Side& other, std::uint64_t stream) {
    for_all(own, [&](I k) {
      double left =
          sum(own.lists, k, other.scale) * uniform(stream + static_cast<std::uint64_t>(k) * golden);
      for (I p = own.lists.indptr[k]; p < own.lists.indptr[k + 1]; ++p) {
        const I x = own.lists.indices[p];
        if (other.scale[x] == 0) continue;
        own.choice[k] = x;
        left -= other.scale[x];
        if (left < 0) break;
      }
    });
  }

  void count_choices(Side& own, const Side& other) {
    for_parts(own.lists.n, threads_, budget_, [&](I k) {
      own.choices[k] = own.choice[k] >= 0;
      own.chosen[k] = 0;
    });
    for_parts(other.lists.n, threads_, budget_, [&](I x) {
      const I k = other.choice[x];
      if (k < 0) return;
      store(own.chosen[k], std::uint8_t{1});
      if (own.choice[k] != x) increment(own.choices[k]);
    });
  }

  // KarpSipserMT, phase 1: a vertex that no vertex chose is matched to its own choice u. Then u is
  // removed, and the degree of the choice of u decreases. If it becomes one, this vertex, which is
  // on the same side as the first one, is the next of the chain.
  void match_chains(Side& own, Side& other) {
    for_parts(own.lists.n, threads_, budget_, [&](I start) {
      if (own.choice[start] < 0 || own.chosen[start] != 0) return;
      for (I k = start; k >= 0;) {
        const I u = own.choice[k];
        if (load(other.match[u]) >= 0 || !take(other.match[u], k)) return;
        store(own.match[k], u);
        const I next = other.choice[u];
        k = load(own.match[next]) < 0 && decrement(own.choices[next]) == 1 ? next : I{-1};
      }
    });
  }

  // KarpSipserMT, phase 2: only cycles remain, and each column of a cycle is matched to its choice.
  void match_cycles() {
    for_parts(cols_.lists.n, threads_, budget_, [&](I j) {
      const I i = cols_.choice[j];
      if (i >= 0 && cols_.match[j] < 0 && take(rows_.match[i], j)) cols_.match[j] = i;
    });
  }

  static constexpr std::uint64_t golden = 0x9E3779B97F4A7C15U;

  // S. Vigna's splitmix64
  static std::uint64_t mixed(std::uint64_t x) {
    x += golden;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
  }

  static double uniform(std::uint64_t x) { return static_cast<double>(mixed(x) >> 11) * 0x1p-53; }

  Side rows_;
  Side cols_;
  double sweeps_;
  std::uint64_t seed_;
  int threads_;
  Budget& budget_;
  Counters& counters_;
};

template <class I>
void two_sided(const PatternView<I>& A, Matching<I> M, const Options& options, Workspace& workspace,
               Budget& budget, Counters& counters, Proof&) {
  TwoSided<I>(A, M, options, workspace, budget, counters).run();
}

}  // namespace btfperm
