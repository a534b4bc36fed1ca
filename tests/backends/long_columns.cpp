// SPDX-License-Identifier: BSD-3-Clause
// long_columns: how often passes poll their budget if each column has thousands of entries
//
// long_columns PASS prints the number of polls of a pass and the number of entries that it reads.
// Each poll reads the clock, which is replaced here by one that counts.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace {

std::int64_t polls = 0;

}  // namespace

std::chrono::steady_clock::time_point std::chrono::steady_clock::now() noexcept {
  return time_point(duration(++polls));
}

#include "pattern/canonical.hpp"
#include "transversal/certificate.hpp"
#include "transversal/initial/karp_sipser.hpp"
#include "transversal/initial/min_degree.hpp"

namespace {

using namespace btfperm;
using I = std::int32_t;

// A matrix in which every row is full but the last one, which is empty. With `matched`, the
// diagonal is the matching.
struct Dense {
  I m, n;
  std::vector<I> indptr, indices, row_match, col_match;
  Dense(I rows, I cols, bool matched = false)
      : m(rows + 1),
        n(cols),
        indptr(n + 1),
        indices(std::size_t(rows) * n),
        row_match(m, -1),
        col_match(n, -1) {
    for (I j = 0; j < n; ++j) {
      indptr[j + 1] = indptr[j] + rows;
      std::iota(indices.begin() + indptr[j], indices.begin() + indptr[j + 1], 0);
    }
    for (I k = 0; matched && k < std::min(rows, n); ++k) row_match[k] = col_match[k] = k;
  }
  PatternView<I> view() const { return {m, n, indptr.data(), indices.data()}; }
  Matching<I> matching() { return {row_match.data(), col_match.data()}; }
  std::int64_t nnz() const { return view().nnz(); }
};

// The number of entries read, summed over all passes.
using Pass = std::function<std::int64_t(Dense&, Workspace&, Budget&)>;

const std::map<std::string, Pass> passes = {
    {"check_columns",
     [](Dense& A, Workspace&, Budget& budget) {
       std::int64_t where = 0;
       check_columns(A.view(), I(A.nnz()), 1, budget, where);
       return A.nnz();
     }},
    {"transpose",
     [](Dense& A, Workspace&, Budget& budget) {
       std::vector<I> indptr(A.m + 1), indices(A.nnz());
       transpose(A.view(), indptr.data(), indices.data(), budget);
       return 2 * A.nnz();
     }},
    {"merge_duplicates",
     [](Dense& A, Workspace&, Budget& budget) {
       merge_duplicates(A.n, A.indptr.data(), A.indices.data(), budget);
       return A.nnz();
     }},
    {"difference",
     [](Dense& A, Workspace&, Budget& budget) {
       std::vector<I> indptr(A.n + 1), indices(A.nnz());
       difference(A.view(), A.view(), indptr.data(), indices.data(), budget);
       return A.nnz();
     }},
    {"triplets",  // ordered by rows, and sorted twice
     [](Dense& A, Workspace& workspace, Budget& budget) {
       const I nnz = I(A.nnz());
       std::vector<I> rows(nnz), cols(nnz), indptr(A.n + 1);
       for (I p = 0; p < nnz; ++p) {
         rows[p] = p / A.n;
         cols[p] = A.n - 1 - p % A.n;
       }
       const auto take = [&](I count) { return workspace.take<I>(std::size_t(count)); };
       columns_of_triplets(A.m, A.n, nnz, rows.data(), cols.data(), indptr.data(), take, budget);
       return 5 * A.nnz();
     }},
    {"karp-sipser",
     [](Dense& A, Workspace& workspace, Budget& budget) {
       Counters counters;
       KarpSipser<I>(A.view(), A.matching(), workspace, budget, counters).run();
       return 4 * A.nnz();
     }},
    {"karp-sipser, shared",
     [](Dense& A, Workspace& workspace, Budget& budget) {
       Counters counters;
       KarpSipserShared<I>(A.view(), A.matching(), 1, workspace, budget, counters).run();
       return 4 * A.nnz();
     }},
    {"min-degree",
     [](Dense& A, Workspace& workspace, Budget& budget) {
       const DegreeBuckets<I> cols(A.view(), A.col_match.data(), A.row_match.data(), workspace,
                                   budget);
       return A.nnz();
     }},
    {"rank_at_most",
     [](Dense& A, Workspace& workspace, Budget& budget) {
       rank_at_most(A.view(), workspace.take<std::uint8_t>(A.m), budget);
       return A.nnz();
     }},
    {"certify",
     [](Dense& A, Workspace&, Budget& budget) {
       std::vector<std::uint8_t> rows(A.m, 1), cols(A.n);
       rows[A.m - 1] = 0;
       I where = 0;
       const Verdict verdict =
           certify(A.view(), A.matching(), rows.data(), cols.data(), 1, budget, where);
       return verdict == Verdict::proven ? A.nnz() : -1;
     }},
};

// About as many columns as rows for the passes that would end early with few columns.
Dense matrix_for(const std::string& pass) {
  if (pass == "certify") return {1 << 12, (1 << 12) + 1, true};
  if (pass == "rank_at_most") return {1 << 12, (1 << 12) + 1};
  return {1 << 18, 64};
}

}  // namespace

int main(int, char** words) {
  Dense A = matrix_for(words[1]);
  Workspace workspace;
  Budget budget(0, 0, nullptr);
  polls = 0;
  const std::int64_t entries = passes.at(words[1])(A, workspace, budget);
  std::printf("%lld %lld\n", static_cast<long long>(polls), static_cast<long long>(entries));
}
