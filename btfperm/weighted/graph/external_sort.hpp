// SPDX-License-Identifier: BSD-3-Clause
// external_sort: merge sort of items that do not fit into memory
//
// Idea        Items are collected in memory, sorted there by a stable radix sort, and written as a
//             run. A tree of losers merges the runs. If there are more runs than blocks that fit
//             into memory, groups of consecutive runs become longer runs first.
// Paper       A. Aggarwal, J. S. Vitter, "The input/output complexity of sorting and related
//             problems", Communications of the ACM 31, 1988
// Cost        each item is written and read ceil(log(runs) / log(blocks)) times, at least once
// Requires    Order has sorted(items, count, other, budget), which returns the array with the
//             result, and key(item); keys are compared by <. Equal keys keep their order
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

// The memory of a phase, and of a block of a file, in bytes.
struct ExternalMemory {
  std::int64_t bytes;
  std::int64_t block;
};

// Several sorted sequences as one.
template <class Item, class Order>
class Merge {
 public:
  using Key = decltype(std::declval<Order>().key(std::declval<Item>()));

  Merge(const Order& order, std::vector<BlockReader<Item>> runs)
      : order_(order), runs_(std::move(runs)), heads_(runs_.size()), losers_(runs_.size(), -1) {
    for (int run = 0; run < size(); ++run) advance(run);
    for (int run = 0; run < size(); ++run) play(run);
  }

  // The next item, or null at the end.
  const Item* next() {
    if (size() == 0 || !heads_[winner_].present) return nullptr;
    current_ = heads_[winner_].item;
    advance(static_cast<int>(winner_));
    replay();
    return &current_;
  }

 private:
  struct Head {
    Key key{};
    Item item{};
    bool present = false;
  };

  int size() const { return static_cast<int>(runs_.size()); }

  void advance(int run) {
    Head& head = heads_[static_cast<std::size_t>(run)];
    const Item* const item = runs_[static_cast<std::size_t>(run)].next();
    head.present = item != nullptr;
    if (item == nullptr) return;
    head.item = *item;
    head.key = order_.key(*item);
  }

  bool before(int a, int b) const {
    const Head &one = heads_[static_cast<std::size_t>(a)],
               &other = heads_[static_cast<std::size_t>(b)];
    if (!one.present || !other.present) return one.present || (!other.present && a < b);
    if (one.key < other.key) return true;
    return !(other.key < one.key) && a < b;
  }

  // Node k has the children 2 k and 2 k + 1; run r is the leaf size + r. losers_[k] lost at node k.
  void play(int run) {
    for (int node = (size() + run) / 2; node > 0; node /= 2) {
      int& loser = losers_[static_cast<std::size_t>(node)];
      if (loser < 0) {
        loser = run;
        return;
      }
      if (before(loser, run)) std::swap(loser, run);
    }
    winner_ = static_cast<std::size_t>(run);
  }

  void replay() {
    int run = static_cast<int>(winner_);
    for (int node = (size() + run) / 2; node > 0; node /= 2) {
      int& loser = losers_[static_cast<std::size_t>(node)];
      if (before(loser, run)) std::swap(loser, run);
    }
    winner_ = static_cast<std::size_t>(run);
  }

  Order order_;
  std::vector<BlockReader<Item>> runs_;
  std::vector<Head> heads_;
  std::vector<int> losers_;
  std::size_t winner_ = 0;
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

  // All items in order. The memory for runs is released; nothing can be added any more. The merge
  // refers to a file of this object.
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
    const auto block = memory.block / static_cast<std::int64_t>(sizeof(Item));
    for (std::size_t run = first; run < last; ++run) {
      readers.emplace_back(file_->descriptor(), ends_[run], ends_[run + 1], block, volume_);
    }
    return Merge<Item, Order>(order_, std::move(readers));
  }

  // One run for each group of `fan_in` runs.
  void lengthen(std::int64_t fan_in, ExternalMemory memory) {
    auto file = std::make_unique<TemporaryFile>(folder_);
    BlockWriter<Item> writer(file->descriptor(),
                             memory.block / static_cast<std::int64_t>(sizeof(Item)), volume_);
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
