// SPDX-License-Identifier: BSD-3-Clause
// mc64: the maximum-weight matching of all columns of a block, by shortest augmenting paths
//
// Idea        The costs are c >= 0. Prices of rows and of columns satisfy price[i] + price[j] <=
//             c(i, j). An entry for which both sides are equal is called tight. If all matched
//             entries are tight, no matching of all columns costs less. A cheap start sets prices
//             to row minima and column minima, matches tight entries, and augments along paths of
//             three tight entries. If it leaves a quarter of the columns unmatched, it is repeated
//             from balanced prices (balance.hpp). Each remaining column is the root of a shortest
//             path search (Dijkstra) over the reduced costs c - price[i] - price[j]. The search
//             ends at the nearest unmatched row, the matching is augmented along the path, and the
//             prices in the tree change so that all inequalities hold again. If the searches get
//             too long, run() abandons them. Then an auction (auction.hpp, price_refinement.hpp) or
//             run_again() prepares a larger initial matching. The papers have none of these three.
// Paper       I. S. Duff, J. Koster, "The design and use of algorithms for permuting large entries
//             to the diagonal of sparse matrices", SIAM J. Matrix Anal. Appl. 20, 1999; "On
//             algorithms for permuting large entries to the diagonal of a sparse matrix", 22, 2001
// Cost        O(n (n + nnz) log n) in the worst case; three passes over the entries if the start
//             matches all columns, and six to nine more for balanced prices. Workspace: 9 m + 4 n
//             numbers
// Prefer it   if the start leaves few columns unmatched, as in most matrices of applications
// Invariants  prices of unmatched rows are 0 if there are more rows than columns; otherwise they
//             are arbitrary, as no row remains unmatched. matched_entry[j] is the position of the
//             matched entry of column j. During the searches, col_price[j] is valid only for
//             unmatched columns. The price of a matched column follows from the price of its row,
//             because the matched entry is tight
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/heap.hpp"
#include "backends/cpu/workspace.hpp"
#include "transversal/augmenting/hopcroft_karp.hpp"
#include "transversal/interface.hpp"
#include "weighted/block.hpp"
#include "weighted/counters.hpp"
#include "weighted/exact/balance.hpp"

namespace btfperm {

template <class I>
class Mc64 {
 public:
  // gave_up: the searches were abandoned because they are long; stopped: the budget ended.
  enum class Outcome { done, gave_up, stopped };

  // A matching of all columns of the block must exist. Each public method states the row prices
  // from which it starts.
  Mc64(const CostBlock<I>& block, BlockMemory<I>& memory, Budget& budget,
       WeightedCounters& counters)
      : A_(block),
        budget_(budget),
        counters_(counters),
        rounding_(4 * std::numeric_limits<double>::epsilon() * block.largest_cost),
        row_match_(memory.row_match),
        col_match_(memory.col_match),
        row_price_(memory.row_price),
        col_price_(memory.col_price),
        distance_(memory.distance),
        matched_entry_(memory.lists[0]),
        next_(memory.lists[1]),
        near_(memory.lists[1]),
        via_(memory.lists[2]),
        column_before_(memory.lists[3]),
        reached_(memory.lists[4]),
        final_(memory.lists[5]),
        heap_(distance_, memory.lists[6], memory.lists[7]) {}

  // Matches all columns, from the row prices of `BlockBuilder` (0 if m > n). With a finite
  // `most_passes`, it abandons the searches if they are expected to visit the entries more than
  // `most_passes` times, or if later searches in a large block are longer than the first ones.
  Outcome run(double most_passes = far) {
    // Some rows remain unmatched if there are more rows than columns.
    if (A_.m > A_.n) std::fill(row_price_, row_price_ + A_.m, 0.0);
    start();
    start_from_balanced_prices();
    return search_all(most_passes);
  }

  // Matches all columns of a square block after a run that was abandoned, from the current prices
  // of the rows. A maximum matching of the tight entries precedes the searches.
  Outcome run_again() {
    start();
    match_tight_entries();
    return search_all(far);
  }

