// SPDX-License-Identifier: BSD-3-Clause
// external_sort: merge sort of items that do not fit into memory
//
// Idea        Items are collected in memory, sorted there by a stable radix sort, and written as a
//             run. A tree of losers merges the runs. A merge needs one block in memory for each
//             run. If there are too many runs, groups of consecutive runs are first merged to
//             longer runs. If there are few runs, the blocks are larger, because each request to
//             the disk takes some time.
// Paper       A. Aggarwal, J. S. Vitter, "The input/output complexity of sorting and related
//             problems", Communications of the ACM 31, 1988
// Cost        each item is written and read ceil(log(runs) / log(blocks)) times, at least once
// Requires    the type Order has three functions. sorted(items, count, other, budget) sorts the
//             items in one of its two arrays and returns this array. key(item) returns a key; keys
//             are compared by <. last() returns a key larger than those of all items. Items of
//             equal keys keep their order
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/budget.hpp"
#include "weighted/graph/external_files.hpp"

namespace btfperm {

// The memory of a phase, and the least size of a block of a file, in bytes.
struct ExternalMemory {
  std::int64_t bytes;
  std::int64_t block;

  // The size of a block if `files` are read or written at once. Large blocks need fewer requests.
  std::int64_t block_of(std::int64_t files) const {
    constexpr std::int64_t most = std::int64_t{1} << 22;
    return std::max(block, std::min(bytes / files, most));
  }
};

// Merges several sorted runs.
template <class Item, class Order>
class Merge {
 public:
  using Key = decltype(std::declval<Order>().key(std::declval<Item>()));

  Merge(const Order& order, std::vector<BlockReader<Item>> runs)
      : order_(order), runs_(std::move(runs)), heads_(runs_.size()), losers_(runs_.size()) {
    for (int run = 0; run < size(); ++run) play(advance(run));
  }

  Merge(Merge&&) = default;  // not copied: heads_ points into the blocks of the runs

  // The next item, or null at the end.
  const Item* next() {
    if (size() == 0 || !(winner_.key < order_.last())) return nullptr;
    current_ = *heads_[static_cast<std::size_t>(winner_.run)];
    replay(advance(winner_.run));
    return &current_;
  }

 private:
  // The current item of a run by its key; last() at the end of the run.
  struct Player {
    Key key{};
    int run = -1;  // -1: there is no player
  };

  int size() const { return static_cast<int>(runs_.size()); }

  Player advance(int run) {
    const Item* const item = runs_[static_cast<std::size_t>(run)].next();
    heads_[static_cast<std::size_t>(run)] = item;
    return {item == nullptr ? order_.last() : order_.key(*item), run};
  }

  // The comparison has no branch, because the processor could not predict it.
  static bool before(const Player& a, const Player& b) {
    return (a.key < b.key) | (!(b.key < a.key) & (a.run < b.run));
  }

  // Node k has the children 2 k and 2 k + 1; run r is the leaf size + r. losers_[k] lost at node k.
  void play(Player player) {
    for (int node = (size() + player.run) / 2; node > 0; node /= 2) {
      Player& loser = losers_[static_cast<std::size_t>(node)];
      if (loser.run < 0) {
        loser = player;
        return;
      }
      if (before(loser, player)) std::swap(loser, player);
    }
    winner_ = player;
  }

  void replay(Player player) {
    for (int node = (size() + player.run) / 2; node > 0; node /= 2) {
      Player& loser = losers_[static_cast<std::size_t>(node)];
      const Player one = loser, other = player;
      const bool is_first = before(one, other);
      loser = is_first ? other : one;
      player = is_first ? one : other;
    }
    winner_ = player;
  }

