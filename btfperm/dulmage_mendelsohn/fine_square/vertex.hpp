// SPDX-License-Identifier: BSD-3-Clause
// vertex: the square part as a digraph
//
// A vertex is a row of the square part together with the column matched to it, and has the number
// of the row. There is an edge u -> v if row u has an entry in the column of v. So the list of the
// column of v holds the predecessors of v, and the column lists alone define the graph, without
// access to the matching. One record holds all data of a vertex, so that an access to it causes
// only one cache miss.
#pragma once

#include <algorithm>
#include <limits>

#include "dulmage_mendelsohn/coarse.hpp"

namespace btfperm {

template <class I>
struct Vertex {
  I begin;  // the list of its column is A.indices[begin ... end - 1]
  I end;
  I mark;    // the state of the current search; before any search 0, or `outside`
  I height;  // the height above the sinks, see heights.hpp, or a lower bound on it
};

// The mark of rows outside the square part. It is so low that it never reaches 0 if successors are
// counted in it.
template <class I>
constexpr I outside = std::numeric_limits<I>::min();
// The mark of vertices whose component is known.
template <class I>
constexpr I finished = std::numeric_limits<I>::max();

// Prefetches words[u] for the first eight predecessors u of v, for writing.
template <class I, class Word>
void fetch_targets(const PatternView<I>& A, const Vertex<I>& v, const Word* words) {
  const I end = std::min<I>(v.end, v.begin + 8);
  for (I p = v.begin; p < end; ++p) __builtin_prefetch(words + A.indices[p], 1);
}

// Initializes the record of each row. `cols` are the columns of the square part.
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
