// SPDX-License-Identifier: BSD-3-Clause
// small: `preorder` with its defaults for a small matrix, in one call
//
// Idea        For a matrix of some hundred rows, the Python code between the steps of `preorder`
//             takes longer than the steps. Here the same functions run one after the other, with
//             the rules of preorder/weights.py and ordering/inside_blocks.py for fewer than 500
//             rows. There is no result if a step fails, or if these rules do not cover the matrix.
//             Then the caller runs the steps in Python, which find the order or raise the error.
// Proofs      The matching, and the duals of the weighted matching, are certified by the same
//             checks as in the steps in Python.
// Cost        that of the steps
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/workspace.hpp"
#include "dulmage_mendelsohn/decompose.hpp"
#include "ordering/order_blocks.hpp"
#include "ordering/symbolic.hpp"
#include "ordering/symmetry.hpp"
#include "preorder/columns.hpp"
#include "preorder/weak.hpp"
#include "transversal/augmenting/ss_bfs.hpp"
#include "transversal/certificate.hpp"
#include "weighted/assign.hpp"
#include "weighted/certificate.hpp"

namespace btfperm {

// The constants of weights.py and inside_blocks.py, which explain them.
struct SmallRules {
  bool for_klu;
  double symmetric_enough, most_small;  // shares
  double weak, small;                   // shares of the largest entry of a column
  double fill_more, less_fill;          // relative to the fill of another order
  double work_per_operation, work_per_entry;
  std::int64_t most_fill;
  double tolerance;    // of the duals, relative to the largest number
  double passes = 20;  // limit on the passes over the entries of the search for a transversal
};

enum class Inside : int { natural = -1, amd = 0, colamd = 1, minimum_fill = 3 };

// needs_logarithms: the caller must call run_weighted(). not_here: the caller must use the steps in
// Python.
enum class SmallStatus : int { ordered = 0, needs_logarithms = 1, not_here = 2 };

template <class I>
class SmallOrder {
 public:
  // The transversal on the diagonal and the order inside the blocks.
  struct Choice {
    const I* row_match = nullptr;
    const I* col_match = nullptr;
    I* rows = nullptr;  // gather permutations, block triangular
    I* cols = nullptr;
    Inside inside = Inside::natural;
    SymmetryCounters symmetry;
    FillCounters fill;
    bool is_counted = false;
    bool is_weighted = false;

    // Infinite if L and U are too large to be counted.
    double total() const {
      return fill.has_room ? static_cast<double>(fill.lower + fill.upper)
                           : std::numeric_limits<double>::infinity();
    }
  };

  SmallOrder(const Columns<I, double>& A, const SmallRules& rules)
      : A_{A.n, A.n, A.indptr, A.indices}, values_(A.values), rules_(rules), n_(A.n) {}

  SmallStatus run() {
    read_values();
    if (!match() || !find_form(A_, found_, form_, n_blocks_)) return SmallStatus::not_here;
    number_blocks();
    choice_ = ordered(row_match_, col_match_);
    n_weak_ = count_weak_of(choice_, rules_.weak, rules_.for_klu);
    if (n_weak_ > 0) return SmallStatus::needs_logarithms;
    return finish();
  }

  // Continues after run() has returned needs_logarithms: `logarithms` are those of the moduli of
  // the values that are not zero.
  SmallStatus run_weighted(const double* logarithms) {
    logarithms_ = logarithms;
    if (!weigh()) return SmallStatus::not_here;
    choose();
    return finish();
  }

  const Choice& choice() const { return choice_; }
  const I* blocks() const { return form_.row_blocks; }
  I n_blocks() const { return n_blocks_; }
  bool is_nearly_symmetric() const { return choice_.symmetry.reaches(rules_.symmetric_enough); }

 private:
  SmallStatus finish() {
    if (rules_.for_klu) reduce_fill();
    return SmallStatus::ordered;
  }

  void read_values() {
    modulus_ = memory_.take<double>(A_.nnz());
    for (std::int64_t p = 0; p < A_.nnz(); ++p) {
      modulus_[p] = std::abs(values_[p]);
      has_zeros_ = has_zeros_ || values_[p] == 0;
    }
  }

