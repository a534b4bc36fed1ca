// SPDX-License-Identifier: BSD-3-Clause
// Frontier: a queue that several threads fill while another queue is read
//
// Idea        Each thread collects elements in a small private queue, which stays in its cache, and
//             flushes it into the shared array as a whole: one atomic addition per flush.
// Use         Private<I> mine(shared) in each thread of a parallel region; mine.push(x); it flushes
//             when it is full and at the end of its scope. After the region `size()` is exact.
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include "backends/cpu/parallel.hpp"

namespace btfperm {

template <class I>
class Frontier {
 public:
  // `places` must have space for all elements that are pushed before a clear().
  explicit Frontier(I* places) : places_(places) {}

  I size() const { return size_.load(std::memory_order_relaxed); }
  void clear() { size_.store(0, std::memory_order_relaxed); }
  void assign(I size) { size_.store(size, std::memory_order_relaxed); }
  I operator[](I k) const { return places_[k]; }
  I* places() { return places_; }

  void swap(Frontier& other) {
    std::swap(places_, other.places_);
    const I size = other.size();
    other.assign(this->size());
    assign(size);
  }

  class Private;

  // Calls turn(k, mine) for k = 0 ... count - 1. Each thread has a part of these k and a Private of
  // its own, `mine`, to push elements. Returns the sum of the values that `turn` returns. On one
  // thread, elements are pushed in order. Throws Unfinished if the budget ends the loop.
  template <class Turn>
  std::int64_t collect(I count, int threads, Budget& budget, Turn turn) {
    std::int64_t sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
      Private mine(*this);
      const int t = omp_get_thread_num();
      in_own_pieces(Share<I>(count, t, omp_get_num_threads()), t, budget,
                    [&](I k) { sum += turn(k, mine); });
    }
    if (budget.stopped()) throw Unfinished();
    return sum;
  }

  class Private {
   public:
    explicit Private(Frontier& shared) : shared_(shared) {}
    Private(const Private&) = delete;
    Private& operator=(const Private&) = delete;
    ~Private() { flush(); }

    void push(I x) {
      if (count_ == capacity) flush();
      own_[count_++] = x;
    }

   private:
    static constexpr int capacity = 512;

    void flush() {
      const I begin = shared_.size_.fetch_add(count_, std::memory_order_relaxed);
      std::copy(own_, own_ + count_, shared_.places_ + begin);
      count_ = 0;
    }

    Frontier& shared_;
    int count_ = 0;
    I own_[capacity];
  };

 private:
  I* places_;
  std::atomic<I> size_{0};
};

}  // namespace btfperm
