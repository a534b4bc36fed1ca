// SPDX-License-Identifier: BSD-3-Clause
// The maximum matching with the largest sum of values, block by block, and its duals
//
// Idea        Entries outside the blocks of the Dulmage-Mendelsohn decomposition belong to no
//             maximum matching, so each block is a problem of its own. Duals are feasible if
//             row_dual[i] + col_dual[j] + the value of entry (i, j) is at most 0 for each entry.
//             The duals of a block may be shifted by one number, which is subtracted from those of
//             its columns and added to those of its rows: no sum inside the block changes. The
//             form is block upper triangular, so one pass over the columns finds shifts for which
//             the duals are feasible for entries between blocks, too. A block in which each column
//             can have its largest entry needs no search. A square block is transposed if its rows
//             promise a better start of the search than its columns.
//             Threads take blocks, the largest first. All threads share the auction in a block that
//             is a large part of the matrix. No result depends on the number of threads.
// Cost        that of the searches, and two passes over the entries
// Invariants  at the end, the duals are feasible and, with mc64, the sums of matched entries are 0,
//             up to rounding
// Races       none: the search in a block writes only matches and duals of its rows and columns
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/largest_first.hpp"
#include "backends/cpu/parallel.hpp"
#include "backends/cpu/shared_loop.hpp"
#include "backends/cpu/sharing.hpp"
#include "backends/cpu/workspace.hpp"
#include "pattern/pattern.hpp"
#include "weighted/approximate/heavy_perfect.hpp"
#include "weighted/block.hpp"
#include "weighted/counters.hpp"
#include "weighted/largest_entries.hpp"
#include "weighted/mc64_with_auction.hpp"

namespace btfperm {

// The blocks of a decomposition: block k has the rows row_perm[row_blocks[k]], ..., and so on.
template <class I>
struct FineBlocks {
  const I* row_perm;
  const I* col_perm;
  const I* row_blocks;
  const I* col_blocks;
  I count;

