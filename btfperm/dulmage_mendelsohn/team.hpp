// SPDX-License-Identifier: BSD-3-Clause
// team: the threads of the decomposition, and the sizes from which on they share work
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "backends/cpu/atomics.hpp"
#include "backends/cpu/budget.hpp"
#include "backends/cpu/frontier.hpp"
#include "backends/cpu/parallel.hpp"

namespace btfperm {

struct Team {
  int threads = 1;
  std::int64_t entries = 200'000;  // one thread decomposes matrices with fewer entries
  std::int64_t level = 1024;       // one thread processes levels with fewer vertices
  std::int64_t left = 4096;        // tarjan continues if fewer vertices are left
  // Fewer threads leave all vertices to tarjan, because the searches for several threads do more
  // work in total.
  int components = 8;

  bool is_one(std::int64_t size, std::int64_t least) const {
    return threads <= 1 || size < least_to_share(least);
  }
};

// Visits the elements of `reached` from place `begin` on, and those that the visits append, level
// by level. visit(x, push, shared) may append y by push(y), and returns the number of visited
// entries; `shared` is true if other threads visit elements, too, so that atomic operations are
// needed. record(x), list(x) and targets(x) prefetch the data for the visit of x, in this order;
// otherwise atomic operations would wait for each cache miss in turn. Returns the number of levels,
// or -1 if the budget ended the call.
template <class I, class Record, class List, class Targets, class Visit>
I flood(Frontier<I>& reached, I begin, const Team& team, Budget& budget, Record record, List list,
        Targets targets, Visit visit) {
  I* places = reached.places();
  I levels = 0;
  for (I end = reached.size(); begin < end; begin = end, end = reached.size(), ++levels) {
    const auto fetch = [&](I q) {
      if (q + 12 < end) record(places[q + 12]);
      if (q + 8 < end) list(places[q + 8]);
      if (q + 4 < end) targets(places[q + 4]);
    };
    if (team.is_one(end - begin, team.level)) {
      I tail = end;
      for (I q = begin; q < end; ++q) {
        fetch(q);
        if (!budget.spend(visit(places[q], [&](I y) { places[tail++] = y; }, std::false_type{})))
          return -1;
      }
      reached.assign(tail);
      continue;
    }
#pragma omp parallel num_threads(team.threads)
    {
      typename Frontier<I>::Private mine(reached);
      const std::int64_t size = omp_get_num_threads();
      const bool spends = omp_get_thread_num() == 0;
#pragma omp for schedule(dynamic, 128)
      for (I q = begin; q < end; ++q) {
        if (budget.stopped()) continue;
        fetch(q);
        const std::int64_t entries = visit(places[q], [&](I y) { mine.push(y); }, std::true_type{});
        if (spends) budget.spend(entries * size);
      }
    }
    if (budget.stopped()) return -1;
  }
  return levels;
}

// Calls visit(k) for k = 0 ... count - 1, on several threads unless `count` is small; `visit`
// returns the number of visited entries. Returns false if the budget ended the loop.
template <class I, class Visit>
bool for_each(I count, const Team& team, Budget& budget, Visit visit) {
  const bool alone = team.is_one(count, team.level);
#pragma omp parallel num_threads(team.threads) if (!alone)
  {
    const std::int64_t size = omp_get_num_threads();
    const bool spends = omp_get_thread_num() == 0;
#pragma omp for schedule(dynamic, 512) nowait
    for (I k = 0; k < count; ++k) {
      if (budget.stopped()) continue;
      const std::int64_t entries = visit(k);
      if (spends) budget.spend(entries * size);
    }
  }
  return !budget.stopped();
}

// Decrements `word`; returns true to the thread that makes it 0.
template <class Shared, class T>
bool count_down(T& word, Shared shared) {
  if constexpr (shared) {
    return std::atomic_ref<T>(word).fetch_sub(1, std::memory_order_acq_rel) == 1;
  } else {
    return --word == 0;
  }
}

}  // namespace btfperm
