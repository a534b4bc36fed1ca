// SPDX-License-Identifier: BSD-3-Clause
// A binary heap of rows, the nearest first, in which the distance of a row can decrease
#pragma once

namespace btfperm {

template <class I>
class RowHeap {
 public:
  // distance[i] is that of row i; `rows` and `place` have a place for each row.
  RowHeap(const double* distance, I* rows, I* place)
      : distance_(distance), rows_(rows), place_(place) {}

  bool empty() const { return size_ == 0; }
  void clear() { size_ = 0; }
  I nearest() const { return rows_[0]; }

  void insert(I row) { rise(size_++, row); }

  // After the distance of a row in the heap has become smaller.
  void decreased(I row) { rise(place_[row], row); }

  void remove_nearest() {
    const I row = rows_[--size_];
    I at = 0;
    for (I child = 1; child < size_; child = 2 * at + 1) {
      if (child + 1 < size_ && distance_[rows_[child + 1]] < distance_[rows_[child]]) ++child;
      if (distance_[rows_[child]] >= distance_[row]) break;
      put(at, rows_[child]);
      at = child;
    }
    if (size_ > 0) put(at, row);
  }

 private:
  void put(I at, I row) {
    rows_[at] = row;
    place_[row] = at;
  }

  void rise(I at, I row) {
    while (at > 0 && distance_[rows_[(at - 1) / 2]] > distance_[row]) {
      put(at, rows_[(at - 1) / 2]);
      at = (at - 1) / 2;
    }
    put(at, row);
  }

  const double* distance_;
  I* rows_;
  I* place_;
  I size_ = 0;
};

}  // namespace btfperm
