// SPDX-License-Identifier: BSD-3-Clause
// One rank's part of an initial matching over ranks, and of the certificate
//
// Idea        Columns are matched to rows of their own rank without a message. A column that finds
//             none proposes, in each round, to one ghost of its list (a row of another rank); the
//             owner of the row accepts the first proposal that it receives. The certificate takes
//             one pass over the entries.
#pragma once

#include <cstdint>

#include "backends/cpu/budget.hpp"
#include "transversal/owned_rows.hpp"

namespace btfperm {

// Matches unmatched columns to unmatched rows of this rank. A first pass matches columns to the row
// on the diagonal, if that is an entry; a second pass matches each other column to the first
// unmatched row of its list. Returns the number of visited entries.
template <class I>
std::int64_t match_own_rows(const OwnedBipartite<I>& A, Budget& budget) {
  const std::int64_t row_first = A.row_bounds[A.rank], col_first = A.col_bounds[A.rank];
  const auto match = [&](std::int64_t c, I r) {
    A.row_match[r] = static_cast<I>(c + col_first);
    A.col_match[c] = static_cast<I>(r + row_first);
  };
  std::int64_t edges = 0;
  for (std::int64_t c = 0; c < A.n_cols; ++c) {
    const std::int64_t diagonal = c + col_first - row_first;
    if (A.col_match[c] >= 0 || diagonal < 0 || diagonal >= A.n_rows) continue;
    if (A.row_match[diagonal] >= 0) continue;
    for (std::int64_t p = A.indptr[c]; p < A.indptr[c + 1]; ++p) {
      ++edges;
      if (A.items[p] != diagonal) continue;
      match(c, static_cast<I>(diagonal));
      break;
    }
  }
  if (!budget.spend(edges)) return edges;
  for (std::int64_t c = 0; c < A.n_cols; ++c) {
    if (A.col_match[c] >= 0) continue;
    for (std::int64_t p = A.indptr[c]; p < A.indptr[c + 1]; ++p) {
      ++edges;
      const I r = A.items[p];
      if (r >= A.n_rows || A.row_match[r] >= 0) continue;
      match(c, r);
      break;
    }
  }
  return edges;
}

// Lists the next proposal of each unmatched column: cols[k] proposes to ghosts[k], which is not
// known to be matched. cursor[c] is the place in the list of column c where the next call
// continues. Returns the number of proposals.
template <class I>
std::int64_t propose_to_ghosts(const OwnedBipartite<I>& A, const std::uint8_t* ghost_matched,
                               std::int64_t* cursor, I* cols, I* ghosts) {
  std::int64_t count = 0;
  for (std::int64_t c = 0; c < A.n_cols; ++c) {
    if (A.col_match[c] >= 0) continue;
    while (cursor[c] < A.indptr[c + 1]) {
      const std::int64_t g = A.items[cursor[c]++] - A.n_rows;
      if (g < 0 || ghost_matched[g] != 0) continue;
      cols[count] = static_cast<I>(c);
      ghosts[count++] = static_cast<I>(g);
      break;
    }
  }
  return count;
}

// Answers the proposals of columns `suitors` to rows of this rank: an unmatched row accepts its
// first one.
template <class I>
void answer_proposals(std::int64_t count, const I* rows, const I* suitors, I* row_match,
                      std::uint8_t* accepted) {
  for (std::int64_t k = 0; k < count; ++k) {
    accepted[k] = row_match[rows[k]] < 0;
    if (accepted[k] != 0) row_match[rows[k]] = suitors[k];
  }
}

// Number of entries outside the cover; row_in_cover is indexed by local numbers.
template <class I>
std::int64_t uncovered(std::int64_t n_cols, const std::int64_t* indptr, const I* items,
                       const std::uint8_t* col_in_cover, const std::uint8_t* row_in_cover) {
  std::int64_t found = 0;
  for (std::int64_t c = 0; c < n_cols; ++c) {
    if (col_in_cover[c] != 0) continue;
    for (std::int64_t p = indptr[c]; p < indptr[c + 1]; ++p) found += row_in_cover[items[p]] == 0;
  }
  return found;
}

// The number of matched columns whose mate is in their list.
template <class I>
std::int64_t matched_entries(const OwnedBipartite<I>& A) {
  const std::int64_t row_first = A.row_bounds[A.rank];
  std::int64_t found = 0;
  for (std::int64_t c = 0; c < A.n_cols; ++c) {
    if (A.col_match[c] < 0) continue;
    for (std::int64_t p = A.indptr[c]; p < A.indptr[c + 1]; ++p) {
      const I r = A.items[p];
      const std::int64_t row = r < A.n_rows ? r + row_first : A.number_of_ghost(r - A.n_rows);
      if (row != A.col_match[c]) continue;
      ++found;
      break;
    }
  }
  return found;
}

}  // namespace btfperm
