// SPDX-License-Identifier: BSD-3-Clause
// One step of a walk: a free column takes the row of least label in its list, and whoever sat there
// walks on; see `meeting_walks.cu` and `far_walks.cu`, whose labels differ in width alone
#pragma once

#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"
#include "transversal/initial/vertex_hash.cuh"

constexpr Index most_seen = 64;  // entries of a list that a step looks at

// Labels below `hopeless` tell how far a free row may be; with `touched`, somebody came to sit
// there.
template <class Label>
struct Labels {
  static constexpr Label touched = static_cast<Label>(Label{1} << (8 * sizeof(Label) - 1));
  static constexpr Label hopeless = touched >> 1;

  Label* of_row;

  // The row of least label in the list of column j, or -1; and the label that it is to get.
  __device__ Index choose(Index j, Count drawn, const Index* indptr, const Index* indices,
                          Label* then, Count* edges) const {
    constexpr int together = 4;
    const Index begin = indptr[j], size = indptr[j + 1] - begin;
    const Index looked = size < most_seen ? size : most_seen;
    Index place = static_cast<Index>(mixed(drawn) % static_cast<Count>(size)), best = -1;
    Label least = hopeless, second = hopeless;
    for (Index k = 0; k < looked && least; k += together) {
      Index row[together];
      Label label[together];
#pragma unroll
      for (int t = 0; t < together; ++t) {
        row[t] = indices[begin + place];
        if (++place == size) place = 0;
      }
#pragma unroll
      for (int t = 0; t < together; ++t)
        label[t] = t < looked - k ? static_cast<Label>(seen(&of_row[row[t]]) & ~touched) : hopeless;
      for (int t = 0; t < together; ++t) {
        if (label[t] < least) {
          second = least;
          least = label[t];
          best = row[t];
        } else if (label[t] < second) {
          second = label[t];
        }
      }
      *edges += together;
    }
    const Label next = least == 0 ? 1 : second < hopeless ? second + 1 : hopeless;
    *then = static_cast<Label>(touched | next);
    return best;
  }

  // Walks from free column j, at most so many steps; the column that ends without a row, or -1.
  __device__ Index walk(Index j, int most, Count seed, const Index* indptr, const Index* indices,
                        Index* row_match, Count* edges) const {
    for (int step = 0; step < most && j != -1; ++step) {
      Label then = 0;
      const Count drawn = seed + (static_cast<Count>(j) << 16) + static_cast<Count>(step);
      const Index row = choose(j, drawn, indptr, indices, &then, edges);
      if (row == -1) break;
      Place* mate = reinterpret_cast<Place*>(&row_match[row]);
      j = static_cast<Index>(atomicExch(mate, static_cast<Place>(j)));
      show(&of_row[row], then);
    }
    return j;
  }

  // Whoever came to sit on row i sits there.
  __device__ void seat(Index i, const Index* row_match, Index* col_match) const {
    if (of_row[i] & touched) col_match[row_match[i]] = i;
  }
};
