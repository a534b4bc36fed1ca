// SPDX-License-Identifier: BSD-3-Clause
// PageStore: memory in whole huge pages, kept for the next call
//
// Idea        A new mapping may take longer than a search, because the system clears each page at
//             its first access; a huge page costs less than the same memory in small ones. So
//             the memory that a call returns is kept, up to `most_kept` bytes in total, and given
//             to the next call without clearing. If no part of it is suitable, all of it is
//             released before more is mapped, so that a job does not keep the memory of its last
//             step beside that of its present one.
// Races       one lock protects the list, and no thread waits for it: a thread that finds the lock
//             taken maps new memory, or unmaps its own, without the list. So a child whose parent
//             forked while another thread held the lock never reads a partially changed list: the
//             lock stays taken in the child.
#pragma once

#ifndef _WIN32
#include <sys/mman.h>
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>

namespace btfperm {

class PageStore {
 public:
  static constexpr std::size_t huge_page = std::size_t{1} << 21;
  static constexpr std::size_t most_kept = std::size_t{16} << 20;

  struct Pages {
    char* start = nullptr;  // at the start of a huge page
    std::size_t bytes = 0;
  };

  static PageStore& instance() {
    static constinit PageStore store;  // initialised at compile time, not by a thread
    return store;
  }

  // At least the given number of bytes, not cleared; throws std::bad_alloc.
  Pages take(std::size_t wanted) {
    const std::size_t bytes = (wanted + huge_page - 1) / huge_page * huge_page;
    Dropped dropped;
    if (const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock); lock) {
      std::size_t best = kept_.size();
      for (std::size_t k = 0; k < kept_.size(); ++k) {  // the smallest that fits
        if (kept_[k].bytes < bytes || kept_[k].bytes > 2 * bytes + huge_page) continue;
        if (best == kept_.size() || kept_[k].bytes < kept_[best].bytes) best = k;
      }
      if (best < kept_.size()) {
        const Pages found = kept_[best];
        kept_[best] = {};
        total_ -= found.bytes;
        return found;
      }
      make_room(most_kept, dropped);
    }
    dropped.unmap();
    return map(bytes, in_huge_pages(wanted));
  }

  // Returns all kept memory to the system, unless another thread holds the lock.
  void release() noexcept {
    Dropped dropped;
    if (const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock); lock) {
      make_room(most_kept, dropped);
    }
    dropped.unmap();
  }

  void give_back(Pages pages) noexcept {
    if (pages.bytes > most_kept) return unmap(pages);
    Dropped dropped;
    if (const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock); lock) {
      make_room(pages.bytes, dropped);
      drop(next_, dropped);
      kept_[next_] = pages;
      total_ += pages.bytes;
      next_ = (next_ + 1) % kept_.size();
    } else {
      dropped.add(pages);
    }
    dropped.unmap();
  }

 private:
  static constexpr std::size_t places = 16;

  // How many bytes of an array are in huge pages: all but the last page of a long array, if the
  // array fills less than half of that page. The system assigns a huge page as a whole.
  static std::size_t in_huge_pages(std::size_t wanted) {
    const std::size_t last = wanted % huge_page;
    const bool is_small = last < huge_page / 2 && wanted > huge_page;
    return wanted - last + (last > 0 && !is_small ? huge_page : 0);
  }

  // Memory removed from the list under the lock. The caller must call unmap() after it has released
  // the lock, because unmapping takes long; there is no destructor that would unmap.
  class Dropped {
   public:
    void add(Pages pages) noexcept { pages_[count_++] = pages; }
    void unmap() const noexcept {
      for (std::size_t k = 0; k < count_; ++k) PageStore::unmap(pages_[k]);
    }

   private:
    std::array<Pages, places> pages_;
    std::size_t count_ = 0;
  };

#ifdef _WIN32
  static Pages map(std::size_t bytes, std::size_t) {
    return {static_cast<char*>(::operator new(bytes, std::align_val_t{huge_page})), bytes};
  }

  static void unmap(Pages pages) noexcept {
    ::operator delete(pages.start, std::align_val_t{huge_page});
  }
#else
  // Maps one huge page more than requested, so that the start can be moved to a boundary; the parts
  // before and after are released at once. The first `huge` bytes are in huge pages.
  static Pages map(std::size_t bytes, std::size_t huge) {
    const std::size_t mapped = bytes + huge_page;
    void* memory =
        mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    char* const first = static_cast<char*>(memory);
    const std::size_t before = (huge_page - reinterpret_cast<std::uintptr_t>(first)) % huge_page;
    if (before > 0) munmap(first, before);
    if (before < huge_page) munmap(first + before + bytes, huge_page - before);
#ifdef MADV_HUGEPAGE
    madvise(first + before, huge, MADV_HUGEPAGE);
#endif
    return {first + before, bytes};
  }

  static void unmap(Pages pages) noexcept { munmap(pages.start, pages.bytes); }
#endif

  // Moves kept memory to `dropped` until the given bytes fit. The oldest memory, which is at place
  // next_, is moved first.
  void make_room(std::size_t bytes, Dropped& dropped) noexcept {
    for (std::size_t k = 0; k < kept_.size() && total_ + bytes > most_kept; ++k) {
      drop((next_ + k) % kept_.size(), dropped);
    }
  }

  void drop(std::size_t place, Dropped& dropped) noexcept {
    if (kept_[place].bytes == 0) return;
    dropped.add(kept_[place]);
    total_ -= kept_[place].bytes;
    kept_[place] = {};
  }

  std::mutex mutex_;
  std::array<Pages, places> kept_{};  // bytes = 0: no pages in this place
  std::size_t next_ = 0;
  std::size_t total_ = 0;
};

}  // namespace btfperm
