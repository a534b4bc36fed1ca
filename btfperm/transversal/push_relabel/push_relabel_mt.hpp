// SPDX-License-Identifier: BSD-3-Clause
// push-relabel-mt: push-relabel on several threads, each with a queue of active columns
//
// Idea        As push-relabel: a push matches an unmatched (active) column to its row of lowest
//             label, and displaces the column that was matched to this row. The threads share a
//             first-in-first-out queue of the active columns. A thread moves some of them to a
//             queue of its own, pushes them and the columns that they displace, and returns the
//             columns that are still active to the shared queue. A lock on the row makes each push
//             atomic. After many pushes, all threads stop, and a parallel breadth-first search from
//             the unmatched rows makes all labels exact.
// Paper       J. Langguth, A. Azad, M. Halappanavar, F. Manne, "On parallel push-relabel based
//             algorithms for bipartite maximum matching", Parallel Computing 40 (2014), with the
//             parameters of A. Azad, A. Buluc, A. Pothen, IPDPS 2015, section V-A, which compares
//             with it: queue limit 500; relabelling frequency 16 on 40 threads, 2 on one. The text
//             of the first paper was not at hand: the queues and the locks are ours
// Cost        O((m + n) nnz) time. Workspace: the row lists (nnz + m + 1), m bytes, 3 m + 3 n; with
//             several threads 2 nnz more while the row lists are made. When few columns are active,
//             most threads have no work. A column without an augmenting path is pushed until the
//             next relabelling, so if some columns cannot be matched, a large k costs time
// Prefer it   for comparison with ms-bfs-graft, which is faster on most matrices; push-relabel on
//             one thread, because it relabels more often
// Options     queue_limit: a thread takes at most this number of columns from the shared queue, and
//             returns what is left after this number of pushes or up to twice as many;
//             relabel_frequency, k: the labels are made exact at the start, and whenever pushes
//             have changed k (m + n) labels of columns, as in push-relabel; 0: at the start only.
//             The frequency of the papers is taken as k, not as 1 / k, because Deveci, Kaya, Uçar,
//             Çatalyürek, ICPP 2013, section IV, set the frequency to k (m + n)
// Encodings   labels as in push_relabel.hpp; `unreachable`: no unmatched row can be reached from
//             the row or column
// Invariants  1. row_label[u] <= col_label[v] + 1 if u is matched to v; row_label[u] = 0 if u is
//             unmatched. 2. col_label[v] <= row_label[u] for each row u in the list of v. Hence no
//             label exceeds the distance to an unmatched row, and a column whose rows are all
//             unreachable can never be matched. 3. An active column is in one queue. Only the
//             thread that pushes it accesses its elements of col_label and col_match
// Races       Between two relabellings, row_label[u] and row_match[u] change only under the lock of
//             u, and each push increases row_label[u]. A thread may read a row label that another
//             thread increases. After it has acquired the lock of the lowest row, it compares the
//             label of this row with the value that it read before. If they are equal, this row
//             still has the lowest label, because the labels of the other rows have not decreased.
//             Otherwise the thread visits the list again. If another thread holds the lock, the
//             column stays active. The locks also order the accesses to the data of a column by the
//             thread that has pushed it and the thread that displaces it
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>

#include "backends/cpu/atomics.hpp"
#include "backends/cpu/frontier.hpp"
#include "backends/cpu/parallel.hpp"
#include "backends/cpu/shared_loop.hpp"
#include "pattern/transpose_by_parts.hpp"
#include "transversal/interface.hpp"
#include "transversal/options.hpp"

namespace btfperm {

template <class I>
class PushRelabelMt {
 public:
  PushRelabelMt(const PatternView<I>& A, Matching<I> M, const Options& options,
                Workspace& workspace, Budget& budget, Counters& counters)
      : A_(A),
        M_(M),
        threads_(std::max(1, options.threads)),
        unreachable_(static_cast<I>((static_cast<std::int64_t>(A.m) + A.n + 1) / 2)),
        relabel_after_(options.get("relabel_frequency") *
                       (static_cast<double>(A.m) + static_cast<double>(A.n))),
        queue_limit_(static_cast<I>(std::clamp(options.get("queue_limit"), 1.0, 1e9))),
        own_places_(std::min(queue_limit_, static_cast<I>(A.n / threads_ + 1))),
        frontier_(workspace.take<I>(A.m)),
        next_(workspace.take<I>(A.m)),
        active_(workspace.take<I>(A.n)),
        budget_(budget),
        counters_(counters) {
    row_label_ = workspace.take<I>(A.m);
    locked_ = workspace.take<std::uint8_t>(A.m);
    col_label_ = workspace.take<I>(A.n);
    own_queues_ = workspace.take<I>(static_cast<std::size_t>(own_places_) * threads_);
    I* row_indptr = workspace.take<I>(static_cast<std::size_t>(A.m) + 1);
    I* row_indices = workspace.take<I>(A.nnz());
    fill(locked_, A.m, std::uint8_t{0}, threads_, budget);
    transpose_by_parts(A, threads_, row_indptr, row_indices, budget);
    R_ = {A.n, A.m, row_indptr, row_indices};
  }

