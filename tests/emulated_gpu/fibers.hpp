// SPDX-License-Identifier: BSD-3-Clause
// The threads of a device as fibers on threads of the CPU
//
// Idea        A block is one thread of the CPU, and its threads are fibers. Each fiber has a stack
//             of its own and runs until it must wait for others (a barrier, the lanes of its warp)
//             or accesses a word that others write. Then a random number selects the fiber that
//             continues. So a run may show any order that compilers and multiprocessors permit, and
//             a seed repeats the order within a block. All blocks of a cooperative launch run at
//             the same time, of other launches two.
// Cost        two switches a thread and one for each wait; 256 KiB of address space a thread
#pragma once

#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace fibers {

constexpr std::size_t stack_bytes = 256 << 10;  // the system allocates only the pages used
constexpr unsigned lanes = 32;
constexpr std::uint64_t yields_one_in = 16;
constexpr int most_seconds = 120;  // time limit of a launch

struct Place {
  const char* file;
  int line;
  bool operator==(const Place& other) const {
    return line == other.line && std::strcmp(file, other.file) == 0;
  }
};

struct Dim3 {
  unsigned x, y = 1, z = 1;
};

// State that all blocks of a launch share.
struct Launch {
  unsigned blocks, threads;
  void (*kernel)(void**);
  void** arguments;
  std::uint64_t seed;
  std::atomic<unsigned> next{0};
  std::atomic<bool> failed{false};
  std::mutex message_lock;
  std::string message{};
  std::chrono::steady_clock::time_point ends{};

  void fail(const std::string& why) {
    const std::lock_guard<std::mutex> lock(message_lock);
    if (!failed.exchange(true)) message = why;
  }
};

enum class State { ready, waiting, done };

struct Fiber {
  void* stack_pointer;
  char* stack;
  Dim3 thread;
  State state;
  bool at_barrier;  // if it waits: at a barrier of the block, or else for lanes of its warp
  Place place;
};

// Lanes of a warp that exchange words. The exchange is complete when all lanes of `mask` that
// have not ended are in `arrived`.
struct Meeting {
  unsigned mask, arrived, readers;
  bool complete;
  Place place;
  std::uint64_t word[lanes];
};

// Lanes that are at the same place at the same time, see active().
struct Gathering {
  const void* place;
  unsigned mask, readers;
  bool closed;
};

struct Warp {
  unsigned done = 0;  // lanes whose thread has ended or does not exist
  std::list<Meeting> meetings{};
  std::list<Gathering> gatherings{};
};

struct Block {
  Launch* launch;
  unsigned number;
  void* scheduler;
  std::vector<Fiber> fiber{};
  std::vector<unsigned> ready{};
  std::vector<Warp> warps{};
  unsigned n_running, arrived;
  Place barrier;
  std::uint64_t random;

  std::uint64_t draw() {
    random ^= random << 13;
    random ^= random >> 7;
    return random ^= random << 17;
  }
};

inline thread_local Block* block = nullptr;
inline thread_local Fiber* self = nullptr;

#ifndef __x86_64__
#error "the emulated GPU needs an x86-64 CPU: the switch of fibers is written in its assembly"
#endif
// Saves the registers that a function must preserve and the stack pointer, then continues at `to`.
extern "C" void fibers_switch(void** from, void* to);
asm(R"(
.text
.local fibers_switch
.type fibers_switch, @function
fibers_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size fibers_switch, .-fibers_switch
)");

[[gnu::noinline]] inline void leave() { fibers_switch(&self->stack_pointer, block->scheduler); }

[[gnu::noinline]] inline void wait(bool at_barrier, Place place) {
  self->state = State::waiting;
  self->at_barrier = at_barrier;
  self->place = place;
  leave();
}

// Lets other fibers run. They see all writes of this thread, and it will see theirs.
[[gnu::noinline]] inline void yield() { leave(); }

inline void maybe_yield() {
  if (block->draw() % yields_one_in == 0) yield();
}

inline unsigned number_of(const Fiber* f) { return static_cast<unsigned>(f - block->fiber.data()); }

inline void wake(Fiber& f) {
  f.state = State::ready;
  block->ready.push_back(number_of(&f));
}

inline void release_barrier() {
  block->arrived = 0;
  for (Fiber& f : block->fiber) {
    if (f.state == State::waiting && f.at_barrier) wake(f);
  }
}

// A barrier for all threads of the block that have not ended.
inline void sync_threads(Place place) {
  if (block->arrived > 0 && !(block->barrier == place)) {
    block->launch->fail("threads of one block wait at different barriers: " +
                        std::string(place.file) + ":" + std::to_string(place.line) + " and " +
                        block->barrier.file + ":" + std::to_string(block->barrier.line));
  }
  block->barrier = place;
  if (++block->arrived == block->n_running) {
    release_barrier();
    yield();
  } else {
    wait(true, place);
  }
}

inline unsigned lane() { return self->thread.x % lanes; }
inline Warp& warp() { return block->warps[self->thread.x / lanes]; }

inline void complete(Warp& w, unsigned number, Meeting& m) {
  if (m.complete || m.arrived != (m.mask & ~w.done)) return;
  m.complete = true;
  m.readers = static_cast<unsigned>(std::popcount(m.arrived));
  for (unsigned k = 0; k < lanes; ++k) {
    const unsigned t = number * lanes + k;
    if (!(m.arrived >> k & 1)) continue;
    Fiber& f = block->fiber[t];
    if (f.state == State::waiting) wake(f);
  }
}

inline void run_thread() {
  block->launch->kernel(block->launch->arguments);
  self->state = State::done;
  leave();
  __builtin_unreachable();
}

