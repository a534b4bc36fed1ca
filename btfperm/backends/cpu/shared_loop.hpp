// SPDX-License-Identifier: BSD-3-Clause
// shared_loop: loop iterations of very different length, divided among threads
//
// Idea        Threads take iterations in small blocks, in order, until none is left. Each thread
//             has counters of its own. Only OpenMP's thread 0 may poll the clock and Ctrl-C, so the
//             other threads add the edges that they visit to a shared number, and thread 0 spends
//             them from the budget. When no iteration is left, thread 0 continues to spend until
//             the other threads have finished theirs.
// Use         shared_loop(count, block, threads, budget, counters, [&](I k, auto& own) { ... }).
//             Here `own` is the thread's Together: iteration k calls own.spend(edges) and
//             own.stopped(), and counts in own.counted. Counted is a struct of numbers with
//             add(other). The same code can run without shared_loop, on one thread, with an Alone
//             in place of the Together.
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>

#include "backends/cpu/budget.hpp"

namespace btfperm {

template <class Counted>
struct Alone {
  static constexpr bool shared = false;
  Budget& budget;
  Counted& counted;

  bool spend(std::int64_t edges) { return budget.spend(edges); }
  bool stopped() const { return budget.stopped(); }
};

template <class Counted>
class Together {
 public:
  static constexpr bool shared = true;
  Counted counted{};

  Together(Budget& budget, std::atomic<std::int64_t>& left_over)
      : budget_(budget), left_over_(left_over), spends_(omp_get_thread_num() == 0) {}

  bool spend(std::int64_t edges) {
    if (spends_) return budget_.spend(edges + take_over());
    read_ += edges;
    if (read_ >= handed_over_at_once) hand_over();
    return !budget_.stopped();
  }

  // Reports visited entries that do not count for the limit on the work. Thread 0 polls after every
  // `between_polls` of its own such entries.
  void pass(std::int64_t entries) {
    if (!spends_ || (passed_ += entries + 1) < between_polls) return;
    passed_ = 0;
    budget_.poll();
  }

  bool stopped() const { return budget_.stopped(); }

  // Each thread calls this when no iteration is left for it; `finished` counts the calls of the
  // others. Thread 0 polls and spends the edges of the others until all of them have called it, or
  // until the budget ends.
  void leave(std::atomic<int>& finished) {
    if (!spends_) {
      hand_over();
      finished.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    const int others = omp_get_num_threads() - 1;
    while (finished.load(std::memory_order_relaxed) < others && !budget_.stopped()) {
      budget_.spend(take_over());
      budget_.poll();
      std::this_thread::yield();
    }
    budget_.spend(take_over());
  }

 private:
  static constexpr std::int64_t handed_over_at_once = 1 << 13;
  static constexpr std::int64_t between_polls = 1 << 16;

  void hand_over() {
    left_over_.fetch_add(read_, std::memory_order_relaxed);
    read_ = 0;
  }

  std::int64_t take_over() {
    if (left_over_.load(std::memory_order_relaxed) == 0) return 0;
    return left_over_.exchange(0, std::memory_order_relaxed);
  }

  Budget& budget_;
  std::atomic<std::int64_t>& left_over_;  // edges visited by the others and not spent yet
  std::int64_t read_ = 0;                 // edges not reported yet
  std::int64_t passed_ = 0;               // entries since the last poll
  bool spends_;
};

// A block of iterations: an eighth of a thread's share, at least 1 and at most `most`.
template <class I>
I block_for(I count, int threads, I most) {
  return std::clamp(static_cast<I>(count / (8 * static_cast<I>(threads))), I{1}, most);
}

// Calls turn(k, own) for k = 0 ... count - 1, unless the budget ends it.
template <class I, class Counted, class Turn>
void shared_loop(I count, I block, int threads, Budget& budget, Counted& counters, Turn turn) {
  std::atomic<std::int64_t> drawn{0};
  std::atomic<std::int64_t> left_over{0};
  std::atomic<int> finished{0};
#pragma omp parallel num_threads(threads)
  {
    Together<Counted> own(budget, left_over);
    while (!budget.stopped()) {
      const std::int64_t begin = drawn.fetch_add(block, std::memory_order_relaxed);
      if (begin >= count) break;
      const I end = static_cast<I>(std::min<std::int64_t>(begin + block, count));
      for (I k = static_cast<I>(begin); k < end && !budget.stopped(); ++k) turn(k, own);
    }
    own.leave(finished);
#pragma omp critical(shared_loop_counters)
    counters.add(own.counted);
  }
}

}  // namespace btfperm
