// SPDX-License-Identifier: BSD-3-Clause
// shared searches: short breadth-first searches (ss_bfs.hpp), one for each thread
//
// Idea        Each thread takes unmatched columns one after the other, and searches from each. A
//             search locks the rows that it reaches, so that two searches are disjoint, and unlocks
//             them at its end. If a search finds no path, finds no row locked by another thread and
//             visits all entries of its lists, then no later augmenting path contains its rows;
//             they are closed, and no search visits them again. If a search finds no path for
//             another reason, its column remains in the list. After too many entries in all
//             searches, no further search starts, and the other columns remain, too.
// Paper       ours; similar to P-DBFS (p_dbfs.hpp), whose trees keep their rows until the end of a
//             phase
// Cost        the edges of the searches, divided by the threads. A search visits at most max_edges
//             edges; all searches together visit at most max_read, and 2 max_edges more for each
//             thread. Workspace: m bytes, n, max_roots, and a queue for each thread
// Prefer it   if augmenting paths are short: meshes and road networks in natural order. On one
//             thread it takes 1.18 times as long as short_searches.hpp in the geometric
//             mean of few matrices (2026-11-26-serial-shared-field)
// Encodings   state[i]: 0 open, t + 1 locked by thread t, 255 closed
// Invariants  the thread that locked row i owns it and its mate: only the owner reads or writes
//             row_match[i], and col_match and parent of this column
// Races       state[i] is locked by a compare-and-swap and unlocked by a store. Threads add to
//             read_ rarely, so that they do not compete for it
#pragma once

#include <omp.h>

#include <algorithm>

#include "backends/cpu/atomics.hpp"
#include "backends/cpu/frontier.hpp"
#include "backends/cpu/parallel.hpp"
#include "transversal/interface.hpp"

namespace btfperm {

template <class I>
class SharedSearches {
 public:
  // For searches from at most `max_roots` columns that visit at most `max_edges` entries each,
  // and about `max_read` together.
  SharedSearches(const PatternView<I>& A, Matching<I> M, int threads, I max_roots, I max_edges,
                 std::int64_t max_read, Workspace& workspace, Budget& budget, Counters& counters)
      : A_(A),
        M_(M),
        threads_(std::min(threads, max_searchers)),
        max_edges_(max_edges),
        max_read_(max_read),
        left_(workspace.take<I>(max_roots)),
        budget_(budget),
        counters_(counters) {
    state_ = workspace.take<std::uint8_t>(A.m);
    parent_ = workspace.take<I>(A.n);
    places_ = static_cast<std::size_t>(std::min<I>(A.n, max_edges_ + 1));
    queues_ = workspace.take<I>(places_ * static_cast<std::size_t>(threads_));
    fill(state_, A.m, open, threads_);
  }

  // Searches from each column of `unmatched`. Writes the columns that may still be matched to the
  // first places of the list and returns their number.
  I run(I* unmatched, I n_unmatched) {
    std::int64_t edges = 0;
    std::int64_t found = 0;
    std::int64_t length = 0;
    std::int64_t longest = 0;
    left_.clear();
#pragma omp parallel num_threads(threads_) reduction(+ : edges, found, length) \
    reduction(max : longest)
    {
      const int t = omp_get_thread_num();
      Searcher own{
          queues_ + places_ * static_cast<std::size_t>(t), static_cast<std::uint8_t>(t + 1), 0, {}};
      typename Frontier<I>::Private left(left_);
#pragma omp for schedule(dynamic, 64)
      for (I k = 0; k < n_unmatched; ++k) {
        const std::int64_t before = own.counted.edges;
        const bool within_limits = load(read_) < max_read_ && !budget_.stopped();
        if (!within_limits || !search(unmatched[k], own)) left.push(unmatched[k]);
        if (own.counted.edges - own.reported >= max_edges_) report(own);
        if (t == 0) budget_.spend((own.counted.edges - before) * omp_get_num_threads());
      }
      report(own);
      edges = own.counted.edges;
      found = own.counted.augmentations;
      length = own.counted.path_edges;
      longest = own.counted.longest_path;
    }
    counters_.phases += n_unmatched;
    counters_.edges += edges;
    counters_.augmentations += found;
    counters_.path_edges += length;
    counters_.longest_path = std::max(counters_.longest_path, longest);
    std::copy(left_.places(), left_.places() + left_.size(), unmatched);
    return left_.size();
  }

