// SPDX-License-Identifier: BSD-3-Clause
// Relaxed access to words that two threads may access at once
//
// On common machines, `load` and `store` compile to plain instructions. They tell the compiler and
// ThreadSanitizer that the race is intended.
#pragma once

#include <atomic>

namespace btfperm {

template <class T>
T load(const T& word) {
  return std::atomic_ref<T>(const_cast<T&>(word)).load(std::memory_order_relaxed);
}

template <class T>
void store(T& word, T value) {
  std::atomic_ref<T>(word).store(value, std::memory_order_relaxed);
}

// Sets `flag` from 0 to 1; returns true to the one thread that did so. The preceding load avoids
// most of the locked operations.
template <class T>
bool claim(T& flag) {
  return load(flag) == 0 && std::atomic_ref<T>(flag).exchange(1, std::memory_order_relaxed) == 0;
}

// Replaces -1 in `word` by `value`; returns true to the one thread that did so.
template <class T>
bool take(T& word, T value) {
  T free = -1;
  return std::atomic_ref<T>(word).compare_exchange_strong(free, value, std::memory_order_relaxed);
}

// Stores `stamp` in `mark`; returns true to the one thread that found another value there.
template <class T>
bool stamp_first(T& mark, T stamp) {
  return load(mark) != stamp &&
         std::atomic_ref<T>(mark).exchange(stamp, std::memory_order_relaxed) != stamp;
}

// Replaces `old` in `word` by `value`; returns true to the one thread that did so.
template <class T>
bool replace(T& word, T old, T value) {
  return load(word) == old &&
         std::atomic_ref<T>(word).compare_exchange_strong(old, value, std::memory_order_relaxed);
}

// `flag` is a lock: 0 while no thread holds it. Returns true if this call acquired it. What a
// thread wrote before `unlock` is visible to the thread that acquires the lock next. (The other
// functions of this file do not order the accesses to other words.)
template <class T>
bool try_lock(T& flag) {
  return load(flag) == 0 && std::atomic_ref<T>(flag).exchange(1, std::memory_order_acquire) == 0;
}

template <class T>
void unlock(T& flag) {
  std::atomic_ref<T>(flag).store(0, std::memory_order_release);
}

// Adds one; returns the value before.
template <class T>
T increment(T& word) {
  return std::atomic_ref<T>(word).fetch_add(1, std::memory_order_relaxed);
}

// Subtracts one; returns the value afterwards.
template <class T>
T decrement(T& word) {
  return std::atomic_ref<T>(word).fetch_sub(1, std::memory_order_relaxed) - 1;
}

// Lowers `word` to at most `value`.
template <class T>
void lower(T& word, T value) {
  T old = load(word);
  while (old > value &&
         !std::atomic_ref<T>(word).compare_exchange_weak(old, value, std::memory_order_relaxed)) {
  }
}

// Raises `word` to at least `value`.
template <class T>
void raise(T& word, T value) {
  T old = load(word);
  while (old < value &&
         !std::atomic_ref<T>(word).compare_exchange_weak(old, value, std::memory_order_relaxed)) {
  }
}

}  // namespace btfperm
