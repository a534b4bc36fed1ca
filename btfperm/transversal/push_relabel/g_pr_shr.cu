// SPDX-License-Identifier: BSD-3-Clause
// g-pr-shr: push-relabel on a GPU, one thread per active column, with a list that is shrunk
//
// Idea        As g-pr-noshr. In addition, after each relabelling, a kernel removes the positions
//             without an active column from the list, if the list has at least 512 positions.
// Paper       M. Deveci, K. Kaya, B. Uçar, Ü. V. Çatalyürek, "A push-relabel-based maximum
//             cardinality bipartite matching algorithm on GPUs", ICPP 2013: algorithm 7, and
//             G-PR-ShrKrnl as described in section III.C.2: each thread counts the active columns
//             of its positions, a prefix sum over the threads gives each thread a region of its
//             own, and the thread writes its columns there. Option relabel as in g-pr-first
// Changed     as in g-pr-noshr
// Cost        as g-pr-noshr, with a list that becomes shorter
// Prefer it   to apfb-wr if the lengths of the columns vary much, as in networks, and on large
//             matrices that are irregular or have few unmatched columns; also on the largest
//             meshes, with the longest paths, on which apfb-wr did not end within the limits of the
//             measurements. Otherwise prefer apfb-wr, also if paths are short, and apsb-wr on
//             meshes in natural order. g-pr-first and g-pr-noshr take nearly as long as this one
// Encodings   ends[t] = number of active columns of the threads up to and including t, after the
//             prefix sum
// Invariants, Races: active_list.cuh, relabel.cuh and push.cuh

#include "transversal/push_relabel/active_list.cuh"

extern "C" __global__ void g_pr_shr_count(Index size, const Index* Ac, const Index* Ap,
                                          Index* mu_row, Index* mu_col, Index* ends) {
  const Graph G{nullptr, nullptr, mu_row, mu_col, nullptr, nullptr, 0};
  Index count = 0;
  for (long long i = first_item(); i < size; i += item_stride())
    count += active_in(G, Ac, Ap, i) != -1;
  ends[first_item()] = count;
}

extern "C" __global__ void g_pr_shr_write(Index loop, Index size, const Index* Ac, const Index* Ap,
                                          const Index* ends, Index* shrunk, Index* iA,
                                          Index* mu_row, Index* mu_col, State* state) {
  const Graph G{nullptr, nullptr, mu_row, mu_col, nullptr, nullptr, 0};
  const long long thread = first_item();
  Index place = thread ? ends[thread - 1] : 0;
  for (long long i = thread; i < size; i += item_stride()) {
    const Index v = active_in(G, Ac, Ap, i);
    if (v == -1) continue;
    iA[v] = loop;
    shrunk[place++] = v;
    raise(&state->act_exists, static_cast<Count>(loop));
  }
  if (thread == item_stride() - 1) state->listed = static_cast<Count>(place);
}
