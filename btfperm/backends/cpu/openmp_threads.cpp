// SPDX-License-Identifier: BSD-3-Clause
// openmp_threads: the OpenMP runtime of the ThreadSanitizer build
//
// Idea        ThreadSanitizer derives the order of accesses by two threads only from instrumented
//             code. GCC's libgomp is not instrumented, so ThreadSanitizer would report accesses
//             before and after a join or a barrier as races. This file replaces libgomp in that
//             build: it implements the functions that GCC calls for the pragmas of this project, by
//             std::thread and std::barrier.
// Order       Only fork, join, barriers, critical and atomic sections order the accesses of two
//             threads, as OpenMP specifies. The iterations of loops, and singles, are assigned by
//             relaxed counters, which order nothing: a lock would hide races.
// Missing     If the module cannot be loaded because a function GOMP_... is undefined, add it here
// Encodings   a share is one loop or one single between two barriers; shares[k] = the number of
//             chunks of the k-th share that threads have taken
#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr int most_shares = 64;  // loops with nowait and singles between two barriers

struct Team {
  struct Forget {
    Team* team;
    void operator()() noexcept {
      for (auto& share : team->shares) share.store(0, std::memory_order_relaxed);
    }
  };

  explicit Team(int threads) : size(threads), barrier(threads, Forget{this}) {}

  int size;
  std::array<std::atomic<long>, most_shares> shares{};
  std::barrier<Forget> barrier;
};

struct Loop {
  long begin;
  long end;
  long step;
  long chunk;
};

struct Member {
  Team* team;
  int number;
  int met;  // shares met since the last barrier
  Loop loop;
  std::atomic<long>* given;  // chunks of its present loop that have been taken
};

thread_local Member self{};

std::atomic<long>& next_share() {
  if (self.met == most_shares) std::abort();
  return self.team->shares[self.met++];
}

void enter(const Loop& loop) {
  self.loop = loop;
  self.given = &next_share();
}

bool next_chunk(long* begin, long* end) {
  const Loop& loop = self.loop;
  const long stride = loop.chunk * loop.step;
  *begin = loop.begin + self.given->fetch_add(1, std::memory_order_relaxed) * stride;
  const bool up = loop.step > 0;
  if (up ? *begin >= loop.end : *begin <= loop.end) return false;
  *end = up ? std::min(*begin + stride, loop.end) : std::max(*begin + stride, loop.end);
  return true;
}

// A thread that waits for work. It belongs to the thread that forks, and ends with that thread.
class Worker {
 public:
  Worker() : thread_([this] { work(); }) {}
  ~Worker() {
    give([this] { over_ = true; });
    thread_.join();
  }

  void give(std::function<void()> job) {
    const std::lock_guard lock(mutex_);
    job_ = std::move(job);
    changed_.notify_one();
  }

  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !job_; });
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (!over_) {
      changed_.wait(lock, [this] { return static_cast<bool>(job_); });
      lock.unlock();
      job_();
      lock.lock();
      job_ = nullptr;
      changed_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> job_;
  bool over_ = false;
  std::thread thread_;
};

thread_local std::vector<std::unique_ptr<Worker>> workers;

// A region inside another region runs on one thread, as OpenMP does by default.
template <class Body>
void fork_and_join(unsigned threads, Body body) {
  const int asked = threads == 0 ? omp_get_max_threads() : static_cast<int>(threads);
  Team team(self.team != nullptr && self.team->size > 1 ? 1 : asked);
  const auto run = [&](int number) {
    const Member outside = self;
    self = {&team, number, 0, {}, nullptr};
    body();
    self = outside;
  };
  while (static_cast<int>(workers.size()) < team.size - 1) {
    workers.push_back(std::make_unique<Worker>());
  }
  for (int number = 1; number < team.size; ++number) {
    workers[number - 1]->give([&run, number] { run(number); });
  }
  run(0);
  for (int number = 1; number < team.size; ++number) workers[number - 1]->wait();
}

std::mutex critical;
std::mutex atomic;

}  // namespace

extern "C" {

int omp_get_thread_num() noexcept { return self.number; }
int omp_get_num_procs() noexcept {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}
int omp_get_num_threads() noexcept { return self.team == nullptr ? 1 : self.team->size; }
int omp_get_max_threads() noexcept {
  const char* wanted = std::getenv("OMP_NUM_THREADS");
  const int threads = wanted != nullptr ? std::atoi(wanted) : 0;
  return std::max(1, threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency()));
}

void GOMP_parallel(void (*body)(void*), void* data, unsigned threads, unsigned) {
  fork_and_join(threads, [&] { body(data); });
}

void GOMP_parallel_loop_nonmonotonic_dynamic(void (*body)(void*), void* data, unsigned threads,
                                             long begin, long end, long step, long chunk,
                                             unsigned) {
  fork_and_join(threads, [&] {
    enter({begin, end, step, chunk});
    body(data);
  });
}

bool GOMP_loop_nonmonotonic_dynamic_start(long begin, long end, long step, long chunk,
                                          long* chunk_begin, long* chunk_end) {
  enter({begin, end, step, chunk});
  return next_chunk(chunk_begin, chunk_end);
}

bool GOMP_loop_nonmonotonic_dynamic_next(long* chunk_begin, long* chunk_end) {
  return next_chunk(chunk_begin, chunk_end);
}

void GOMP_barrier() {
  if (self.team == nullptr) return;
  self.team->barrier.arrive_and_wait();
  self.met = 0;
}

void GOMP_loop_end() { GOMP_barrier(); }
void GOMP_loop_end_nowait() {}

bool GOMP_single_start() {
  return self.team == nullptr || next_share().fetch_add(1, std::memory_order_relaxed) == 0;
}

void GOMP_critical_start() { critical.lock(); }
void GOMP_critical_end() { critical.unlock(); }
void GOMP_critical_name_start(void**) { critical.lock(); }
void GOMP_critical_name_end(void**) { critical.unlock(); }
void GOMP_atomic_start() { atomic.lock(); }
void GOMP_atomic_end() { atomic.unlock(); }

}  // extern "C"
