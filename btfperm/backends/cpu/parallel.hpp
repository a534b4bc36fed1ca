// SPDX-License-Identifier: BSD-3-Clause
// Loops that several threads share; they stop if the budget ends, and the results of `select` have
// the order of a loop on one thread. A barrier for parallel regions with many steps
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "backends/cpu/pieces.hpp"
#include "backends/cpu/sharing.hpp"

namespace btfperm {

constexpr int most_threads = 256;
constexpr std::int64_t worth_sharing = 1 << 15;  // shorter loops run on one thread

// The part [first, last) of 0 ... count - 1 that thread `t` of `team` threads takes.
template <class I>
struct Share {
  I first;
  I last;
  Share(I count, int t, int team)
      : first(static_cast<I>(static_cast<std::int64_t>(count) * t / team)),
        last(static_cast<I>(static_cast<std::int64_t>(count) * (t + 1) / team)) {}
};

// Calls body(t, team) on each thread t of a team; unless `shared`, calls body(0, 1) without OpenMP,
// because even a region of one thread takes a large part of the time for a small matrix.
template <class Body>
void on_team(int threads, bool shared, Body body) {
  if (!shared) return body(0, 1);
#pragma omp parallel num_threads(threads)
  body(omp_get_thread_num(), omp_get_num_threads());
}

// For passes without a budget.
struct NoBudget {
  void poll() const {}
  bool stopped() const { return false; }
};

// Calls body(k) for each k of `own`, the part of thread `t`, in pieces. Between two pieces, thread
// 0 polls the budget for all threads. When the budget has ended, no thread starts another piece.
// `ends`: see end_of_piece.
template <class I, class Limit, class Body>
void in_own_pieces(const Share<I>& own, const I* ends, int t, Limit& budget, Body body) {
  for (I k = own.first; k < own.last && !budget.stopped();) {
    const I end = end_of_piece(k, own.last, ends);
    for (; k < end; ++k) body(k);
    if (t == 0 && k < own.last) budget.poll();
  }
}

template <class I, class Limit, class Body>
void in_own_pieces(const Share<I>& own, int t, Limit& budget, Body body) {
  in_own_pieces(own, static_cast<const I*>(nullptr), t, budget, body);
}

// Calls body(k) for k = 0 ... count - 1, each thread with a part. Throws Unfinished if the budget
// ends the loop.
template <class I, class Limit, class Body>
void for_parts(I count, int threads, Limit& budget, Body body) {
  const bool shared = threads > 1 && count >= least_to_share(worth_sharing);
  on_team(threads, shared,
          [&](int t, int team) { in_own_pieces(Share<I>(count, t, team), t, budget, body); });
  if (budget.stopped()) throw Unfinished();
}

// Writes value(k) for each k with keep(k), in order, to `out`; returns their number. On several
// threads, keep(k) is called twice for each k, by the same thread. Throws Unfinished if the budget
// ends the loop.
template <class I, class T, class Keep, class Value, class Limit = NoBudget>
I select(I count, int threads, T* out, Keep keep, Value value, Limit&& budget = Limit{}) {
  threads = std::min(threads, most_threads);
  std::array<I, most_threads + 1> start{};
  int team = 1;
  if (threads <= 1 || count < least_to_share(worth_sharing)) {
    in_own_pieces(Share<I>(count, 0, 1), 0, budget, [&](I k) {
      if (keep(k)) out[start[1]++] = value(k);
    });
  } else {
#pragma omp parallel num_threads(threads)
    {
      const int t = omp_get_thread_num();
#pragma omp single
      team = omp_get_num_threads();
      const Share<I> part(count, t, team);
      I kept = 0;
      in_own_pieces(part, t, budget, [&](I k) { kept += keep(k); });
      start[t + 1] = kept;
#pragma omp barrier
#pragma omp single
      for (int other = 0; other < team; ++other) start[other + 1] += start[other];
      I place = start[t];
      in_own_pieces(part, t, budget, [&](I k) {
        if (keep(k)) out[place++] = value(k);
      });
    }
  }
  if (budget.stopped()) throw Unfinished();
  return start[team];
}

// A short pause between two reads of a word that another thread writes.
inline void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// A barrier for the threads of a team, for many uses in one parallel region. A thread that waits
// long sleeps and so releases its core. In OpenMP's own barrier, it would keep the core for
// milliseconds; on a busy machine, the thread that arrives last may be waiting for this core.
class Barrier {
 public:
  void wait(int team) {
    const unsigned round = round_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == team) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      round_.notify_all();
      return;
    }
    for (int polls = 0; polls < patience; ++polls) {
      if (round_.load(std::memory_order_acquire) != round) return;
      pause_core();
    }
    round_.wait(round, std::memory_order_acquire);
  }

 private:
  static constexpr int patience = 1 << 9;  // polls before the thread sleeps

  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<unsigned> round_{0};
};

// `fill` and `copy` throw Unfinished if the budget ends them.
template <class T, class Limit = NoBudget>
void fill(T* array, std::int64_t count, T value, int threads, Limit&& budget = Limit{}) {
  for_parts(count, threads, budget, [=](std::int64_t k) { array[k] = value; });
}

template <class T, class Limit = NoBudget>
void copy(const T* from, std::int64_t count, T* to, int threads, Limit&& budget = Limit{}) {
  for_parts(count, threads, budget, [=](std::int64_t k) { to[k] = from[k]; });
}

}  // namespace btfperm
