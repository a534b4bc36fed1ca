// SPDX-License-Identifier: BSD-3-Clause
// auction: prices that are nearly optimal, by bids of the columns
//
// Idea        A column bids for the row with the smallest cost minus price: the price falls until
//             the row costs this column epsilon more than its second choice. The column then owns
//             the row, and the previous owner bids again. When every column owns a row, the total
//             cost exceeds the optimum by at most n epsilon. Phases with smaller and smaller
//             epsilon start from the prices before: only columns bid again whose row costs more
//             than their best choice plus epsilon. After the last phase, price_refinement.hpp
//             exchanges a few rows and finds prices that prove the matching to be the best.
//             While many columns have no row, they bid at the same time, in rounds. Each row takes
//             its lowest bid; among equal bids, that of the column with the smallest number. So the
//             result is the same for every number of threads.
// Paper       D. P. Bertsekas, "The auction algorithm: a distributed relaxation method for the
//             assignment problem", Annals of Operations Research 14, 1988; the epsilons are ours
// Cost        ten to twenty passes over the entries of random matrices; the limit of begin() on the
//             passes bounds the worst case. Workspace: 8 n numbers, and a copy of the entries in
//             which the row and the cost of an entry are adjacent, so that a bid waits for fewer
//             cache lines
// Prefer it   if the start of mc64 leaves many columns unmatched, as in random matrices: their
//             searches would visit each entry many times
// Invariants  the block is square, all its rows can be matched, and each column has two entries or
//             more. In a phase, a column's row costs it at most epsilon more than its best choice
// Races       two columns may bid for one row: the row's bidder is replaced by compare-and-swap,
//             which also makes the price of the bid visible. Everything else has one writer
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <utility>

#include "backends/cpu/atomics.hpp"
#include "backends/cpu/budget.hpp"
#include "backends/cpu/parallel.hpp"
#include "backends/cpu/prefetch.hpp"
#include "backends/cpu/workspace.hpp"
#include "weighted/block.hpp"
#include "weighted/counters.hpp"

namespace btfperm {

template <class I>
class Auction {
 public:
  Auction(const CostBlock<I>& block, BlockMemory<I>& memory, Budget& budget,
          WeightedCounters& counters)
      : A_(block),
        budget_(budget),
        counters_(counters),
        owner_(memory.row_match),
        owned_(memory.col_match),
        price_(memory.row_price),
        queue_(memory.lists[0]),
        bid_price_(memory.distance),
        bid_row_(memory.lists[1]),
        bidder_(memory.lists[2]),
        displaced_(memory.lists[3]) {}

  // Copies the entries and chooses the first epsilon. The auction stops after `most_passes` passes
  // over the entries. Returns false if more than the share `most_equal` of the columns has several
  // best choices. Then bids would lower prices by epsilon only, and a search is faster.
  bool begin(double most_passes, int threads) {
    threads_ = threads;
    copy_entries();
    epsilon_ = first_epsilon();
    const double most = most_passes * static_cast<double>(A_.nnz());
    last_ = counters_.edges + static_cast<std::int64_t>(most);
    return epsilon_ > 0;
  }

  // Improves the prices of the rows and the matching in the memory, then divides epsilon by
  // `shrink`. Returns false if the auction has stopped; columns may have no row then.
  bool run_phase(double shrink) {
    // Otherwise, release() would take rows from columns that could not bid again.
    if (counters_.edges >= last_ || budget_.stopped()) return false;
    fill(bidder_, A_.m, I{-1}, threads_);
    release();
    bid_in_rounds();
    bid_until_all_own();
    epsilon_ /= shrink;
    return n_queued_ == 0 && !budget_.stopped();
  }

 private:
  static constexpr double first_share = 4;   // see first_epsilon()
  static constexpr double rounding = 1e-12;  // relative to the costs
  // The largest share of columns with several best choices for which there is an auction. If it
  // were larger, most bids would lower a price by epsilon only.
  static constexpr double most_equal = .9;
  static constexpr double far = std::numeric_limits<double>::infinity();
  // If fewer columns than this have no row, single bids on one thread take less time than rounds.
  static constexpr std::int64_t least_in_round = 1 << 12;
  // Sums over the columns are sums of this number of partial sums, whatever the number of threads,
  // so that rounding errors do not depend on the threads.
  static constexpr int terms = 64;