  // Finds a perfect matching and checks its certificate. False if the search finds none, or if a
  // stored zero is matched.
  bool match() {
    row_match_ = memory_.take<I>(n_);
    col_match_ = memory_.take<I>(n_);
    auto* const row_in_cover = memory_.take<std::uint8_t>(n_);
    auto* const col_in_cover = memory_.take<std::uint8_t>(n_);
    std::fill(row_match_, row_match_ + n_, I{-1});
    std::fill(col_match_, col_match_ + n_, I{-1});
    std::fill(row_in_cover, row_in_cover + n_, std::uint8_t{0});
    const Matching<I> M{row_match_, col_match_};
    Budget budget(0, static_cast<std::int64_t>(rules_.passes * static_cast<double>(A_.nnz())),
                  nullptr);
    Counters counters;
    Proof proof{row_in_cover};
    ss_bfs(A_, M, Options{}, memory_, budget, counters, proof);
    I where = -1, matched = 0;
    return proof.complete &&
           certify(A_, M, row_in_cover, col_in_cover, 1, unlimited_, where, &matched) ==
               Verdict::proven &&
           matched == n_ && !matches_zeros();
  }

  bool matches_zeros() const {
    if (!has_zeros_) return false;
    for (I j = 0; j < n_; ++j) {
      for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
        if (A_.indices[p] == col_match_[j] && values_[p] == 0) return true;
      }
    }
    return false;
  }

  // Finds the blocks of a matrix for the perfect matching row_match_, col_match_.
  bool find_form(const PatternView<I>& A, Found<I>& found, Form<I>& form, I& n_blocks) {
    const Matching<I> M{row_match_, col_match_};
    if (!find_blocks(A, M, Team{}, found, memory_, unlimited_)) return false;
    n_blocks = found.n_blocks();
    if (found.square_part.n_blocks != n_blocks) return false;
    I* const bounds = memory_.take<I>(static_cast<std::size_t>(n_blocks) + 1);
    form = {found.row_perm, found.col_perm, bounds, bounds};
    order_blocks(A, M, Team{}, found, form, unlimited_);
    return true;
  }

  void number_blocks() {
    const I* const bounds = form_.row_blocks;
    row_block_ = memory_.take<I>(n_);
    col_block_ = memory_.take<I>(n_);
    for (I b = 0; b < n_blocks_; ++b) {
      largest_block_ = std::max(largest_block_, bounds[b + 1] - bounds[b]);
      for (I k = bounds[b]; k < bounds[b + 1]; ++k) {
        row_block_[form_.row_perm[k]] = b;
        col_block_[form_.col_perm[k]] = b;
      }
    }
  }

  std::int64_t count_weak_of(const Choice& of, double share, bool divide_rows) {
    return count_weak(A_, modulus_, row_block_, col_block_, of.col_match, share, divide_rows,
                      unlimited_);
  }

  // The block form with each matched row at the position of its column. Stores the positions of the
  // rows in `row_place`.
  BlockForm<I> form_of(const Choice& of, I* row_place) const {
    for (I k = 0; k < n_; ++k) row_place[of.col_match[form_.col_perm[k]]] = k;
    return {A_, row_place, form_.col_perm, form_.row_blocks, n_blocks_};
  }

  void put_in_order(const I* places, Choice& of) {
    of.rows = memory_.take<I>(n_);
    of.cols = memory_.take<I>(n_);
    for (I k = 0; k < n_; ++k) {
      of.cols[k] = form_.col_perm[places == nullptr ? k : places[k]];
      of.rows[k] = of.col_match[of.cols[k]];
    }
  }

  // `first_order` of inside_blocks.py for fewer than 500 rows.
  Choice ordered(const I* row_match, const I* col_match) {
    Choice found;
    found.row_match = row_match;
    found.col_match = col_match;
    const std::int64_t n_small = rules_.for_klu ? 0 : count_weak_of(found, rules_.small, false);
    if (largest_block_ <= 2) {
      put_in_order(nullptr, found);
      return found;
    }
    const BlockForm<I> form = form_of(found, memory_.take<I>(n_));
    const bool has_many_small =
        static_cast<double>(n_small) > rules_.most_small * static_cast<double>(n_);
    found.inside = Inside::amd;
    if (has_many_small) {  // the choice depends on the symmetry
      found.symmetry = count_symmetric(form, 1, unlimited_);
      if (!found.symmetry.reaches(rules_.symmetric_enough)) found.inside = Inside::colamd;
    }
    I* const places = memory_.take<I>(n_);
    auto method = static_cast<Method>(found.inside);
    if (rules_.for_klu) method = Method::amd_ascending;  // the variant of amd for KLU
    const OrderCounters counters =
        order_blocks(form, method, FillLimits{0, 0}, 1, places, unlimited_);
    if (method != Method::colamd) found.symmetry = counters.symmetry;
    put_in_order(places, found);
    return found;
  }

  void count(Choice& of) {
    if (of.is_counted) return;
    const BlockForm<I> form = form_of(of, memory_.take<I>(n_));
    I* const place_of = memory_.take<I>(n_);
    I* const places = memory_.take<I>(n_);
    for (I k = 0; k < n_; ++k) place_of[form_.col_perm[k]] = k;
    for (I k = 0; k < n_; ++k) places[k] = place_of[of.cols[k]];
    of.fill = count_fill(form, places, rules_.most_fill, 1, unlimited_);
    of.is_counted = true;
  }

