// SPDX-License-Identifier: BSD-3-Clause
// minimum degree: an elimination order with little fill
//
// Idea        Eliminate a variable with the fewest neighbours. Its neighbours become the variables
//             of an element, which represents the clique that elimination creates, so the graph
//             never grows. A variable has a list of elements and one of variables. A bound on its
//             degree replaces the degree: the sum over its elements of the number of variables
//             outside the newest element. One pass over the lists of the variables of the newest
//             element computes these numbers. Variables with the same lists are merged, and an
//             element whose variables are all in another element is absorbed by it.
// Two uses    Variables are the columns of a block B. For amd, two columns are neighbours if B + B'
//             has an entry at their crossing. For colamd, the rows of B are elements from the
//             start, so the graph is that of B'B, which is never formed.
// Dense       A variable whose list at the start is longer than max(16, 10 sqrt(n)) comes last; for
//             colamd, also one with an empty list. colamd ignores rows with more entries than that.
// Invariants  A list holds the elements of a variable first, then its variables. `size` is the
//             number of columns that were merged into a variable. It is 0 for a variable that was
//             eliminated, merged or put last, and negative for the variables of the newest element
//             while it is processed. `mark` is 0 for elements that were absorbed or are empty.
// Order       See elimination_order.hpp. Ties are broken by the order of the lists, so the result
//             depends on the matrix alone.
// Cost        in practice, about the number of entries in the lists times the mean number of
//             elements in a list; O(n nnz) in the worst case. Memory: the entries, and a dozen
//             arrays of the nodes.
// Paper       Amestoy, Davis, Duff: An approximate minimum degree ordering algorithm, SIMAX 17
//             (1996). Davis, Gilbert, Larimore, Ng: A column approximate minimum degree ordering
//             algorithm, TOMS 30 (2004). The latter starts from other degrees and breaks ties
//             differently; here both share one elimination.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "backends/cpu/workspace.hpp"
#include "ordering/blocks.hpp"
#include "ordering/elimination_order.hpp"
#include "ordering/node_lists.hpp"

namespace btfperm {

template <class I>
class MinimumDegree {
 public:
  // Among variables with equal degrees at the start, the last one is eliminated first.
  bool takes_last = false;

  // For graphs of at most `variables` variables, `elements` first elements, and `entries` entries
  // in the lists of the variables and the elements.
  MinimumDegree(I variables, I elements, std::int64_t entries, Workspace& workspace)
      : lists_(variables, elements, entries, workspace), result_(variables, workspace) {
    const std::size_t nodes = static_cast<std::size_t>(variables) + elements;
    mark_ = workspace.take<std::int64_t>(nodes);
    for (I** array : {&n_elements_, &size_, &degree_, &into_}) {
      *array = workspace.take<I>(nodes);
    }
    for (I** array : {&first_, &next_, &before_, &bucket_}) {
      *array = workspace.take<I>(variables);
    }
  }

  // Begins a graph of n variables and `elements` first elements, which are nodes n, n + 1, ...
  void begin(I n, I elements) {
    n_ = n;
    nodes_ = n + elements;
    lists_.clear();
  }

  // Begins the list of the next node, in the order of the nodes; append(k) adds a member.
  void open(I node) {
    lists_.open(node);
    mark_[node] = 1;
    into_[node] = -1;
  }
  void append(I member) { lists_.append(member); }
  // The first `elements` members of the list are elements.
  void close(I node, I elements) {
    lists_.close(node);
    n_elements_[node] = elements;
    size_[node] = node < n_ ? 1 : 0;
  }

  // Sets order[k], k from 0, to the variable at place k of the order. elimination_order.hpp
  // explains count_of(v). If `limit` ends the work, the result is false, and `order` is incomplete.
  template <class Limit, class CountOf>
  bool order(I* order, Limit& limit, const CountOf& count_of) {
    prepare();
    while (eliminated_ < n_) {
      const I pivot = take_minimum();
      result_.add_pivot(pivot);
      make_element(pivot);
      subtract_element(pivot);
      update_degrees(pivot);
      merge_equal(pivot);
      finish_element(pivot);
      if (!limit.spend(work_)) return false;
      work_ = 0;
    }
    return result_.write(order, into_, limit, count_of,
                         {first_, next_, before_, bucket_, degree_, n_elements_});
  }

 private:
  void prepare() {
    std::fill(first_, first_ + n_, I{-1});
    std::fill(bucket_, bucket_ + n_, I{-1});
    result_.begin(n_);
    eliminated_ = least_ = largest_element_ = 0;
    stamp_ = 2;
    work_ = 0;
    put_dense_last();
    for (I e = n_; e < nodes_; ++e) {
      degree_[e] = count_left(e, 0);
      largest_element_ = std::max(largest_element_, degree_[e]);
    }
    for (I k = 0; k < n_; ++k) {
      const I v = takes_last ? k : n_ - 1 - k;
      if (size_[v] == 0) continue;
      std::int64_t degree = count_left(v, n_elements_[v]);
      for (I at = 0; at < n_elements_[v]; ++at)
        degree += degree_[lists_.members[lists_.start[v] + at]] - 1;
      degree_[v] = static_cast<I>(std::min<std::int64_t>(degree, n_ - eliminated_ - 1));
      insert(v);
    }
  }

