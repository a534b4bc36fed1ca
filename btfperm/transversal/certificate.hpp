// SPDX-License-Identifier: BSD-3-Clause
// certificate: the proof that a matching is maximum
//
// Idea        A cover is a set of rows and columns that contains the row or the column of every
//             entry. It is never smaller than a matching. By Kőnig's theorem, there is a cover of
//             the size of a maximum matching; it contains either the row or the column of each
//             matched entry. Some algorithms report the rows of such a cover; `find_cover` computes
//             them for the others. `certify` uses the matching and these rows, and nothing else of
//             the search.
// Paper       D. Konig, "Graphok es matrixok", Matematikai es Fizikai Lapok 38 (1931)
// Cost        find_cover O(m + n + nnz), workspace 2 n. certify O(m + nnz + n log d), no workspace:
//             it searches for the matched entry of each column, and visits the lists of columns
//             outside the cover; d = entries of the longest column
// Encodings   in_cover bytes: 1 = in the cover
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <type_traits>

#include "backends/cpu/atomics.hpp"
#include "backends/cpu/frontier.hpp"
#include "backends/cpu/parallel.hpp"
#include "backends/cpu/pieces.hpp"
#include "transversal/interface.hpp"

namespace btfperm {

// Marks the rows that an alternating search from the unmatched columns reaches. Returns false if it
// reached an unmatched row, so that the matching is not maximum, or if the budget ended the search
// (some steps then throw Unfinished instead).
template <class I>
bool find_cover(const PatternView<I>& A, const Matching<I>& M, std::uint8_t* row_in_cover,
                int threads, Workspace& workspace, Budget& budget) {
  const I share_from = least_to_share<I>(4096);  // one thread searches smaller levels
  fill(row_in_cover, A.m, std::uint8_t{0}, threads, budget);
  Frontier<I> frontier(workspace.take<I>(A.n));
  Frontier<I> next(workspace.take<I>(A.n));
  frontier.assign(select(
      A.n, threads, frontier.places(), [&](I j) { return M.col_match[j] < 0; },
      [](I j) { return j; }, budget));
  std::atomic<bool> free_row{false};
  while (frontier.size() > 0 && !free_row.load(std::memory_order_relaxed)) {
    next.clear();
    const I size = frontier.size();
#pragma omp parallel num_threads(threads) if (threads > 1 && size >= share_from)
    {
      typename Frontier<I>::Private mine(next);
      const int team = omp_get_num_threads();
      const bool spends = omp_get_thread_num() == 0;
#pragma omp for schedule(dynamic, 256)
      for (I k = 0; k < size; ++k) {
        if (budget.stopped() || free_row.load(std::memory_order_relaxed)) continue;
        const I j = frontier[k];
        for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
          const I i = A.indices[p];
          if (team > 1) {
            if (!claim(row_in_cover[i])) continue;
          } else {
            if (row_in_cover[i]) continue;
            row_in_cover[i] = 1;
          }
          if (M.row_match[i] < 0) {
            free_row.store(true, std::memory_order_relaxed);
          } else {
            mine.push(M.row_match[i]);
          }
        }
        if (spends) budget.spend(static_cast<std::int64_t>(A.degree(j)) * team);
      }
    }
    frontier.swap(next);
  }
  return !free_row.load() && !budget.stopped();
}

// Given the rows (or columns) of a minimum cover, marks its columns (or rows): each matched one
// whose mate is not in the cover.
template <class I>
void complete_cover(I count, const I* match, const std::uint8_t* other_in_cover,
                    std::uint8_t* in_cover, Budget& budget) {
  in_pieces(count, budget, [&](I k) { in_cover[k] = match[k] >= 0 && !other_in_cover[match[k]]; });
}

// Number of elements that are not -1.
template <class I>
std::int64_t count_matched(I count, const I* match, int threads) {
  std::atomic<std::int64_t> matched{0};
  on_team(threads, threads > 1 && count >= least_to_share(worth_sharing), [&](int t, int team) {
    const Share<I> part(count, t, team);
    I own = 0;
    for (I k = part.first; k < part.last; ++k) own += match[k] >= 0;
    matched += own;
  });
  return matched;
}

