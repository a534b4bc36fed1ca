// SPDX-License-Identifier: BSD-3-Clause
// red-blue: blue vertices propose to red vertices
//
// Idea        In each round a hash colours every unmatched vertex blue or red. Each blue vertex
//             proposes to a red neighbour, and each red vertex accepts one of the proposals to it.
//             The edges of accepted proposals are matched. A vertex without an unmatched neighbour
//             is dead. The algorithm ends when all vertices are matched or dead.
// Paper       B. O. Fagginger Auer, R. H. Bisseling, "A GPU algorithm for greedy graph matching",
//             Facing the Multicore-Challenge II, 2012: algorithm 3 with random or weighted select,
//             colours by algorithm 4, the reduced hash; sigma, r and p have their names there.
//             Changed: the paper renumbers the vertices at random before it starts; here select
//             starts from a random place of the list, also to choose one of several heaviest edges.
//             With place=first it starts from the first place, as in the paper; the caller must
//             renumber the vertices. Then a round matches fewer vertices where lists are long,
//             because blue vertices with common neighbours propose to the same red vertex
//             Matched and dead vertices are removed from the list of vertices. r is odd, and
//             vertices count from 1 in the hash; otherwise the hash of vertex 0 would be the same
//             in each round
// Cost        O(n + m) expected for m edges on random graphs, in some 20 to 40 rounds. There are
//             graphs, such as complete ones whose heaviest edges share a vertex, with O(n) rounds
//             of O(m). Workspace: 3 n indices, and n bytes
// Prefer it   for comparison with local-max, which is faster and finds a heavier matching
// Matrices    As an initializer of a matrix (weighted/bipartite_graph.hpp), all weights are 1, so
//             select is random
// Options     select (weighted): weighted or random; place (random): random or first. Both only for
//             graphs. p (0.53406): the probability of blue
// Encodings   colour[v]: blue, red, or neither if v is matched or dead. sigma[v]: the vertex that v
//             proposes to, or accepts; -1: none; -2: v is dead
// Invariants  alive holds the vertices that are neither matched nor dead, in ascending order. The
//             matching is the same for every number of threads: colours and proposals are functions
//             of the state at the last barrier
// Races       none: in each step, a thread writes colour, sigma and mate of its own vertices only,
//             and reads only words that no thread writes in this step: a red vertex reads sigma of
//             blue ones
#pragma once

#include <cstdint>
#include <utility>

#include "backends/cpu/parallel.hpp"
#include "backends/cpu/shared_loop.hpp"
#include "weighted/graph/graph.hpp"

namespace btfperm {

template <class I, class Weights>
class RedBlue {
 public:
  RedBlue(const GraphView<I, Weights>& G, GraphMatching<I> M, Select how, double p,
          std::uint64_t seed, int threads, Workspace& workspace, Budget& budget,
          GraphCounters& counters)
      : G_(G),
        M_(M),
        how_(how),
        threshold_(static_cast<std::uint64_t>(p * 4294967296.0)),
        seed_(seed),
        threads_(threads),
        budget_(budget),
        counters_(counters) {
    alive_ = workspace.take<I>(G.n());
    alive_next_ = workspace.take<I>(G.n());
    sigma_ = workspace.take<I>(G.n());
    colour_ = workspace.take<Colour>(G.n());
  }

  void run() {
    size_ = G_.n();
    for (I v = 0; v < size_; ++v) alive_[v] = v;
    while (size_ > 0) {
      r_ = mixed(seed_ + static_cast<std::uint64_t>(++counters_.rounds));
      assign_colours();
      propose();
      respond();
      match();
    }
  }

 private:
  enum class Colour : std::uint8_t { neither, blue, red };

  // Lines 5 to 10.
  void assign_colours() {
    for_parts(size_, threads_, budget_, [&](I k) {
      const std::uint64_t number = static_cast<std::uint64_t>(alive_[k]) + 1;
      const unsigned r = static_cast<unsigned>(r_ ^ (number >> 32 << 1)) | 1U;
      const bool blue = reduced_md5(static_cast<unsigned>(number), r) < threshold_;
      colour_[alive_[k]] = blue ? Colour::blue : Colour::red;
    });
  }

