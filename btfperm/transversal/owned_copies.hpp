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
#include <numeric>
#include <stdexcept>

#include "backends/cpu/prefetch.hpp"
#include "backends/cpu/workspace.hpp"
#include "transversal/owned_rows.hpp"

namespace btfperm {

// The rows of this rank that other ranks have as ghosts.
template <class I>
struct Copies {
  const std::int64_t* counts;  // by rank: how many of these rows it has as ghosts
  const I* rows;               // the positions of these rows on this rank, sorted by the other rank
};

// For each row of this rank, the ranks that have it as a ghost, ascending. A rank has one byte if
// this suffices.
class CopyRanks {
 public:
  template <class I>
  CopyRanks(Workspace& memory, std::int64_t n_rows, int ranks, const Copies<I>& copies) {
    const std::int64_t total =
        std::accumulate(copies.counts, copies.counts + ranks, std::int64_t{0});
    if (ranks <= 256) {
      bytes_ = memory.take<std::uint8_t>(static_cast<std::size_t>(total));
    } else {
      ranks_ = memory.take<std::int32_t>(static_cast<std::size_t>(total));
    }
    Workspace temporary;
    ListStarts starts(temporary, n_rows, total);
    for (std::int64_t k = 0; k < total; ++k) starts.count(copies.rows[k]);
    starts.add_up();
    starts_.make(memory, starts);
    std::int64_t k = total;
    for (int rank = ranks; rank-- > 0;) {
      for (std::int64_t left = copies.counts[rank]; left > 0; --left) {
        set(starts.next(copies.rows[--k]), rank);
      }
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
      : ghosts_(A.ghosts), count_(A.n_ghosts), range_(A.row_bounds[A.ranks]) {
    while ((range_ >> shift_) > count_ / 8 + 1) ++shift_;
    const std::int64_t ranges = (range_ >> shift_) + 1;
    first_ = memory.take<I>(static_cast<std::size_t>(ranges + 1));
    std::int64_t place = 0;
    for (std::int64_t k = 0; k <= ranges; ++k) {
      while (place < count_ && (std::int64_t{ghosts_[place]} >> shift_) < k) ++place;
      first_[k] = static_cast<I>(place);
    }
  }

  // Prefetches the ghosts that `[number]` compares.
  void prefetch_place(std::int64_t number) const {
    if (number < range_) prefetch(ghosts_ + first_[number >> shift_]);
  }

  // Throws std::invalid_argument if the number is no ghost.
  I operator[](std::int64_t number) const {
    const std::int64_t k = number >> shift_;
    if (number >= 0 && number < range_) {
      const I* const end = ghosts_ + first_[k + 1];
      const I* const found = std::lower_bound(ghosts_ + first_[k], end, static_cast<I>(number));
      if (found != end && *found == number) return static_cast<I>(found - ghosts_);
    }
    throw std::invalid_argument("a line names a row that is no ghost");
  }

 private:
  const I* ghosts_;
  std::int64_t count_, range_;
  int shift_ = 0;
  I* first_;
};

}  // namespace btfperm
