// SPDX-License-Identifier: BSD-3-Clause
// local-max: match entries of locally largest random weight
//
// Idea        In each round, every entry between an unmatched row and an unmatched column has a
//             random weight. An entry with the largest weight of its row and of its column is
//             matched. Rounds repeat until no entry has both ends unmatched.
// Paper       M. Birn, V. Osipov, P. Sanders, C. Schulz, N. Sitchinava, "Efficient parallel and
//             external matching", Euro-Par 2013, section 2, sequential model, with equal weights.
//             Random numbers, which change in each round, order the entries of equal weight. C as
//             in the paper
// Cost        O(m + n + nnz) expected: a round removes at least half of the entries on average.
//             Workspace: 2 nnz for the list of entries, m + n candidates
// Prefer it   for comparison with the GPU. Otherwise prefer greedy, which has no rounds
// Encodings   C of a row or column is its candidate, the entry of largest weight in this round:
//             the weight of the entry and its place in the list of entries; place -1: none
// Invariants  at the start of a round, the list holds the entries between unmatched rows and
//             unmatched columns
#pragma once

#include <algorithm>
#include <cstdint>

#include "transversal/initial/vertex_hash.cuh"
#include "transversal/interface.hpp"

namespace btfperm {

template <class I>
class LocalMax {
 public:
  LocalMax(const PatternView<I>& A, Matching<I> M, std::uint64_t seed, Workspace& workspace,
           Budget& budget, Counters& counters)
      : A_(A), M_(M), seed_(seed), budget_(budget), counters_(counters) {
    entries_ = workspace.take<Entry>(A.nnz());
    row_C_ = workspace.take<Candidate>(A.m);
    col_C_ = workspace.take<Candidate>(A.n);
  }

  void run() {
    std::fill(row_C_, row_C_ + A_.m, Candidate{});
    std::fill(col_C_, col_C_ + A_.n, Candidate{});
    if (!list_entries()) return;
    while (size_ > 0) {
      ++counters_.phases;
      const std::uint64_t round = mixed(seed_ + static_cast<std::uint64_t>(counters_.phases));
      if (!choose(round) || !match_local_maxima() || !remove_entries()) return;
    }
  }

 private:
  struct Entry {
    I row;
    I col;
  };
  struct Candidate {
    std::uint64_t weight = 0;
    I place = -1;

    void compare(std::uint64_t other_weight, I other_place) {
      if (place >= 0 && other_weight <= weight) return;
      weight = other_weight;
      place = other_place;
    }
  };

  bool list_entries() {
    for (I j = 0; j < A_.n; ++j) {
      if (M_.col_match[j] >= 0) continue;
      for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
        if (M_.row_match[A_.indices[p]] < 0) entries_[size_++] = {A_.indices[p], j};
      }
      if (!read(A_.degree(j) + 1)) return false;
    }
    return true;
  }

  bool choose(std::uint64_t round) {
    for (I e = 0; e < size_; ++e) {
      const auto [i, j] = entries_[e];
      const std::uint64_t weight = entry_hash(round, i, j);
      row_C_[i].compare(weight, e);
      col_C_[j].compare(weight, e);
      if (!read(1)) return false;
    }
    return true;
  }

  bool match_local_maxima() {
    for (I e = 0; e < size_; ++e) {
      const auto [i, j] = entries_[e];
      if (row_C_[i].place == e && col_C_[j].place == e) M_.match(i, j);
      if (!read(1)) return false;
    }
    return true;
  }

  bool remove_entries() {
    I left = 0;
    for (I e = 0; e < size_; ++e) {
      const auto [i, j] = entries_[e];
      row_C_[i] = col_C_[j] = Candidate{};
      if (M_.row_match[i] < 0 && M_.col_match[j] < 0) entries_[left++] = {i, j};
      if (!read(1)) return false;
    }
    size_ = left;
    return true;
  }

  bool read(std::int64_t edges) {
    counters_.edges += edges;
    return budget_.spend(edges);
  }

  const PatternView<I>& A_;
  Matching<I> M_;
  std::uint64_t seed_;
  Entry* entries_;
  I size_ = 0;  // length of entries_
  Candidate* row_C_;
  Candidate* col_C_;
  Budget& budget_;
  Counters& counters_;
};

template <class I>
void local_max(const PatternView<I>& A, Matching<I> M, const Options& options, Workspace& workspace,
               Budget& budget, Counters& counters, Proof&) {
  LocalMax<I>(A, M, mixed(options.seed), workspace, budget, counters).run();
}

}  // namespace btfperm