  // Marks the closed rows: those that alternating paths from the columns reach that cannot be
  // matched.
  void mark_closed(std::uint8_t* row_in_cover) const {
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (I i = 0; i < A_.m; ++i) row_in_cover[i] |= state_[i] == closed;
  }

 private:
  static constexpr int max_searchers = 254;  // see Encodings: the largest t + 1 below `closed`
  static constexpr std::uint8_t open = 0;
  static constexpr std::uint8_t closed = 255;

  // The state of one thread.
  struct Searcher {
    I* queue;
    std::uint8_t mark;
    std::int64_t reported;  // the part of its edges that is in read_
    Counters counted;
  };

  void report(Searcher& own) {
    const std::int64_t more = own.counted.edges - own.reported;
    std::atomic_ref<std::int64_t>(read_).fetch_add(more, std::memory_order_relaxed);
    own.reported = own.counted.edges;
  }

  // One search. Returns true if `root` is matched afterwards, or can never be matched.
  bool search(I root, Searcher& own) {
    I* const queue = own.queue;
    std::size_t tail = 0;
    queue[tail++] = root;
    I read = 0;
    bool whole = true;  // no row was locked by another thread, and no entry was left out
    for (std::size_t head = 0; head < tail; ++head) {
      const I j = queue[head];
      const I begin = A_.indptr[j];
      const I end = begin + std::min<I>(A_.degree(j), max_edges_ - read);
      for (I p = begin; p < end; ++p) {
        const I i = A_.indices[p];
        const std::uint8_t state = load(state_[i]);
        if (state == own.mark || state == closed) continue;
        if (state != open || !lock(i, own.mark)) {
          whole = false;
          continue;
        }
        const I below = M_.row_match[i];
        if (below < 0) {
          own.counted.augmented(augment_along(M_, i, j, [&](I k, I) { return parent_[k]; }));
          own.counted.edges += read + (p - begin + 1);
          return leave(queue, tail, open);
        }
        parent_[below] = j;
        queue[tail++] = below;  // at most one column for each visited entry
      }
      read += end - begin;
      if (end < A_.indptr[j + 1]) {  // too many entries
        whole = false;
        break;
      }
    }
    own.counted.edges += read;
    leave(queue, tail, whole ? closed : open);
    return whole;
  }

  bool lock(I i, std::uint8_t mark) {
    std::uint8_t expected = open;
    return std::atomic_ref<std::uint8_t>(state_[i]).compare_exchange_strong(
        expected, mark, std::memory_order_acquire);
  }

  // Sets the state of the rows that the search has locked, which are matched to the columns in the
  // queue.
  bool leave(const I* queue, std::size_t tail, std::uint8_t state) {
    for (std::size_t k = 0; k < tail; ++k) {
      const I i = M_.col_match[queue[k]];
      if (i >= 0) std::atomic_ref<std::uint8_t>(state_[i]).store(state, std::memory_order_release);
    }
    return true;
  }

  const PatternView<I>& A_;
  Matching<I> M_;
  int threads_;
  I max_edges_;
  std::int64_t max_read_;
  Frontier<I> left_;
  std::uint8_t* state_;
  I* parent_;
  I* queues_;  // one for each thread
  std::size_t places_;
  Budget& budget_;
  Counters& counters_;
  alignas(64) std::int64_t read_ = 0;  // edges that all searches have visited
};

}  // namespace btfperm
