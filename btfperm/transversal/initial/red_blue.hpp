// SPDX-License-Identifier: BSD-3-Clause
// red-blue: blue vertices propose to red vertices
//
// Idea        In each round a hash colours every unmatched row and column blue or red. Each blue
//             vertex proposes to a red neighbour, and each red vertex accepts one proposal; these
//             pairs are matched. A vertex without an unmatched neighbour is dead. The algorithm
//             ends when all vertices are matched or dead, or when the budget ends it.
// Paper       B. O. Fagginger Auer, R. H. Bisseling, "A GPU algorithm for greedy graph matching",
//             Facing the Multicore-Challenge II, 2012: algorithms 3 and 4, random matching, on the
//             bipartite graph: column j is vertex j, row i is vertex n + i; sigma and r as in the
//             paper. Changed: select takes the first suitable neighbour from a random place of the
//             list on; the paper permutes the vertices at random beforehand. Matched and dead
//             vertices are removed from the list of vertices
// Cost        In each round, a vertex that is alive visits its list until it finds a suitable
//             neighbour. Workspace: row lists (nnz + m + 1), 2 (m + n), m + n bytes
// Prefer it   for comparison with the GPU. Otherwise prefer greedy, which has no rounds
// Encodings   colour[v]: blue, red, or neither if v is matched or dead. sigma[v] = -1: no vertex;
//             dead: v is dead; else the vertex that v proposes to, or accepts
// Invariants  alive holds, in ascending order, the unmatched vertices for which no search has found
//             that all neighbours are matched
#pragma once

#include <algorithm>
#include <cstdint>

#include "pattern/canonical.hpp"
#include "transversal/initial/vertex_hash.cuh"
#include "transversal/interface.hpp"

namespace btfperm {

template <class I>
class RedBlue {
 public:
  RedBlue(const PatternView<I>& A, Matching<I> M, std::uint64_t seed, Workspace& workspace,
          Budget& budget, Counters& counters)
      : A_(A), M_(M), seed_(seed), vertices_(A.m + A.n), budget_(budget), counters_(counters) {
    I* row_indptr = workspace.take<I>(static_cast<std::size_t>(A.m) + 1);
    I* row_indices = workspace.take<I>(A.nnz());
    alive_ = workspace.take<I>(vertices_);
    sigma_ = workspace.take<I>(vertices_);
    colour_ = workspace.take<Colour>(vertices_);
    transpose(A, row_indptr, row_indices, budget);
    R_ = {A.n, A.m, row_indptr, row_indices};
  }

  void run() {
    for (I v = 0; v < vertices_; ++v) {
      colour_[v] = Colour::neither;
      sigma_[v] = -1;
      if (is_free(v)) alive_[size_++] = v;
    }
    while (size_ > 0) {
      ++counters_.phases;
      const std::uint64_t r = mixed(seed_ + static_cast<std::uint64_t>(counters_.phases));
      for (I k = 0; k < size_; ++k) {
        const bool blue = is_blue(static_cast<unsigned>(alive_[k]), static_cast<unsigned>(r) | 1U);
        colour_[alive_[k]] = blue ? Colour::blue : Colour::red;
      }
      if (!propose(r) || !respond(r)) return;
      match();
    }
  }

 private:
  enum class Colour : std::uint8_t { neither, blue, red };

  bool is_free(I v) const { return v < A_.n ? M_.col_match[v] < 0 : M_.row_match[v - A_.n] < 0; }

  // Blue vertices propose to red ones.
  bool propose(std::uint64_t r) {
    for (I k = 0; k < size_; ++k) {
      const I v = alive_[k];
      sigma_[v] = -1;
      if (colour_[v] != Colour::blue) continue;
      if (!select(v, r, [this](I w) { return colour_[w] == Colour::red; })) return false;
    }
    return true;
  }

  // Red vertices accept one of the proposals to them.
  bool respond(std::uint64_t r) {
    for (I k = 0; k < size_; ++k) {
      const I v = alive_[k];
      if (colour_[v] != Colour::red) continue;
      const auto proposes = [this, v](I w) { return colour_[w] == Colour::blue && sigma_[w] == v; };
      if (!select(v, r, proposes)) return false;
    }
    return true;
  }

  // Matches accepted proposals; other vertices that are not dead stay alive.
  void match() {
    for (I k = 0; k < size_; ++k) {
      const I j = alive_[k];
      if (j < A_.n && sigma_[j] >= 0 && sigma_[sigma_[j]] == j) M_.match(sigma_[j] - A_.n, j);
    }
    I* last = std::remove_if(alive_, alive_ + size_, [this](I v) {
      const bool gone = sigma_[v] == dead || !is_free(v);
      if (gone) colour_[v] = Colour::neither;
      return gone;
    });
    size_ = static_cast<I>(last - alive_);
  }

  // Sets sigma to the first suitable neighbour from a random place on, or to dead if no neighbour
  // is unmatched. Returns false if the budget has ended.
  template <class Suits>
  bool select(I v, std::uint64_t r, Suits suits) {
    const bool column = v < A_.n;
    const PatternView<I>& lists = column ? A_ : R_;
    const I own = column ? v : v - A_.n, numbered_from = column ? A_.n : 0;
    const I begin = lists.indptr[own], degree = lists.degree(own);
    sigma_[v] = dead;
    I read = 0;
    I p = degree == 0 ? 0
                      : static_cast<I>(mixed(r ^ static_cast<std::uint64_t>(v)) %
                                       static_cast<std::uint64_t>(degree));
    for (; read < degree; ++read, p = p + 1 == degree ? 0 : p + 1) {
      const I w = lists.indices[begin + p] + numbered_from;
      if (colour_[w] == Colour::neither) continue;
      sigma_[v] = -1;
      if (!suits(w)) continue;
      sigma_[v] = w;
      break;
    }
    counters_.edges += read + 1;
    return budget_.spend(read + 1);
  }

  static constexpr I dead = -2;

  const PatternView<I>& A_;
  PatternView<I> R_{};  // the row lists
  Matching<I> M_;
  std::uint64_t seed_;
  I vertices_;
  I* alive_;
  I size_ = 0;  // of alive
  I* sigma_;
  Colour* colour_;
  Budget& budget_;
  Counters& counters_;
};

template <class I>
void red_blue(const PatternView<I>& A, Matching<I> M, const Options& options, Workspace& workspace,
              Budget& budget, Counters& counters, Proof&) {
  RedBlue<I>(A, M, mixed(options.seed), workspace, budget, counters).run();
}

}  // namespace btfperm
