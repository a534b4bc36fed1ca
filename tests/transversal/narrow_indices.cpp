// SPDX-License-Identifier: BSD-3-Clause
// narrow_indices: loops and levels near the largest number of their index type, which is int16_t
// here
//
// narrow_indices NAME prints what the function returns. With the index types of the core, a matrix
// of 2^31 columns would be necessary.
#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "pattern/features.hpp"
#include "transversal/augmenting/hopcroft_karp.hpp"
#include "transversal/displacement/sample_unmatched.hpp"

namespace {

using namespace btfperm;
using I = std::int16_t;

constexpr I most = 32767;

// A diagonal matrix. All of its columns have one entry, and this entry is near the diagonal.
struct Diagonal {
  std::vector<I> indptr, indices;
  Diagonal() : indptr(most + 1), indices(most) {
    std::iota(indptr.begin(), indptr.end(), I(0));
    std::iota(indices.begin(), indices.end(), I(0));
  }
  PatternView<I> view() const { return {most, most, indptr.data(), indices.data()}; }
};

double columns() { return sample(Diagonal().view(), {.positions = false}).single; }

double local() { return local_share(Diagonal().view(), 64); }

// The share of entries near the diagonal, in a column that holds row 0 in all of its places.
double entries() {
  const std::vector<I> indices(most, 0);
  const I indptr[] = {0, most};
  return sample(PatternView<I>{most, 1, indptr, indices.data()}).near;
}

// The share of unmatched columns near an unmatched row: all are column 0, which holds one.
double near() {
  const std::vector<I> unmatched(most, 0);
  const I indptr[] = {0, 1}, indices[] = {0};
  I row_match[] = {-1}, col_match[] = {-1};
  return near_share(PatternView<I>{1, 1, indptr, indices}, {row_match, col_match}, unmatched.data(),
                    most);
}

// The number of phases of 500 that find the augmenting path through all columns of a bidiagonal
// matrix. The matching is reset after each, so that the levels exceed the largest number many
// times.
double phases() {
  constexpr I n = 200;
  std::vector<I> indptr{0}, indices, row_match(n), col_match(n);
  for (I j = 0; j < n; ++j) {
    if (j > 0) indices.push_back(j - 1);
    indices.push_back(j);
    indptr.push_back(I(indices.size()));
  }
  const auto reset = [&] {  // column j + 1 is matched to row j, so column 0 and row n - 1 are not
    for (I j = 0; j < n; ++j) {
      row_match[j] = j + 1 < n ? I(j + 1) : I(-1);
      col_match[j] = I(j - 1);
    }
  };
  reset();
  const PatternView<I> A{n, n, indptr.data(), indices.data()};
  Workspace workspace;
  Budget budget(0, 0, nullptr);
  Counters counters;
  HopcroftKarp<I> search(A, {row_match.data(), col_match.data()}, workspace, budget, counters);
  int found = 0;
  for (int k = 0; k < 500; ++k) {
    found += search.phase() && col_match[0] == 0;
    reset();
  }
  return found;
}

const std::map<std::string, std::function<double()>> functions = {
    {"columns", columns}, {"entries", entries}, {"local", local},
    {"near", near},       {"phases", phases},
};

}  // namespace

int main(int, char** words) {
  const rlimit seconds = {2, 2};  // a number that overflows may make a loop endless
  setrlimit(RLIMIT_CPU, &seconds);
  std::printf("%g\n", functions.at(words[1])());
}
