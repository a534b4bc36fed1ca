// SPDX-License-Identifier: BSD-3-Clause
// The threads of a device as fibers on threads of the CPU
//
// Idea        A block runs on one thread of the CPU, and its threads are fibers, each with a stack
//             of its own. A fiber runs until it must wait for others (a barrier, lanes of its warp)
//             or, on average at one of 16 accesses to words that others write, yields. Then a
//             random number selects the fiber that continues. So a run may show many orders of
//             these accesses, and a seed repeats the order within a block that reads nothing of
//             other blocks. All blocks of a cooperative launch run at the same time, of others two.
// Cost        two switches a thread, two more for each wait or yield; 256 KiB of addresses a thread
#pragma once

#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <list>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace fibers {

constexpr std::size_t stack_bytes = 256 << 10;  // the system allocates only the pages used
constexpr unsigned lanes = 32;
constexpr std::uint64_t yields_one_in = 16;

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

inline unsigned lane() { return self->thread.x % lanes; }
inline Warp& warp() { return block->warps[self->thread.x / lanes]; }

// The following functions do not depend on the kernels: fibers.cpp, which is compiled only once.

// A barrier for all threads of the block that have not ended.
void sync_threads(Place place);

// Contributes a word to the exchange of the lanes in `mask`, which this lane may be the last to
// join.
Meeting& arrive(unsigned mask, std::uint64_t word, Place place);

// This lane has read the words of the exchange. The last lane removes it.
void depart(const Meeting& m);

// The lanes that arrive here before the first of them continues. On a device, too, this may be any
// number of lanes.
unsigned active();

// Runs all blocks at the same time, or two at a time. Returns the error message, or "".
std::string run(Launch& launch, bool at_once);

}  // namespace fibers
