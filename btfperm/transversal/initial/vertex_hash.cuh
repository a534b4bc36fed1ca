// SPDX-License-Identifier: BSD-3-Clause
// Pseudo-random numbers that depend only on a vertex or an entry and on the round, for randomized
// initializers and pushes on the CPU and on a GPU
#pragma once

#ifdef __CUDACC__
#define BTFPERM_ANYWHERE __device__ inline
#else
#define BTFPERM_ANYWHERE inline
#endif

// S. Vigna's splitmix64.
BTFPERM_ANYWHERE unsigned long long mixed(unsigned long long x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

// A pseudo-random number for each entry and round.
BTFPERM_ANYWHERE unsigned long long entry_hash(unsigned long long round, long long row,
                                               long long col) {
  return mixed(round ^ (static_cast<unsigned long long>(row) << 32) ^
               static_cast<unsigned long long>(col));
}

// The reduced hash of red-blue (Fagginger Auer, Bisseling, algorithm 4): the first quarter of MD5
// for the message of the 32-bit numbers v, rv, r^2 v, ..., r^15 v.
BTFPERM_ANYWHERE unsigned reduced_md5(unsigned v, unsigned r) {
  constexpr unsigned K[16] = {0xd76aa478U, 0xe8c7b756U, 0x242070dbU, 0xc1bdceeeU,
                              0xf57c0fafU, 0x4787c62aU, 0xa8304613U, 0xfd469501U,
                              0x698098d8U, 0x8b44f7afU, 0xffff5bb1U, 0x895cd7beU,
                              0x6b901122U, 0xfd987193U, 0xa679438eU, 0x49b40821U};
  constexpr unsigned R[4] = {7, 12, 17, 22};
  constexpr unsigned h[4] = {0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U};
  unsigned a0 = h[0], a1 = h[1], a2 = h[2], a3 = h[3];
  for (int i = 0; i < 16; ++i) {
    const unsigned sum = a0 + ((a1 & a2) | (~a1 & a3)) + K[i] + v;
    a0 = a3;
    a3 = a2;
    a2 = a1;
    a1 += (sum << R[i % 4]) | (sum >> (32 - R[i % 4]));
    v *= r;
  }
  return h[0] + a0 + h[1] + a1 + h[2] + a2 + h[3] + a3;
}
