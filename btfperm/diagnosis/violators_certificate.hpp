// SPDX-License-Identifier: BSD-3-Clause
// violators_certificate: checks that each explanation violates Hall's condition by one
//
// Idea        The items of an explanation must have entries only in the partners of the
//             explanation, whose number must be smaller by one than that of the items. In a group
//             with one item too many, the explanation must be the whole group. The check shares no
//             code with the search for explanations (minimal_violators.hpp).
// Cost        O(items + partners + entries), one pass
#pragma once

#include <cstdint>
#include <numeric>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/pieces.hpp"
#include "pattern/pattern.hpp"

namespace btfperm {

// Checks the marks of the items (columns) and partners (rows) of explanations. Returns a
// description of the first error, or null. Group g has the items `item_starts[g]` to
// `item_starts[g + 1] - 1`; `partner_starts` has the same form.
template <class I>
const char* wrong_in_violators(const PatternView<I>& A, const I* item_starts,
                               const I* partner_starts, I n_groups, const std::uint8_t* in_item,
                               const std::uint8_t* in_partner, Budget& budget) {
  bool is_closed = true;
  in_pieces(A.n, A.indptr + 1, budget, [&](I j) {
    if (in_item[j] == 0) return;
    for (I p = A.indptr[j]; p < A.indptr[j + 1]; ++p) is_closed &= in_partner[A.indices[p]] != 0;
  });
  if (!is_closed) return "an item of an explanation has a partner outside it";
  const auto marked = [](const std::uint8_t* marks, I first, I last) {
    return std::accumulate(marks + first, marks + last, std::int64_t{0});
  };
  for (I g = 0; g < n_groups; ++g) {
    const std::int64_t items = marked(in_item, item_starts[g], item_starts[g + 1]);
    const std::int64_t partners = marked(in_partner, partner_starts[g], partner_starts[g + 1]);
    if (items != partners + 1) return "an explanation has another excess than 1";
    const I n_items = item_starts[g + 1] - item_starts[g];
    const I n_partners = partner_starts[g + 1] - partner_starts[g];
    if (n_items == n_partners + 1 && items != n_items) {
      return "a group with an excess of 1 is not connected";
    }
  }
  return nullptr;
}

}  // namespace btfperm
