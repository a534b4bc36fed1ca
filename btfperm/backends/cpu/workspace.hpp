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
      Block* before = last_->before;
      std::free(last_);
      last_ = before;
    }
  }

  // An uninitialised array of `count` elements; throws std::bad_alloc.
  template <class T>
  T* take(std::size_t count) {
    if (fail_at.load(std::memory_order_relaxed) > 0 && fail_at.fetch_sub(1) == 1) {
      throw std::bad_alloc();
    }
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / 2;
    if (count > (most - header) / sizeof(T)) throw std::bad_alloc();
    std::size_t bytes = header + count * sizeof(T);
    const bool large = bytes >= huge_page * 2;
    const std::size_t align = large ? huge_page : header;
    bytes = (bytes + align - 1) / align * align;
    void* memory = std::aligned_alloc(align, bytes);
    if (memory == nullptr) throw std::bad_alloc();
    // Searches touch the arrays at random: huge pages spare most of the address translation.
    if (large) madvise(memory, bytes, MADV_HUGEPAGE);
    last_ = new (memory) Block{last_};
    return reinterpret_cast<T*>(static_cast<char*>(memory) + header);
  }

 private:
  struct Block {
    Block* before;
  };
  static constexpr std::size_t header = 64;  // keeps what follows on a cache line of its own
  static constexpr std::size_t huge_page = std::size_t{1} << 21;
  Block* last_ = nullptr;
};

}  // namespace btfperm
