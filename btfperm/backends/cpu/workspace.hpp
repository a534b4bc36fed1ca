// SPDX-License-Identifier: BSD-3-Clause
// Workspace: the memory an algorithm works in, handed to it and given back in one piece
//
// Idea        An algorithm asks for all its arrays at its head, never inside a loop. The arrays
//             are not initialised. They live as long as the Workspace.
// Faults      `fail_at` lets a test make the k-th following request fail, so that every path out
//             of a failed allocation is walked once.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>

namespace btfperm {

// Number of requests until one fails; 0 = never.
inline std::atomic<long> fail_at{0};

class Workspace {
 public:
  Workspace() = default;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace() {
    while (last_ != nullptr) {
      const Block block = *last_;
      if (block.mapped > 0) {
        munmap(block.memory, block.mapped);
      } else {
        std::free(block.memory);
      }
      last_ = block.before;
    }
  }

  // An uninitialised array of `count` elements; throws std::bad_alloc.
  template <class T>
  T* take(std::size_t count) {
    if (fail_at.load(std::memory_order_relaxed) > 0 && fail_at.fetch_sub(1) == 1) {
      throw std::bad_alloc();
    }
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / 2;
    if (count > (most - huge_page) / sizeof(T)) throw std::bad_alloc();
    const std::size_t bytes = header + count * sizeof(T);
    return reinterpret_cast<T*>(bytes < large ? allocate(bytes) : map(bytes));
  }

 private:
  struct Block {
    Block* before;
    void* memory;
    std::size_t mapped;  // bytes of a mapping; 0: from malloc
  };
  static constexpr std::size_t header = 64;  // keeps what follows on a cache line of its own
  static constexpr std::size_t huge_page = std::size_t{1} << 21;
  static constexpr std::size_t large = huge_page;

  char* allocate(std::size_t bytes) {
    void* memory = std::aligned_alloc(header, (bytes + header - 1) / header * header);
    if (memory == nullptr) throw std::bad_alloc();
    return start(memory, memory, 0);
  }

  // Searches touch the arrays at random: huge pages spare most of the address translation. And a
  // mapping goes back to the system when it is freed, which keeps the peak of a whole run low.
  char* map(std::size_t bytes) {
    const std::size_t mapped = bytes + huge_page;
    void* memory =
        mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    void* aligned = reinterpret_cast<void*>((address + huge_page - 1) / huge_page * huge_page);
#ifdef MADV_HUGEPAGE
    madvise(aligned, bytes, MADV_HUGEPAGE);
#endif
    return start(aligned, memory, mapped);
  }

  char* start(void* place, void* memory, std::size_t mapped) {
    last_ = new (place) Block{last_, memory, mapped};
    return static_cast<char*>(place) + header;
  }

  Block* last_ = nullptr;
};

}  // namespace btfperm
