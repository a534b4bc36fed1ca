// SPDX-License-Identifier: BSD-3-Clause
// Processes each diagonal block of more than two rows: the largest first, on several threads
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>
#include <optional>
#include <vector>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/largest_first.hpp"
#include "backends/cpu/shared_loop.hpp"
#include "backends/cpu/sharing.hpp"
#include "backends/cpu/workspace.hpp"
#include "ordering/blocks.hpp"

namespace btfperm {

// Calls work(memory, block, limit) for each block of at least three rows. limit.spend(entries) is
// false if the work must stop. Each thread calls make(size, entries, workspace) once, for the
// largest of its blocks, and passes the result as `memory`. Throws std::bad_alloc if a thread
// cannot allocate its memory.
template <class I, class Counted, class Make, class Work>
void for_blocks(const BlockForm<I>& form, int threads, Budget& budget, Counted& counters, Make make,
                Work work) {
  std::vector<SizedBlock> blocks;
  for (I b = 0; b < form.n_blocks; ++b) {
    if (form.size_of(b) > 2) blocks.push_back({b, form.size_of(b), form.entries_at_most(b)});
  }
  largest_first(blocks);
  const auto count = static_cast<std::int64_t>(blocks.size());
  using Memory = decltype(make(I{}, std::int64_t{}, std::declval<Workspace&>()));
  struct Owned {
    Workspace workspace;
    std::optional<Memory> memory;
  };
  const auto turn = [&](std::int64_t k, Owned& own, auto& limit) {
    const SizedBlock& large = blocks[k];
    if (!own.memory) {
      own.memory.emplace(make(static_cast<I>(large.size), large.entries, own.workspace));
    }
    work(*own.memory, static_cast<I>(large.block), limit);
  };
  threads = threads_for_search(form.A.nnz(), threads);
  threads = static_cast<int>(std::clamp<std::int64_t>(count, 1, threads));
  if (threads == 1) {
    Owned own;
    Alone<Counted> limit{budget, counters};
    for (std::int64_t k = 0; k < count && !budget.stopped(); ++k) turn(k, own, limit);
    return;
  }
  std::vector<Owned> owned(threads);
  std::atomic<bool> out_of_memory{false};
  shared_loop(count, std::int64_t{1}, threads, budget, counters, [&](std::int64_t k, auto& limit) {
    if (out_of_memory.load(std::memory_order_relaxed)) return;
    try {  // no exception may leave a parallel region
      turn(k, owned[omp_get_thread_num()], limit);
    } catch (const std::bad_alloc&) {
      out_of_memory.store(true, std::memory_order_relaxed);
    }
  });
  if (out_of_memory.load(std::memory_order_relaxed)) throw std::bad_alloc();
}

}  // namespace btfperm