  // Puts variables with very long lists last, and for colamd variables with empty lists, too.
  void put_dense_last() {
    const I dense = dense_from(n_);
    for (I v = 0; v < n_; ++v) {
      if (lists_.length[v] <= dense && (nodes_ == n_ || lists_.length[v] > 0)) continue;
      size_[v] = lists_.length[v] = 0;
      result_.put_last(v);
      ++eliminated_;
    }
  }

  // Counts the members of a list, from number `first` on, that put_dense_last() left in the graph.
  I count_left(I node, I first) const {
    I left = 0;
    for (I k = first; k < lists_.length[node]; ++k)
      left += size_[lists_.members[lists_.start[node] + k]] > 0;
    return left;
  }

  // -- the lists of variables of one degree --------------------------------------------------

  void insert(I v) {
    const I other = first_[degree_[v]];
    next_[v] = other;
    before_[v] = -1;
    if (other != -1) before_[other] = v;
    first_[degree_[v]] = v;
    least_ = std::min(least_, degree_[v]);
  }

  void remove(I v) {
    if (next_[v] != -1) before_[next_[v]] = before_[v];
    if (before_[v] != -1) {
      next_[before_[v]] = next_[v];
    } else {
      first_[degree_[v]] = next_[v];
    }
  }

  I take_minimum() {
    while (first_[least_] == -1) ++least_;
    const I v = first_[least_];
    remove(v);
    return v;
  }

  // -- one elimination -----------------------------------------------------------------------

  // Makes the element of the pivot. Its variables are the variables in the pivot's list and the
  // variables of the elements in that list. The new element absorbs these elements.
  void make_element(I pivot) {
    std::int64_t from = lists_.start[pivot];
    const I own_elements = n_elements_[pivot], members = lists_.length[pivot];
    std::int64_t bound = members - own_elements;
    for (I k = 0; k < own_elements; ++k) bound += lists_.length[lists_.members[from + k]];
    bound = std::min<std::int64_t>(bound, n_ - eliminated_);
    if (own_elements > 0 && !lists_.has_room(bound)) {
      work_ += lists_.compress(nodes_, [this](I node) { return in_use(node); });
      from = lists_.start[pivot];
    }
    eliminated_ += size_[pivot];
    size_[pivot] = 0;
    weight_ = 0;
    // If the pivot has no elements, its variables become the new element in place.
    std::int64_t to = own_elements > 0 ? lists_.end : from;
    const std::int64_t begin = to;
    for (I k = 0; k < own_elements; ++k) {
      const I e = lists_.members[from + k];
      if (mark_[e] == 0) continue;
      const std::int64_t last = lists_.start[e] + lists_.length[e];
      for (std::int64_t p = lists_.start[e]; p < last; ++p)
        to = add_to_element(lists_.members[p], to);
      work_ += lists_.length[e];
      mark_[e] = 0;
      into_[e] = pivot;
    }
    for (I k = own_elements; k < members; ++k) to = add_to_element(lists_.members[from + k], to);
    work_ += members;
    if (own_elements > 0) lists_.end = to;
    lists_.start[pivot] = begin;
    lists_.length[pivot] = static_cast<I>(to - begin);
    mark_[pivot] = stamp_;  // not 0: the element is in use
  }

  std::int64_t add_to_element(I v, std::int64_t to) {
    if (size_[v] <= 0) return to;
    weight_ += size_[v];
    size_[v] = -size_[v];
    remove(v);
    lists_.members[to] = v;
    return to + 1;
  }

  // For each element e with a variable of the new element, mark[e] - stamp becomes the number of
  // columns of e that are not in the new element.
  void subtract_element(I pivot) {
    const std::int64_t last = lists_.start[pivot] + lists_.length[pivot];
    for (std::int64_t p = lists_.start[pivot]; p < last; ++p) {
      const I v = lists_.members[p], weight = -size_[v];
      const std::int64_t from = lists_.start[v];
      for (I k = 0; k < n_elements_[v]; ++k) {
        const I e = lists_.members[from + k];
        if (mark_[e] >= stamp_) {
          mark_[e] -= weight;
        } else if (mark_[e] != 0) {
          mark_[e] = degree_[e] + stamp_ - weight;
        }
      }
      work_ += n_elements_[v];
    }
  }

