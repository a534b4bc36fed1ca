// SPDX-License-Identifier: BSD-3-Clause
// PageStore: memory by whole huge pages, kept for the next call
//
// Idea        A fresh mapping costs more than many a search, because the system clears each page
//             when it is first touched, huge ones sooner than as much in small ones. So what a call
//             gives back is kept, up to `most_kept` bytes in all, and handed to the next one as it
//             is. Where none of it serves, all of it goes before more is mapped, so that a job does
//             not hold what its last step worked in beside what this one does.
// Races       one lock around a list of a few places, and nobody waits for it: whoever finds it
//             taken maps, or unmaps, for itself. So a child whose parent forked while another
//             thread held the lock goes without the store for good, and never reads a list half
//             changed.
#pragma once

#include <sys/mman.h>

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
    char* start = nullptr;  // on a huge page
    std::size_t bytes = 0;
  };

  static PageStore& instance() {
    static constinit PageStore store;  // made by nobody: a fork finds no other thread at it
    return store;
  }

  // At least so many bytes, not cleared; throws std::bad_alloc.
  Pages take(std::size_t bytes) {
    bytes = (bytes + huge_page - 1) / huge_page * huge_page;
    Dropped dropped;
    if (const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock); lock) {
      std::size_t best = kept_.size();
      for (std::size_t k = 0; k < kept_.size(); ++k) {  // the smallest that fits and is no waste
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
    return map(bytes);
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

  // What leaves the list under the lock, for the system to have back after it: that takes long.
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

  // One huge page more than asked for is mapped, so that the start can be moved to a boundary; what
  // lies before and after goes back at once.
  static Pages map(std::size_t bytes) {
    const std::size_t mapped = bytes + huge_page;
    void* memory =
        mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    char* const first = static_cast<char*>(memory);
    const std::size_t before = (huge_page - reinterpret_cast<std::uintptr_t>(first)) % huge_page;
    if (before > 0) munmap(first, before);
    if (before < huge_page) munmap(first + before + bytes, huge_page - before);
#ifdef MADV_HUGEPAGE
    madvise(first + before, bytes, MADV_HUGEPAGE);
#endif
    return {first + before, bytes};
  }

  static void unmap(Pages pages) noexcept { munmap(pages.start, pages.bytes); }

  // The place of the oldest is next; what was kept longest goes until so many bytes more fit.
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
