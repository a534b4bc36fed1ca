// SPDX-License-Identifier: BSD-3-Clause
// auction: prices that are nearly optimal, by bids of the columns
//
// Idea        A column bids for the row with the smallest cost minus price: the price falls until
//             the row costs this column epsilon more than its second choice. The column then owns
//             the row, and the previous owner bids again. When every column owns a row, the total
//             cost exceeds the optimum by at most n epsilon. Phases with smaller and smaller
//             epsilon start from the prices before: only columns bid again whose row costs more
//             than their best choice plus epsilon. The prices, not the matching, are the result: a
//             search from them has very short paths.
// Paper       D. P. Bertsekas, "The auction algorithm: a distributed relaxation method for the
//             assignment problem", Annals of Operations Research 14, 1988; the epsilons are ours
// Cost        O(n nnz) for each phase in the worst case, in practice some ten passes over the
//             entries in all. Workspace: 2 n
// Prefer it   if the start of mc64 leaves so many columns that their searches visit each entry many
//             times, as in random matrices
// Invariants  square blocks in which all rows can be matched; each column has two entries. During a
//             phase, the row of each owner costs it at most epsilon more than its best choice
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "backends/cpu/budget.hpp"
#include "weighted/block.hpp"
#include "weighted/mc64.hpp"

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
        queue_(memory.lists[0]) {}

  // Improves the prices of the rows; the matching in the memory is lost. False: nothing was done,
  // because most columns have several best choices. Then bids lower prices by epsilon only, and a
  // search is faster.
  bool run() {
    double epsilon = first_epsilon();
    if (epsilon == 0) return false;
    std::fill(owner_, owner_ + A_.m, I{-1});
    std::fill(owned_, owned_ + A_.n, I{-1});
    for (int phase = 0; phase < phases && !budget_.stopped(); ++phase, epsilon /= shrink) {
      release(epsilon);
      bid_until_all_own(epsilon);
    }
    return true;
  }

 private:
  static constexpr int phases = 5;
  static constexpr double first_share = 4;
  static constexpr double shrink = 5;
  static constexpr double rounding = 1e-12;
  // On rnd_1e5_d5 with values 1, 2, 4, 8 (.72) an auction halves the time; on NSR8K (.78) the
  // search takes four times as long after it.
  static constexpr double most_equal = .75;
  static constexpr double far = std::numeric_limits<double>::infinity();

  struct Choice {
    I row;
    double cost;    // minus the price
    double second;  // the same of the second choice
  };

  Choice choice(I j) const {
    Choice best{-1, far, far};
    for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
      const double cost = A_.cost[p] - price_[A_.indices[p]];
      if (cost < best.cost) {
        best = {A_.indices[p], cost, best.cost};
      } else {
        best.second = std::min(best.second, cost);
      }
    }
    return best;
  }

  // A share of the mean difference between the first and the second choice; 0 if it is 0 for too
  // many columns.
  double first_epsilon() const {
    double sum = 0;
    I equal = 0;
    for (I j = 0; j < A_.n; ++j) {
      const Choice best = choice(j);
      sum += best.second - best.cost;
      equal += best.second - best.cost <= rounding * (1 + best.cost);
    }
    const auto n = static_cast<double>(A_.n);
    return static_cast<double>(equal) > most_equal * n ? 0 : sum / n / first_share;
  }

  // Columns give up rows that cost them more than their best choice plus epsilon.
  void release(double epsilon) {
    n_queued_ = 0;
    for (I j = 0; j < A_.n; ++j) {
      const I i = owned_[j];
      if (i >= 0) {
        I p = A_.indptr[j];
        while (A_.indices[p] != i) ++p;
        if (A_.cost[p] - price_[i] <= choice(j).cost + epsilon) continue;
        owner_[i] = -1;
        owned_[j] = -1;
      }
      queue_[n_queued_++] = j;
    }
  }

  // The queue is a circle with n places; no column is in it twice.
  void bid_until_all_own(double epsilon) {
    for (I head = 0; n_queued_ > 0; --n_queued_) {
      const I j = queue_[head];
      head = head + 1 == A_.n ? 0 : head + 1;
      const Choice best = choice(j);
      ++counters_.bids;
      price_[best.row] += best.cost - best.second - epsilon;
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
  Budget& budget_;
  WeightedCounters& counters_;
  I* owner_;  // column of each row, or -1
  I* owned_;  // row of each column, or -1
  double* price_;
  I* queue_;  // columns without a row
  I n_queued_ = 0;
};

}  // namespace btfperm