  // For each variable of the new element, computes its new list, a bound on its degree outside the
  // new element, and a checksum of the list, by which merge_equal() finds equal lists.
  void update_degrees(I pivot) {
    const std::int64_t last = lists_.start[pivot] + lists_.length[pivot];
    for (std::int64_t p = lists_.start[pivot]; p < last; ++p) {
      const I v = lists_.members[p];
      const std::int64_t from = lists_.start[v];
      const I old_elements = n_elements_[v], members = lists_.length[v];
      std::int64_t to = from, degree = 0;
      std::uint64_t sum = static_cast<std::uint64_t>(pivot);
      for (I k = 0; k < old_elements; ++k) {
        const I e = lists_.members[from + k];
        if (mark_[e] == 0) continue;
        const std::int64_t outside = mark_[e] - stamp_;
        if (outside == 0) {  // inside the new element
          mark_[e] = 0;
          into_[e] = pivot;
          continue;
        }
        degree += outside;
        lists_.members[to++] = e;
        sum += static_cast<std::uint64_t>(e);
      }
      const std::int64_t variables = to;
      for (I k = old_elements; k < members; ++k) {
        const I u = lists_.members[from + k];
        if (size_[u] <= 0) continue;  // eliminated, or in the new element, which represents it
        degree += size_[u];
        lists_.members[to++] = u;
        sum += static_cast<std::uint64_t>(u);
      }
      work_ += members;
      if (degree == 0) {  // no neighbours outside the new element: eliminated with the pivot
        absorb(v, pivot);
        continue;
      }
      degree_[v] = static_cast<I>(std::min<std::int64_t>(degree_[v], degree));
      // The new element becomes the first element of the list. There is room, because the pivot or
      // one of the elements that it absorbed was in this list.
      lists_.members[to] = lists_.members[variables];
      lists_.members[variables] = lists_.members[from];
      lists_.members[from] = pivot;
      n_elements_[v] = static_cast<I>(variables - from + 1);
      lists_.length[v] = static_cast<I>(to - from + 1);
      const I b = static_cast<I>(sum % static_cast<std::uint64_t>(n_));
      next_[v] = bucket_[b];
      bucket_[b] = v;
      before_[v] = b;
    }
    degree_[pivot] = weight_;
    largest_element_ = std::max(largest_element_, weight_);
    stamp_ += largest_element_ + 1;
  }

  // Eliminates a variable with the pivot: it has no neighbours outside the new element.
  void absorb(I v, I pivot) {
    weight_ += size_[v];  // its size is negative
    eliminated_ -= size_[v];
    size_[v] = 0;
    into_[v] = pivot;
    result_.follow(pivot, v);
  }

  // Merges variables of the element that have the same lists.
  void merge_equal(I pivot) {
    const std::int64_t last = lists_.start[pivot] + lists_.length[pivot];
    for (std::int64_t p = lists_.start[pivot]; p < last; ++p) {
      if (size_[lists_.members[p]] == 0) continue;
      const I b = before_[lists_.members[p]];
      I v = bucket_[b];
      bucket_[b] = -1;
      for (; v != -1 && next_[v] != -1; v = next_[v]) {
        const std::int64_t from = lists_.start[v];
        for (I k = 1; k < lists_.length[v]; ++k) mark_[lists_.members[from + k]] = stamp_;
        for (I previous = v, u = next_[v]; u != -1; u = next_[u]) {
          if (lists_.length[u] == lists_.length[v] && n_elements_[u] == n_elements_[v] &&
              is_marked(u)) {
            size_[v] += size_[u];  // both are negative
            size_[u] = 0;
            into_[u] = v;
            result_.follow(v, u);
            next_[previous] = next_[u];
          } else {
            previous = u;
          }
        }
        work_ += lists_.length[v];
        ++stamp_;
      }
    }
  }

  // Returns whether all members of the list of u have the stamp, except the first member, which is
  // the newest element.
  bool is_marked(I u) {
    const std::int64_t from = lists_.start[u];
    work_ += lists_.length[u];
    for (I k = 1; k < lists_.length[u]; ++k) {
      if (mark_[lists_.members[from + k]] != stamp_) return false;
    }
    return true;
  }

  // Removes merged and eliminated variables from the element, and sets the degrees of the others.
  void finish_element(I pivot) {
    const std::int64_t begin = lists_.start[pivot], last = begin + lists_.length[pivot];
    std::int64_t to = begin;
    for (std::int64_t p = begin; p < last; ++p) {
      const I v = lists_.members[p], weight = -size_[v];
      if (weight == 0) continue;
      size_[v] = weight;
      const std::int64_t degree = std::int64_t{degree_[v]} + weight_ - weight;
      degree_[v] = static_cast<I>(std::min<std::int64_t>(degree, n_ - eliminated_ - weight));
      insert(v);
      lists_.members[to++] = v;
    }
    lists_.length[pivot] = static_cast<I>(to - begin);
    if (to == begin) mark_[pivot] = 0;
    degree_[pivot] = weight_;
    // If the element is the last list in memory, the removed places at its end can be used again.
    if (last == lists_.end) lists_.end = to;
  }

  // -- memory ----------------------------------------------------------------------------------

  // Returns whether a node is a variable that is not eliminated or an element that is not absorbed.
  bool in_use(I node) const { return size_[node] > 0 || (into_[node] == -1 && mark_[node] != 0); }

  I n_, nodes_;
  NodeLists<I> lists_;
  std::int64_t* mark_;
  I *n_elements_, *size_, *degree_;
  I* into_;                     // the node that absorbed this one, or -1
  I *first_, *next_, *before_;  // lists of the variables of each degree
  I* bucket_;
  EliminationOrder<I> result_;
  I eliminated_, least_, weight_, largest_element_;
  std::int64_t stamp_, work_;
};

}  // namespace btfperm
