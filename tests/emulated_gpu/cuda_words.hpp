// SPDX-License-Identifier: BSD-3-Clause
// The functions and qualifiers of CUDA C++ that the kernels use, on fibers
//
// Detects     wrong results; lanes that are named in a mask and do not arrive; threads of a block
//             that wait at different barriers; threads that wait forever. With AddressSanitizer:
//             accesses outside an array
// Cannot show stale caches; lanes in lockstep; more than some thousand threads in acceptable time
#pragma once

#include <bit>
#include <cmath>

#include "fibers.hpp"
#include "kernels.hpp"
#include "warps.hpp"

#define __global__
#define __device__ __attribute__((always_inline))
#define __forceinline__ inline
#define __shared__ static thread_local
#define __launch_bounds__(...)

#define threadIdx (fibers::self->thread)
#define blockIdx (fibers::Dim3{fibers::block->number, 0, 0})
#define blockDim (fibers::Dim3{fibers::block->launch->threads})
#define gridDim (fibers::Dim3{fibers::block->launch->blocks})

#define FIBERS_HERE \
  fibers::Place { __FILE__, __LINE__ }
#define __syncthreads() fibers::sync_threads(FIBERS_HERE)
#define __activemask() fibers::active()
#define __shfl_sync(mask, value, ...) fibers::shuffle(mask, value, FIBERS_HERE, __VA_ARGS__)
#define __shfl_down_sync(mask, value, ...) fibers::shift(mask, value, FIBERS_HERE, 1, __VA_ARGS__)
#define __shfl_up_sync(mask, value, ...) fibers::shift(mask, value, FIBERS_HERE, -1, __VA_ARGS__)
#define __shfl_xor_sync(mask, value, by) \
  fibers::shuffle(mask, value, FIBERS_HERE, static_cast<int>(fibers::lane()) ^ (by))
#define __ballot_sync(mask, holds) fibers::ballot(mask, holds, FIBERS_HERE)
#define __any_sync(mask, holds) (fibers::ballot(mask, holds, FIBERS_HERE) != 0)
#define __match_any_sync(mask, value) fibers::match(mask, value, FIBERS_HERE)
#define __syncwarp(...) fibers::sync_warp(FIBERS_HERE __VA_OPT__(, ) __VA_ARGS__)

namespace fibers {

template <class T>
struct As {
  using type = T;
};
template <class T>
using Same = typename As<T>::type;

template <class T>
T load(const T* word) {
  maybe_yield();
  T value;
  __atomic_load(word, &value, __ATOMIC_RELAXED);
  return value;
}

template <class T>
void store(T* word, T value) {
  maybe_yield();
  __atomic_store(word, &value, __ATOMIC_RELAXED);
}

// Replaces the word by op(word), atomically. Returns the old value.
template <class T, class Op>
T change(T* word, Op op) {
  maybe_yield();
  T before = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(word, &before, op(before), false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
  }
  return before;
}

}  // namespace fibers

template <class T>
T atomicAdd(T* word, fibers::Same<T> by) {
  return fibers::change(word, [&](T old) { return static_cast<T>(old + by); });
}
template <class T>
T atomicMax(T* word, fibers::Same<T> other) {
  return fibers::change(word, [&](T old) { return old < other ? other : old; });
}
template <class T>
T atomicMin(T* word, fibers::Same<T> other) {
  return fibers::change(word, [&](T old) { return other < old ? other : old; });
}
template <class T>
T atomicOr(T* word, fibers::Same<T> other) {
  return fibers::change(word, [&](T old) { return static_cast<T>(old | other); });
}
template <class T>
T atomicExch(T* word, fibers::Same<T> other) {
  return fibers::change(word, [&](T) { return other; });
}
template <class T>
T atomicCAS(T* word, fibers::Same<T> expected, fibers::Same<T> other) {
  return fibers::change(word, [&](T old) { return old == expected ? other : old; });
}

inline void __threadfence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline void __nanosleep(unsigned) { fibers::yield(); }
inline int __popc(unsigned word) { return std::popcount(word); }
inline unsigned __float_as_uint(float number) { return std::bit_cast<unsigned>(number); }
inline long long __double_as_longlong(double number) { return std::bit_cast<long long>(number); }
inline int __ffs(unsigned word) { return __builtin_ffs(static_cast<int>(word)); }
struct int4 {
  int x, y, z, w;
};
struct longlong2 {
  long long x, y;
};
template <class T>
T __ldcg(const T* word) {
  return fibers::load(word);
}
inline int4 __ldcg(const int4* four) {
  return {fibers::load(&four->x), fibers::load(&four->y), fibers::load(&four->z),
          fibers::load(&four->w)};
}
inline longlong2 __ldcg(const longlong2* two) {
  return {fibers::load(&two->x), fibers::load(&two->y)};
}
template <class T>
T max(T a, fibers::Same<T> b) {
  return a < b ? b : a;
}