  void run() {
    active_.collect(A_.n, threads_for(A_.n), budget_, [&](I j, auto& active) {
      if (M_.col_match[j] < 0 && A_.degree(j) > 0) active.push(j);
      return 0;
    });
    capacity_ = n_queued_ = active_.size();
    while (n_queued_ > 0 && !budget_.stopped()) {
      relabel_globally();
      if (!budget_.stopped()) push_until_stale();
    }
  }

 private:
  using Own = Together<Counters>;
  enum class Taken { some, none_now, no_more };

  const I share_from = least_to_share<I>(64);  // smaller loops run on one thread

  int threads_for(I count) const { return count < share_from ? 1 : threads_; }

  // GR: exact labels, by breadth-first search from the unmatched rows.
  void relabel_globally() {
    ++counters_.relabels;
    fill(col_label_, A_.n, unreachable_, threads_, budget_);
    frontier_.clear();
    frontier_.collect(A_.m, threads_for(A_.m), budget_, [&](I i, auto& unmatched) {
      row_label_[i] = M_.row_match[i] < 0 ? 0 : unreachable_;
      if (M_.row_match[i] < 0) unmatched.push(i);
      return 0;
    });
    for (I label = 0; frontier_.size() > 0 && !budget_.stopped(); ++label) {
      next_.clear();
      label_columns(label);
      frontier_.swap(next_);
    }
  }

  // One level of the search: labels the columns in the lists of the rows with this label.
  void label_columns(I label) {
    const I size = frontier_.size();
    const I block = std::max(I{4}, block_for(size, threads_, I{256}));
    std::int64_t edges = 0;
#pragma omp parallel num_threads(threads_for(size)) reduction(+ : edges)
    {
      typename Frontier<I>::Private mine(next_);
      const bool spends = omp_get_thread_num() == 0;
      const int team = omp_get_num_threads();
#pragma omp for schedule(dynamic, block)
      for (I k = 0; k < size; ++k) {
        if (budget_.stopped()) continue;
        const I u = frontier_[k];
        for (I p = R_.indptr[u]; p < R_.indptr[u + 1]; ++p) {
          const I v = R_.indices[p];
          if (!set_label(v, label, team)) continue;
          const I mate = M_.col_match[v];
          if (mate < 0) continue;
          row_label_[mate] = label + 1;
          mine.push(mate);
        }
        edges += R_.degree(u);
        if (spends) budget_.spend(static_cast<std::int64_t>(R_.degree(u)) * team);
      }
    }
    counters_.edges += edges;
  }

  // Labels column v. Returns true to the one thread that reaches it first.
  bool set_label(I v, I label, int team) {
    if (team > 1) return replace(col_label_[v], unreachable_, label);
    if (col_label_[v] != unreachable_) return false;
    col_label_[v] = label;
    return true;
  }

  // PR on all threads, until the next global relabelling.
  void push_until_stale() {
    changes_ = 0;
    std::atomic<std::int64_t> left_over{0};
    std::atomic<int> finished{0};
#pragma omp parallel num_threads(threads_for(n_queued_))
    {
      Own own(budget_, left_over);
      const int team = omp_get_num_threads();
      I* const columns = own_queues_ + static_cast<std::size_t>(own_places_) * omp_get_thread_num();
      I count = 0;
      while (!budget_.stopped()) {
        const Taken taken = take(columns, count, team);
        if (taken == Taken::no_more) break;
        if (taken == Taken::none_now) {  // another thread may return columns
          own.spend(0);
          if (omp_get_thread_num() == 0) budget_.poll();
          std::this_thread::yield();
          continue;
        }
        const std::int64_t changes = push_all(columns, count, team > 1, own);
        give_back(columns, count, changes);
      }
      own.leave(finished);
#pragma omp critical(push_relabel_mt_counters)
      counters_.add(own.counted);
    }
  }

