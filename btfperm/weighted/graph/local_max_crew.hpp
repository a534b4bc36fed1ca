// SPDX-License-Identifier: BSD-3-Clause
// The CREW steps of local-max (concurrent reads, exclusive writes), on CPU threads
//
// Idea        Each edge is one record in E. Each vertex v has a segment of A, whose entries (v, e)
//             point to its edges. A maximum over each segment finds the heaviest edge of each
//             vertex. Edges and entries of matched vertices are removed by prefix sums. No two
//             threads write to one word.
// Paper       Birn et al., Euro-Par 2013, section 2.1, steps 1 to 6 of a phase. Changed: a thread
//             takes an equal part of A and of E, while the paper has one processor for each entry.
//             A segment that several threads share is completed after their loop. Step 3 tests each
//             edge in E. Step 4 reads whether the ends of an edge are matched, while the paper
//             spreads flags over the segments. A is built with a binary search for each edge, which
//             takes O(m log(longest list)), because the input has no pointers from entries to edges
// Cost        O(m / threads + threads) for a round with m edges left; O(m) work expected in total,
//             as for local-max. Workspace: 2 lists of m edges and 2 of 2 m entries, 2 m places, 3 n
//             indices. On one thread it takes 4.38 times as long as the sequential model, with
//             random weights in the geometric mean (2026-11-26-serial-shared-transpose)
// Invariants  at the start of a round, E holds the edges between unmatched vertices, A holds both
//             entries of each of these edges by ascending vertex. The order never changes.
//             The matching does not depend on the number of threads
// Races       none: each word has one writer between two barriers. match() writes to the ends of
//             an edge that is the heaviest of both, so no other matched edge has them
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "backends/cpu/parallel.hpp"
#include "weighted/graph/edge_order.hpp"

namespace btfperm {

template <class I>
class CrewLocalMax {
 public:
  CrewLocalMax(const GraphView<I>& G, GraphMatching<I> M, EdgeOrder order, double limit,
               int threads, Workspace& workspace, Budget& budget, GraphCounters& counters)
      : G_(G),
        M_(M),
        order_(order),
        limit_(limit),
        threads_(std::min(threads, most_threads)),
        budget_(budget),
        counters_(counters) {
    const std::size_t n = G.n();
    heaviest_ = workspace.take<I>(n);
    edge_start_ = workspace.take<I>(n + 1);
    entry_start_ = workspace.take<I>(n + 1);
    start_columns();
    E_ = workspace.take<Edge<I>>(size_);
    E_next_ = workspace.take<Edge<I>>(size_);
    place_ = workspace.take<I>(size_);
    stays_ = workspace.take<I>(size_);
    A_ = workspace.take<Entry>(n_entries_);
    A_next_ = workspace.take<Entry>(n_entries_);
  }

  void run() {
    build();
    const double most = limit_ * static_cast<double>(size_);
    for (double visited = 0; size_ > 0;) {
      order_.start_round(++counters_.rounds);  // step 1: random numbers are computed when needed
      if (limit_ > 0 && visited >= most) {
        return finish_sorted(E_, size_, E_next_, order_, M_, budget_, counters_);
      }
      visited += static_cast<double>(size_);
      spend(size_, budget_, counters_);
      find_heaviest();
      match_local_maxima();
      remove_edges();
    }
  }

 private:
  struct Entry {
    I v;
    I e;
  };
  struct Part {  // the heaviest edge e that one thread found in its part of the segment of v
    I v = -1;
    I e = -1;
  };

  // Counts the edges and the entries of each vertex, without the diagonal.
  void start_columns() {
    const PatternView<I>& A = G_.A;
    for_parts(A.n, threads_, budget_, [&](I v) {
      const I *const first = A.indices + A.indptr[v], *const last = A.indices + A.indptr[v + 1];
      const I* const diagonal = std::lower_bound(first, last, v);
      edge_start_[v] = static_cast<I>(diagonal - first);
      entry_start_[v] = static_cast<I>(last - first) - (diagonal != last && *diagonal == v);
    });
    for (I v = 0; v < A.n; ++v) {
      size_ += std::exchange(edge_start_[v], size_);
      n_entries_ += std::exchange(entry_start_[v], n_entries_);
    }
  }

