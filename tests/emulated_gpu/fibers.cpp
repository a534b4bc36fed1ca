// SPDX-License-Identifier: BSD-3-Clause
// The scheduler of the fibers, and what lanes of a warp and threads of a block wait for
//
// Every library of kernels contains these functions, but they are compiled only once: their
// templates of C++'s library take the compiler more time than most kernels.
#include "fibers.hpp"

#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <thread>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace fibers {
namespace {

constexpr int most_seconds = 120;  // time limit of a launch

std::string text_of(Place place) {
  return std::string(place.file) + ":" + std::to_string(place.line);
}

unsigned number_of(const Fiber* f) { return static_cast<unsigned>(f - block->fiber.data()); }

void wake(Fiber& f) {
  f.state = State::ready;
  block->ready.push_back(number_of(&f));
}

void release_barrier() {
  block->arrived = 0;
  for (Fiber& f : block->fiber) {
    if (f.state == State::waiting && f.at_barrier) wake(f);
  }
}

void complete(Warp& w, unsigned number, Meeting& m) {
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

void run_thread() {
  block->launch->kernel(block->launch->arguments);
  self->state = State::done;
  leave();
  __builtin_unreachable();
}

void retire(Fiber& f) {
  Warp& w = block->warps[f.thread.x / lanes];
  w.done |= 1u << (f.thread.x % lanes);
  for (Meeting& m : w.meetings) complete(w, f.thread.x / lanes, m);
  if (--block->n_running > 0 && block->arrived == block->n_running) release_barrier();
}

std::string waiting_threads() {
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

void begin(Fiber& f, unsigned number) {
  f.thread = {number};
  f.state = State::ready;
  void** top = reinterpret_cast<void**>(f.stack + stack_bytes);
  *(top - 2) = reinterpret_cast<void*>(&run_thread);
  for (int k = 3; k <= 8; ++k) *(top - k) = nullptr;
  f.stack_pointer = top - 8;
}

// Launches have consecutive seeds; their orders must be independent.
std::uint64_t mixed(std::uint64_t seed) {
  seed = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9u;
  seed = (seed ^ seed >> 27) * 0x94D049BB133111EBu;
  return seed ^ seed >> 31;
}

void run_block(Block& b) {
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
    // A fiber that is alone may wait for another block. It usually does not, and each call of the
    // system takes as long as many turns.
    if (++turns % 64 == 0 && b.ready.size() == 1) sched_yield();
    if (turns % 65536 == 0 && std::chrono::steady_clock::now() > launch.ends) {
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
std::mutex stacks_lock;
std::vector<Stacks> unused_stacks;

// Stacks of at least this size; a null pointer if there is no memory.
Stacks take_stacks(std::size_t bytes) {
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

void return_stacks(Stacks stacks) {
  const std::lock_guard<std::mutex> lock(stacks_lock);
  unused_stacks.push_back(stacks);
}

// Runs blocks one after another until none is left.
void run_blocks(Launch& launch) {
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

}  // namespace

void sync_threads(Place place) {
  if (block->arrived > 0 && !(block->barrier == place)) {
    block->launch->fail("threads of one block wait at different barriers: " + text_of(place) +
                        " and " + text_of(block->barrier));
  }
  block->barrier = place;
  if (++block->arrived == block->n_running) {
    release_barrier();
    yield();
  } else {
    wait(true, place);
  }
}

Meeting& arrive(unsigned mask, std::uint64_t word, Place place) {
  Warp& w = warp();
  const unsigned me = 1u << lane();
  if (!(mask & me)) block->launch->fail("a lane is not in its own mask: " + text_of(place));
  Meeting* m = nullptr;
  for (Meeting& open : w.meetings) {
    if (!open.complete && !(open.arrived & me) && open.mask == mask) m = &open;
  }
  if (m == nullptr) {
    m = &w.meetings.emplace_back(Meeting{mask, 0, 0, false, place, {}});
  } else if (!(m->place == place)) {
    block->launch->fail("lanes of one warp meet at different places: " + text_of(place) +
                        " and line " + std::to_string(m->place.line));
  }
  m->arrived |= me;
  m->word[lane()] = word;
  complete(w, self->thread.x / lanes, *m);
  return *m;
}

void depart(const Meeting& m) {
  std::list<Meeting>& meetings = warp().meetings;
  const auto here = std::find_if(meetings.begin(), meetings.end(),
                                 [&m](const Meeting& other) { return &other == &m; });
  if (--here->readers == 0) meetings.erase(here);
}

[[gnu::noinline]] unsigned active() {
  const void* const place = __builtin_return_address(0);
  Warp& w = warp();
  Gathering* g = nullptr;
  for (Gathering& open : w.gatherings) {
    if (open.place == place && !open.closed) g = &open;
  }
  if (g == nullptr) g = &w.gatherings.emplace_back(Gathering{place, 0, 0, false});
  g->mask |= 1u << lane();
  yield();
  if (!g->closed) {
    g->closed = true;
    g->readers = static_cast<unsigned>(std::popcount(g->mask));
  }
  const unsigned mask = g->mask;
  if (--g->readers == 0)
    w.gatherings.remove_if([g](const Gathering& ended) { return &ended == g; });
  return mask;
}

std::string run(Launch& launch, bool at_once) {
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
