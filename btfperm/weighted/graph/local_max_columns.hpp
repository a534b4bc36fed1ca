// SPDX-License-Identifier: BSD-3-Clause
// The first rounds of local-max on one thread, which visit columns instead of a list of edges
//
// Idea        Each vertex stores its heaviest edge. It searches its column again only if the other
//             end of this edge was matched, or if several edges have this weight and the random
//             numbers are renewed. There are at most four such rounds, because later rounds are
//             faster with a list of the remaining edges. If a round matches few edges, as on a
//             path of increasing weights, follow() replaces the next rounds: it visits only the
//             neighbours of the vertices that were matched last, instead of all vertices. After the
//             limit (see local_max.hpp), it matches an edge as soon as the edge is the heaviest of
//             both ends, which gives the matching of the sorted edges without a sort
// Cost        see local_max.hpp. follow() ends if the columns that it visits have far more entries
//             than there are edges left
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "weighted/graph/local_max_start.hpp"

namespace btfperm {

template <class I>
class FirstRounds {
 public:
  FirstRounds(const GraphView<I>& G, GraphMatching<I> M, EdgeOrder order, Workspace& workspace,
              Budget& budget, GraphCounters& counters)
      : G_(G),
        A_(G.A),
        M_(M),
        order_(order),
        workspace_(workspace),
        budget_(budget),
        counters_(counters) {}

  // Returns the edges that are left for the rounds with a list. These rounds begin with round 2 if
  // ties would make most vertices search again, and as soon as the visits may have reached the
  // limit.
  LocalMaxStart<I> run(double limit) {
    heaviest_ = workspace_.take<I>(A_.n);
    is_tied_ = workspace_.take<std::uint8_t>(A_.n);
    left_ = workspace_.take<I>(A_.n);
    first();
    const I edges = (A_.nnz() - diagonal_) / 2;
    if (edges == 0) {
      counters_.rounds = 0;
      return {nullptr, 0, 0};
    }
    spend(edges, budget_, counters_);
    std::int64_t rounds = 1;
    const bool few_ties = 2 * std::int64_t{tied_} < A_.n;
    again_ = few_ties ? workspace_.take<I>(std::max(size_, I{1})) : nullptr;
    while (few_ties && size_ > 0 && rounds < most_rounds && (limit <= 0 || rounds < limit)) {
      if (std::int64_t{matched_} * slow < size_) {
        const double m = static_cast<double>(edges);
        if (follow(limit * m, m)) return {nullptr, 0, 0};
        rounds = counters_.rounds;
        break;
      }
      choose_again();
      if (alive_ == 0) break;
      ++rounds;
      match_local_maxima();
    }
    const double m = static_cast<double>(edges);
    LocalMaxStart<I> rest = list_edges_left(edges);
    // follow() left the last round to the list, but no edge is left to count this round.
    if (at_limit_ > 0 && rest.size == 0) ++counters_.rounds;
    rest.most = limit * m;
    rest.visited = static_cast<double>(rounds) * m;
    rest.bounded = &A_;
    rest.rounds = rounds;
    rest.at_limit = at_limit_;
    return rest;
  }

 private:
  static constexpr std::int64_t most_rounds = 4;
  // follow() starts after a round that matched fewer edges than 1 / slow of the vertices left.
  static constexpr std::int64_t slow = 64;

  // Finds the heaviest edge of v, in the first round to any neighbour, later to unmatched ones. The
  // comparisons have no branches, which processors would mispredict. They compare the bits of the
  // weights as whole numbers, whose order is that of positive doubles; 0 stands for no edge. In
  // measurements, the loops for long columns were faster from these lengths on.
  template <bool is_first>
  void choose(I v) {
    if (is_first && A_.degree(v) > 16) return choose_in_long_column(v);
    if (!is_first && A_.degree(v) > 40) return choose_by_ties(v, is_first);
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
        counts &= -std::int64_t{M_.is_unmatched(w)};
      const std::int64_t weight = std::bit_cast<std::int64_t>(G_.weight[p]) & counts;
      const std::int64_t above = -std::int64_t{weight > heaviest};
      tied = (tied | -std::int64_t{weight == heaviest}) & ~above;
      best ^= (best ^ w) & static_cast<I>(above);
      heaviest ^= (heaviest ^ weight) & above;
    }
    heaviest_[v] = best;
    is_tied_[v] = 0;
    if (tied != 0 && best >= 0) choose_by_ties(v, is_first);
  }

