// SPDX-License-Identifier: BSD-3-Clause
// heavy-perfect: an auction in rounds in which all columns without a row bid, on a GPU
//
// Idea        A column bids for the row with the smallest cost minus price: the price falls until
//             the row costs this column epsilon more than its second choice. In each round all
//             columns without a row bid at the same prices, and each row takes its lowest bid. The
//             column that loses its row bids again in the next round. The host starts phases with
//             smaller and smaller epsilon. A phase begins with the prices of the last one, and a
//             column keeps its row unless the row costs it more than its best choice plus epsilon.
//             Rounds in which few columns bid run in one thread block. The last columns would need
//             very many rounds, so shortest augmenting paths on the CPU match them
//             (heavy_perfect.hpp).
// Paper       D. P. Bertsekas, "The auction algorithm: a distributed relaxation method for the
//             assignment problem", Annals of Operations Research 14, 1988; the choice of epsilon
//             and the last step, augmenting paths, are ours
// Cost        two barriers for each round; on random matrices, about n / k rounds until k columns
//             are left, and some ten passes over the entries. Memory beside the matrix: 16 m + 8 n
//             bytes, and 5 n + 2 m indices
// Prefer it   if the searches of mc64 take long and the matrix has at least some 100,000 entries
// Encodings   the price of a row outside the block is -far, so that no column chooses it.
//             A bid is a word of 64 bits: the upper half orders bids by price in single precision,
//             the lower half is the column. The row takes the smallest word; all ones: no bid
// Invariants  the block is square, all its rows can be matched, and each column has at least two
//             entries in it. A column's own row costs it at most epsilon more than its best choice
// Races       no column reads prices in the second half of a round, where they change. A row takes
//             the smallest word whatever the order of the bids, so the result is always the same.
//             The winner of a row deletes its bid while the losers compare this bid with their
//             own: neither the bid nor no_bid equals the bid of a loser

#include "backends/gpu/by_levels.cuh"
#include "backends/gpu/counting.cuh"
#include "backends/gpu/grid_barrier.cuh"
#include "backends/gpu/index.cuh"
#include "backends/gpu/visible.cuh"
#include "backends/gpu/warp.cuh"

constexpr Count no_bid = ~Count{0};

// Counters for the host, and numbers that one round passes to the next one.
struct State {
  Count barrier;
  Count edges;
  Count bids;
  Count rounds;
  Count queued[2];  // columns in the lists of this round and of the next one
  Count turn;       // number of the list, 0 or 1, that this round reads
};

// The columns of a block, and the values of all entries.
struct Costs {
  const Index* indptr;
  const Index* indices;
  const double* value;
  const double* price;  // of each row

  // The load bypasses the cache of this multiprocessor, because another one may have written the
  // price in an earlier round.
  __device__ double cost(Index p) const { return -value[p] - __ldcg(&price[indices[p]]); }
};

constexpr double far = 1.7976931348623157e308;  // the largest double, in place of infinity

// The smallest cost minus price in a column, the second smallest, and the entry of the smallest.
struct Choice {
  double cost;
  double second;
  Index at;  // position of the entry with `cost`; the first of equal ones

  __device__ void add(double other, Index p) {
    if (other < cost) {
      second = cost;
      cost = other;
      at = p;
    } else if (other < second) {
      second = other;
    }
  }

  __device__ void merge(const Choice& other) {
    const bool worse = other.cost < cost || (other.cost == cost && other.at < at);
    const double loser = worse ? cost : other.cost;
    if (worse) cost = other.cost, at = other.at;
    if (other.second < second) second = other.second;
    if (loser < second) second = loser;
  }
};

// The choice of column j. All `lanes` of a group call this together and get the same result.
__device__ inline Choice choice_of(const Costs& costs, Index j, int lanes) {
  Choice mine{far, far, costs.indptr[j + 1]};
  const int lane = threadIdx.x & (lanes - 1);
  for (long long p = costs.indptr[j] + lane; p < costs.indptr[j + 1]; p += lanes)
    mine.add(costs.cost(static_cast<Index>(p)), static_cast<Index>(p));
  const unsigned group = group_of(lanes);
  for (int apart = lanes / 2; apart > 0; apart /= 2) {
    const Choice other{__shfl_xor_sync(group, mine.cost, apart),
                       __shfl_xor_sync(group, mine.second, apart),
                       __shfl_xor_sync(group, mine.at, apart)};
    mine.merge(other);
  }
  return mine;
}