enum class Verdict : int {
  proven = 0,
  disagreement = 1,  // row_match and col_match do not agree
  no_entry = 2,      // a matched pair is not among the entries
  cover_size = 3,    // the cover is larger than the matching
  uncovered = 4,     // neither end of an entry is in the cover
  unfinished = 5,    // the budget ended the proof
};

// `proven` if column j is unmatched, or both arrays match it to a row in which it has an entry.
template <class I>
Verdict check_pair(const PatternView<I>& A, const Matching<I>& M, I j) {
  const I i = M.col_match[j];
  if (i == -1) return Verdict::proven;
  if (i < 0 || i >= A.m || M.row_match[i] != j) return Verdict::disagreement;
  return has_entry(A, i, j) ? Verdict::proven : Verdict::no_entry;
}

// Returns `proven` if the arrays are a matching of A. Sets `where` to a column at fault, or to -1.
template <class I>
Verdict check_matching(const PatternView<I>& A, const Matching<I>& M, I& where, Budget& budget) {
  Verdict verdict = Verdict::proven;
  I pairs = 0;
  where = -1;
  in_pieces(A.n, budget, [&](I j) {
    if (verdict != Verdict::proven) return;
    verdict = check_pair(A, M, j);
    if (verdict != Verdict::proven) where = j;
    pairs += M.col_match[j] != -1;
  });
  if (verdict != Verdict::proven) return verdict;
  in_pieces(A.m, budget, [&](I i) { pairs -= M.row_match[i] != -1; });
  return pairs == 0 ? Verdict::proven : Verdict::disagreement;
}

// Checks columns first ... last - 1 for `certify`. Returns the first column at fault; if there is
// none, returns `last` and sets `pairs` to the number of matched columns. `all_rows`: every row is
// in the cover, so every entry is touched.
template <class I>
I certify_columns(const PatternView<I>& A, const Matching<I>& M, const std::uint8_t* row_in_cover,
                  std::uint8_t* col_in_cover, bool all_rows, I first, I last, I& pairs) {
  I found = 0;
  for (I j = first; j < last; ++j) {
    const I i = M.col_match[j];
    if (i != -1) {
      if (i < 0 || i >= A.m || M.row_match[i] != j || !has_entry(A, i, j)) return j;
      ++found;
    }
    col_in_cover[j] = i >= 0 && !row_in_cover[i];
    if (col_in_cover[j] || all_rows) continue;
    bool covered = true;  // whether all entries of this column are in rows of the cover
    for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) covered &= row_in_cover[A.indices[p]] != 0;
    if (!covered) return j;
  }
  pairs = found;
  return last;
}

// Whether all columns first ... last - 1 are matched, at entries of A, and row_match agrees.
// `thin`: columns have fewer than three entries on average.
template <class I>
bool all_matched(const PatternView<I>& A, const Matching<I> M, bool thin, I first, I last) {
  using Unsigned = std::make_unsigned_t<I>;  // converts -1 to a number that is not less than m
  const auto m = static_cast<Unsigned>(A.m);
  const I* const indptr = A.indptr;
  const I* const indices = A.indices;
  for (I j = first; j < last; ++j) {
    const I i = M.col_match[j];
    if (static_cast<Unsigned>(i) >= m || M.row_match[i] != j) return false;
    if (thin) {  // i is usually the first or last row of a short list: tests both with one branch
      const I begin = indptr[j];
      const I end = indptr[j + 1];
      if (begin >= end) return false;
      const auto off = static_cast<Unsigned>(indices[begin] ^ i);
      const auto off_last = static_cast<Unsigned>(indices[end - 1] ^ i);
      if (std::min(off, off_last) == 0) continue;
    }
    if (!has_entry(A, i, j)) return false;
  }
  return true;
}

// Checks the certificate in the case that all columns are matched, and that all rows or no rows are
// in the cover. Then only the matched entries must be checked. Writes the columns of the cover.
// Returns false if the matching is wrong or the budget ended the check.
template <class I>
bool certify_pairs(const PatternView<I>& A, const Matching<I>& M, bool all_rows,
                   std::uint8_t* col_in_cover, int threads, Budget& budget) {
  const bool thin = A.nnz() / 3 < A.n;
  std::atomic<bool> holds{true};
  on_team(threads, threads > 1, [&](int t, int team) {
    const Share<I> part(A.n, t, team);
    for (I first = part.first; first < part.last && holds && !budget.stopped();) {
      const I last = end_of_piece(first, part.last);
      if (!all_matched(A, M, thin, first, last)) holds = false;
      std::fill(col_in_cover + first, col_in_cover + last, std::uint8_t{!all_rows});
      first = last;
      if (t == 0) budget.poll();
    }
  });
  return holds && !budget.stopped();
}

