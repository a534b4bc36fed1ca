// SPDX-License-Identifier: BSD-3-Clause
// start_threads: the number of threads that the system allows, determined before OpenMP starts them
//
// Idea        If the system refuses a thread, by a limit on memory or on the number of threads,
//             libgomp ends the process. So this file first starts as many threads itself, with
//             stacks of libgomp's size and all running at the same time, and joins them. Then a
//             parallel region without work makes OpenMP start its own threads. OpenMP keeps them
//             for the calling thread, whose later regions of this size start none. If the system
//             refused some of the first threads, OpenMP starts half of those that it allowed, so
//             that memory remains for the work. A smaller region makes OpenMP release the other
//             threads, so the number of threads that it keeps is known.
// Cost        starting each thread, if a thread calls with more threads than before
// Faults      `refuse_threads_beyond` lets a test refuse threads beyond a number
#pragma once

#include <omp.h>
#ifndef _WIN32
#include <pthread.h>
#endif

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <vector>

namespace btfperm {

// Largest number of threads that `startable_threads` starts at a time; a test lowers it.
inline std::atomic<int> refuse_threads_beyond{std::numeric_limits<int>::max()};

// Bytes of a stack by OMP_STACKSIZE or GOMP_STACKSIZE ("64M", in kilobytes without a unit); 0:
// neither is set.
inline std::size_t asked_stack_bytes() {
  const char* text = std::getenv("OMP_STACKSIZE");
  if (text == nullptr) text = std::getenv("GOMP_STACKSIZE");
  if (text == nullptr) return 0;
  char* unit = nullptr;
  const unsigned long long size = std::strtoull(text, &unit, 10);
  while (std::isspace(static_cast<unsigned char>(*unit))) ++unit;
  switch (std::tolower(static_cast<unsigned char>(*unit))) {
    case 'b':
      return size;
    case 'm':
      return size << 20;
    case 'g':
      return size << 30;
    default:
      return size << 10;
  }
}

// How many of `wanted` threads, with stacks of this size (0: the default), can run at the same time
// beside those that run already.
inline int startable_threads(int wanted, std::size_t stack_bytes) {
  wanted = std::min(wanted, refuse_threads_beyond.load());
  if (wanted <= 0) return 0;
#ifdef _WIN32  // OpenMP there continues with fewer threads if the system refuses some
  static_cast<void>(stack_bytes);
  return wanted;
#else
  pthread_attr_t stack;
  pthread_attr_init(&stack);
  if (stack_bytes > 0) pthread_attr_setstacksize(&stack, stack_bytes);  // if the size is valid
  std::atomic<int> open{0};
  const auto wait = [](void* gate) -> void* {
    static_cast<std::atomic<int>*>(gate)->wait(0);
    return nullptr;
  };
  std::vector<pthread_t> started;
  started.reserve(static_cast<std::size_t>(wanted));
  for (int k = 0; k < wanted; ++k) {
    pthread_t thread;
    if (pthread_create(&thread, &stack, wait, &open) != 0) break;
    started.push_back(thread);
  }
  open.store(1);
  open.notify_all();
  for (const pthread_t thread : started) pthread_join(thread, nullptr);
  pthread_attr_destroy(&stack);
  return static_cast<int>(started.size());
#endif
}

// Opens a parallel region of this number of threads, so that OpenMP keeps exactly these for later
// regions, and stores the number in `running`. For one thread, nothing is done: OpenMP keeps the
// threads that it has.
inline void open_region(int threads, int& running) {
  if (threads <= 1 || threads == running) return;
  std::atomic<int> met{0};
#pragma omp parallel num_threads(threads)
  met.fetch_add(1, std::memory_order_relaxed);  // the compiler would remove an empty region
  running = threads;
}

// Makes OpenMP start `threads`, including the calling one, or fewer if the system refuses some.
// Returns their number. A lock admits one call at a time, so that two calls do not count the same
// threads. A child that was forked while other threads ran never calls this, because one of them
// may have held the lock (backends/threads.py).
inline int start_threads(int threads) {
  static std::mutex one_at_a_time;
  thread_local int running = 1;  // threads that OpenMP keeps for the calling thread
  thread_local int most = 0;     // limit during the second after a refusal; 0: no limit
  thread_local std::chrono::steady_clock::time_point refused;
  const auto now = std::chrono::steady_clock::now();
  if (most > 0 && now - refused < std::chrono::seconds(1)) threads = std::min(threads, most);
  std::unique_lock<std::mutex> lock(one_at_a_time, std::defer_lock);
  if (threads > running) {
    lock.lock();
    const int wanted = threads - running;
    const int started = startable_threads(wanted, asked_stack_bytes());
    threads = running + (started < wanted ? (started + 1) / 2 : started);
    most = started < wanted ? threads : 0;
    refused = now;
  }
  open_region(threads, running);
  return threads;
}

}  // namespace btfperm
