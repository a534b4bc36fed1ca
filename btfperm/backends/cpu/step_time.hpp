// SPDX-License-Identifier: BSD-3-Clause
// StepTime: adds the microseconds from its construction to the end of its scope to a counter
#pragma once

#include <chrono>
#include <cstdint>

namespace btfperm {

class StepTime {
 public:
  explicit StepTime(std::int64_t& microseconds) : microseconds_(microseconds) {}
  StepTime(const StepTime&) = delete;
  StepTime& operator=(const StepTime&) = delete;
  ~StepTime() {
    microseconds_ +=
        std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::int64_t& microseconds_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace btfperm
