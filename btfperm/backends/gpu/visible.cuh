// SPDX-License-Identifier: BSD-3-Clause
// Loads and stores of words that other threads of the same launch read or write.
//
// A plain load may be kept in a register, or answered by a stale line of this multiprocessor's own
// cache; a plain store may be merged with others or moved. Kernels written for older chips counted
// on neither happening. A volatile access is carried out once, where it stands, on the memory that
// all multiprocessors share (PTX: ld.volatile and st.volatile are relaxed accesses of system
// scope). It orders nothing else: what one word says about another holds only after the launch has
// ended.
#pragma once

template <class Word>
__device__ inline Word seen(const Word* place) {
  return *const_cast<const volatile Word*>(place);
}

template <class Word>
__device__ inline void show(Word* place, Word value) {
  *const_cast<volatile Word*>(place) = value;
}

// Raises a flag that many threads raise: those that see it raised leave it alone.
template <class Word>
__device__ inline void raise(Word* flag, Word value) {
  if (seen(flag) != value) show(flag, value);
}
