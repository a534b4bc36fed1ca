// SPDX-License-Identifier: BSD-3-Clause
// A binary heap of rows or columns. The first member has the least key. The key of a member may
// become smaller while it is in the heap, but not larger
#pragma once

namespace btfperm {

template <class I, class Key>
class Heap {
 public:
  // key[i] is the key of row or column i. `members` and `place` are uninitialised memory with one
  // element for each row or column.
  Heap(const Key* key, I* members, I* place) : key_(key), members_(members), place_(place) {}

  bool empty() const { return size_ == 0; }
  void clear() { size_ = 0; }
  I first() const { return members_[0]; }

  void insert(I member) { rise(size_++, member); }

  // The caller must call this after the key of a member of the heap has become smaller.
  void decreased(I member) { rise(place_[member], member); }

  void remove_first() { remove(members_[0]); }

  // Removes a member. Its key must not have changed since `insert` or the last `decreased`.
  void remove(I member) {
    const I at = place_[member], last = members_[--size_];
    if (at == size_) return;
    if (key_[last] < key_[member]) {
      rise(at, last);
    } else {
      sink(at, last);
    }
  }

 private:
  void put(I at, I member) {
    members_[at] = member;
    place_[member] = at;
  }

  void rise(I at, I member) {
    while (at > 0 && key_[members_[(at - 1) / 2]] > key_[member]) {
      put(at, members_[(at - 1) / 2]);
      at = (at - 1) / 2;
    }
    put(at, member);
  }

  // The smaller child is chosen without a branch, which could not be predicted.
  void sink(I at, I member) {
    const Key key = key_[member];
    I child = 2 * at + 1;
    for (; child + 1 < size_; child = 2 * at + 1) {
      child += key_[members_[child + 1]] < key_[members_[child]];
      if (key_[members_[child]] >= key) break;
      put(at, members_[child]);
      at = child;
    }
    if (child + 1 == size_ && key_[members_[child]] < key) {  // the only child
      put(at, members_[child]);
      at = child;
    }
    put(at, member);
  }

  const Key* key_;
  I* members_;
  I* place_;
  I size_ = 0;
};

}  // namespace btfperm
