// SPDX-License-Identifier: BSD-3-Clause
// Orders the inside of each diagonal block; blocks in parallel
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>

#include "backends/cpu/workspace.hpp"
#include "ordering/blocks.hpp"
#include "ordering/for_blocks.hpp"
#include "ordering/minimum_degree.hpp"
#include "ordering/minimum_fill.hpp"
#include "ordering/reverse_cuthill_mckee.hpp"
#include "ordering/symmetry.hpp"

namespace btfperm {

// amd_ascending is amd, but variables eliminated together are in the order of their numbers.
enum class Method : int { amd = 0, colamd = 1, rcm = 2, minimum_fill = 3, amd_ascending = 4 };

struct OrderCounters {
  bool is_complete = true;    // false: a block exceeded the limits, or the budget ended
  SymmetryCounters symmetry;  // with amd and amd_ascending

  void add(const OrderCounters& other) {
    is_complete = is_complete && other.is_complete;
    symmetry.add(other.symmetry);
  }
};

// Makes the graph of B + B' for a block B: each variable has a list of its neighbours.
template <class I>
class SymmetricGraph {
 public:
  SymmetricGraph(I size, std::int64_t entries, Workspace& workspace)
      : rows_(size, entries, workspace),
        seen_(workspace.take<I>(size)),
        graph_(size, 0, 2 * entries, workspace) {}

  // The graph of a block. Adds to `found` the number of entries with a mirror image: an entry of
  // B + B' is an entry of B, or the mirror image of one, or both, so this number is twice the
  // number of entries of B minus that of B + B'.
  // In nearly symmetric blocks, ties are broken as AMD of SuiteSparse breaks them. KLU calls AMD,
  // so the fill is then that of KLU's own order. In other blocks, neither way of breaking ties has
  // less fill than the other.
  MinimumDegree<I>& of(const DiagonalBlock<I>& block, SymmetryCounters& found) {
    const I n = block.n;
    rows_.read(block);
    std::fill(seen_, seen_ + n, I{-1});
    n_edges_ = 0;
    std::int64_t n_diagonal = 0;
    graph_.begin(n, 0);
    for (I j = 0; j < n; ++j) {
      graph_.open(j);
      seen_[j] = j;
      for (std::int64_t p = block.indptr[j]; p < block.indptr[j + 1]; ++p) {
        n_diagonal += block.indices[p] == j;
      }
      append(j, block.indices + block.indptr[j], block.indices + block.indptr[j + 1]);
      append(j, rows_.cols + rows_.start[j], rows_.cols + rows_.start[j + 1]);
      graph_.close(j, 0);
    }
    const std::int64_t entries = block.indptr[n] - n_diagonal;
    const SymmetryCounters counted{entries, 2 * entries - n_edges_};
    graph_.takes_last = counted.reaches(nearly_symmetric);
    found.add(counted);
    return graph_;
  }

  // The rows of the last block.
  const BlockRows<I>& rows() const { return rows_; }

 private:
  static constexpr double nearly_symmetric = 0.95;  // share of the entries with a mirror image

  void append(I j, const I* first, const I* last) {
    for (; first < last; ++first) {
      if (seen_[*first] == j) continue;
      seen_[*first] = j;
      ++n_edges_;
      graph_.append(*first);
    }
  }

  BlockRows<I> rows_;
  I* seen_;
  std::int64_t n_edges_ = 0;  // entries of B + B' off the diagonal
  MinimumDegree<I> graph_;
};

// Makes the graph of B'B for a block B: the variables are the columns of B, and the elements are
// the rows of B that are not dense.
template <class I>
class ColumnGraph {
 public:
  ColumnGraph(I size, std::int64_t entries, Workspace& workspace)
      : rows_(size, entries, workspace), graph_(size, size, 2 * entries, workspace) {}

