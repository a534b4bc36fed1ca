// SPDX-License-Identifier: BSD-3-Clause
// Counts the entries off the diagonal of the diagonal blocks whose mirror image is an entry
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/cpu/workspace.hpp"
#include "ordering/blocks.hpp"
#include "ordering/for_blocks.hpp"

namespace btfperm {

struct SymmetryCounters {
  std::int64_t entries = 0;   // off the diagonal, inside blocks of at least three rows
  std::int64_t mirrored = 0;  // those among them whose mirror image is an entry

  void add(const SymmetryCounters& other) {
    entries += other.entries;
    mirrored += other.mirrored;
  }

  // Whether at least the share `share` of the entries has a mirror image.
  bool reaches(double share) const {
    return static_cast<double>(mirrored) >= share * static_cast<double>(entries);
  }
};

template <class I>
class Symmetry {
 public:
  Symmetry(I size, std::int64_t entries, Workspace& workspace)
      : block_(size, entries, workspace),
        rows_(size, entries, workspace),
        seen_(workspace.take<I>(size)) {}

  template <class Limit>
  void run(const BlockForm<I>& form, I number, Limit& limit, SymmetryCounters& found) {
    block_.read(form, number);
    rows_.read(block_);
    std::fill(seen_, seen_ + block_.n, I{-1});
    for (I j = 0; j < block_.n; ++j) {
      const std::int64_t in_row = rows_.start[j + 1] - rows_.start[j];
      if (!limit.spend(block_.indptr[j + 1] - block_.indptr[j] + in_row)) return;
      for (std::int64_t p = block_.indptr[j]; p < block_.indptr[j + 1]; ++p) {
        seen_[block_.indices[p]] = j;
        found.entries += block_.indices[p] != j;
      }
      for (std::int64_t p = rows_.start[j]; p < rows_.start[j + 1]; ++p) {
        found.mirrored += rows_.cols[p] != j && seen_[rows_.cols[p]] == j;
      }
    }
  }

 private:
  DiagonalBlock<I> block_;
  BlockRows<I> rows_;
  I* seen_;
};

// The counters of all blocks. They are not complete if the budget ends.
template <class I>
SymmetryCounters count_symmetric(const BlockForm<I>& form, int threads, Budget& budget) {
  SymmetryCounters total;
  for_blocks(
      form, threads, budget, total,
      [](I size, std::int64_t entries, Workspace& workspace) {
        return Symmetry<I>(size, entries, workspace);
      },
      [&](Symmetry<I>& symmetry, I block, auto& limit) {
        symmetry.run(form, block, limit, limit.counted);
      });
  return total;
}

}  // namespace btfperm
