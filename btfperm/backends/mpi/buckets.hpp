// SPDX-License-Identifier: BSD-3-Clause
// Sorts items by their owner, for messages between ranks
//
// Idea        A stable counting sort by rank. A line holds the fields of one item; the lines for
//             one rank are consecutive.
// Cost        O(items + ranks). To find an owner, `Owners` first tries the rank of the preceding
//             call, then the rank to which ranges of equal length would assign the index; only if
//             both fail, it bisects.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace btfperm {

// The rank that owns an index: rank p owns bounds[p] .. bounds[p + 1] - 1. An index outside of all
// ranges gets the first or the last rank.
class Owners {
 public:
  Owners(const std::int64_t* bounds, int ranks)
      : bounds_(bounds), ranks_(ranks), scale_(ranks / (static_cast<double>(bounds[ranks]) + 1)) {}

  int of(std::int64_t index) {
    if (owns(last_, index)) return last_;
    last_ = static_cast<int>(std::clamp(static_cast<double>(index) * scale_, 0.0, ranks_ - 1.0));
    if (owns(last_, index)) return last_;
    const auto after = std::upper_bound(bounds_, bounds_ + ranks_ + 1, index) - bounds_;
    last_ = std::clamp(static_cast<int>(after) - 1, 0, ranks_ - 1);
    return last_;
  }

  std::int64_t first_of(int rank) const { return bounds_[rank]; }

 private:
  bool owns(int rank, std::int64_t index) const {
    return index >= bounds_[rank] && index < bounds_[rank + 1];
  }

  const std::int64_t* bounds_;
  int ranks_;
  double scale_;
  int last_ = 0;
};

// Number of items for each rank.
inline void count_by_owner(std::int64_t count, const std::int32_t* owner, int ranks,
                           std::int64_t* sent) {
  std::fill(sent, sent + ranks, 0);
  for (std::int64_t k = 0; k < count; ++k) ++sent[owner[k]];
}

// Adds the number of items in each bucket of `width` successive indices to counts[0 .. buckets -
// 1]. Returns false if an index is in no bucket.
template <class I>
bool count_by_bucket(std::int64_t count, const I* indices, std::int64_t width, std::int64_t buckets,
                     std::int64_t* counts) {
  const double scale = 1.0 / static_cast<double>(width);
  const std::int64_t last = std::numeric_limits<std::int64_t>::max();
  const std::int64_t end = buckets > last / width ? last : buckets * width;
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t index = indices[k];
    if (index < 0 || index >= end) return false;
    auto bucket =
        static_cast<std::int64_t>(static_cast<double>(index) * scale);  // or its neighbour
    if (bucket * width > index) --bucket;
    if (index - bucket * width >= width) ++bucket;
    ++counts[bucket];
  }
  return true;
}

// Writes the line of each item k, which is fields[0][k], fields[1][k], ..., sorted by rank; sets
// order[l] to the item of line l.
template <class I>
void sort_by_owner(std::int64_t count, const std::int32_t* owner,
                   const std::vector<const I*>& fields, int ranks, const std::int64_t* sent,
                   I* lines, std::int64_t* order) {
  std::vector<std::int64_t> next(static_cast<std::size_t>(ranks), 0);
  for (int rank = 1; rank < ranks; ++rank) next[rank] = next[rank - 1] + sent[rank - 1];
  const auto width = static_cast<std::int64_t>(fields.size());
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t at = next[owner[k]]++;
    order[at] = k;
    for (std::int64_t f = 0; f < width; ++f) lines[at * width + f] = fields[f][k];
  }
}

// Lines of three fields for other ranks, collected one by one.
template <class I>
class Outbox {
 public:
  void put(int rank, I target, I a, I b) {
    owner_.push_back(rank);
    lines_.push_back({target, a, b});
  }

  std::int64_t size() const { return static_cast<std::int64_t>(owner_.size()); }

  // Writes the lines, sorted by rank, and their number for each rank; empties the outbox.
  void deliver(int ranks, std::int64_t* sent, I* lines) {
    count_by_owner(size(), owner_.data(), ranks, sent);
    std::vector<std::int64_t> next(static_cast<std::size_t>(ranks), 0);
    for (int rank = 1; rank < ranks; ++rank) next[rank] = next[rank - 1] + sent[rank - 1];
    for (std::size_t k = 0; k < owner_.size(); ++k) {
      I* const line = lines + 3 * next[owner_[k]]++;
      line[0] = lines_[k].target;
      line[1] = lines_[k].a;
      line[2] = lines_[k].b;
    }
    owner_ = {};  // releases the memory: few steps have as many lines as the largest one
    lines_ = {};
  }

 private:
  struct Line {
    I target, a, b;
  };
  std::vector<std::int32_t> owner_;
  std::vector<Line> lines_;
};

}  // namespace btfperm
