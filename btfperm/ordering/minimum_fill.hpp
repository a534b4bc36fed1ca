// SPDX-License-Identifier: BSD-3-Clause
// minimum-fill: elimination of the diagonal entry that creates the fewest new entries
//
// Idea        Let the row of the pivot (v, v) have r other entries, and its column c. Its
//             elimination creates an entry at each of the r c crossings where there is none. The
//             number of these entries is the local fill of v. The patterns of rows and columns are
//             stored, so a block need not be symmetric, while amd works on B + B'. A heap holds an
//             upper bound on each local fill. For the few pivots with the smallest bounds, the
//             local fill is counted, and the pivot with the smallest one is eliminated.
// Bounds      After an elimination, the crossings of the pivot's rows and columns hold entries. If
//             row v has a of these columns and column v has b of these rows, the local fill of v is
//             at most r c - a b. The local fill cannot grow until row v or column v changes.
// Dense       Row v and column v come last, and are in no list, if one of them has more than
//             max(16, 10 sqrt(n)) entries.
// Limits      The elimination ends without a result if it visits more than `most_work` entries, or
//             if L + U have more than `most` entries, which also bounds the memory. Entries of rows
//             that are not eliminated yet count; entries of dense rows and columns do not.
// Order       The pivots are put into a postorder at the end, see postorder.hpp. Ties are broken by
//             the heap, so the result depends on the matrix alone.
// Cost        Each step visits the lists of the rows and columns of the pivot and of a few
//             candidates. In all, these are several times the operations of the factorization.
//             Memory: room for about 2 `most` entries
// Paper       Markowitz: The elimination form of the inverse and its application to linear
//             programming, Management Science 3 (1957). Tinney, Walker: Direct solutions of sparse
//             network equations by optimally ordered triangular factorization, Proc. IEEE 55
//             (1967), scheme 3. Ours: the bounds, and that only a few candidates are counted
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "backends/cpu/heap.hpp"
#include "backends/cpu/workspace.hpp"
#include "ordering/blocks.hpp"
#include "ordering/node_lists.hpp"
#include "ordering/postorder.hpp"

namespace btfperm {

struct FillLimits {
  std::int64_t most;       // entries of L + U in one block
  std::int64_t most_work;  // visited entries in one block
};

template <class I>
class MinimumFill {
 public:
  // For blocks of at most `size` rows and `entries` entries.
  MinimumFill(I size, std::int64_t entries, FillLimits limits, Workspace& workspace)
      : limits_(limits),
        rows_(size, entries, workspace),
        postorder_(size, workspace),
        lists_(size, size, room_for(size, entries, limits.most), workspace),
        key_(workspace.take<std::int64_t>(size)),
        heap_(key_, workspace.take<I>(size), workspace.take<I>(size)) {
    for (I** array : {&in_row_, &in_col_, &row_, &col_}) *array = workspace.take<I>(size);
    seen_ = workspace.take<std::int64_t>(size);
    for (std::uint8_t** array : {&is_counted_, &is_dense_}) {
      *array = workspace.take<std::uint8_t>(size);
    }
  }

  // Sets order[k] to the number of the row and column that is eliminated as number k. Returns false
  // if a limit was exceeded, or if `limit` ended the elimination.
  template <class Limit>
  bool order(const DiagonalBlock<I>& block, I* order, Limit& limit) {
    begin(block);
    std::int64_t total_work = 0;
    I done = 0;
    for (; !heap_.empty(); ++done) {
      order[done] = best_of_candidates();
      if (!eliminate(order[done]) || entries_ > limits_.most) return false;
      total_work += work_;
      if (total_work > limits_.most_work || !limit.spend(work_)) return false;
      work_ = 0;
    }
    for (I v = 0; v < n_; ++v) {
      if (is_dense_[v]) order[done++] = v;
    }
    postorder_.apply(block, rows_, order);
    return true;
  }

 private:
  static constexpr int n_candidates = 8;

