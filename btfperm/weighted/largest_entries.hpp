// SPDX-License-Identifier: BSD-3-Clause
// largest-entries: the best matching of a block in which each column can have its largest entry
//
// Idea        No matching of all columns has a larger entry in any column, so none has a larger
//             sum. The duals are 0 for the rows, and minus the largest value for the columns. Each
//             column takes the first of its largest entries whose row is unmatched. The start of
//             mc64 takes the same entries and has the same duals, but first computes all costs.
//             In most blocks that need searches, many columns have their largest entries in the
//             same rows. In a large block, a sample of columns contains two of these, so that only
//             a small part of the entries is visited in vain.
// Paper       none
// Cost        one pass over the entries if all columns are matched. Otherwise, the pass ends at the
//             first column that cannot be matched
// Invariants  the matched columns are those of the sample, or the first ones of the block
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/pieces.hpp"
#include "pattern/pattern.hpp"
#include "weighted/block.hpp"

namespace btfperm {

// The matching of all columns of a block that has at least as many rows as columns.
template <class I>
class LargestEntries {
 public:
  // Rows and columns of the block are unmatched in the arrays, which are those of the matrix.
  // `place` and `whole`: see assign_block.
  LargestEntries(const PatternView<I>& A, const double* value, const BlockPart<I>& part,
                 const I* place, bool whole, I* row_match, I* col_match, double* col_dual)
      : A_(A),
        value_(value),
        part_(part),
        place_(place),
        whole_(whole),
        row_match_(row_match),
        col_match_(col_match),
        col_dual_(col_dual) {}

  // Matches all columns and sets their duals. False: none is matched, because a column has no
  // largest entry in an unmatched row; or the budget ended the call.
  bool match_columns(Budget& budget, std::int64_t& edges) {
    const bool found = can_match_sample() && match_all(budget, edges);
    edges += passed_;
    return budget.spend(passed_) && found;
  }

 private:
  // A smaller block has no sample, because this would contain more than 4 % of its columns.
  static constexpr I least_sampled = 1 << 13;

  // Whether the columns of a sample can be matched. If a tenth of all columns compete in pairs for
  // a row, the sample contains 0.8 of these pairs in the mean, whatever the size of the block is.
  bool can_match_sample() {
    if (part_.n < least_sampled) return true;
    const I count = 4 * static_cast<I>(std::sqrt(static_cast<double>(part_.n)));
    I k = 0;
    std::uint64_t random = 0;
    for (; k < count; ++k) {
      const I j = column(next(random));
      if (col_match_[j] < 0 && !match(j)) break;
    }
    random = 0;
    for (I again = 0; again < k; ++again) unmatch(column(next(random)));
    return k == count;
  }

  // A random column of the block.
  I next(std::uint64_t& random) const {
    random = random * 6364136223846793005u + 1442695040888963407u;
    return static_cast<I>((random >> 33) % static_cast<std::uint64_t>(part_.n));
  }

  bool match_all(Budget& budget, std::int64_t& edges) {
    I c = 0;
    for (; c < part_.n && match(column(c)); ++c) {
      if (passed_ < piece) continue;
      edges += passed_;
      if (!budget.spend(passed_)) break;
      passed_ = 0;
    }
    if (c == part_.n) return true;
    while (c-- > 0) unmatch(column(c));
    return false;
  }

  // Matches column j to the first unmatched row among those of its largest entries. False: there is
  // no such row.
  bool match(I j) {
    const I begin = A_.indptr[j], end = A_.indptr[j + 1];
    passed_ += end - begin;
    double largest = -std::numeric_limits<double>::infinity();
    if (whole_) {
      largest = extremes_of(value_ + begin, end - begin).largest;
    } else {
      for (I p = begin; p < end; ++p) {
        if (is_inside(A_.indices[p])) largest = std::max(largest, value_[p]);
      }
    }
    for (I p = begin; p < end; ++p) {
      if (value_[p] != largest) continue;
      const I i = A_.indices[p];
      if (row_match_[i] >= 0 || !is_inside(i)) continue;
      row_match_[i] = j;
      col_match_[j] = i;
      col_dual_[j] = 0 - largest;  // not -0
      return true;
    }
    return false;
  }

  void unmatch(I j) {
    if (col_match_[j] < 0) return;
    row_match_[col_match_[j]] = -1;
    col_match_[j] = -1;
  }

  I column(I c) const { return whole_ ? c : part_.cols[c]; }

  bool is_inside(I i) const {
    return whole_ || (place_[i] >= part_.first && place_[i] < part_.first + part_.m);
  }

  const PatternView<I>& A_;
  const double* value_;
  const BlockPart<I>& part_;
  const I* place_;
  bool whole_;
  I* row_match_;
  I* col_match_;
  double* col_dual_;
  std::int64_t passed_ = 0;  // entries, not yet reported to the budget
};

}  // namespace btfperm