  // Fills E and A in the order of the matrix.
  void build() {
    const PatternView<I>& A = G_.A;
    for_parts(A.n, threads_, budget_, [&](I v) {
      I e = edge_start_[v], entry = entry_start_[v];
      for (I p = A.indptr[v]; p < A.indptr[v + 1]; ++p) {
        const I w = A.indices[p];
        if (w < v) {
          E_[e] = {G_.weight[p], w, v};
          A_[entry++] = {v, e++};
        } else if (w > v) {  // the edge is in column w
          const I* const list = A.indices + A.indptr[w];
          const I* const place = std::lower_bound(list, A.indices + A.indptr[w + 1], v);
          A_[entry++] = {v, static_cast<I>(edge_start_[w] + (place - list))};
        }
      }
    });
  }

  // Whether edge e is heavier than edge f in the order of this round; -1: no edge.
  bool is_heavier(I e, I f) const {
    if (f < 0 || e < 0) return e >= 0;
    if (E_[e].weight != E_[f].weight) return E_[e].weight > E_[f].weight;
    const std::uint32_t one = order_.tie(E_[e]), other = order_.tie(E_[f]);
    return one != other ? one > other : e < f;
  }

  // Step 2: segmented maximum over A. Several threads may share the first and the last segment of a
  // thread's part; the results for shared segments are combined at the end.
  void find_heaviest() {
    std::array<Part, 2 * most_threads> shared_segments{};
    const bool shared = threads_ > 1 && n_entries_ >= least_to_share(worth_sharing);
    on_team(threads_, shared, [&](int t, int team) {
      const Share<I> own(n_entries_, t, team);
      Part now;
      bool is_first = true;
      in_own_pieces(own, t, budget_, [&](I k) {
        const auto [v, e] = A_[k];
        if (v != now.v) {
          if (now.v >= 0 && !is_first) heaviest_[now.v] = now.e;
          if (now.v >= 0 && is_first) {
            shared_segments[2 * t] = now;
            is_first = false;
          }
          now = {v, e};
        } else if (is_heavier(e, now.e)) {
          now.e = e;
        }
      });
      shared_segments[2 * t + 1] = now;
    });
    if (budget_.stopped()) throw Unfinished();
    for (const Part& part : shared_segments) {
      if (part.v >= 0) heaviest_[part.v] = -1;
    }
    for (const Part& part : shared_segments) {
      if (part.v >= 0 && is_heavier(part.e, heaviest_[part.v])) heaviest_[part.v] = part.e;
    }
  }

  // Step 3.
  void match_local_maxima() {
    for_parts(size_, threads_, budget_, [&](I e) {
      const auto [weight, u, v] = E_[e];
      if (heaviest_[u] == e && heaviest_[v] == e) M_.match(u, v, counters_.rounds);
    });
  }

  // Step 4: whether an end of the edge is matched.
  bool is_deleted(I e) const { return !M_.is_unmatched(E_[e].u) || !M_.is_unmatched(E_[e].v); }

  // Steps 5 and 6.
  void remove_edges() {
    const I left = select(
        size_, threads_, stays_, [&](I e) { return !is_deleted(e); }, [](I e) { return e; },
        budget_);
    for_parts(left, threads_, budget_, [&](I k) {
      E_next_[k] = E_[stays_[k]];
      place_[stays_[k]] = k;
    });
    n_entries_ = select(
        n_entries_, threads_, A_next_, [&](I k) { return !is_deleted(A_[k].e); },
        [&](I k) { return Entry{A_[k].v, place_[A_[k].e]}; }, budget_);
    std::swap(E_, E_next_);
    std::swap(A_, A_next_);
    size_ = left;
  }

  const GraphView<I>& G_;
  GraphMatching<I> M_;
  EdgeOrder order_;
  double limit_;
  int threads_;
  Budget& budget_;
  GraphCounters& counters_;
  I size_ = 0;       // of E
  I n_entries_ = 0;  // of A
  Edge<I>* E_ = nullptr;
  Edge<I>* E_next_ = nullptr;
  Entry* A_ = nullptr;
  Entry* A_next_ = nullptr;
  I* place_ = nullptr;     // place of an edge in the next list
  I* stays_ = nullptr;     // the edges that are not deleted
  I* heaviest_ = nullptr;  // of each vertex, as a place in E
  I* edge_start_ = nullptr;
  I* entry_start_ = nullptr;
};

}  // namespace btfperm
