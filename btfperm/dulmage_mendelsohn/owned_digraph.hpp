// SPDX-License-Identifier: BSD-3-Clause
// One rank's part of the digraph of a matching (fine_square/digraph_mpi.py), and the connected
// components of its entries
#pragma once

#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "backends/cpu/budget.hpp"

namespace btfperm {

// Lists the predecessors of each column, which are the columns matched to the rows of its entries,
// except the column itself. `mates` is indexed by local numbers of rows. Fills indptr (n_cols + 1),
// `predecessors` and, for each column, `in_unmatched_row`: 1 if it has an entry in an unmatched
// row. Returns the total number of predecessors.
template <class I>
std::int64_t list_predecessors(std::int64_t col_first, std::int64_t n_cols,
                               const std::int64_t* lists, const I* rows, const I* mates,
                               std::int64_t* indptr, I* predecessors,
                               std::uint8_t* in_unmatched_row) {
  std::int64_t used = 0;
  for (std::int64_t c = 0; c < n_cols; ++c) {
    indptr[c] = used;
    in_unmatched_row[c] = 0;
    for (std::int64_t p = lists[c]; p < lists[c + 1]; ++p) {
      const I mate = mates[rows[p]];
      if (mate < 0) {
        in_unmatched_row[c] = 1;
      } else if (mate != c + col_first) {
        predecessors[used++] = mate;
      }
    }
  }
  indptr[n_cols] = used;
  return used;
}

// Adds to counts[k] the number of lists of active vertices that contain the local number k.
template <class I>
void count_in_lists(std::int64_t count, const std::int64_t* indptr, const I* items,
                    const std::uint8_t* active, I* counts) {
  for (std::int64_t v = 0; v < count; ++v) {
    if (active[v] == 0) continue;
    for (std::int64_t p = indptr[v]; p < indptr[v + 1]; ++p) ++counts[items[p]];
  }
}

// Lists that are filled item by item: the next item of list u goes to the place next[u].
template <class I>
struct GrowingLists {
  std::int64_t count, places;
  std::int64_t* next;
  I* items;

  void put(I list, I item) {
    const std::int64_t place = next[list]++;
    if (place < 0 || place >= places) throw std::invalid_argument("the lists have too few places");
    items[place] = item;
  }
};

// Reverses the edges in the lists of the vertices v = begin .. end - 1: for each item u of the list
// of v, the number of v becomes an item of the list of u. If u is a ghost, its place among the
// ghosts and the number of v are appended to `of_ghosts` instead.
template <class I>
void reverse_edges(std::int64_t first, std::int64_t begin, std::int64_t end,
                   const std::int64_t* indptr, const I* items, GrowingLists<I>& reversed,
                   std::vector<I> of_ghosts[2]) {
  for (std::int64_t v = begin; v < end; ++v) {
    for (std::int64_t p = indptr[v]; p < indptr[v + 1]; ++p) {
      if (items[p] < reversed.count) {
        reversed.put(items[p], static_cast<I>(v + first));
      } else {
        of_ghosts[0].push_back(static_cast<I>(items[p] - reversed.count));
        of_ghosts[1].push_back(static_cast<I>(v + first));
      }
    }
  }
}

// Calls visit(name, other) for each edge between two vertices with different names: `name` is that
// of the vertex whose list contains the edge, `other` that of the other vertex. Vertices with the
// name -1 are left out. `names` is indexed by local numbers.
template <class I, class Visit>
void for_edges_between(std::int64_t count, const std::int64_t* indptr, const I* items,
                       const I* names, Visit visit) {
  for (std::int64_t v = 0; v < count; ++v) {
    if (names[v] < 0) continue;
    for (std::int64_t p = indptr[v]; p < indptr[v + 1]; ++p) {
      const I other = names[items[p]];
      if (other >= 0 && other != names[v]) visit(names[v], other);
    }
  }
}

template <class I>
std::int64_t count_edges_between(std::int64_t count, const std::int64_t* indptr, const I* items,
                                 const I* names) {
  std::int64_t edges = 0;
  for_edges_between(count, indptr, items, names, [&](I, I) { ++edges; });
  return edges;
}

// Finds the connected components of the columns and rows of this rank, ghosts included. Only
// entries whose row and column have the same part connect them; those in the part `left_out` do
// not. component[v] is set to a member of the component of v. In this array, the rows follow the
// columns.
template <class I>
void connect_entries(std::int64_t n_cols, std::int64_t n_rows, const std::int64_t* indptr,
                     const I* rows, const std::uint8_t* col_part, const std::uint8_t* row_part,
                     std::uint8_t left_out, I* component, Budget& budget) {
  std::iota(component, component + n_cols + n_rows, I{0});
  const auto root_of = [component](I v) {
    while (component[v] != v) {
      component[v] = component[component[v]];
      v = component[v];
    }
    return v;
  };
  for (std::int64_t c = 0; c < n_cols; ++c) {
    if (col_part[c] == left_out) continue;
    I root = root_of(static_cast<I>(c));
    for (std::int64_t p = indptr[c]; p < indptr[c + 1]; ++p) {
      if (row_part[rows[p]] != col_part[c]) continue;
      const I other = root_of(static_cast<I>(n_cols + rows[p]));
      if (other < root) {
        component[root] = other;
        root = other;
      } else {
        component[other] = root;
      }
    }
    if (!budget.spend(indptr[c + 1] - indptr[c] + 1)) return;
  }
  for (std::int64_t v = 0; v < n_cols + n_rows; ++v) component[v] = root_of(static_cast<I>(v));
}

}  // namespace btfperm
