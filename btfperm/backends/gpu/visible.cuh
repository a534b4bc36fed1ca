// SPDX-License-Identifier: BSD-3-Clause
// Loads and stores of words that other threads of the same launch read or write.
//
// The compiler may keep the value of a plain load in a register, and the load may read an old value
// from the cache of its multiprocessor; a plain store may be merged with others or moved. A
// volatile access happens exactly once, in the order of the volatile accesses of its thread, in the
// memory that all multiprocessors share (PTX: ld.volatile and st.volatile are relaxed accesses of
// system scope). It does not order the accesses to other words: a thread that reads the new value
// of one word may still read old values of words that were written before it.
#pragma once

template <class Word>
__device__ inline Word seen(const Word* place) {
  return *const_cast<const volatile Word*>(place);
}

template <class Word>
__device__ inline void show(Word* place, Word value) {
  *const_cast<volatile Word*>(place) = value;
}

// Sets a flag to `value`. Many threads may do so; a thread that finds the value there does not
// write it again, which saves most of the stores.
template <class Word>
__device__ inline void raise(Word* flag, Word value) {
  if (seen(flag) != value) show(flag, value);
}
