// SPDX-License-Identifier: BSD-3-Clause
// The rows that two ranks share: which ranks have a row as a ghost, and where a ghost has its place
//
// Idea        A rank that changes one of its rows informs the ranks that have it as a ghost. For
//             each row, it stores these ranks, and not the places of the row among their ghosts,
//             which would need four times as much memory: a rank finds the place of a ghost by the
//             number of the row.
// Cost        O(rows + copies) to make the lists; a place is found in O(log ghosts), and in O(1) if
//             the ghosts are spread evenly over the numbers
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "backends/cpu/prefetch.hpp"
#include "backends/cpu/workspace.hpp"
#include "backends/mpi/ascending.hpp"
#include "transversal/owned_rows.hpp"

namespace btfperm {

// By rank: the positions on this rank of the rows that the other rank has as ghosts.
template <class I>
using Copies = std::vector<const AscendingNumbers<I>*>;

// For each row of this rank, the ranks that have it as a ghost, ascending. A rank has one byte if
// this suffices.
class CopyRanks {
 public:
  template <class I>
  CopyRanks(Workspace& memory, std::int64_t n_rows, const Copies<I>& copies) {
    std::int64_t total = 0;
    for (const auto* rows : copies) total += rows->size();
    if (copies.size() <= 256) {
      bytes_ = memory.take<std::uint8_t>(static_cast<std::size_t>(total));
    } else {
      ranks_ = memory.take<std::int32_t>(static_cast<std::size_t>(total));
    }
    Workspace temporary;
    ListStarts starts(temporary, n_rows, total);
    for (const auto* rows : copies) {
      for (std::int64_t k = 0; k < rows->size(); ++k) starts.count((*rows)[k]);
    }
    starts.add_up();
    starts_.make(memory, starts);
    for (auto rank = static_cast<int>(copies.size()); rank-- > 0;) {
      const AscendingNumbers<I>& rows = *copies[rank];
      for (std::int64_t k = 0; k < rows.size(); ++k) set(starts.next(rows[k]), rank);
    }
  }

  // Calls `f` with each rank that has the row as a ghost.
  template <class I, class F>
  void for_ranks(I row, F f) const {
    const auto [begin, end] = starts_[row];
    for (std::int64_t at = begin; at < end; ++at) {
      f(bytes_ != nullptr ? int{bytes_[at]} : int{ranks_[at]});
    }
  }

 private:
  void set(std::int64_t at, int rank) {
    if (bytes_ != nullptr) {
      bytes_[at] = static_cast<std::uint8_t>(rank);
    } else {
      ranks_[at] = rank;
    }
  }

  PackedStarts starts_;
  std::uint8_t* bytes_ = nullptr;
  std::int32_t* ranks_ = nullptr;
};

// Finds the place of a number among the ghosts of a rank. The numbers are divided into ranges of
// equal length, about one for eight ghosts, and the first ghost of each range is stored.
template <class I>
class GhostPlaces {
 public:
  GhostPlaces(Workspace& memory, const OwnedBipartite<I>& A)
      : ghosts_(A.ghosts), range_(A.row_bounds[A.ranks]) {
    while ((range_ >> shift_) > A.n_ghosts / 8 + 1) ++shift_;
    const std::int64_t ranges = (range_ >> shift_) + 1;
    first_ = memory.take<I>(static_cast<std::size_t>(ranges + 1));
    std::int64_t place = 0;
    for (std::int64_t k = 0; k <= ranges; ++k) {
      while (place < A.n_ghosts && (std::int64_t{(*ghosts_)[place]} >> shift_) < k) ++place;
      first_[k] = static_cast<I>(place);
    }
  }

  // Prefetches the place at which `[number]` begins to search.
  void prefetch_place(std::int64_t number) const {
    if (number < range_) prefetch(first_ + (number >> shift_));
  }

  // Throws std::invalid_argument if the number is no ghost.
  I operator[](std::int64_t number) const {
    const std::int64_t k = number >> shift_;
    if (number >= 0 && number < range_) {
      const std::int64_t place = ghosts_->first_not_below(number, first_[k], first_[k + 1]);
      if (place < first_[k + 1] && (*ghosts_)[place] == number) return static_cast<I>(place);
    }
    throw std::invalid_argument("a line names a row that is no ghost");
  }

 private:
  const AscendingNumbers<I>* ghosts_;
  std::int64_t range_;
  int shift_ = 0;
  I* first_;
};

}  // namespace btfperm