// Checks the complete certificate. A cover of the size of the matching contains either the row or
// the column of each matched entry, and no other row or column. So its rows determine its columns,
// which are written to col_in_cover. It remains to check that the matching consists of entries,
// that row_match and col_match agree, that no unmatched row is in the cover, and that all entries
// of columns outside the cover are in rows of the cover. `where` is set to a column at which the
// check failed, or -1. `matched` is set to the number of matched rows; if the verdict is `proven`,
// this is the number of matched entries.
template <class I>
Verdict certify(const PatternView<I>& A, const Matching<I>& M, const std::uint8_t* row_in_cover,
                std::uint8_t* col_in_cover, int threads, Budget& budget, I& where,
                I* matched = nullptr) {
  const bool shared = threads > 1 && A.n >= least_to_share(worth_sharing);
  std::atomic<I> rows{0};
  std::atomic<I> rows_in_cover{0};
  std::atomic<I> unmatched_in_cover{0};
  on_team(threads, shared, [&](int t, int team) {
    const Share<I> part(A.m, t, team);
    I own = 0;
    I in_cover = 0;
    I both = 0;
    in_own_pieces(part, t, budget, [&](I i) {
      own += M.row_match[i] != -1;
      in_cover += row_in_cover[i] != 0;
      both += (row_in_cover[i] != 0) & (M.row_match[i] != -1);
    });
    rows += own;
    rows_in_cover += in_cover;
    unmatched_in_cover += in_cover - both;
  });
  if (matched != nullptr) *matched = rows;
  where = -1;
  const bool all_rows = rows_in_cover == A.m;
  if (rows == A.n && (all_rows ? rows == A.m : rows_in_cover == 0)) {
    const int team = shared ? threads : 1;
    if (certify_pairs(A, M, all_rows, col_in_cover, team, budget)) return Verdict::proven;
  }
  std::atomic<I> pairs{0};
  I at_fault = A.n;  // the first column at fault, whatever the number of threads
  on_team(threads, shared, [&](int t, int team) {
    const Share<I> part(A.n, t, team);
    for (I first = part.first; first < part.last && !budget.stopped();) {
      const I last = end_of_piece(first, part.last, A.indptr + 1);
      I own = 0;
      const I stop = certify_columns(A, M, row_in_cover, col_in_cover, all_rows, first, last, own);
      pairs += own;
      if (stop < last) lower(at_fault, stop);
      first = stop < last ? part.last : last;
      if (t == 0) budget.poll();
    }
  });
  if (budget.stopped()) return Verdict::unfinished;
  if (at_fault < A.n) {
    where = at_fault;
    const Verdict verdict = check_pair(A, M, where);
    return verdict == Verdict::proven ? Verdict::uncovered : verdict;
  }
  if (pairs != rows) return Verdict::disagreement;
  return unmatched_in_cover == 0 ? Verdict::proven : Verdict::cover_size;
}

// The smaller of the numbers of nonempty columns and nonempty rows, which bounds the structural
// rank. Rows are counted only until there are as many as nonempty columns. `seen` (m bytes) is
// workspace. Throws Unfinished when the budget ends the call.
template <class I>
I rank_at_most(const PatternView<I>& A, std::uint8_t* seen, Budget& budget) {
  I cols = 0;
  in_pieces(A.n, budget, [&](I j) { cols += A.degree(j) > 0; });
  const I most = std::min(cols, A.m);
  in_pieces(A.m, budget, [=](I i) { seen[i] = 0; });
  I rows = 0;
  in_pieces(A.n, A.indptr + 1, budget, [&](I j) {
    if (rows >= most) return;
    for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
      rows += seen[A.indices[p]] == 0;
      seen[A.indices[p]] = 1;
    }
  });
  return std::min(rows, most);
}

}  // namespace btfperm
