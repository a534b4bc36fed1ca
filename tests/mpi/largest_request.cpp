// SPDX-License-Identifier: BSD-3-Clause
// A library for LD_PRELOAD that records the largest request of memory
#include <dlfcn.h>
#include <sys/mman.h>

#include <atomic>
#include <cstddef>

namespace {
std::atomic<std::size_t> largest{0};

void record(std::size_t bytes) {
  std::size_t known = largest.load();
  while (bytes > known && !largest.compare_exchange_weak(known, bytes)) {
  }
}
}  // namespace

extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);

void* malloc(std::size_t bytes) {
  record(bytes);
  return __libc_malloc(bytes);
}

void* calloc(std::size_t count, std::size_t bytes) {
  record(count * bytes);
  return __libc_calloc(count, bytes);
}

void* realloc(void* memory, std::size_t bytes) {
  record(bytes);
  return __libc_realloc(memory, bytes);
}

// The core maps the pages of its large arrays itself.
void* mmap(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset) {
  static const auto system = reinterpret_cast<decltype(&mmap)>(dlsym(RTLD_NEXT, "mmap"));
  record(bytes);
  return system(address, bytes, protection, flags, file, offset);
}

// Returns the largest request since the last call.
std::size_t largest_request() { return largest.exchange(0); }
}
