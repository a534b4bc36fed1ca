// SPDX-License-Identifier: BSD-3-Clause
// Loads and stores of words that other threads of the same launch read or write.
//
// The compiler may keep the value of a plain load in a register, and the load may read an old value
// from the cache of its multiprocessor; a plain store may be merged with others or moved. A
// volatile access happens exactly once, in order with the others, in the memory that all
// multiprocessors share (PTX: ld.volatile and st.volatile are relaxed accesses of system scope). It
// does not order other accesses: a thread that sees one word may not yet see other words that were
// written before.
#pragma once

template <class Word>
__device__ inline Word seen(const Word* place) {
  return *const_cast<const volatile Word*>(place);
}

template <class Word>
__device__ inline void show(Word* place, Word value) {
  *const_cast<volatile Word*>(place) = value;
}

// Raises a flag. A thread that sees it raised does not write, because many threads raise it.
template <class Word>
__device__ inline void raise(Word* flag, Word value) {
  if (seen(flag) != value) show(flag, value);
}
