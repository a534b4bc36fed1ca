// SPDX-License-Identifier: BSD-3-Clause
// components: the state of a search for strongly connected components by several threads
#pragma once

#include "dulmage_mendelsohn/fine_square/vertex.hpp"
#include "dulmage_mendelsohn/team.hpp"

namespace btfperm {

template <class I>
constexpr I unknown = -1;
template <class I>
constexpr I elsewhere = -2;  // the component of a row that was peeled or is not in the square part

// Bits of the region of a vertex. `forward_backward` sets the first two relative to one vertex, the
// pivot, and finds the component of the pivot, which is called giant. Afterwards, vertices of one
// component have the same region. A vertex is open while `closed` is not set.
constexpr std::uint8_t backward = 1;  // the vertex reaches the pivot
constexpr std::uint8_t forward = 2;   // the vertex reaches the pivot, and the pivot reaches it
constexpr std::uint8_t closed = 4;    // the component is known, or the vertex is `elsewhere`

template <class I>
struct Components {
  PatternView<I> A;
  Vertex<I>* vertices;
  I* of;                 // m: of[v] = a row that names the component of v; `unknown`; `elsewhere`
  std::uint8_t* region;  // m: see the bits above
  I giant;               // the name of the giant component; `unknown` before it is found

  bool is_open(I row) const { return load(region[row]) < closed; }
  std::int64_t entries(I row) const { return vertices[row].end - vertices[row].begin; }

  // Assigns v to a component. Only one thread may do this for v.
  void close(I v, I name) const {
    store(of[v], name);  // atomic because other threads may read of[v] at the same time
    store(region[v], static_cast<std::uint8_t>(region[v] | closed));
  }

  void fetch_record(I row) const { __builtin_prefetch(vertices + row); }
  void fetch_list(I row) const { __builtin_prefetch(A.indices + vertices[row].begin); }

  // Calls visit(u) for each row u other than v in the list of v, also if u is no vertex. Returns
  // the number of visited entries plus one.
  template <class Visit>
  std::int64_t for_each_predecessor(I v, Visit visit) const {
    for (I p = vertices[v].begin; p < vertices[v].end; ++p) {
      if (A.indices[p] != v) visit(A.indices[p]);
    }
    return entries(v) + 1;
  }
};

// Marks all vertices that the peel did not remove as open. `counted` is false if there was no peel;
// then all vertices are open.
template <class I>
void note_open(const Components<I>& C, bool counted, const Team& team, Budget& budget) {
  for_parts(C.A.m, team.threads, budget, [&](I i) {
    const bool open = !counted || C.vertices[i].mark > 0;
    C.of[i] = open ? unknown<I> : elsewhere<I>;
    C.region[i] = open ? std::uint8_t{0} : closed;
  });
}

// Sets the marks for tarjan: 0 for open vertices, `finished` for all others.
template <class I>
void mark_open(const Components<I>& C, const Team& team, Budget& budget) {
  for_parts(C.A.m, team.threads, budget,
            [&](I i) { C.vertices[i].mark = C.is_open(i) ? I{0} : finished<I>; });
}

// The lists of the successors. The successors of v are those vertices in whose column lists v is.
template <class I>
struct Successors {
  const I* indptr;  // m + 1; the list of v is rows[indptr[v] ... indptr[v + 1] - 1]
  const I* rows;

  I count(I v) const { return indptr[v + 1] - indptr[v]; }

  void fetch_record(I v) const { __builtin_prefetch(indptr + v); }
  void fetch_list(I v) const { __builtin_prefetch(rows + indptr[v]); }

  template <class Word>
  void fetch_targets(I v, const Word* words) const {
    const I end = std::min<I>(indptr[v + 1], indptr[v] + 8);
    for (I p = indptr[v]; p < end; ++p) __builtin_prefetch(words + rows[p], 1);
  }

  template <class Visit>
  std::int64_t for_each(I v, Visit visit) const {
    for (I p = indptr[v]; p < indptr[v + 1]; ++p) visit(rows[p]);
    return count(v) + 1;
  }
};

// Lists the successors of each open vertex that are in `left`. Both arrays of the result are null
// if the budget ended the call.
template <class I>
Successors<I> list_successors(const Components<I>& C, const Members<I>& left, const Team& team,
                              Workspace& workspace, Budget& budget) {
  const I m = C.A.m;
  I* indptr = workspace.take<I>(static_cast<std::size_t>(m) + 2);
  indptr[0] = 0;
  I* next = indptr + 1;
  fill(next, m, I{0}, team.threads, budget);
  const auto fetch = [&](I k) {
    if (k + 8 < left.count) C.fetch_list(left[k + 8]);
    if (k + 4 < left.count) fetch_targets(C.A, C.vertices[left[k + 4]], next);
  };
  const auto count = [&](I k) {
    fetch(k);
    return C.for_each_predecessor(left[k], [&](I u) {
      if (C.is_open(u)) increment(next[u]);
    });
  };
  if (!for_each(left.count, team, budget, count)) return {nullptr, nullptr};
  sum_up(next, m, team.threads);
  I* rows = workspace.take<I>(static_cast<std::size_t>(next[m]));
  const auto put = [&](I k) {
    fetch(k);
    return C.for_each_predecessor(left[k], [&](I u) {
      if (!C.is_open(u)) return;
      rows[increment(next[u])] = left[k];
    });
  };
  if (!for_each(left.count, team, budget, put)) return {nullptr, nullptr};
  return {indptr, rows};
}

// Writes the elements of `rows` that are still open to `out`, in the same order, and returns their
// number.
template <class I>
I open_ones(const Components<I>& C, const Members<I>& rows, const Team& team, I* out,
            Budget& budget) {
  return select(
      rows.count, team.threads, out, [&](I k) { return C.is_open(rows[k]); },
      [&](I k) { return rows[k]; }, budget);
}

}  // namespace btfperm
