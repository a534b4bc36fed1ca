// SPDX-License-Identifier: BSD-3-Clause
// Budget: the limits of a search
//
// A search reports the edges it visits. The budget periodically polls the clock, the work done and
// Ctrl-C. `spend` returns false if the search must stop; the search then returns with a legal
// matching. In a parallel region, only the calling thread (OpenMP's thread 0) calls `spend` of the
// budget, for the edges of all threads. The other threads call `stopped`; or each has a Budget of
// its own that was constructed as a part of the first one, and calls `spend` of that.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace btfperm {

// Entries that the searches of this process have visited, as of their latest polls: for progress.
inline std::atomic<std::int64_t> entries_visited{0};

enum class Stop : int { none = 0, interrupted = 1, time_limit = 2, max_work = 3 };

class Budget {
 public:
  using Clock = std::chrono::steady_clock;

  // seconds <= 0 and edges <= 0 mean no limit; `interrupted` may be null.
  Budget(double seconds, std::int64_t edges, bool (*interrupted)())
      : start_(Clock::now()),
        last_signal_poll_(start_),
        seconds_(seconds),
        edges_(edges),
        interrupted_(interrupted) {
    refill();
  }

  // A part of `whole` for another thread. A part never polls the clock or Ctrl-C: at each of its
  // polls, it adds its edges to `whole`, and it stops if `whole` has stopped.
  explicit Budget(Budget& whole) : Budget(0, 0, nullptr) { whole_ = &whole; }

  // Counts visited `edges`; false: stop now.
  bool spend(std::int64_t edges) {
    credit_ -= edges;
    return credit_ >= 0 || poll();
  }

  // Polls in every call and counts no edges, for work that visits no edges. Returns false if the
  // budget has ended the search.
  bool poll() {
    if (stopped()) return false;
    if (whole_ != nullptr) return poll_whole();
    const std::int64_t visited =
        granted_ - credit_ + handed_over_.exchange(0, std::memory_order_relaxed);
    spent_ += visited;
    entries_visited.fetch_add(visited, std::memory_order_relaxed);
    granted_ = credit_ = 0;
    const auto now = Clock::now();
    if (edges_ > 0 && spent_ >= edges_) {
      stop_ = Stop::max_work;
    } else if (seconds_ > 0 && std::chrono::duration<double>(now - start_).count() > seconds_) {
      stop_ = Stop::time_limit;
    } else if (interrupted_ != nullptr && now - last_signal_poll_ > between_signal_polls) {
      last_signal_poll_ = now;
      if (interrupted_()) stop_ = Stop::interrupted;
    }
    if (stopped()) return false;
    refill();
    return true;
  }

  Stop stop() const { return stop_.load(std::memory_order_relaxed); }
  bool stopped() const { return stop() != Stop::none; }
  std::int64_t spent() const { return spent_ + (granted_ - credit_); }

 private:
  static constexpr std::int64_t between_polls = 1 << 16;  // units of work
  static constexpr auto between_signal_polls = std::chrono::milliseconds(50);

  bool poll_whole() {
    whole_->handed_over_.fetch_add(granted_ - credit_, std::memory_order_relaxed);
    stop_.store(whole_->stop(), std::memory_order_relaxed);
    refill();
    return !stopped();
  }

  void refill() {
    granted_ = between_polls;
    if (edges_ > 0 && edges_ - spent_ < granted_) granted_ = edges_ - spent_;
    credit_ = granted_;
  }

  Clock::time_point start_;
  Clock::time_point last_signal_poll_;
  double seconds_;
  std::int64_t edges_;
  bool (*interrupted_)();
  std::int64_t spent_ = 0;    // edges counted by the polls so far
  std::int64_t granted_ = 0;  // edges that could be visited after the last poll until the next one
  std::int64_t credit_ = 0;   // edges that may still be visited until the next poll
  Budget* whole_ = nullptr;   // the budget of which this one is a part
  alignas(64) std::atomic<std::int64_t> handed_over_{0};  // edges of the parts, not in spent_ yet
  // All threads read it often, so it is not on the cache line that the spending thread writes.
  alignas(64) std::atomic<Stop> stop_{Stop::none};
};

}  // namespace btfperm