  // Moves `count` columns from the shared queue to the queue of this thread.
  Taken take(I* columns, I& count, int team) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const bool stale = relabel_after_ > 0 && static_cast<double>(changes_) >= relabel_after_;
    if (stale || (n_queued_ == 0 && n_holders_ == 0)) return Taken::no_more;
    if (n_queued_ == 0) return Taken::none_now;
    count = std::min(own_places_, (n_queued_ - 1) / static_cast<I>(team) + 1);
    for (I k = 0; k < count; ++k) {
      columns[k] = active_[head_];
      advance(head_);
    }
    n_queued_ -= count;
    ++n_holders_;
    return Taken::some;
  }

  // Returns the columns of a thread to the end of the shared queue.
  void give_back(const I* columns, I count, std::int64_t changes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (I k = 0; k < count; ++k) {
      active_.places()[tail_] = columns[k];
      advance(tail_);
    }
    n_queued_ += count;
    --n_holders_;
    changes_ += changes;
  }

  void advance(I& place) const {
    if (++place == capacity_) place = 0;
  }

  // Pushes the `count` columns of a thread, one after the other and then again, until about
  // queue_limit pushes are done. Sets `count` to the number of columns that are active afterwards.
  // Returns the number of pushes that changed the label of their column.
  std::int64_t push_all(I* columns, I& count, bool shared, Own& own) {
    std::int64_t changes = 0;
    for (I pushes = 0; count > 0 && pushes < queue_limit_ && !own.stopped();) {
      I still_active = 0;
      for (I k = 0; k < count; ++k) {
        const I active = push(columns[k], shared, changes, own);
        if (active >= 0) columns[still_active++] = active;
      }
      pushes += count;
      count = still_active;
    }
    return changes;
  }

  // Pushes column v. Returns the column that is active afterwards, or -1.
  I push(I v, bool shared, std::int64_t& changes, Own& own) {
    while (true) {
      const Lowest lowest = lowest_row(v, own);
      const I u = lowest.row;
      if (lowest.label >= unreachable_) return -1;  // v is unmatchable
      if (shared && !try_lock(locked_[u])) return v;
      if (shared && load(row_label_[u]) != lowest.label) {
        unlock(locked_[u]);
        if (own.stopped()) return v;
        continue;
      }
      const I w = M_.row_match[u];
      M_.match(u, v);
      changes += col_label_[v] != lowest.label;
      col_label_[v] = lowest.label;
      store(row_label_[u], static_cast<I>(lowest.label + 1));
      if (w >= 0) M_.col_match[w] = -1;
      if (shared) unlock(locked_[u]);
      ++(w < 0 ? own.counted.augmentations : own.counted.pushes);
      return w;
    }
  }

  struct Lowest {
    I row;
    I label;
  };

  Lowest lowest_row(I v, Own& own) const {
    const I begin = A_.indptr[v];
    const I end = A_.indptr[v + 1];
    I p = begin;
    Lowest lowest{A_.indices[p], load(row_label_[A_.indices[p]])};
    while (lowest.label > col_label_[v] && ++p < end) {
      const I label = load(row_label_[A_.indices[p]]);
      if (label < lowest.label) lowest = {A_.indices[p], label};
    }
    const I read = std::min<I>(p + 1, end) - begin;
    own.counted.edges += read;
    own.spend(read);
    return lowest;
  }

  const PatternView<I>& A_;
  PatternView<I> R_{};  // the row lists
  Matching<I> M_;
  int threads_;
  I unreachable_;
  double relabel_after_;  // number of changes of column labels
  I queue_limit_;
  I own_places_;          // capacity of the queue of a thread: at most its share of all columns
  Frontier<I> frontier_;  // rows of the breadth-first search
  Frontier<I> next_;
  Frontier<I> active_;  // the shared queue, a ring buffer: n_queued_ columns from head_ on
  I* row_label_;
  std::uint8_t* locked_;
  I* col_label_;
  I* own_queues_;     // own_places_ elements for each thread
  std::mutex mutex_;  // protects the shared queue, n_holders_ and changes_
  I capacity_ = 0;    // length of active_; the number of active columns never increases
  I head_ = 0;
  I tail_ = 0;
  I n_queued_ = 0;
  I n_holders_ = 0;           // number of threads that have columns in their own queues
  std::int64_t changes_ = 0;  // number of changed column labels since the last relabelling
  Budget& budget_;
  Counters& counters_;
};

template <class I>
void push_relabel_mt(const PatternView<I>& A, Matching<I> M, const Options& options,
                     Workspace& workspace, Budget& budget, Counters& counters, Proof&) {
  PushRelabelMt<I>(A, M, options, workspace, budget, counters).run();
}

}  // namespace btfperm