inline void retire(Fiber& f) {
  Warp& w = block->warps[f.thread.x / lanes];
  w.done |= 1u << (f.thread.x % lanes);
  for (Meeting& m : w.meetings) complete(w, f.thread.x / lanes, m);
  if (--block->n_running > 0 && block->arrived == block->n_running) release_barrier();
}

inline std::string waiting_threads() {
  std::string message = "block " + std::to_string(block->number) + ":";
  int named = 0, n_ready = 0;
  for (const Fiber& f : block->fiber) {
    n_ready += f.state == State::ready;
    if (f.state != State::waiting || ++named > 4) continue;
    message += " thread " + std::to_string(f.thread.x) + " waits for " +
               (f.at_barrier ? "its block" : "its warp") + " at " + f.place.file + ":" +
               std::to_string(f.place.line) + ";";
  }
  if (n_ready > 0) message += " " + std::to_string(n_ready) + " threads can continue;";
  return message;
}

inline void begin(Fiber& f, unsigned number) {
  f.thread = {number};
  f.state = State::ready;
  void** top = reinterpret_cast<void**>(f.stack + stack_bytes);
  *(top - 2) = reinterpret_cast<void*>(&run_thread);
  for (int k = 3; k <= 8; ++k) *(top - k) = nullptr;
  f.stack_pointer = top - 8;
}

// Launches have consecutive seeds; their orders must be independent.
inline std::uint64_t mixed(std::uint64_t seed) {
  seed = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9u;
  seed = (seed ^ seed >> 27) * 0x94D049BB133111EBu;
  return seed ^ seed >> 31;
}

inline void run_block(Block& b) {
  Launch& launch = *b.launch;
  b.n_running = launch.threads;
  b.arrived = 0;
  b.random = mixed(launch.seed + 0x9E3779B97F4A7C15u * (b.number + 1)) | 1;
  b.warps.assign((launch.threads + lanes - 1) / lanes, {});
  if (const unsigned last = launch.threads % lanes) b.warps.back().done = ~0u << last;
  b.ready.clear();
  for (unsigned t = 0; t < launch.threads; ++t) {
    begin(b.fiber[t], t);
    b.ready.push_back(t);
  }
  std::uint64_t turns = 0;
  while (b.n_running > 0 && !launch.failed) {
    if (b.ready.empty()) return launch.fail("no thread can continue; " + waiting_threads());
    if (b.ready.size() == 1) sched_yield();  // the fiber may wait for another block
    if (++turns % 65536 == 0 && std::chrono::steady_clock::now() > launch.ends) {
      return launch.fail("not ended after " + std::to_string(most_seconds) + " s; " +
                         waiting_threads());
    }
    const std::size_t k = b.draw() % b.ready.size();
    const unsigned t = std::exchange(b.ready[k], b.ready.back());
    b.ready.pop_back();
    self = &b.fiber[t];
    fibers_switch(&b.scheduler, self->stack_pointer);
    if (self->state == State::done)
      retire(*self);
    else if (self->state == State::ready)
      b.ready.push_back(t);
  }
}

// Memory for the stacks of the threads of one block.
struct Stacks {
  char* memory;
  std::size_t bytes;
};

// Stacks of earlier launches. They are used again, because the system needs more time for new pages
// than a small kernel takes.
inline std::mutex stacks_lock;
inline std::vector<Stacks> unused_stacks;

// Stacks of at least this size; a null pointer if there is no memory.
inline Stacks take_stacks(std::size_t bytes) {
  {
    const std::lock_guard<std::mutex> lock(stacks_lock);
    const auto found = std::find_if(unused_stacks.begin(), unused_stacks.end(),
                                    [bytes](const Stacks& s) { return s.bytes >= bytes; });
    if (found != unused_stacks.end()) {
      const Stacks stacks = std::exchange(*found, unused_stacks.back());
      unused_stacks.pop_back();
      return stacks;
    }
  }
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return {memory == MAP_FAILED ? nullptr : static_cast<char*>(memory), bytes};
}

inline void return_stacks(Stacks stacks) {
  const std::lock_guard<std::mutex> lock(stacks_lock);
  unused_stacks.push_back(stacks);
}

// Runs blocks one after another until none is left.
inline void run_blocks(Launch& launch) {
  Block here{};
  here.launch = &launch;
  here.fiber.resize(launch.threads);
  const Stacks stacks = take_stacks(launch.threads * stack_bytes);
  if (stacks.memory == nullptr) return launch.fail("no memory for stacks");
  for (unsigned t = 0; t < launch.threads; ++t) {
    here.fiber[t].stack = stacks.memory + t * stack_bytes;
  }
  block = &here;
  for (unsigned b; (b = launch.next++) < launch.blocks && !launch.failed;) {
    here.number = b;
    run_block(here);
  }
#ifdef __SANITIZE_ADDRESS__
  // Functions that never returned leave their stack frames poisoned.
  if (launch.failed) ASAN_UNPOISON_MEMORY_REGION(stacks.memory, stacks.bytes);
#endif
  return_stacks(stacks);
}

// Runs all blocks at the same time, or two at a time. Returns the error message, or "".
inline std::string run(Launch& launch, bool at_once) {
  launch.ends = std::chrono::steady_clock::now() + std::chrono::seconds(most_seconds);
  std::vector<std::thread> others;
  for (unsigned k = 1; k < (at_once ? launch.blocks : std::min(launch.blocks, 2u)); ++k) {
    others.emplace_back([&] { run_blocks(launch); });
  }
  run_blocks(launch);
  for (std::thread& other : others) other.join();
  return launch.message;
}

}  // namespace fibers