// Calls body(k) for k = 0 ... count - 1, from all lanes of one group for each k.
template <class Body>
__device__ void each_by_group(long long count, int lanes, const Body& body) {
  const int groups = blockDim.x / lanes;
  for (long long k = static_cast<long long>(blockIdx.x) * groups + threadIdx.x / lanes; k < count;
       k += static_cast<long long>(gridDim.x) * groups)
    body(k);
}

// The price of each row becomes the least difference between an entry of the row and the largest
// entry of the same column in the block. Before the call, the price is `far` for a row of the block
// and -`far` for any other row. atomicMin compares the bits of doubles as integers. For doubles
// that are not negative, the order of these integers is that of the doubles; the bits of a negative
// double are a negative integer, so the prices of other rows do not change.
extern "C" __global__ void price_rows(Index n, int lanes, const Index* columns, const Index* indptr,
                                      const Index* indices, const double* value, double* price) {
  const int lane = threadIdx.x & (lanes - 1);
  const unsigned group = group_of(lanes);
  each_by_group(n, lanes, [&](long long k) {
    const Index j = columns[k];
    double largest = -far;
    for (long long p = indptr[j] + lane; p < indptr[j + 1]; p += lanes) {
      if (value[p] > largest && seen(&price[indices[p]]) != -far) largest = value[p];
    }
    for (int apart = lanes / 2; apart > 0; apart /= 2) {
      const double other = __shfl_xor_sync(group, largest, apart);
      if (other > largest) largest = other;
    }
    for (long long p = indptr[j] + lane; p < indptr[j + 1]; p += lanes) {
      if (value[p] > largest) continue;  // outside the block
      atomicMin(reinterpret_cast<long long*>(&price[indices[p]]),
                __double_as_longlong(largest - value[p]));
    }
  });
}

// The difference between the two best choices of each column; 0 if it may be a rounding error.
extern "C" __global__ void find_gaps(Index n, int lanes, const Index* columns, const Index* indptr,
                                     const Index* indices, const double* value, const double* price,
                                     double rounding, double* gap) {
  const Costs costs{indptr, indices, value, price};
  each_by_group(n, lanes, [&](long long k) {
    const Choice best = choice_of(costs, columns[k], lanes);
    if ((threadIdx.x & (lanes - 1)) > 0) return;
    const double apart = best.second - best.cost;
    gap[k] = apart < far && apart > rounding * (1 + fabs(best.cost)) ? apart : 0;
  });
}

// Begins a phase. A column loses its row if the row costs it more than its best choice plus
// epsilon. All columns without a row are written to `list`, the list of the first round. owner[i]
// is the column that has row i, at[j] the position of the matched entry of column j; -1: none.
extern "C" __global__ void release(Index n, int lanes, double epsilon, const Index* columns,
                                   const Index* indptr, const Index* indices, const double* value,
                                   const double* price, Index* owner, Index* at, Index* list,
                                   State* state) {
  const Costs costs{indptr, indices, value, price};
  each_by_group(n, lanes, [&](long long k) {
    const Index j = columns[k], p = at[j];
    if (p >= 0) {
      const Choice best = choice_of(costs, j, lanes);
      if (costs.cost(p) <= best.cost + epsilon) return;
    }
    if ((threadIdx.x & (lanes - 1)) > 0) return;
    if (p >= 0) {
      owner[indices[p]] = -1;
      at[j] = -1;
    }
    list[place_at_end(&state->queued[0])] = j;
  });
}

// The word of a bid, see Encodings.
__device__ inline Count word_of(double price, Index j) {
  const unsigned bits = __float_as_uint(static_cast<float>(price));
  const unsigned ordered = bits ^ (bits >> 31 ? ~0u : 1u << 31);
  return static_cast<Count>(ordered) << 32 | static_cast<unsigned>(j);
}

// The arrays of an auction.
struct Bidding {
  Costs costs;
  double* price;
  Count* bids;  // of each row
  Index* owner;
  Index* at;
  Index* lists[2];   // of columns without a row: of this round, and of the next one
  Index* bid_entry;  // of each place in the list
  double* bid_price;
};