  // Computes four independent maxima, because each comparison of one maximum would wait for the one
  // before. Leaves columns whose largest entry is on the diagonal, and ties, to choose_by_ties.
  void choose_in_long_column(I v) {
    std::array<double, 4> most{};
    I p = A_.indptr[v];
    const I end = A_.indptr[v + 1];
    diagonal_ += std::binary_search(A_.indices + p, A_.indices + end, v);
    for (; p + 4 <= end; p += 4) {
      for (int k = 0; k < 4; ++k) most[k] = G_.weight[p + k] > most[k] ? G_.weight[p + k] : most[k];
    }
    for (; p < end; ++p) most[0] = std::max(most[0], G_.weight[p]);
    const double heaviest = std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
    const double *const first = G_.weight + A_.indptr[v], *const last = G_.weight + end;
    const double* const place = std::find(first, last, heaviest);
    const I w = place == last ? v : A_.indices[place - G_.weight];
    if (w == v || std::find(place + 1, last, heaviest) != last) return choose_by_ties(v, true);
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
      const double weight = G_.weight[p];
      if (weight < heaviest || w == v || !(is_first || M_.is_unmatched(w))) continue;
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

  // Round 1. An edge is matched as soon as both of its ends have found it as their heaviest edge.
  void first() {
    order_.start_round(++counters_.rounds);
    in_pieces(A_.n, A_.indptr + 1, budget_, [&](I v) {
      choose<true>(v);
      tied_ += is_tied_[v];
      const I u = heaviest_[v];
      if (u >= 0 && u < v && heaviest_[u] == v) {
        M_.match(u, v, 1);
        ++matched_;
      }
    });
    in_pieces(A_.n, budget_, [&](I v) {
      left_[size_] = v;
      size_ += (heaviest_[v] >= 0) & M_.is_unmatched(v);
    });
  }

  // Finds the heaviest edges at the start of a later round. left_ keeps the unmatched vertices that
  // had an edge in the last round. The first loop has no branches, which processors would
  // mispredict for about half of the vertices.
  void choose_again() {
    order_.start_round(counters_.rounds + 1);
    I kept = 0;
    again_size_ = 0;
    in_pieces(size_, budget_, [&](I k) {
      const I v = left_[k], u = heaviest_[v];
      const bool stays = M_.is_unmatched(v) & (u != v);
      const bool lost = (is_tied_[v] != 0) | !M_.is_unmatched(u);
      left_[kept] = v;
      kept += stays;
      again_[again_size_] = v;
      again_size_ += stays & lost;
    });
    size_ = kept;
    alive_ = kept;
    for (I k = 0; k < again_size_; ++k) {
      search(again_[k]);
      alive_ -= heaviest_[again_[k]] == again_[k];
    }
    spend_rest();
  }

  // Only vertices that have searched again are visited: at least one end of each edge that becomes
  // matched is among them, otherwise the last round would have matched the edge.
  void match_local_maxima() {
    ++counters_.rounds;
    matched_ = 0;
    in_pieces(again_size_, budget_, [&](I k) {
      const I v = again_[k], u = heaviest_[v];
      if (u != v && heaviest_[u] == v && M_.is_unmatched(v)) {
        M_.match(u, v, counters_.rounds);
        ++matched_;
      }
    });
  }

  // Runs rounds that match few edges. No vertex may have two heaviest edges of equal weight. Only
  // neighbours of the vertices that the last round matched search again, so the cost of a round is
  // the number of entries in their columns. `m` is the number of edges of the graph. After `most`
  // visits (0: no limit), the order of the current round decides all remaining edges, as in
  // SequentialLocalMax: each is matched as soon as it is the heaviest of both ends. Returns false
  // if rounds with the list of edges must follow: a vertex has two heaviest edges, the columns have
  // far more entries than there are edges left, or a round matched nothing, which happens only if
  // the pattern is not symmetric.
  bool follow(double most, double m) {
    if (!list_lost()) return false;
    I* const last = workspace_.take<I>(A_.n);  // the ends of the edges matched last
    double left = count_left();
    double visited =
        static_cast<double>(counters_.rounds) * m - not_visited(A_, M_, counters_.rounds, budget_);
    while (left > 0) {
      order_.start_round(counters_.rounds + 1);
      const bool ends = most > 0 && visited >= most;
      const double at_start = left;
      if (!search_again(left)) return false;
      ++counters_.rounds;
      visited += left;
      I count = 0;
      for (I k = 0; k < again_size_; ++k) {
        const I v = again_[k], u = heaviest_[v];
        if (u != v && heaviest_[u] == v && M_.is_unmatched(v)) match_and_list(u, v, last, count);
      }
      if (count == 0 && !ends) return false;
      again_size_ = 0;
      double entries = 0;
      for (I k = 0; k < count; ++k) {
        const I x = last[k];
        entries += A_.degree(x);
        count_visits(A_.degree(x));
        for (I p = A_.indptr[x]; p < A_.indptr[x + 1]; ++p) {
          const I w = A_.indices[p];
          if (!M_.is_unmatched(w)) {
            left -= M_.round_of[w] == M_.round_of[x] && w < x;
            continue;
          }
          --left;
          if (heaviest_[w] != x) continue;
          again_[again_size_++] = w;
          if (!ends) continue;
          again_size_ = 0;
          search(w);
          entries += A_.degree(w);
          const I u = heaviest_[w];
          if (u != w && heaviest_[u] == w) match_and_list(u, w, last, count);
        }
        if (!ends) continue;
        if (entries > is_long(at_start)) {
          --counters_.rounds;  // the list of edges is sorted in this same round
          at_limit_ = at_start;
          return false;
        }
      }
      if (!ends) continue;
      spend_rest();
      counters_.sorted = static_cast<std::int64_t>(at_start);
      return true;
    }
    spend_rest();
    return true;
  }

  // If columns have more entries than this, visiting them takes longer than rounds with a list of
  // `edges` edges.
  static double is_long(double edges) { return 8 * edges + 4096; }

  void match_and_list(I u, I v, I* list, I& count) {
    M_.match(u, v, counters_.rounds);
    list[count++] = u;
    list[count++] = v;
  }

  // Finds the heaviest edge of v. If v has no edge, it stores v as its own neighbour.
  void search(I v) {
    choose<false>(v);
    if (heaviest_[v] < 0) heaviest_[v] = v;
    count_visits(A_.degree(v));
  }

  void count_visits(I entries) {
    unspent_ += entries;
    if (unspent_ >= piece) spend_rest();
  }

  void spend_rest() { spend(std::exchange(unspent_, 0), budget_, counters_); }

  // Lists in again_ the unmatched vertices whose heaviest edge leads to a matched vertex. False: a
  // vertex has two heaviest edges.
  bool list_lost() {
    bool has_ties = false;
    again_size_ = 0;
    in_pieces(size_, budget_, [&](I k) {
      const I v = left_[k];
      if (!M_.is_unmatched(v)) return;
      has_ties |= is_tied_[v] != 0;
      if (!M_.is_unmatched(heaviest_[v])) again_[again_size_++] = v;
    });
    return !has_ties;
  }

  // Searches the columns of the vertices in again_. False: follow() must end, because these columns
  // have too many entries, or because a vertex has two heaviest edges.
  bool search_again(double left) {
    double entries = 0;
    for (I k = 0; k < again_size_; ++k) entries += A_.degree(again_[k]);
    if (entries > is_long(left)) return false;
    bool has_ties = false;
    for (I k = 0; k < again_size_; ++k) {
      search(again_[k]);
      has_ties |= is_tied_[again_[k]] != 0;
    }
    spend_rest();
    return !has_ties;
  }

  // Number of edges between unmatched vertices.
  double count_left() {
    double count = 0;
    in_pieces(size_, budget_, [&](I k) {
      const I v = left_[k];
      if (!M_.is_unmatched(v)) return;
      for (I p = A_.indptr[v]; p < A_.indptr[v + 1] && A_.indices[p] < v; ++p) {
        count += M_.is_unmatched(A_.indices[p]);
      }
    });
    return count;
  }

  LocalMaxStart<I> list_edges_left(I edges) {
    std::int64_t most = 0;
    in_pieces(size_, budget_, [&](I k) { most += A_.degree(left_[k]); });
    Edge<I>* const E = workspace_.take<Edge<I>>(std::min<std::int64_t>(most, edges));
    I count = 0;
    in_pieces(size_, budget_, [&](I k) {
      const I v = left_[k];
      if (!M_.is_unmatched(v)) return;
      for (I p = A_.indptr[v]; p < A_.indptr[v + 1] && A_.indices[p] < v; ++p) {
        if (M_.is_unmatched(A_.indices[p])) E[count++] = {G_.weight[p], A_.indices[p], v};
      }
    });
    return {E, count, 0};
  }

  const GraphView<I>& G_;
  const PatternView<I>& A_;
  GraphMatching<I> M_;
  EdgeOrder order_;
  Workspace& workspace_;
  Budget& budget_;
  GraphCounters& counters_;
  I* heaviest_ = nullptr;            // n: the neighbour at the heaviest edge, -1: none
  std::uint8_t* is_tied_ = nullptr;  // n: another edge may be the heaviest in the next round
  I* left_ = nullptr;                // n: unmatched vertices that had an edge, ascending
  I size_ = 0;                       // of left_
  I matched_ = 0;                    // number of edges matched in the last round
  I alive_ = 0;                      // number of vertices of left_ with an edge
  I* again_ = nullptr;               // vertices that search in this round
  I again_size_ = 0;
  std::int64_t unspent_ = 0;  // visited entries that were not yet reported to the budget
  double at_limit_ = 0;       // see LocalMaxStart
  I tied_ = 0;                // number of vertices with is_tied_ in round 1
  I diagonal_ = 0;            // entries on the diagonal
};

}  // namespace btfperm