  // Matches the columns that an auction left unmatched, from the row prices of the auction. Other
  // columns change their rows only on augmenting paths. Their matched entries need not be tight, so
  // the matching need not be the best.
  Outcome complete() {
    const Outcome outcome = match_the_rest();
    if (outcome == Outcome::done) raise_row_prices();
    return outcome;
  }

  // Does the same for a matching whose entries are tight. The result is then the best matching, and
  // the prices prove it.
  Outcome match_the_rest() {
    for (I j = 0; j < A_.n; ++j) {
      col_price_[j] = smallest(j);
      if (col_match_[j] >= 0) matched_entry_[j] = entry_of(j);
    }
    return visited(A_.nnz()) ? search_all(far) : Outcome::stopped;
  }

 private:
  static constexpr double far = std::numeric_limits<double>::infinity();
  static constexpr double most_balanced = 1e290;  // sums of larger costs may overflow

  // Searches are not abandoned before they have visited this number of entries in all: the start of
  // an auction would take longer.
  static constexpr double least_edges = 1 << 15;
  // Searches are abandoned if the second quarter of them visits more than `longer` times as many
  // entries as the first. This holds in random matrices and saddle points, where the last searches
  // visit most of the matrix; on grids the quotient is about 1.
  static constexpr double longer = 1.4;
  // A quarter must have this number of searches, because the lengths of a few vary too much. Few
  // searches are cheap, because each visits an entry at most once.
  static constexpr double least_quarter = 64;
  // The block must have this number of entries: a smaller one stays in the cache, where an auction
  // gains nothing, and balanced prices can take longer than the searches that they save.
  static constexpr std::int64_t least_entries = 1 << 17;

  Outcome search_all(double most_passes) {
    const auto unmatched = static_cast<double>(unmatched_columns());
    // Without a search, the row prices do not change, so the column prices are valid.
    if (unmatched == 0) return budget_.stopped() ? Outcome::stopped : Outcome::done;
    std::fill(distance_, distance_ + A_.m, far);
    const std::int64_t before = counters_.edges;
    const double least = std::max(static_cast<double>(A_.nnz()), least_edges);
    const double quarter = std::floor(unmatched / 4);
    double searches = 0, first_quarter = 0;
    for (I j = 0; j < A_.n; ++j) {
      if (budget_.stopped()) return Outcome::stopped;
      if (col_match_[j] >= 0) continue;
      // The estimate is the mean length of the searches times their number. Later searches usually
      // visit more entries, so the total work is usually above the estimate.
      const auto edges = static_cast<double>(counters_.edges - before);
      if (edges > least && edges * (unmatched / searches) > most_passes * A_.nnz()) {
        return Outcome::gave_up;
      }
      if (most_passes < far && A_.nnz() >= least_entries && quarter >= least_quarter) {
        if (searches == quarter) first_quarter = edges;
        const bool is_half = searches == 2 * quarter && edges > least_edges;
        if (is_half && edges - first_quarter > longer * first_quarter) return Outcome::gave_up;
      }
      ++searches;
      search(j);
    }
    counters_.searches += static_cast<std::int64_t>(searches);
    if (budget_.stopped()) return Outcome::stopped;  // the last column may be unmatched
    set_column_prices();
    return visited(A_.nnz()) ? Outcome::done : Outcome::stopped;
  }

  // Sets col_price[j] to the largest feasible price. The stored price is feasible, because row
  // prices only fall. It is the largest one if it equals the cost of the matched entry minus its
  // row price.
  void set_column_prices() {
    for (I j = 0; j < A_.n; ++j) {
      const double tight = A_.cost[matched_entry_[j]] - row_price_[col_match_[j]];
      if (tight != col_price_[j]) col_price_[j] = smallest(j);
    }
  }

