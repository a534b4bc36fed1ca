// SPDX-License-Identifier: BSD-3-Clause
// external_files: temporary files that are read and written in blocks
//
// Idea        A temporary file has no name, so the system removes it when the process ends, even
//             if the process fails. On Linux, the files do not fill the page cache: the system
//             starts to write a block to the disk at once, and the cache drops blocks that were
//             read and all but the last 32 MiB that were written. While a block is used, the
//             system already reads the next one.
// Cost        IoVolume counts the bytes that were read and written
// Errors      throws IoFailure with the number of the system's error, such as ENOSPC
#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace btfperm {

struct IoFailure {
  int number;  // errno
};

struct IoVolume {
  std::int64_t read = 0;     // bytes
  std::int64_t written = 0;  // bytes
};

// A file without a name in a folder.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& folder) {
#ifdef O_TMPFILE
    descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#endif
    if (descriptor_ < 0) {  // this file system has no unnamed files: the name is removed at once
      std::string name = folder + "/btfperm-" + std::string(6, 'X');
      descriptor_ = ::mkstemp(name.data());
      if (descriptor_ >= 0) ::unlink(name.c_str());
    }
    if (descriptor_ < 0) throw IoFailure{errno};
  }
  TemporaryFile(TemporaryFile&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)) {}
  TemporaryFile& operator=(TemporaryFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

// Reads the items begin ... end - 1 of a file in order, in blocks of `block` items.
template <class Item>
class BlockReader {
 public:
  BlockReader(int descriptor, std::int64_t begin, std::int64_t end, std::int64_t block,
              IoVolume& volume)
      : descriptor_(descriptor),
        at_(begin),
        end_(end),
        volume_(&volume),
        buffer_(static_cast<std::size_t>(std::max<std::int64_t>(1, block))) {}

  // The next item, or null at the end.
  const Item* next() {
    if (place_ == held_ && !fill()) return nullptr;
    return &buffer_[place_++];
  }

  // The item that next() returns after `further` other items, or the last item of the block.
  const Item& ahead(std::size_t further) const {
    return buffer_[std::min(place_ + further, held_ - 1)];
  }

 private:
  bool fill() {
    const auto count = std::min(static_cast<std::int64_t>(buffer_.size()), end_ - at_);
    if (count == 0) return false;
    char* to = reinterpret_cast<char*>(buffer_.data());
    const auto size = count * static_cast<std::int64_t>(sizeof(Item));
    const auto from = at_ * static_cast<std::int64_t>(sizeof(Item));
    for (std::int64_t done = 0; done < size;) {
      const ssize_t got = ::pread(descriptor_, to + done, static_cast<std::size_t>(size - done),
                                  static_cast<off_t>(from + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) throw IoFailure{got < 0 ? errno : EIO};
      done += got;
    }
    ::posix_fadvise(descriptor_, from, size, POSIX_FADV_DONTNEED);
    if (at_ + count < end_) ::posix_fadvise(descriptor_, from + size, size, POSIX_FADV_WILLNEED);
    at_ += count;
    volume_->read += size;
    held_ = static_cast<std::size_t>(count);
    place_ = 0;
    return true;
  }

  int descriptor_;
  std::int64_t at_;  // items
  std::int64_t end_;
  IoVolume* volume_;
  std::vector<Item> buffer_;
  std::size_t place_ = 0;
  std::size_t held_ = 0;
};

// Appends items to a file, from its start on.
template <class Item>
class BlockWriter {
 public:
  BlockWriter(int descriptor, std::int64_t block, IoVolume& volume)
      : descriptor_(descriptor), volume_(&volume) {
    buffer_.reserve(static_cast<std::size_t>(std::max<std::int64_t>(1, block)));
  }

  void put(const Item& item) {
    buffer_.push_back(item);
    if (buffer_.size() == buffer_.capacity()) flush();
  }

  void flush() {
    put_all(buffer_.data(), static_cast<std::int64_t>(buffer_.size()));
    buffer_.clear();
  }

  // Writes a whole array at once. Items that are still in the buffer would come after it, so call
  // flush() first.
  void put_all(const Item* items, std::int64_t count) {
    constexpr std::int64_t most = std::int64_t{1} << 23;  // bytes in one call
    const char* const from = reinterpret_cast<const char*>(items);
    const auto size = count * static_cast<std::int64_t>(sizeof(Item));
    for (std::int64_t done = 0; done < size;) {
      const auto part = static_cast<std::size_t>(std::min(most, size - done));
      const ssize_t put = ::pwrite(descriptor_, from + done, part, static_cast<off_t>(bytes_));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) throw IoFailure{errno};
      schedule(bytes_, put);
      done += put;
      bytes_ += put;
    }
    volume_->written += size;
  }

  std::int64_t items() const { return bytes_ / static_cast<std::int64_t>(sizeof(Item)); }

 private:
  // Makes the system start to write this part. The part `behind` bytes before it is written
  // completely and leaves the cache.
  void schedule(std::int64_t from, std::int64_t size) const {
#ifdef SYNC_FILE_RANGE_WRITE
    ::sync_file_range(descriptor_, from, size, SYNC_FILE_RANGE_WRITE);
    constexpr std::int64_t behind = std::int64_t{1} << 25;  // bytes not yet on the disk, at most
    if (from < behind) return;
    ::sync_file_range(
        descriptor_, from - behind, size,
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
    ::posix_fadvise(descriptor_, from - behind, size, POSIX_FADV_DONTNEED);
#else
    static_cast<void>(from);
    static_cast<void>(size);
#endif
  }

  int descriptor_;
  IoVolume* volume_;
  std::vector<Item> buffer_;
  std::int64_t bytes_ = 0;
};

}  // namespace btfperm
