// SPDX-License-Identifier: BSD-3-Clause
// Where a walk goes: a free column takes the row of least label in its list, and whoever sat there
// walks on; see `meeting_walks.cu` and `far_walks.cu`, which have labels of their own
#pragma once

#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"
#include "transversal/initial/vertex_hash.cuh"

constexpr Index most_seen = 64;  // entries of a list that a step looks at, mostly

template <class Label>
struct Choice {
  Index row;  // of least label, or -1
  Label least, second;
};

// Among the rows of column j with a label below `none`, `most` of its list; bits that `mask` leaves
// out are not looked at. It begins at a place that is drawn, and ends with a label of 0.
template <class Label>
__device__ inline Choice<Label> choose_row(Index j, Count drawn, Index most, const Index* indptr,
                                           const Index* indices, const Label* labels, Label mask,
                                           Label none, Count* edges) {
  constexpr int together = 4;
  const Index begin = indptr[j], size = indptr[j + 1] - begin;
  const Index looked = size < most ? size : most;
  Index place = static_cast<Index>(mixed(drawn) % static_cast<Count>(size));
  Choice<Label> choice{-1, none, none};
  for (Index k = 0; k < looked && choice.least; k += together) {
    Index row[together];
    Label label[together];
#pragma unroll
    for (int t = 0; t < together; ++t) {
      row[t] = indices[begin + place];
      if (++place == size) place = 0;
    }
#pragma unroll
    for (int t = 0; t < together; ++t)
      label[t] = t < looked - k ? static_cast<Label>(seen(&labels[row[t]]) & mask) : none;
    for (int t = 0; t < together; ++t) {
      if (label[t] < choice.least) {
        choice = {row[t], label[t], choice.least};
      } else if (label[t] < choice.second) {
        choice.second = label[t];
      }
    }
    *edges += together;
  }
  return choice;
}
