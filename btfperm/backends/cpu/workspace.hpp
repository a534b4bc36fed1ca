// SPDX-License-Identifier: BSD-3-Clause
// Workspace: the memory of an algorithm, allocated and released as a whole
//
// Idea        An algorithm allocates its arrays outside of its inner loops. The arrays are not
//             initialised. They exist until `give_back` or the end of the Workspace. Large arrays
//             are in huge pages, mostly one behind the other: random accesses then need fewer
//             address translations. The next Workspace may reuse these pages (page_store.hpp).
//             AddressSanitizer reports every access to the bytes between two arrays.
// Faults      `fail_at` lets a test make the k-th following request fail, so that every path after
//             a failed allocation is tested.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>

#include "backends/cpu/page_store.hpp"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace btfperm {

// The request with this number, counted from now on from 1, fails; 0: none fails.
inline std::atomic<long> fail_at{0};

class Workspace {
 public:
  Workspace() = default;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace() { give_back(); }

  // Releases all arrays.
  void give_back() {
    while (last_ != nullptr) {
      Block* const block = last_;
      if (block->pages.bytes > 0) {
        permit(block->pages.start, block->pages.bytes);
        PageStore::instance().give_back(block->pages);
      }
      last_ = block->before;
      ::operator delete(block, std::align_val_t{line});
    }
    free_ = nullptr;
    room_ = 0;
  }

  // An uninitialised array of `count` elements; throws std::bad_alloc.
  template <class T>
  T* take(std::size_t count) {
    if (fail_at.load(std::memory_order_relaxed) > 0 && fail_at.fetch_sub(1) == 1) {
      throw std::bad_alloc();
    }
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / 2;
    if (count > (most - PageStore::huge_page) / sizeof(T)) throw std::bad_alloc();
    const std::size_t used = count * sizeof(T);
    // Even an empty array has an address.
    const std::size_t bytes = std::max((used + line - 1) / line, std::size_t{1}) * line + guard;
    char* place;
    if (bytes > room_ && bytes < large) {
      place = allocate(bytes);
    } else {
      if (bytes > room_) open_pages(bytes);
      place = free_;
      free_ += bytes;
      room_ -= bytes;
    }
    forbid(place + used, bytes - used);
    return reinterpret_cast<T*>(place);
  }

 private:
  struct Block {
    Block* before;
    PageStore::Pages pages;  // if empty, the memory of one array follows this struct
  };
  static constexpr std::size_t line = 64;  // arrays start at a cache line
  static constexpr std::size_t large = std::size_t{1} << 17;
  static_assert(sizeof(Block) <= line);

  // AddressSanitizer reports accesses to forbidden bytes; without it, these functions do nothing.
#ifdef __SANITIZE_ADDRESS__
  static constexpr std::size_t guard = line;  // bytes after each array
  static void forbid(const char* first, std::size_t bytes) {
    ASAN_POISON_MEMORY_REGION(first, bytes);
  }
  static void permit(const char* first, std::size_t bytes) {
    ASAN_UNPOISON_MEMORY_REGION(first, bytes);
  }
#else
  static constexpr std::size_t guard = 0;
  static void forbid(const char*, std::size_t) {}
  static void permit(const char*, std::size_t) {}
#endif

  char* allocate(std::size_t bytes) {
    void* memory = ::operator new(line + bytes, std::align_val_t{line});
    last_ = new (memory) Block{last_, {}};
    return static_cast<char*>(memory) + line;
  }

  // The Block is allocated outside of the pages: so nothing is written to a huge page that no array
  // uses, and the system assigns no memory to it.
  void open_pages(std::size_t bytes) {
    allocate(0);
    last_->pages = PageStore::instance().take(bytes);
    free_ = last_->pages.start;
    room_ = last_->pages.bytes;
  }

  Block* last_ = nullptr;
  char* free_ = nullptr;  // the first unused byte of the latest pages
  std::size_t room_ = 0;  // the number of unused bytes there
};

}  // namespace btfperm
