// SPDX-License-Identifier: BSD-3-Clause
// A sum of many numbers whose rounding errors do not add up
#pragma once

#include <cmath>

namespace btfperm {

// In a plain sum of many numbers of one sign, the rounding errors may add up. Here, a second sum
// holds what each addition rounds away (A. Neumaier, ZAMM 54, 1974). All sums must be finite.
class ExactSum {
 public:
  void add(double term) {
    const double next = sum_ + term;
    const bool is_less = std::abs(term) <= std::abs(sum_);
    lost_ += is_less ? (sum_ - next) + term : (term - next) + sum_;
    sum_ = next;
  }

  double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0, lost_ = 0;
};

}  // namespace btfperm