  // Places for the members of all lists, and for a new list of up to `size` members while the list
  // that it replaces still exists.
  static std::int64_t room_for(I size, std::int64_t entries, std::int64_t most) {
    const double full = static_cast<double>(size) * static_cast<double>(size);
    const std::int64_t left =
        static_cast<double>(most) < full ? most : static_cast<std::int64_t>(full);
    return 2 * std::max(left, entries) + size;
  }

  // The list of node v holds the rows of column v; that of node n + v the columns of row v. The
  // diagonal is in neither.
  I length_of_col(I v) const { return lists_.length[v]; }
  I length_of_row(I v) const { return lists_.length[n_ + v]; }
  const I* begin_of(I node) const { return lists_.members + lists_.start[node]; }
  const I* end_of(I node) const { return begin_of(node) + lists_.length[node]; }

  void begin(const DiagonalBlock<I>& block) {
    n_ = block.n;
    step_ = 0;
    scan_ = work_ = 0;
    entries_ = n_;
    rows_.read(block);
    lists_.clear();
    heap_.clear();
    const I dense = dense_from(n_);
    for (I v = 0; v < n_; ++v) {
      const std::int64_t in_col = block.indptr[v + 1] - block.indptr[v];
      is_dense_[v] = std::max<std::int64_t>(in_col, rows_.degree(v)) > dense;
      in_row_[v] = in_col_[v] = seen_[v] = 0;
    }
    for (I v = 0; v < n_; ++v) {
      fill_list(v, v, block.indices + block.indptr[v], block.indices + block.indptr[v + 1]);
    }
    for (I v = 0; v < n_; ++v) {
      fill_list(n_ + v, v, rows_.cols + rows_.start[v], rows_.cols + rows_.start[v + 1]);
    }
    compress_at_ = 2 * lists_.end + n_;
    for (I v = 0; v < n_; ++v) {
      entries_ += length_of_row(v);
      key_[v] = std::int64_t{length_of_row(v)} * length_of_col(v);
      is_counted_[v] = 0;
      if (!is_dense_[v]) heap_.insert(v);
    }
  }

  void fill_list(I node, I v, const I* first, const I* last) {
    lists_.open(node);
    for (; first < last && !is_dense_[v]; ++first) {
      if (*first != v && !is_dense_[*first]) lists_.append(*first);
    }
    lists_.close(node);
  }

  // Counts the local fill of the pivots with the smallest bounds. Removes the pivot with the
  // smallest local fill from the heap.
  I best_of_candidates() {
    I candidates[n_candidates];
    int count = 0, best = 0;
    while (count < n_candidates && !heap_.empty()) {
      const I v = heap_.first();
      heap_.remove_first();
      if (!is_counted_[v]) {
        key_[v] = key_[v] == 0 ? 0 : local_fill(v);
        is_counted_[v] = 1;
      }
      candidates[count] = v;
      if (key_[v] < key_[candidates[best]]) best = count;
      ++count;
      if (key_[v] == 0) break;
    }
    for (int k = 0; k < count; ++k) {
      if (k != best) heap_.insert(candidates[k]);
    }
    return candidates[best];
  }

  // Number of crossings of row v and column v without an entry.
  std::int64_t local_fill(I v) {
    ++scan_;
    for (const I* j = begin_of(n_ + v); j < end_of(n_ + v); ++j) seen_[*j] = scan_;
    std::int64_t missing = 0;
    for (const I* i = begin_of(v); i < end_of(v); ++i) {
      std::int64_t present = seen_[*i] == scan_;  // the diagonal entry of row i
      for (const I* j = begin_of(n_ + *i); j < end_of(n_ + *i); ++j) present += seen_[*j] == scan_;
      missing += length_of_row(v) - present;
      work_ += length_of_row(*i);
    }
    return missing;
  }

