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
#include <cstdint>
#include <utility>

#include "weighted/graph/local_max_search.hpp"
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
        counters_(counters),
        heaviest_(workspace.take<I>(G.n())),
        is_tied_(workspace.take<std::uint8_t>(G.n())),
        is_matched_(workspace, G.n()),
        search_(G, order_, heaviest_, is_tied_, is_matched_) {}

  // Returns the edges that are left for the rounds with a list. These rounds begin with round 2 if
  // ties would make most vertices search again, and as soon as the visits may have reached the
  // limit.
  LocalMaxStart<I> run(double limit) {
    left_ = workspace_.take<I>(A_.n);
    first();
    const I edges = (A_.nnz() - search_.diagonal()) / 2;
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
  // choose_again() prefetches the columns of vertices that come this number of places later. In
  // measurements, 4 and 8 were slightly slower.
  static constexpr I ahead = 16;

  // Round 1. The second pass has no branches, because processors would mispredict those that depend
  // on heaviest_[u]. It sets each end of an edge by itself, so it does not poll the budget.
  void first() {
    order_.start_round(++counters_.rounds);
    in_pieces(A_.n, A_.indptr + 1, budget_, [&](I v) {
      search_.template choose<true>(v);
      tied_ += is_tied_[v];
    });
    I size = 0, matched = 0;
    is_matched_.assign(A_.n, [&](I v) {
      const I u = heaviest_[v];
      const bool is_mutual = heaviest_[u < 0 ? v : u] == v;
      M_.mate[v] = is_mutual ? u : I{-1};
      M_.round_of[v] = is_mutual;
      matched += is_mutual;
      left_[size] = v;
      size += (u >= 0) & !is_mutual;
      return is_mutual;
    });
    size_ = size;
    matched_ = matched / 2;
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
      const bool stays = is_unmatched(v) & (u != v);
      const bool lost = (is_tied_[v] != 0) | !is_unmatched(u);
      left_[kept] = v;
      kept += stays;
      again_[again_size_] = v;
      again_size_ += stays & lost;
    });
    size_ = kept;
    alive_ = kept;
    for (I k = 0; k < again_size_; ++k) {
      if (again_size_ - k > ahead) search_.prefetch(again_[k + ahead]);
      search(again_[k]);
      alive_ -= heaviest_[again_[k]] == again_[k];
    }
    spend_rest();
  }

  // Only vertices that have searched again are visited: at least one end of each edge that becomes
  // matched is among them, otherwise the last round would have matched the edge. The first loop has
  // no branches, as above.
  void match_local_maxima() {
    ++counters_.rounds;
    matched_ = 0;
    I found = 0;
    in_pieces(again_size_, budget_, [&](I k) {
      const I v = again_[k], u = heaviest_[v];
      again_[found] = v;
      found += (u != v) & (heaviest_[u] == v);
    });
    in_pieces(found, budget_, [&](I k) {
      const I v = again_[k];
      if (!is_unmatched(v)) return;
      match(heaviest_[v], v);
      ++matched_;
    });
  }

  bool is_unmatched(I v) const { return !is_matched_.has(v); }

  void match(I u, I v) {
    M_.match(u, v, counters_.rounds);
    is_matched_.add(u);
    is_matched_.add(v);
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
        if (u != v && heaviest_[u] == v && is_unmatched(v)) match_and_list(u, v, last, count);
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
          if (!is_unmatched(w)) {
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
    match(u, v);
    list[count++] = u;
    list[count++] = v;
  }

  // Finds the heaviest edge of v. If v has no edge, it stores v as its own neighbour.
  void search(I v) {
    search_.template choose<false>(v);
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
      if (!is_unmatched(v)) return;
      has_ties |= is_tied_[v] != 0;
      if (!is_unmatched(heaviest_[v])) again_[again_size_++] = v;
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
      if (!is_unmatched(v)) return;
      for (I p = A_.indptr[v]; p < A_.indptr[v + 1] && A_.indices[p] < v; ++p) {
        count += is_unmatched(A_.indices[p]);
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
      if (!is_unmatched(v)) return;
      for (I p = A_.indptr[v]; p < A_.indptr[v + 1] && A_.indices[p] < v; ++p) {
        if (is_unmatched(A_.indices[p])) E[count++] = {G_.weight[p], A_.indices[p], v};
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
  I* heaviest_;            // n: the neighbour at the heaviest edge, -1: none
  std::uint8_t* is_tied_;  // n: another edge may be the heaviest in the next round
  VertexSet<I> is_matched_;
  ColumnSearch<I> search_;
  I* left_ = nullptr;   // n: unmatched vertices that had an edge, ascending
  I size_ = 0;          // of left_
  I matched_ = 0;       // number of edges matched in the last round
  I alive_ = 0;         // number of vertices of left_ with an edge
  I* again_ = nullptr;  // vertices that search in this round
  I again_size_ = 0;
  std::int64_t unspent_ = 0;  // visited entries that were not yet reported to the budget
  double at_limit_ = 0;       // see LocalMaxStart
  I tied_ = 0;                // number of vertices with is_tied_ in round 1
};

}  // namespace btfperm
