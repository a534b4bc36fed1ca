// SPDX-License-Identifier: BSD-3-Clause
// The order of all variables after the elimination of groups of variables
//
// Idea        A variable that is merged into another one, or absorbed by a pivot, is eliminated
//             together with it, and so are the variables that were merged into it before. These
//             variables are a group. Within a group, the order hardly matters for the fill of
//             B + B' or B'B, but it matters for L and U of an unsymmetric block. colamd has less
//             fill if the variables are in the order in which they joined the group than if their
//             numbers ascend. For amd, there are two orders. With SuperLU, the fill is smaller if
//             variables with few entries in their row and column come first. With KLU, neither
//             order has less predicted fill on most matrices, but with ascending numbers fewer
//             pivots leave the diagonal. The groups are in a postorder of the tree in which the
//             parent of an element is the element that absorbed it. Variables put last are at the
//             end.
// Cost        O(n log n), for the order within the groups
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

#include "backends/cpu/workspace.hpp"
#include "ordering/postorder.hpp"

namespace btfperm {

template <class I>
class EliminationOrder {
 public:
  EliminationOrder(I variables, Workspace& workspace) {
    for (I** array : {&number_, &follower_, &last_}) *array = workspace.take<I>(variables);
  }

  void begin(I n) {
    n_ = n;
    pivots_ = n_last_ = 0;
    std::fill(number_, number_ + n, I{-1});
    std::fill(follower_, follower_ + n, I{-1});
    std::iota(last_, last_ + n, I{0});
  }

  void add_pivot(I v) { number_[v] = pivots_++; }
  void put_last(I v) { number_[v] = -2 - n_last_++; }

  // Adds the group of u to the end of the group of v.
  void follow(I v, I u) {
    follower_[last_[v]] = u;
    last_[v] = last_[u];
  }

  // Sets order[k], k from 0, to the variable at place k. For a pivot v, into[v] is the pivot that
  // absorbed its element, or -1. In a group, variables with smaller count_of(v) come first; with
  // equal counts, they are in the order in which they joined the group. `memory` holds arrays of n
  // numbers. Returns false, with only a part of `order` set, if `limit` ended the sorts.
  template <class Limit, class CountOf>
  bool write(I* order, const I* into, Limit& limit, const CountOf& count_of,
             const std::array<I*, 6>& memory) const {
    const auto [pivot, parent, count, size, end, place] = memory;
    for (I v = 0; v < n_; ++v) {
      const I k = number_[v];
      if (k < -1) order[n_ - n_last_ - 2 - k] = v;
      if (k < 0) continue;
      pivot[k] = v;
      parent[k] = into[v] < 0 ? I{-1} : number_[into[v]];
      count[k] = 0;
      for (I u = v; u != -1; u = follower_[u]) ++count[k];
    }
    find_postorder(pivots_, parent, count, size, end, place);
    I* const joined = parent;  // a number that grows in the order in which variables joined
    for (I k = 0; k < pivots_; ++k) {
      I at = place[k];
      for (I v = pivot[k]; v != -1; v = follower_[v]) {
        joined[v] = at;
        order[at++] = v;
      }
      std::sort(order + place[k], order + at, [&](I u, I v) {
        const auto one = count_of(u), other = count_of(v);
        return one != other ? one < other : joined[u] < joined[v];
      });
      if (!limit.spend(at - place[k])) return false;
    }
    return true;
  }

 private:
  I n_, pivots_, n_last_;
  I* number_;    // from 0 for pivots; -2, -3, ... for variables put last; -1 for all others
  I* follower_;  // the next variable in the group, or -1
  I* last_;      // for the first variable of a group, the last variable of the group
};

}  // namespace btfperm