  Order order_;
  std::vector<BlockReader<Item>> runs_;
  std::vector<const Item*> heads_;  // the current item of each run
  std::vector<Player> losers_;
  Player winner_;
  Item current_{};
};

template <class Item, class Order>
class ExternalSort {
 public:
  ExternalSort(Order order, std::string folder, ExternalMemory memory, IoVolume& volume,
               Budget& budget)
      : order_(order),
        folder_(std::move(folder)),
        memory_(memory),
        volume_(volume),
        budget_(budget),
        most_(
            std::max<std::int64_t>(2, memory.bytes / 2 / static_cast<std::int64_t>(sizeof(Item)))) {
    items_.reset(new Item[static_cast<std::size_t>(most_)]);
    other_.reset(new Item[static_cast<std::size_t>(most_)]);
  }

  void add(const Item& item) {
    items_[static_cast<std::size_t>(held_++)] = item;
    if (held_ == most_) write_run();
  }

  // All items in order. Releases the memory for runs, so add() must not be called afterwards. The
  // result reads a file of this object, which must exist as long as the result.
  Merge<Item, Order> merged(ExternalMemory memory) {
    write_run();
    items_.reset();
    other_.reset();
    const auto fan_in = std::max<std::int64_t>(2, memory.bytes / memory.block - 1);
    while (static_cast<std::int64_t>(ends_.size()) - 1 > fan_in) lengthen(fan_in, memory);
    return merge_of(0, ends_.size() - 1, memory);
  }

  std::int64_t items() const { return ends_.back() + held_; }

 private:
  void write_run() {
    if (held_ == 0) return;
    if (file_ == nullptr) start_file();
    const Item* const sorted = order_.sorted(items_.get(), held_, other_.get(), budget_);
    writer_->put_all(sorted, held_);
    ends_.push_back(ends_.back() + held_);
    held_ = 0;
    if (!budget_.poll()) throw Unfinished();
  }

  void start_file() {
    file_ = std::make_unique<TemporaryFile>(folder_);
    writer_ = std::make_unique<BlockWriter<Item>>(file_->descriptor(), 1, volume_);
  }

  Merge<Item, Order> merge_of(std::size_t first, std::size_t last, ExternalMemory memory) {
    std::vector<BlockReader<Item>> readers;
    const auto files = static_cast<std::int64_t>(last - first) + 1;
    const auto block = memory.block_of(files) / static_cast<std::int64_t>(sizeof(Item));
    for (std::size_t run = first; run < last; ++run) {
      readers.emplace_back(file_->descriptor(), ends_[run], ends_[run + 1], block, volume_);
    }
    return Merge<Item, Order>(order_, std::move(readers));
  }

  // Merges each group of `fan_in` runs to one run.
  void lengthen(std::int64_t fan_in, ExternalMemory memory) {
    auto file = std::make_unique<TemporaryFile>(folder_);
    BlockWriter<Item> writer(file->descriptor(),
                             memory.block_of(fan_in + 1) / static_cast<std::int64_t>(sizeof(Item)),
                             volume_);
    std::vector<std::int64_t> ends{0};
    const std::size_t runs = ends_.size() - 1;
    for (std::size_t first = 0; first < runs; first += static_cast<std::size_t>(fan_in)) {
      const std::size_t last = std::min(runs, first + static_cast<std::size_t>(fan_in));
      Merge<Item, Order> merge = merge_of(first, last, memory);
      while (const Item* const item = merge.next()) writer.put(*item);
      ends.push_back(ends_[last]);
      if (!budget_.poll()) throw Unfinished();
    }
    writer.flush();
    file_ = std::move(file);
    ends_ = std::move(ends);
  }

  Order order_;
  std::string folder_;
  ExternalMemory memory_;
  IoVolume& volume_;
  Budget& budget_;
  std::int64_t most_;  // items of a run
  std::int64_t held_ = 0;
  std::unique_ptr<Item[]> items_;
  std::unique_ptr<Item[]> other_;
  std::unique_ptr<TemporaryFile> file_;
  std::unique_ptr<BlockWriter<Item>> writer_;
  std::vector<std::int64_t> ends_{0};  // of the runs in the file, in items
};

}  // namespace btfperm