  // Sets the prices of the rows to the largest feasible ones. Larger prices give a better bound on
  // the distance from the optimum. Rows of tight entries keep their prices.
  void raise_row_prices() {
    double* const slack = distance_;
    std::fill(slack, slack + A_.m, far);
    for (I j = 0; j < A_.n; ++j) {
      for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
        const I i = A_.indices[p];
        slack[i] = std::min(slack[i], A_.cost[p] - row_price_[i] - col_price_[j]);
      }
    }
    for (I i = 0; i < A_.m; ++i) row_price_[i] += std::max(slack[i], 0.0);
    visited(A_.nnz());
  }

  bool visited(std::int64_t edges) {
    counters_.edges += edges;
    return budget_.spend(edges);
  }

  void match(I i, I j, I p) {
    row_match_[i] = j;
    col_match_[j] = i;
    matched_entry_[j] = p;
  }

  // The position of the matched entry of column j.
  I entry_of(I j) const {
    I p = A_.indptr[j];
    while (A_.indices[p] != col_match_[j]) ++p;
    return p;
  }

  // The smallest cost minus price in column j.
  double smallest(I j) const {
    double least = far;
    for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
      least = std::min(least, A_.cost[p] - row_price_[A_.indices[p]]);
    }
    return least;
  }

  void start() {
    std::fill(row_match_, row_match_ + A_.m, I{-1});
    std::fill(col_match_, col_match_ + A_.n, I{-1});
    for (I j = 0; j < A_.n; ++j) {
      col_price_[j] = smallest(j);
      next_[j] = A_.indptr[j];
      for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
        if (row_match_[A_.indices[p]] < 0 && is_tight(p, j)) {
          match(A_.indices[p], j, p);
          break;
        }
      }
    }
    visited(3 * A_.nnz());
    for (I j = 0; j < A_.n && !budget_.stopped(); ++j) {
      if (col_match_[j] < 0) match_by_displacement(j);
    }
  }

  I unmatched_columns() const {
    return static_cast<I>(std::count(col_match_, col_match_ + A_.n, I{-1}));
  }

  // Starts again from balanced prices if the start has left many columns of a large square block
  // unmatched, and returns to the first start unless the second one leaves at most half as many.
  void start_from_balanced_prices() {
    const bool is_possible = A_.m == A_.n && A_.largest_cost <= most_balanced;
    if (!is_possible || A_.nnz() < least_entries || budget_.stopped()) return;
    const I unmatched = unmatched_columns();
    if (unmatched < A_.n / 4) return;
    std::copy(row_price_, row_price_ + A_.m, distance_);
    balanced_prices(A_, row_price_);
    if (!visited(3 * A_.nnz())) return;
    start();
    if (unmatched_columns() <= unmatched / 2) return;
    std::copy(distance_, distance_ + A_.m, row_price_);
    start();
  }

  // A maximum matching of the tight entries.
  void match_tight_entries() {
    if (budget_.stopped()) return;
    Workspace workspace;
    I* const indptr = workspace.take<I>(static_cast<std::size_t>(A_.n) + 1);
    I* const indices = workspace.take<I>(A_.nnz());
    I count = 0;
    for (I j = 0; j < A_.n; ++j) {
      indptr[j] = count;
      for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
        if (is_tight(p, j)) indices[count++] = A_.indices[p];
      }
    }
    indptr[A_.n] = count;
    visited(A_.nnz());
    Counters counters;
    const PatternView<I> tight{A_.m, A_.n, indptr, indices};
    HopcroftKarp<I>(tight, {row_match_, col_match_}, workspace, budget_, counters).run();
    counters_.edges += counters.edges;
    for (I j = 0; j < A_.n; ++j) {
      if (col_match_[j] >= 0) matched_entry_[j] = entry_of(j);
    }
  }

  bool is_tight(I p, I j) const { return A_.cost[p] - row_price_[A_.indices[p]] <= col_price_[j]; }

  // Matches column j, if tight entries allow it, to an unmatched row, or to a matched row whose
  // column can move to an unmatched row. Each column is searched only once for an entry in an
  // unmatched row, because a matched row stays matched: next_ stores the place reached.
  void match_by_displacement(I j) {
    for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
      if (!is_tight(p, j)) continue;
      const I i = A_.indices[p];
      const I holder = row_match_[i];
      if (holder < 0) return match(i, j, p);
      const I begin = next_[holder];
      for (I& q = next_[holder]; q < A_.indptr[holder + 1]; ++q) {
        if (row_match_[A_.indices[q]] >= 0 || !is_tight(q, holder)) continue;
        visited(q - begin);
        match(A_.indices[q], holder, q);
        return match(i, j, p);
      }
      visited(next_[holder] - begin);
    }
    visited(A_.indptr[j + 1] - A_.indptr[j]);
  }

  // Finds the shortest path from column `root` to an unmatched row and augments along it. A row
  // that is reached for the first time, at the current distance of the search, is visited next
  // without being inserted into the heap.
  void search(I root) {
    double least = far;  // distance of the nearest unmatched row
    I end = -1;
    I n_reached = 0, n_final = 0, n_near = 0;
    double so_far = 0;  // distance of the column that is visited
    double price = col_price_[root];
    heap_.clear();
    for (I j = root;;) {
      for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
        const I i = A_.indices[p];
        const double reduced = A_.cost[p] - row_price_[i] - price;
        const double d = reduced < rounding_ ? so_far : so_far + reduced;
        if (d >= least || d >= distance_[i]) continue;
        const bool known = distance_[i] != far;
        if (!known) reached_[n_reached++] = i;
        distance_[i] = d;
        via_[i] = p;
        column_before_[i] = j;
        if (row_match_[i] < 0) {
          least = d;
          end = i;
          if (d <= so_far) break;
        } else if (known) {
          heap_.decreased(i);
        } else if (d <= so_far) {
          near_[n_near++] = i;
        } else {
          heap_.insert(i);
        }
      }
      if (!visited(A_.indptr[j + 1] - A_.indptr[j]) || least <= so_far) break;
      I i;
      if (n_near > 0) {
        i = near_[--n_near];
      } else {
        if (heap_.empty() || distance_[heap_.first()] >= least) break;
        i = heap_.first();
        heap_.remove_first();
        so_far = distance_[i];
      }
      j = row_match_[i];
      price = A_.cost[matched_entry_[j]] - row_price_[i];
      final_[n_final++] = i;
    }
    if (end >= 0 && !budget_.stopped()) augment(root, end, least, n_final);
    for (I k = 0; k < n_reached; ++k) distance_[reached_[k]] = far;
  }

  // Augments along the path to row `end` and changes the prices of the rows in the tree. The prices
  // of matched columns follow from those of their rows.
  void augment(I root, I end, double least, I n_final) {
    for (I k = 0; k < n_final; ++k) {
      const I i = final_[k];
      row_price_[i] += distance_[i] - least;
    }
    for (I i = end;;) {
      const I j = column_before_[i];
      const I before = col_match_[j];
      match(i, j, via_[i]);
      if (j == root) break;
      i = before;
    }
  }

  const CostBlock<I>& A_;
  Budget& budget_;
  WeightedCounters& counters_;
  // Reduced costs below this bound count as 0. Then rounding errors do not make equal distances
  // different, and rows at the distance of the search need no heap.
  double rounding_;
  I* row_match_;
  I* col_match_;
  double* row_price_;
  double* col_price_;
  double* distance_;
  I* matched_entry_;
  I* next_;  // of each column, the position where match_by_displacement() continues
  I* near_;  // rows at the distance of the search, not visited yet; uses the memory of next_
  I* via_;   // entry through which the search reached a row
  I* column_before_;  // the column of this entry
  I* reached_;        // rows with a finite distance
  I* final_;          // rows whose distance is final, and whose columns were visited
  Heap<I, double> heap_;
};

}  // namespace btfperm