  // Adds the entries that the pivot creates. Returns false if they do not fit into the memory.
  bool eliminate(I pivot) {
    ++step_;
    const I n_cols = length_of_row(pivot), n_rows = length_of_col(pivot);
    std::copy(begin_of(n_ + pivot), end_of(n_ + pivot), col_);
    std::copy(begin_of(pivot), end_of(pivot), row_);
    lists_.length[pivot] = lists_.length[n_ + pivot] = 0;
    for (I k = 0; k < n_cols; ++k) in_row_[col_[k]] = step_;
    for (I k = 0; k < n_rows; ++k) in_col_[row_[k]] = step_;
    for (I k = 0; k < n_rows; ++k) {
      const I before = length_of_row(row_[k]);
      if (!merge(n_ + row_[k], row_[k], pivot, col_, n_cols, in_row_)) return false;
      entries_ += length_of_row(row_[k]) + 1 - before;
    }
    for (I k = 0; k < n_cols; ++k) {
      if (!merge(col_[k], col_[k], pivot, row_, n_rows, in_col_)) return false;
    }
    for (I k = 0; k < n_rows; ++k) update_bound(row_[k], n_cols, n_rows);
    for (I k = 0; k < n_cols; ++k) {
      if (in_col_[col_[k]] != step_) update_bound(col_[k], n_cols, n_rows);
    }
    return true;
  }

  // Removes the pivot from the list of row or column v and adds the members of `added` that are
  // missing; is_added[u] is step_ for these members. `node` is the node of the list.
  bool merge(I node, I v, I pivot, const I* added, I count, const I* is_added) {
    ++scan_;
    I* const list = lists_.members + lists_.start[node];
    const I length = lists_.length[node];
    I kept = 0, present = is_added[v] == step_;
    for (I k = 0; k < length; ++k) {
      const I u = list[k];
      if (u == pivot) continue;
      list[kept++] = u;
      seen_[u] = scan_;
      present += is_added[u] == step_;
    }
    lists_.length[node] = kept;
    work_ += length + 1;
    if (present == count) return true;
    if (!make_room(std::int64_t{kept} + count - present)) return false;
    const I* const from = begin_of(node);
    I* const to = lists_.members + lists_.end;
    I* last = std::copy(from, from + kept, to);
    seen_[v] = scan_;
    for (I k = 0; k < count; ++k) {
      if (seen_[added[k]] != scan_) *last++ = added[k];
    }
    work_ += count;
    lists_.start[node] = lists_.end;
    lists_.length[node] = static_cast<I>(last - to);
    lists_.end += last - to;
    return true;
  }

  // Makes room for `more` members; false if there is none. Removes lists that were replaced if they
  // may take half of the memory in use, or if the memory is full.
  bool make_room(std::int64_t more) {
    if (lists_.end + more > compress_at_ || !lists_.has_room(more)) {
      work_ += lists_.compress(2 * n_, [](I) { return true; });
      compress_at_ = 2 * lists_.end + more + n_;
    }
    return lists_.has_room(more);
  }

  // Computes the bound of v after an elimination that changed the row or the column of v.
  void update_bound(I v, I n_cols, I n_rows) {
    const std::int64_t a =
        in_col_[v] == step_ ? n_cols - (in_row_[v] == step_) : count_marked(n_ + v, in_row_);
    const std::int64_t b =
        in_row_[v] == step_ ? n_rows - (in_col_[v] == step_) : count_marked(v, in_col_);
    heap_.remove(v);
    key_[v] = std::int64_t{length_of_row(v)} * length_of_col(v) - a * b;
    is_counted_[v] = 0;
    heap_.insert(v);
  }

  std::int64_t count_marked(I node, const I* is_marked) {
    std::int64_t marked = 0;
    for (const I* u = begin_of(node); u < end_of(node); ++u) marked += is_marked[*u] == step_;
    work_ += lists_.length[node];
    return marked;
  }

  FillLimits limits_;
  I n_ = 0;
  BlockRows<I> rows_;
  Postorder<I> postorder_;
  NodeLists<I> lists_;
  std::int64_t* key_;  // the local fill when it was counted, if is_counted_; else an upper bound
  Heap<I, std::int64_t> heap_;
  I *in_row_, *in_col_;  // the last step whose pivot row (column) has an entry at v
  I *row_, *col_;        // the rows in the pivot's column, the columns in the pivot's row
  std::int64_t* seen_;   // the last scan that visited this row or column
  std::uint8_t *is_counted_, *is_dense_;
  I step_;
  std::int64_t scan_, work_, compress_at_;
  std::int64_t entries_;  // entries of L + U so far and of the rows that are left
};

}  // namespace btfperm