  BlockPart<I> part(I k) const {
    return {row_perm + row_blocks[k], col_perm + col_blocks[k], row_blocks[k + 1] - row_blocks[k],
            col_blocks[k + 1] - col_blocks[k], row_blocks[k]};
  }
};

template <class I>
struct Assigned {
  I* row_match;      // m
  I* col_match;      // n
  double* row_dual;  // m
  double* col_dual;  // n
};

// The result of an auction on a GPU: the row of each column or -1, and the price of each row,
// which is NaN in blocks without an auction.
template <class I>
struct AfterAuction {
  const I* col_match;
  const double* row_price;
};

enum class WeightedSearch { mc64, heavy_perfect };

// Copies the matching and the prices of an auction in a square block to `memory`. `whole`: the
// block has the rows and columns of the matrix in their order.
template <class I>
void take_over(const AfterAuction<I>& auction, const BlockPart<I>& part, const I* place, bool whole,
               BlockMemory<I>& memory) {
  std::fill(memory.row_match, memory.row_match + part.m, I{-1});
  for (I r = 0; r < part.m; ++r) {
    memory.row_price[r] = auction.row_price[whole ? r : part.rows[r]];
  }
  for (I c = 0; c < part.n; ++c) {
    const I i = auction.col_match[whole ? c : part.cols[c]];
    const I r = whole || i < 0 ? i : place[i] - part.first;
    const bool matched = r >= 0 && r < part.m;
    memory.col_match[c] = matched ? r : I{-1};
    if (matched) memory.row_match[r] = c;
  }
}

// Whether fewer than a quarter of the rows have the largest entry of a column, as in a matrix with
// a few dense rows of large values. The start of a search from the columns would then match few of
// them. The prices of the rows are those of BlockBuilder: 0 for a row that has such an entry.
template <class I>
bool has_few_largest(const CostBlock<I>& block, const BlockMemory<I>& memory) {
  return std::count(memory.row_price, memory.row_price + block.m, 0.0) < block.m / 4;
}

// The matching and duals of one block. `place` is as for BlockBuilder; `auction` is null if no GPU
// ran an auction. False: the budget ended the call.
template <class I>
bool assign_block(const PatternView<I>& A, const double* value, const BlockPart<I>& part,
                  const I* place, WeightedSearch which, const AfterAuction<I>* auction, int threads,
                  BlockMemory<I>& memory, const Assigned<I>& out, Budget& budget,
                  WeightedCounters& counters) {
  bool transposed = part.m < part.n;
  const bool after_auction =
      auction != nullptr && part.m == part.n && !std::isnan(auction->row_price[part.rows[0]]);
  bool whole = !transposed && part.m == A.m && part.n == A.n;
  if (!transposed && !after_auction &&
      LargestEntries<I>(A, value, part, place, whole, out.row_match, out.col_match, out.col_dual)
          .match_columns(budget, counters.edges)) {
    return true;
  }
  BlockBuilder<I> builder(A, value, part, place, memory, budget);
  CostBlock<I> block = whole        ? builder.whole()
                       : transposed ? builder.by_rows()
                                    : builder.by_columns();
  if (part.m == part.n && !after_auction && has_few_largest(block, memory)) {
    whole = false;
    transposed = true;
    block = builder.by_rows();
  }
  if (budget.stopped()) return false;
  if (after_auction) take_over(*auction, part, place, whole, memory);
  const bool done =
      after_auction ? HeavyPerfect<I>::match_last_columns(block, memory, budget, counters)
      : which == WeightedSearch::mc64
          ? Mc64WithAuction<I>::match_columns(block, memory, threads, budget, counters)
          : HeavyPerfect<I>::match_columns(block, memory, threads, budget, counters);
  if (!done) return false;
  const I* const rows = transposed ? part.cols : part.rows;  // of the block
  const I* const cols = transposed ? part.rows : part.cols;
  I* const row_match = transposed ? out.col_match : out.row_match;
  I* const col_match = transposed ? out.row_match : out.col_match;
  double* const row_dual = transposed ? out.col_dual : out.row_dual;
  double* const col_dual = transposed ? out.row_dual : out.col_dual;
  const auto row = [=](I i) { return whole ? i : rows[i]; };
  const auto col = [=](I j) { return whole ? j : cols[j]; };
  for (I i = 0; i < block.m; ++i) row_dual[row(i)] = memory.row_price[i];
  for (I j = 0; j < block.n; ++j) {
    const I i = row(memory.col_match[j]);
    col_dual[col(j)] = memory.col_price[j] - block.largest[j];
    col_match[col(j)] = i;
    row_match[i] = col(j);
  }
  return true;
}

// Sets the matches and the duals of a block with one row and one column.
template <class I>
void assign_entry(const PatternView<I>& A, const double* value, I i, I j, const Assigned<I>& out) {
  I p = A.indptr[j];
  while (A.indices[p] != i) ++p;
  out.row_match[i] = j;
  out.col_match[j] = i;
  out.row_dual[i] = 0;
  out.col_dual[j] = -value[p];
}

// Shifts the duals of the blocks, from the first to the last, so that they are feasible for entries
// between two blocks, too. One pass suffices, because the block of such an entry's row is earlier
// than the block of its column. `place` is as for BlockBuilder. The duals are not feasible if the
// budget ends the pass.
template <class I>
void shift_duals(const PatternView<I>& A, const double* value, const FineBlocks<I>& blocks,
                 const I* place, const Assigned<I>& out, Budget& budget) {
  std::int64_t passed = 0;
  for (I k = 1; k < blocks.count; ++k) {  // no block is before the first
    const BlockPart<I> part = blocks.part(k);
    double excess = 0;
    for (I c = 0; c < part.n; ++c) {
      const I j = part.cols[c];
      for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) {
        const I i = A.indices[p];
        if (place[i] >= part.first) continue;
        excess = std::max(excess, value[p] + out.row_dual[i] + out.col_dual[j]);
      }
      if ((passed += A.degree(j)) < piece) continue;
      passed = 0;
      if (!budget.poll()) return;
    }
    if (excess == 0) continue;
    for (I c = 0; c < part.n; ++c) out.col_dual[part.cols[c]] -= excess;
    for (I r = 0; r < part.m; ++r) out.row_dual[part.rows[r]] += excess;
  }
}

// The blocks that have rows and columns, except those of one row and one column; the largest first.
template <class I>
struct SearchedBlocks {
  std::vector<SizedBlock> blocks;  // size: number of rows or of columns, whichever is larger
  std::vector<std::int64_t> rest;  // k: entries in the columns of blocks k, k + 1, ... of this list

  SearchedBlocks(const PatternView<I>& A, const FineBlocks<I>& all) {
    for (I k = 0; k < all.count; ++k) {
      const BlockPart<I> part = all.part(k);
      if (part.m == 0 || part.n == 0 || (part.m == 1 && part.n == 1)) continue;
      I entries = 0;
      for (I c = 0; c < part.n; ++c) entries += A.degree(part.cols[c]);
      blocks.push_back({k, std::max(part.m, part.n), entries});
    }
    largest_first(blocks);
    rest.resize(blocks.size() + 1);
    for (std::size_t k = blocks.size(); k-- > 0;) rest[k] = rest[k + 1] + blocks[k].entries;
  }