  // Lines 11 to 19.
  void propose() {
    each_alive([&](I v, std::int64_t& visited) {
      if (colour_[v] == Colour::red) return;
      choose(v, visited, [&](I w) { return colour_[w] == Colour::red; });
    });
  }

  // Lines 20 to 26.
  void respond() {
    each_alive([&](I v, std::int64_t& visited) {
      if (colour_[v] == Colour::blue) return;
      choose(v, visited, [&](I w) { return colour_[w] == Colour::blue && sigma_[w] == v; });
    });
  }

  // Lines 27 to 33. The budget cannot end this step, so that the matching stays legal.
  void match() {
    for_parts(size_, threads_, unlimited_, [&](I k) {
      const I v = alive_[k], w = sigma_[v];
      if (w >= 0 && sigma_[w] == v) {
        M_.mate[v] = w;
        M_.round_of[v] = static_cast<I>(counters_.rounds);
      }
    });
    const auto is_gone = [&](I v) { return sigma_[v] == dead || M_.mate[v] >= 0; };
    for_parts(size_, threads_, unlimited_, [&](I k) {
      if (is_gone(alive_[k])) colour_[alive_[k]] = Colour::neither;
    });
    size_ = select(
        size_, threads_, alive_next_, [&](I k) { return !is_gone(alive_[k]); },
        [&](I k) { return alive_[k]; });
    std::swap(alive_, alive_next_);
  }

  // Sets sigma[v] to the neighbour that select chooses among all that suit; -1 if none suits, or
  // dead if no neighbour is alive.
  template <class Suits>
  void choose(I v, std::int64_t& visited, Suits suits) {
    bool is_dead = true;
    const auto alive_and_suits = [&](I w) {
      if (colour_[w] == Colour::neither) return false;
      is_dead = false;
      return suits(w);
    };
    const I w = select_neighbour(G_, v, how_, r_, alive_and_suits, visited);
    sigma_[v] = w >= 0 ? w : is_dead ? dead : -1;
  }

  // Calls body(v, visited) for each vertex that is alive, on all threads.
  template <class Body>
  void each_alive(Body body) {
    const auto turn = [&](I k, auto& own) {
      std::int64_t visited = 1;
      body(alive_[k], visited);
      own.counted.edges += visited;
      own.spend(visited);
    };
    Visited visited;
    if (threads_ > 1 && size_ >= least_to_share(static_cast<I>(worth_sharing))) {
      shared_loop(size_, block_for(size_, threads_, I{1 << 10}), threads_, budget_, visited, turn);
    } else {
      Alone<Visited> own{budget_, visited};
      for (I k = 0; k < size_ && !budget_.stopped(); ++k) turn(k, own);
    }
    counters_.edges += visited.edges;
    if (budget_.stopped()) throw Unfinished();
  }

  struct Visited {
    std::int64_t edges = 0;
    void add(const Visited& other) { edges += other.edges; }
  };

  static constexpr I dead = -2;

  const GraphView<I, Weights>& G_;
  GraphMatching<I> M_;
  Select how_;
  std::uint64_t threshold_;  // p 2^32
  std::uint64_t seed_;
  std::uint64_t r_ = 0;  // the random number r of this round
  int threads_;
  Budget& budget_;
  GraphCounters& counters_;
  NoBudget unlimited_;
  I* alive_;
  I* alive_next_;
  I size_ = 0;  // of alive
  I* sigma_;
  Colour* colour_;
};

template <class I, class Weights>
void red_blue_by(Select how, const GraphView<I, Weights>& G, GraphMatching<I> M,
                 const Options& options, Workspace& workspace, Budget& budget,
                 GraphCounters& counters) {
  RedBlue<I, Weights>(G, M, how, options.get("p"), mixed(options.seed), options.threads, workspace,
                      budget, counters)
      .run();
}

template <class I>
void red_blue(const GraphView<I>& G, GraphMatching<I> M, const Options& options,
              Workspace& workspace, Budget& budget, GraphCounters& counters) {
  const Select how{options.get("select") == 0, options.get("place") == 1};
  red_blue_by(how, G, M, options, workspace, budget, counters);
}

}  // namespace btfperm