// Runs rounds until at most `few` columns have no row, at most `most_rounds` rounds, and none after
// state->edges has reached `most_edges`. wait() is the barrier of all threads of the launch.
template <class Wait>
__device__ void bid(const Bidding& all, int lanes, double epsilon, Count few, Count most_rounds,
                    Count most_edges, State* state, const Wait& wait) {
  const Costs& costs = all.costs;
  const bool leader = blockIdx.x == 0 && threadIdx.x == 0;
  Count turn = state->turn, rounds = 0, bids = 0;
  Count size = state->queued[turn];
  bool exhausted = state->edges >= most_edges;
  wait();  // all threads have read before any thread writes
  for (; size > few && rounds < most_rounds && !exhausted; ++rounds) {
    const Index* const list = all.lists[turn];
    const long long count = static_cast<long long>(size);
    const int wide = widened(lanes, count, static_cast<long long>(gridDim.x) * blockDim.x);
    Count edges = 0;
    each_by_group(count, wide, [&](long long k) {
      const Index j = __ldcg(&list[k]);
      const Choice best = choice_of(costs, j, wide);
      if ((threadIdx.x & (wide - 1)) > 0) return;
      edges += static_cast<Count>(costs.indptr[j + 1] - costs.indptr[j]);
      const Index i = costs.indices[best.at];
      const double second = best.second < far ? best.second : best.cost;
      const double offer = __ldcg(&all.price[i]) + (best.cost - second - epsilon);
      all.bid_entry[k] = best.at;
      all.bid_price[k] = offer;
      atomicMin(&all.bids[i], word_of(offer, j));
    });
    add_over_block(&state->edges, edges);
    bids += size;
    wait();
    if (leader) state->queued[turn] = 0;
    exhausted = seen(&state->edges) >= most_edges;
    for (long long k = first_item(); k < count; k += item_stride()) {
      const Index j = __ldcg(&list[k]), p = __ldcg(&all.bid_entry[k]), i = costs.indices[p];
      Index loser = j;
      if (static_cast<unsigned>(seen(&all.bids[i])) == static_cast<unsigned>(j)) {
        show(&all.bids[i], no_bid);
        show(&all.price[i], __ldcg(&all.bid_price[k]));
        loser = __ldcg(&all.owner[i]);
        all.owner[i] = j;
        all.at[j] = p;
        if (loser >= 0) all.at[loser] = -1;
      }
      if (loser >= 0) all.lists[turn ^ 1][place_at_end(&state->queued[turn ^ 1])] = loser;
    }
    wait();
    turn ^= 1;
    size = seen(&state->queued[turn]);
  }
  if (!leader) return;
  state->turn = turn;
  state->rounds += rounds;
  state->bids += bids;
}

extern "C" __global__ void bid_in_rounds(int lanes, double epsilon, Count few, Count most_rounds,
                                         Count most_edges, const Index* indptr,
                                         const Index* indices, const double* value, double* price,
                                         Count* bids, Index* owner, Index* at, Index* list,
                                         Index* other_list, Index* bid_entry, double* bid_price,
                                         State* state) {
  const Bidding all{{indptr, indices, value, price},
                    price,
                    bids,
                    owner,
                    at,
                    {list, other_list},
                    bid_entry,
                    bid_price};
  bid(all, lanes, epsilon, few, most_rounds, most_edges, state,
      [=] { grid_barrier(&state->barrier); });
}

// Does the same as bid_in_rounds in one thread block. It is for rounds with few columns, where most
// of the time is that of the barriers. The number of columns without a row never grows, so all
// later rounds have few columns, too.
extern "C" __global__ void bid_in_one_block(int lanes, double epsilon, Count few, Count most_rounds,
                                            Count most_edges, const Index* indptr,
                                            const Index* indices, const double* value,
                                            double* price, Count* bids, Index* owner, Index* at,
                                            Index* list, Index* other_list, Index* bid_entry,
                                            double* bid_price, State* state) {
  const Bidding all{{indptr, indices, value, price},
                    price,
                    bids,
                    owner,
                    at,
                    {list, other_list},
                    bid_entry,
                    bid_price};
  bid(all, lanes, epsilon, few, most_rounds, most_edges, state, [] { __syncthreads(); });
}