  struct Entry {
    double cost;
    I row;
  };

  struct Choice {
    I row;
    double cost;    // of the best choice: cost minus price
    double second;  // of the second choice
  };

  void copy_entries() {
    entries_ = workspace_.take<Entry>(A_.nnz());
    share(A_.n, [&](I j) {
      for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) entries_[p] = {A_.cost[p], A_.indices[p]};
    });
  }

  Choice choice(I j) const {
    Choice best{-1, far, far};
    for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
      const Entry& entry = entries_[p];
      const double cost = entry.cost - price_[entry.row];
      if (cost < best.cost) {
        best = {entry.row, cost, best.cost};
      } else {
        best.second = std::min(best.second, cost);
      }
    }
    return best;
  }

  // Columns of the queue are far apart in memory, and so are the prices of their rows: without
  // prefetches, each bid waits for three memory accesses in turn. `at(d)` returns the column that
  // is d places later in the queue, or -1.
  template <class At>
  void prefetch_bids(At at) const {
    if (const I j = at(8); j >= 0) prefetch(&A_.indptr[j]);
    if (const I j = at(4); j >= 0) {
      const Entry* const first = entries_ + A_.indptr[j];
      const I count = std::min<I>(A_.indptr[j + 1] - A_.indptr[j], most_prefetched);
      for (I k = 0; k < count; k += entries_in_line) prefetch(first + k);
      prefetch(first + count - 1);
    }
    if (const I j = at(2); j >= 0) {
      const I last = std::min<I>(A_.indptr[j + 1], A_.indptr[j] + most_prefetched);
      for (I p = A_.indptr[j]; p < last; ++p) prefetch(&price_[entries_[p].row]);
    }
  }
  static constexpr I most_prefetched = 16;
  static constexpr I entries_in_line = 64 / sizeof(Entry);  // of the cache

  // Calls body(k) for k = 0 ... count - 1, on several threads if `count` is large enough.
  template <class Body>
  void share(I count, Body body) {
    const bool shared = threads_ > 1 && count >= least_to_share(least_shared);
    on_team(threads_, shared,
            [&](int t, int team) { in_own_pieces(Share<I>(count, t, team), t, budget_, body); });
  }
  static constexpr std::int64_t least_shared = 1 << 12;

  // The mean of the differences between first and second choices that exceed rounding, divided by
  // first_share; 0 if more than the share most_equal of the columns has no such difference.
  double first_epsilon() {
    std::array<double, terms> sums{};
    std::array<I, terms> equals{};
    const auto add_up = [&](int term) {
      const Share<I> part(A_.n, term, terms);
      for (I j = part.first; j < part.last; ++j) {
        const Choice best = choice(j);
        sums[term] += best.second - best.cost;
        equals[term] += best.second - best.cost <= rounding * (A_.largest_cost + best.cost);
      }
    };
    const bool shared = threads_ > 1 && A_.n >= least_to_share(least_shared);
    on_team(threads_, shared, [&](int t, int team) {
      for (int term = t; term < terms && !budget_.stopped(); term += team) {
        add_up(term);
        if (t == 0) budget_.poll();
      }
    });
    double sum = 0;
    I equal = 0;
    for (int term = 0; term < terms; ++term) {
      sum += sums[term];
      equal += equals[term];
    }
    const bool too_many = static_cast<double>(equal) > most_equal * static_cast<double>(A_.n);
    return too_many ? 0 : sum / static_cast<double>(A_.n - equal) / first_share;
  }

  // Releases rows that cost their columns more than the best choice plus epsilon. Fills the queue.
  void release() {
    share(A_.n, [&](I j) {
      const I i = owned_[j];
      if (i < 0) return;
      I p = A_.indptr[j];
      while (entries_[p].row != i) ++p;
      if (entries_[p].cost - price_[i] <= choice(j).cost + epsilon_) return;
      owner_[i] = -1;
      owned_[j] = -1;
    });
    n_queued_ =
        select(A_.n, threads_, queue_, [&](I j) { return owned_[j] < 0; }, [](I j) { return j; });
  }

  // Runs rounds until fewer than least_in_round columns have no row or counters_.edges >= last_.
  void bid_in_rounds() {
    while (n_queued_ >= least_to_share(least_in_round) && counters_.edges < last_) {
      ++counters_.rounds;
      counters_.bids += n_queued_;
      const std::int64_t edges = make_bids();
      if (budget_.stopped()) return;
      accept_bids();
      if (budget_.stopped()) return;
      n_queued_ = select(
          n_queued_, threads_, queue_, [&](I k) { return displaced_[k] >= 0; },
          [&](I k) { return displaced_[k]; });
      counters_.edges += edges;
      if (!budget_.spend(edges)) return;
    }
  }

  // Every column of the queue bids at the present prices. Returns the number of entries visited.
  std::int64_t make_bids() {
    std::atomic<std::int64_t> edges{0};
    const bool shared = threads_ > 1 && n_queued_ >= least_to_share(least_shared);
    on_team(threads_, shared, [&](int t, int team) {
      std::int64_t own = 0;
      in_own_pieces(Share<I>(n_queued_, t, team), t, budget_, [&](I k) {
        const I j = queue_[k];
        prefetch_bids([&](I d) { return k + d < n_queued_ ? queue_[k + d] : I{-1}; });
        const Choice best = choice(j);
        own += A_.indptr[j + 1] - A_.indptr[j];
        bid_row_[j] = best.row;
        bid_price_[j] = price_[best.row] + (best.cost - best.second - epsilon_);
        bid_for(best.row, j);
      });
      edges.fetch_add(own, std::memory_order_relaxed);
    });
    return edges.load(std::memory_order_relaxed);
  }

  // Makes column j the bidder of row i unless another column bids less.
  void bid_for(I i, I j) {
    const std::atomic_ref<I> bidder(bidder_[i]);
    I other = bidder.load(std::memory_order_acquire);
    while (other < 0 || std::pair(bid_price_[j], j) < std::pair(bid_price_[other], other)) {
      if (bidder.compare_exchange_weak(other, j, std::memory_order_acq_rel)) return;
    }
  }

  // Gives each row to its bidder. displaced_[k] becomes the k-th column of the queue if its bid
  // lost, else the column that owned the row before, or -1.
  void accept_bids() {
    share(n_queued_, [&](I k) {
      const I j = queue_[k];
      const I i = bid_row_[j];
      displaced_[k] = j;
      if (load(bidder_[i]) != j) return;
      store(bidder_[i], I{-1});
      price_[i] = bid_price_[j];
      const I loser = owner_[i];
      if (loser >= 0) owned_[loser] = -1;
      owner_[i] = j;
      owned_[j] = i;
      displaced_[k] = loser;
    });
  }

  // Columns bid one at a time, until all own a row or counters_.edges >= last_. The queue is a
  // ring buffer with n places; no column is in it twice.
  void bid_until_all_own() {
    for (I head = 0; n_queued_ > 0 && counters_.edges < last_; --n_queued_) {
      const I j = queue_[head];
      head = head + 1 == A_.n ? 0 : head + 1;
      prefetch_bids([&](I d) {
        const I place = head + d - 1;
        return d < n_queued_ ? queue_[place >= A_.n ? place - A_.n : place] : I{-1};
      });
      const Choice best = choice(j);
      ++counters_.bids;
      price_[best.row] += best.cost - best.second - epsilon_;
      const I loser = owner_[best.row];
      owner_[best.row] = j;
      owned_[j] = best.row;
      if (loser >= 0) {
        owned_[loser] = -1;
        const I tail = head + (n_queued_ - 1);
        queue_[tail >= A_.n ? tail - A_.n : tail] = loser;
        ++n_queued_;
      }
      const I edges = A_.indptr[j + 1] - A_.indptr[j];
      counters_.edges += edges;
      if (!budget_.spend(edges)) return;
    }
  }

  const CostBlock<I>& A_;
  Workspace workspace_;
  Entry* entries_ = nullptr;  // a copy of the entries of A_, in the same order
  Budget& budget_;
  WeightedCounters& counters_;
  int threads_ = 1;
  double epsilon_ = 0;
  std::int64_t last_ = 0;  // number of visited entries at which the auction stops
  I* owner_;               // column of each row, or -1
  I* owned_;               // row of each column, or -1
  double* price_;
  I* queue_;  // columns without a row
  I n_queued_ = 0;
  double* bid_price_;  // of each column of the queue
  I* bid_row_;
  I* bidder_;     // of each row: the column with the lowest bid, or -1
  I* displaced_;  // see accept_bids()
};

}  // namespace btfperm
