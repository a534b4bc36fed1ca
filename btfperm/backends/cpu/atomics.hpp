// SPDX-License-Identifier: BSD-3-Clause
// Relaxed access to words that two threads may access at once
//
// On common machines load and store compile to plain instructions. They mark the race as intended
// for the compiler and for ThreadSanitizer.
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

// True for the only thread that finds `flag` at 0 and sets it. The load before avoids most of the
// locked operations.
template <class T>
bool claim(T& flag) {
  return load(flag) == 0 && std::atomic_ref<T>(flag).exchange(1, std::memory_order_relaxed) == 0;
}

// True for the only thread that finds `word` at -1 and stores `value`.
template <class T>
bool take(T& word, T value) {
  T free = -1;
  return std::atomic_ref<T>(word).compare_exchange_strong(free, value, std::memory_order_relaxed);
}

// True for the only thread that finds another value than `stamp` in `mark` and stores it.
template <class T>
bool stamp_first(T& mark, T stamp) {
  return load(mark) != stamp &&
         std::atomic_ref<T>(mark).exchange(stamp, std::memory_order_relaxed) != stamp;
}

// True for the only thread that finds `word` at `old` and stores `value`.
template <class T>
bool replace(T& word, T old, T value) {
  return load(word) == old &&
         std::atomic_ref<T>(word).compare_exchange_strong(old, value, std::memory_order_relaxed);
}

// A lock of one byte, 0 while it is open; true if this call closed it. What a thread wrote before
// `unlock` is visible to the thread that closes the lock next. (The other functions order nothing.)
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
