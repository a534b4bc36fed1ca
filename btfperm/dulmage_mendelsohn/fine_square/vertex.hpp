// SPDX-License-Identifier: BSD-3-Clause
// vertex: the square part as a digraph
//
// A vertex is a matched pair, named by its row; edge u -> v if row u has an entry in the column of
// v. So the list of the column of v holds the predecessors of v, and column lists alone define the
// graph, without access to the matching. One record holds all data of a vertex, so that a vertex
// costs one cache miss.
#pragma once

#include <algorithm>
#include <limits>

#include "dulmage_mendelsohn/coarse.hpp"

namespace btfperm {

template <class I>
struct Vertex {
  I begin;   // the list of its column in A.indices
  I end;     //
  I mark;    // the state of the current search; 0 before, or `outside`
  I height;  // above the sinks
};

// Marks of rows outside the square part, for which counting up never reaches 0, and of vertices
// whose component is known.
template <class I>
constexpr I outside = std::numeric_limits<I>::min();
template <class I>
constexpr I finished = std::numeric_limits<I>::max();

// Prefetches words[u] for the first predecessors u of v, for writing.
template <class I, class Word>
void fetch_targets(const PatternView<I>& A, const Vertex<I>& v, const Word* words) {
  const I end = std::min<I>(v.end, v.begin + 8);
  for (I p = v.begin; p < end; ++p) __builtin_prefetch(words + A.indices[p], 1);
}

// A record for each row; the square part is given by its columns.
template <class I>
void list_vertices(const PatternView<I>& A, const Matching<I>& M, const Members<I>& cols,
                   int threads, Vertex<I>* vertices, Budget& budget) {
  if (cols.count < A.m) {
    for_parts(A.m, threads, budget, [=](I i) { vertices[i] = {0, 0, outside<I>, 0}; });
  }
  for_parts(cols.count, threads, budget, [&](I k) {
    const I j = cols[k];
    vertices[M.col_match[j]] = {A.indptr[j], A.indptr[j + 1], 0, 0};
  });
}

}  // namespace btfperm