  // Whether block k has at least one thread's share of the entries of the blocks from k on, and
  // enough entries for several threads.
  bool is_large(std::int64_t k, int threads) const {
    const std::int64_t entries = blocks[k].entries;
    return entries >= least_to_share<std::int64_t>(1 << 17) && entries * threads >= rest[k];
  }
};

// The memory of one thread and its part of the budget. A thread allocates when it takes its first
// block, which is the largest one that it takes.
template <class I>
struct BlockSearcher {
  Workspace workspace;
  std::optional<BlockMemory<I>> memory;
  std::optional<Budget> part;  // the calling thread uses the whole budget instead
};

// Sets `out` to the matching that the search `which` finds and its duals. The arrays of `out` are
// complete unless the budget ends the search. `auction` is null if no GPU ran an auction.
template <class I>
void assign(const PatternView<I>& A, const double* value, const FineBlocks<I>& blocks,
            WeightedSearch which, const AfterAuction<I>* auction, const Assigned<I>& out,
            int threads, Workspace& workspace, Budget& budget, WeightedCounters& counters) {
  I* const place = workspace.take<I>(A.m);
  for (I r = 0; r < A.m; ++r) place[blocks.row_perm[r]] = r;
  std::fill(out.row_match, out.row_match + A.m, I{-1});
  std::fill(out.col_match, out.col_match + A.n, I{-1});
  std::fill(out.row_dual, out.row_dual + A.m, 0.0);
  std::fill(out.col_dual, out.col_dual + A.n, 0.0);
  for (I k = 0; k < blocks.count; ++k) {
    const BlockPart<I> part = blocks.part(k);
    if (part.m != 1 || part.n != 1) continue;
    assign_entry(A, value, part.rows[0], part.cols[0], out);
    if (!budget.spend(A.degree(part.cols[0]))) return;
  }
  const SearchedBlocks<I> searched(A, blocks);
  const auto count = static_cast<std::int64_t>(searched.blocks.size());
  threads = threads_for_search(A.nnz(), threads);
  const auto search = [&](std::int64_t k, int team, BlockSearcher<I>& searcher, Budget& limit,
                          WeightedCounters& counted) {
    const SizedBlock& block = searched.blocks[k];
    if (!searcher.memory) {
      searcher.memory.emplace(static_cast<I>(block.size), static_cast<I>(block.entries),
                              searcher.workspace);
    }
    assign_block(A, value, blocks.part(static_cast<I>(block.block)), place, which, auction, team,
                 *searcher.memory, out, limit, counted);
  };
  // All threads search one block together, as long as it is a large part of all blocks.
  std::int64_t first = 0;
  {
    BlockSearcher<I> searcher;
    for (; first < count && !budget.stopped(); ++first) {
      if (threads > 1 && !searched.is_large(first, threads)) break;
      search(first, threads, searcher, budget, counters);
    }
  }
  if (first < count && !budget.stopped()) {
    threads = static_cast<int>(std::min<std::int64_t>(threads, count - first));
    const std::unique_ptr<BlockSearcher<I>[]> searchers(new BlockSearcher<I>[threads]);
    std::atomic<bool> out_of_memory{false};
    const auto turn = [&](std::int64_t k, auto& own) {
      if (out_of_memory.load(std::memory_order_relaxed)) return;
      const int t = omp_get_thread_num();
      BlockSearcher<I>& searcher = searchers[t];
      if (t > 0 && !searcher.part) searcher.part.emplace(budget);
      try {  // no exception may leave a parallel region
        search(first + k, 1, searcher, t > 0 ? *searcher.part : budget, own.counted);
      } catch (const std::bad_alloc&) {
        out_of_memory.store(true, std::memory_order_relaxed);
      }
    };
    shared_loop(count - first, std::int64_t{1}, threads, budget, counters, turn);
    for (int t = 1; t < threads; ++t) {
      if (searchers[t].part) searchers[t].part->poll();  // reports the work since the last poll
    }
    if (out_of_memory.load(std::memory_order_relaxed)) throw std::bad_alloc();
    if (!budget.poll()) return;
  }
  if (!budget.stopped()) shift_duals(A, value, blocks, place, out, budget);
}

}  // namespace btfperm