  MinimumDegree<I>& of(const DiagonalBlock<I>& block) {
    const I n = block.n, dense = dense_from(n);
    rows_.read(block);
    graph_.begin(n, n);
    for (I j = 0; j < n; ++j) {
      graph_.open(j);
      I elements = 0;
      for (std::int64_t p = block.indptr[j]; p < block.indptr[j + 1]; ++p) {
        const I i = block.indices[p];
        if (rows_.degree(i) > dense) continue;
        graph_.append(n + i);
        ++elements;
      }
      graph_.close(j, elements);
    }
    for (I i = 0; i < n; ++i) {
      graph_.open(n + i);
      if (rows_.degree(i) <= dense) {
        for (std::int64_t p = rows_.start[i]; p < rows_.start[i + 1]; ++p) {
          graph_.append(rows_.cols[p]);
        }
      }
      graph_.close(n + i, 0);
    }
    return graph_;
  }

 private:
  BlockRows<I> rows_;
  MinimumDegree<I> graph_;
};

// One of the methods, with the memory that a thread needs for it.
template <class I>
class Orderer {
 public:
  Orderer(Method method, FillLimits limits, I size, std::int64_t entries, Workspace& workspace)
      : block_(size, entries, workspace), ascends_(method == Method::amd_ascending) {
    if (method == Method::amd || ascends_) {
      symmetric_.emplace(size, entries, workspace);
    } else if (method == Method::colamd) {
      columns_.emplace(size, entries, workspace);
    } else if (method == Method::minimum_fill) {
      fill_.emplace(size, entries, limits, workspace);
    } else {
      band_.emplace(size, entries, workspace);
    }
  }

  // Sets order[k] to the place of the form that moves to place k of the block. Returns false if
  // there is no order: a limit was exceeded, or `limit` ended the work.
  template <class Limit>
  bool run(const BlockForm<I>& form, I number, I* order, Limit& limit, SymmetryCounters& symmetry) {
    block_.read(form, number);
    if (!order_block(order, limit, symmetry)) return false;
    for (I k = 0; k < block_.n; ++k) order[k] += form.begin_of(number);
    return true;
  }

 private:
  template <class Limit>
  bool order_block(I* order, Limit& limit, SymmetryCounters& symmetry) {
    if (band_) return band_->order(block_, order, limit);
    if (fill_) return fill_->order(block_, order, limit);
    if (!symmetric_) return columns_->of(block_).order(order, limit, [](I) { return 0; });
    MinimumDegree<I>& graph = symmetric_->of(block_, symmetry);
    const BlockRows<I>& rows = symmetric_->rows();
    return graph.order(order, limit, [&](I v) -> std::int64_t {
      if (graph.takes_last || ascends_) return v;  // ascending numbers
      return (block_.indptr[v + 1] - block_.indptr[v] - 1) * (rows.degree(v) - 1);  // Markowitz
    });
  }

  DiagonalBlock<I> block_;
  bool ascends_;
  std::optional<SymmetricGraph<I>> symmetric_;
  std::optional<ColumnGraph<I>> columns_;
  std::optional<ReverseCuthillMckee<I>> band_;
  std::optional<MinimumFill<I>> fill_;
};

// The order of all places: inside each block by the method; blocks with fewer than three rows keep
// their order. It is not complete if the budget ended or minimum fill exceeded `limits`.
template <class I>
OrderCounters order_blocks(const BlockForm<I>& form, Method method, FillLimits limits, int threads,
                           I* order, Budget& budget) {
  std::iota(order, order + form.A.n, I{0});
  OrderCounters found;
  for_blocks(
      form, threads, budget, found,
      [method, limits](I size, std::int64_t entries, Workspace& workspace) {
        return Orderer<I>(method, limits, size, entries, workspace);
      },
      [&](Orderer<I>& orderer, I block, auto& limit) {
        if (!limit.counted.is_complete) return;
        auto& counted = limit.counted;
        I* const places = order + form.begin_of(block);
        counted.is_complete = orderer.run(form, block, places, limit, counted.symmetry);
      });
  return found;
}

}  // namespace btfperm
