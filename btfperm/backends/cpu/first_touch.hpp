// SPDX-License-Identifier: BSD-3-Clause
// first_touch: several threads access the pages of new memory first, each its own pages
//
// The system clears a page at its first access. Without this function, threads that write
// neighbouring parts would access the same page first, especially a large page, and would wait for
// each other.
#pragma once

#include <omp.h>

#include <cstddef>
#include <cstdint>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/parallel.hpp"

namespace btfperm {

// Several threads write one element of each page of a long array, of some pages if the budget ends.
// One thread, or a short array: nothing is written.
template <class T>
void first_touch(T* array, std::size_t count, int threads, Budget& budget) {
  constexpr std::int64_t page = 4096 / sizeof(T);
  constexpr std::int64_t large_page = 512;  // pages of 4096 bytes in a page of 2 MB
  const std::int64_t pages = (static_cast<std::int64_t>(count) + page - 1) / page;
  if (threads <= 1 || static_cast<std::int64_t>(count) < least_to_share(worth_sharing)) return;
#pragma omp parallel for num_threads(threads) schedule(static, large_page)
  for (std::int64_t k = 0; k < pages; ++k) {
    if (budget.stopped()) continue;
    array[k * page] = T{};
    if (k % large_page == 0 && omp_get_thread_num() == 0) budget.poll();
  }
}

}  // namespace btfperm
