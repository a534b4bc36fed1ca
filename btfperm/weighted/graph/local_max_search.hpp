// SPDX-License-Identifier: BSD-3-Clause
// Searches of columns for the heaviest edge of a vertex, in the first rounds of local-max
// (local_max_columns.hpp)
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "weighted/graph/edge_order.hpp"

namespace btfperm {

// A set of vertices, one bit for each. The array of mates has 32 times as many bytes, which leave
// the caches of a core much earlier. Copies refer to the same words.
template <class I>
class VertexSet {
 public:
  VertexSet(Workspace& workspace, I n)
      : words_(workspace.take<std::uint64_t>(static_cast<std::size_t>(n) / 64 + 1)) {}

  bool has(I v) const { return (words_[place(v)] >> (v & 63) & 1) != 0; }
  void add(I v) { words_[place(v)] |= std::uint64_t{1} << (v & 63); }

  // Makes the set of the vertices v for which is_member(v) is true; calls it once for each, in
  // ascending order.
  template <class IsMember>
  void assign(I n, IsMember is_member) {
    for (I first = 0; first < n; first += 64) {
      const I count = std::min<I>(n - first, 64);
      std::uint64_t word = 0;
      for (I k = 0; k < count; ++k) word |= std::uint64_t{is_member(first + k)} << k;
      words_[place(first)] = word;
      if (count < 64) return;
    }
  }

 private:
  static std::size_t place(I v) { return static_cast<std::size_t>(v) >> 6; }

  std::uint64_t* words_;
};

// Stores the neighbour at the heaviest edge of a vertex v in heaviest[v], or -1, and in is_tied[v]
// whether another edge may be the heaviest in the next round.
template <class I>
class ColumnSearch {
 public:
  ColumnSearch(const GraphView<I>& G, const EdgeOrder& order, I* heaviest, std::uint8_t* is_tied,
               VertexSet<I> is_matched)
      : A_(G.A),
        weight_(G.weight),
        order_(order),
        heaviest_(heaviest),
        is_tied_(is_tied),
        is_matched_(is_matched) {}

  // Finds the heaviest edge of v, in the first round to any neighbour, later to unmatched ones. The
  // comparisons have no branches, which processors would mispredict. They compare the bits of the
  // weights as whole numbers, whose order is that of positive doubles; 0 stands for no edge. In
  // measurements, the loops for long columns were faster from this length on.
  template <bool is_first>
  void choose(I v) {
    if (A_.degree(v) > 16) return choose_in_long_column<is_first>(v);
    std::int64_t heaviest = 0;
    I best = -1;
    std::int64_t tied = 0;
    const I end = A_.indptr[v + 1];
    for (I p = A_.indptr[v]; p < end; ++p) {
      const I w = A_.indices[p];
      std::int64_t counts = -std::int64_t{w != v};
      if constexpr (is_first)
        diagonal_ += w == v;
      else
        counts &= -std::int64_t{!is_matched_.has(w)};
      const std::int64_t weight = std::bit_cast<std::int64_t>(weight_[p]) & counts;
      const std::int64_t above = -std::int64_t{weight > heaviest};
      tied = (tied | -std::int64_t{weight == heaviest}) & ~above;
      best ^= (best ^ w) & static_cast<I>(above);
      heaviest ^= (heaviest ^ weight) & above;
    }
    heaviest_[v] = best;
    is_tied_[v] = 0;
    if (tied != 0 && best >= 0) choose_by_ties(v, is_first);
  }

  // Requests the column of v from memory. GCC removes calls to a function that only prefetches,
  // unless the function is inlined.
  [[gnu::always_inline]] void prefetch(I v) const {
    const I begin = A_.indptr[v], end = begin + std::min(A_.degree(v), I{64});
    for (I p = begin; p < end; p += 8) __builtin_prefetch(weight_ + p);
    for (I p = begin; p < end; p += 16) __builtin_prefetch(A_.indices + p);
  }

  // Number of entries on the diagonal, which the searches of the first round have counted.
  I diagonal() const { return diagonal_; }

 private:
  // Computes four independent maxima, because each comparison of one maximum would wait for the one
  // before. Leaves ties to choose_by_ties, and columns whose largest entry is on the diagonal.
  template <bool is_first>
  void choose_in_long_column(I v) {
    const I begin = A_.indptr[v], end = A_.indptr[v + 1];
    if (is_first) diagonal_ += std::binary_search(A_.indices + begin, A_.indices + end, v);
    const auto weight = [&](I p) {
      if (is_first) return weight_[p];
      const I w = A_.indices[p];
      const std::int64_t counts = -std::int64_t{!is_matched_.has(w) & (w != v)};
      return std::bit_cast<double>(std::bit_cast<std::int64_t>(weight_[p]) & counts);
    };
    std::array<double, 4> most{};
    I p = begin;
    for (; p + 4 <= end; p += 4) {
      for (int k = 0; k < 4; ++k) {
        const double own = weight(p + k);
        most[k] = own > most[k] ? own : most[k];
      }
    }
    for (; p < end; ++p) most[0] = std::max(most[0], weight(p));
    const double heaviest = std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
    const double *const first = weight_ + begin, *const last = weight_ + end;
    const double* const place = std::find(first, last, heaviest);
    const I w = place == last ? v : A_.indices[place - weight_];
    if (w == v || std::find(place + 1, last, heaviest) != last) return choose_by_ties(v, is_first);
    heaviest_[v] = w;
    is_tied_[v] = 0;
  }

  // The first of several edges with equal weights and random numbers is chosen: it comes first in
  // the list of edges, too.
  void choose_by_ties(I v, bool is_first) {
    double heaviest = 0;
    std::uint32_t largest = 0;
    I best = -1;
    bool tied = false;
    const auto tie = [&](I w) {
      return order_.tie(Edge<I>{heaviest, std::min(v, w), std::max(v, w)});
    };
    for (I p = A_.indptr[v]; p < A_.indptr[v + 1]; ++p) {
      const I w = A_.indices[p];
      const double weight = weight_[p];
      if (weight < heaviest || w == v || !(is_first || !is_matched_.has(w))) continue;
      if (weight > heaviest) {
        heaviest = weight;
        best = w;
        tied = false;
        continue;
      }
      if (!tied) largest = tie(best);
      tied = true;
      if (const std::uint32_t own = tie(w); own > largest) {
        largest = own;
        best = w;
      }
    }
    heaviest_[v] = best;
    is_tied_[v] = tied && order_.renewed;
  }

  PatternView<I> A_;
  const double* weight_;
  const EdgeOrder& order_;
  I* heaviest_;
  std::uint8_t* is_tied_;
  VertexSet<I> is_matched_;
  I diagonal_ = 0;
};

}  // namespace btfperm