  // The matrix without its stored zeros.
  PatternView<I> without_zeros() {
    I* const indptr = memory_.take<I>(static_cast<std::size_t>(n_) + 1);
    I* const indices = memory_.take<I>(A_.nnz());
    I count = 0;
    for (I j = 0; j < n_; ++j) {
      indptr[j] = count;
      for (I p = A_.indptr[j]; p < A_.indptr[j + 1]; ++p) {
        if (values_[p] != 0) indices[count++] = A_.indices[p];
      }
    }
    indptr[n_] = count;
    return {n_, n_, indptr, indices};
  }

  // Finds the transversal with the largest product and checks its certificate.
  bool weigh() {
    const PatternView<I> A = has_zeros_ ? without_zeros() : A_;
    Found<I> found_blocks{};
    Form<I> form = form_;
    I n_blocks = n_blocks_;
    if (has_zeros_ && !find_form(A, found_blocks, form, n_blocks)) return false;
    row_weighted_ = memory_.take<I>(n_);
    col_weighted_ = memory_.take<I>(n_);
    auto* const row_dual = memory_.take<double>(n_);
    auto* const col_dual = memory_.take<double>(n_);
    const FineBlocks<I> blocks{form.row_perm, form.col_perm, form.row_blocks, form.row_blocks,
                               n_blocks};
    const Assigned<I> out{row_weighted_, col_weighted_, row_dual, col_dual};
    WeightedCounters counters;
    assign(A, logarithms_, blocks, WeightedSearch::mc64, static_cast<AfterAuction<I>*>(nullptr),
           out, 1, memory_, unlimited_, counters);
    const DualCheck found = check_duals(A, logarithms_, Matching<I>{row_weighted_, col_weighted_},
                                        row_dual, col_dual, unlimited_);
    double largest = 0;
    const auto include = [&](const double* numbers, std::int64_t count) {
      for (std::int64_t k = 0; k < count; ++k) largest = std::max(largest, std::abs(numbers[k]));
    };
    include(row_dual, n_);
    include(col_dual, n_);
    include(logarithms_, A.nnz());
    const double tolerance = rules_.tolerance * largest;
    return found.matched == n_ && found.excess <= tolerance && found.largest_slack <= tolerance;
  }

  // `_choose` of weights.py.
  void choose() {
    Choice weighted;
    weighted.col_match = col_weighted_;
    if (2 * count_weak_of(weighted, rules_.weak, rules_.for_klu) > n_weak_) return;
    weighted = ordered(row_weighted_, col_weighted_);
    weighted.is_weighted = true;
    count(choice_);
    count(weighted);
    if (weighted.total() <= rules_.fill_more * choice_.total()) choice_ = weighted;
  }

  // `with_less_fill` of inside_blocks.py.
  void reduce_fill() {
    if (choice_.inside == Inside::natural || is_nearly_symmetric()) return;
    count(choice_);
    const std::int64_t entries = choice_.symmetry.entries + n_;
    const double bound = rules_.less_fill * choice_.total();
    if (!choice_.fill.has_room || bound <= static_cast<double>(entries)) return;
    const auto size = static_cast<double>(A_.nnz() + n_);
    const auto work =
        static_cast<std::int64_t>(rules_.work_per_operation * choice_.fill.operations);
    const FillLimits limits{static_cast<std::int64_t>(bound),
                            work + static_cast<std::int64_t>(rules_.work_per_entry * size)};
    const BlockForm<I> form = form_of(choice_, memory_.take<I>(n_));
    I* const places = memory_.take<I>(n_);
    if (!order_blocks(form, Method::minimum_fill, limits, 1, places, unlimited_).is_complete)
      return;
    Choice other = choice_;
    put_in_order(places, other);
    other.inside = Inside::minimum_fill;
    other.is_counted = false;
    count(other);
    if (other.total() <= static_cast<double>(limits.most)) choice_ = other;
  }

  PatternView<I> A_;
  const double* values_;
  const double* logarithms_ = nullptr;
  SmallRules rules_;
  I n_;
  std::int64_t n_weak_ = 0;
  Workspace memory_;
  Budget unlimited_{0, 0, nullptr};
  double* modulus_ = nullptr;
  bool has_zeros_ = false;
  I *row_match_ = nullptr, *col_match_ = nullptr;
  I *row_weighted_ = nullptr, *col_weighted_ = nullptr;
  I *row_block_ = nullptr, *col_block_ = nullptr;
  Found<I> found_{};
  Form<I> form_{};
  I n_blocks_ = 0;
  I largest_block_ = 0;
  Choice choice_;
};

}  // namespace btfperm
