// SPDX-License-Identifier: BSD-3-Clause
// meeting-trees, where free columns lie far from free rows: they walk, and waves tell them where
//
// Idea        Waves of distances start at the free rows, one behind the other, and each row takes
//             its distance from the newest that has come. Meanwhile all free columns walk, each to
//             the least distance of the newest wave in its list, and leave a row with one more than
//             the second least, so that those behind go another way. Nobody waits for a wave to
//             end: what it says may be old, and the next one mends it. A wave that has come to its
//             end while nobody walked is the proof: no free column can get to a free row
// Paper       the push and the global relabelling of A. V. Goldberg, R. E. Tarjan, "A new approach
//             to the maximum-flow problem", J. ACM 35 (1988), as in g-pr, but both at all times
// Cost        O(nnz) a wave, some tens of them; a step of a wave or of a walk is five accesses one
//             after the other, and a barrier for 16 of them. Workspace: 9 (m + n) indices, m words
// Prefer it   where a search of meeting-trees has not ended in some hundred rounds and many columns
//             are free; for a few, trees from both sides are quicker
// Encodings   label[i] = 255 - the newest wave that has come to row i, and 24 bits of distance:
//             less is better. `hopeless`: none has; `walled`: row i is done for good, see
//             `meeting_peel.cu`
// Invariants  row_match is what is so; a column that walks is in the hand of one thread, and behind
//             a round in `list`, with no row in col_match. A row that a wave comes to is in some
//             warp's queue, or in a list that all share, until it has told those behind it. Who
//             walks looks at 64 entries of a list, but at all where that may be the proof
// Races       a row goes to the last who takes it, by atomicExch; who sat there is in their hand.
//             Labels are hints while somebody walks. col_match may be a row behind, in a wave's
//             eyes, where two take a row at once: `seat_columns` tells, and proves nothing by a
//             wave that was on its way

#include "backends/gpu/frontier.cuh"
#include "backends/gpu/grid_barrier.cuh"
#include "backends/gpu/warp_queue.cuh"
#include "transversal/augmenting/forest.cuh"
#include "transversal/augmenting/walks.cuh"

constexpr unsigned walled = ~0u, hopeless = walled - 1;
constexpr unsigned farthest = (1u << 24) - 1;  // distance
constexpr unsigned waves = 254;                // until labels are cleared
constexpr unsigned room = 256;                 // of a warp's queue
constexpr unsigned for_walks = 4;              // one block in so many
constexpr int steps = 16;                      // of a round, at most
constexpr int threads = 512;                   // of a block
constexpr Index whole_list = static_cast<Index>(~Place{0} >> 1);

// What the blocks count in a round. Three take turns, as in `meeting_plan.cuh`.
struct Round {
  Count rows, over;  // that a wave has come to: in queues of warps, in the list
  Count stored,
      oldest;  // in the list from queues; 255 - the oldest wave that they wait for, if any
  Count moves, edges;
};

// What all blocks do next: each works it out for itself, from the same numbers.
struct Course {
  Count round, edges;
  Count wave, complete;  // the newest; the newest that has come to its end, as have all before it
  Count next, gap;       // the step of the next, or of the end; steps from one to the other
  Count over;            // rows in the list
  Count starts;          // 1: a wave does, now
  Count quiet;           // 1: nobody has walked since it did
  Count done;            // 1: that is the proof. 2: no wave is left

  // If nobody walks in this round either, that is the proof.
  __device__ bool may_prove() const { return complete == wave && quiet; }

  __device__ void send() {
    starts = quiet = 1;
    ++wave;
    next = steps * round + gap;
  }

  // What the round has brought; `most`: rows that the list has room for.
  __device__ void take_over(const Round& told, Count most) {
    ++round;
    edges += told.edges;
    over = told.over < most ? told.over : most;
    if (told.moves || told.over > most) quiet = 0;
    // What a wave has said in its last round is looked at in the next.
    const bool had_ended = complete == wave, at_end = told.rows + told.over == 0;
    if (at_end || told.over == told.stored) {
      const Count ended = at_end || told.oldest == 0 ? wave : 254 - told.oldest;
      // Behind the last wave walks have as long again.
      if (ended == waves && complete < waves) next = 2 * steps * round;
      if (ended > complete) complete = ended;
    }
    starts = 0;
    const bool is_time = steps * round >= next || (at_end && told.moves == 0);
    if (at_end && had_ended && quiet)
      done = 1;
    else if (!quiet && is_time && wave < waves)
      send();
    else if (!quiet && is_time && at_end)
      done = 2;
  }
};

using RowQueue = WarpQueue<1, room>;

// Where rows go that a warp leaves to others: to the next round. What is beyond `most` is lost.
struct Common {
  Index* list;
  Count most;
  Count* size;

  __device__ void take(RowQueue& queue, unsigned many) const {
    if (many == 0) return;
    const Count first = places(size, many);
    if (first + many <= most)
      queue.move(many, list, first);
    else
      queue.drop(many);
  }
};

struct Progress {
  Round rounds[3];
  Count barrier, walkers, targets, strays;
  Course course;
};

struct Field {
  const Index *starts[2], *lists[2];  // [0]: rows of each column, [1]: columns of each row
  Index *row_match, *col_match;
  unsigned* label;

  // A step of a walk from column v, if `most` entries of its list have a label of at most `oldest`;
  // who walks on, -1: nobody, or v.
  __device__ Index step(Index v, Count drawn, Index most, unsigned oldest, Count* edges) const {
    const Choice<unsigned> to =
        choose_row<unsigned>(v, drawn, most, starts[0], lists[0], label, ~0u, hopeless, edges);
    if (to.row == -1 || to.least > oldest) return v;
    show(&col_match[v], to.row);
    Place* mate = reinterpret_cast<Place*>(&row_match[to.row]);
    const Index other = static_cast<Index>(atomicExch(mate, static_cast<Place>(v)));
    show(&label[to.row], one_more(to.second));
    return other;
  }

  __device__ static unsigned one_more(unsigned known) {
    return known == hopeless || (known & farthest) == farthest ? known : known + 1;
  }

  // Row i of each lane, or -1, tells the rows from which it is a step, unless as new a wave has
  // come to them. Several are asked for before the first is looked at.
  __device__ Count tell(Index i, RowQueue& queue, const Common& common) const {
    constexpr int together = 4;
    const unsigned mine = i < 0 ? hopeless : seen(&label[i]);
    const Index begin = i < 0 ? 0 : starts[1][i], end = mine >= hopeless ? begin : starts[1][i + 1];
    // Counted from 0: what a lane with a short list adds for the others could pass an Index.
    const Index size = end - begin;
    for (Index k = 0; __any_sync(whole_warp, k < size); k += together) {
      Index row[together];
      unsigned known[together];
      for (int t = 0; t < together; ++t) row[t] = t < size - k ? lists[1][begin + k + t] : -1;
      for (int t = 0; t < together; ++t) row[t] = row[t] < 0 ? -1 : seen(&col_match[row[t]]);
      for (int t = 0; t < together; ++t) known[t] = row[t] < 0 ? walled : seen(&label[row[t]]);
      for (int t = 0; t < together; ++t) {
        if (known[t] == walled || known[t] >> 24 <= mine >> 24) {
          row[t] = -1;
        } else {
          asm volatile("prefetch.global.L1 [%0];" ::"l"(&starts[1][row[t]]));
          known[t] = atomicMin(&label[row[t]], one_more(mine));
        }
      }
      for (int t = 0; t < together; ++t) {
        if (queue.count + 32 > room) common.take(queue, room / 2);
        queue.put(row[t] >= 0 && known[t] >> 24 > mine >> 24, row[t]);
      }
    }
    return static_cast<Count>(size);
  }
};

// Clears the labels, and lists the free rows and the free columns; those of the core alone, where
// there is one.
extern "C" __global__ void prepare_far(Index m, Index n, const Index* indptr,
                                       const Index* row_indptr, const Index* row_match,
                                       const Index* col_match, const Index* owner,
                                       const Index* core, unsigned* label, Index* list,
                                       Index* targets, Count gap, Progress* progress) {
  const Frontier walking{list, &progress->walkers}, free{targets, &progress->targets};
  for (long long i = first_item(); i < m; i += item_stride()) {
    const bool done = core && Forest::is_done(owner[i]);
    label[i] = done ? walled : hopeless;
    if (row_match[i] == -1 && !done && row_indptr[i] < row_indptr[i + 1])
      free.push(static_cast<Index>(i));
  }
  for (long long j = first_item(); j < n; j += item_stride())
    if (col_match[j] == -1 && (core ? core[j] > 1 : indptr[j] < indptr[j + 1]))
      walking.push(static_cast<Index>(j));
  if (first_item() == 0) progress->course.gap = gap;
}

// The share of this block, of `all`, in a round of walking, few to a warp: waiting is what takes
// time.
__device__ void walk_round(const Field& field, const Course& course, Index* list, Count walkers,
                           Count seed, Count block, Count all, Round* counted) {
  const Count warps = blockDim.x / 32;
  const unsigned oldest = static_cast<unsigned>(255 - course.complete) << 24 | farthest;
  const Index most = course.may_prove() ? whole_list : most_seen;
  Count moves = 0, edges = 0;
  for (Count k = (threadIdx.x % 32 * warps + threadIdx.x / 32) * all + block; k < walkers;
       k += blockDim.x * all) {
    Index v = list[k];
    if (v < 0) continue;
    for (int step = 0; step < steps && v >= 0; ++step) {
      const Count drawn = seed + (static_cast<Count>(v) << 20) + steps * course.round + step;
      const Index before = v;
      v = field.step(v, drawn, most, oldest, &edges);
      if (v == before) break;
      ++moves;
    }
    if (v >= 0) show(&field.col_match[v], Index{-1});
    list[k] = v;
  }
  __syncwarp();
  add_over_warp(&counted->moves, moves);
  add_over_warp(&counted->edges, edges);
}

// Takes the rows of the list that are wanted; each of all warps has its part of it.
template <class Wanted>
__device__ void take_in(const Index* list, Count many, Count warp, Count all, RowQueue& queue,
                        const Common& common, const Wanted& wanted) {
  const unsigned lane = threadIdx.x % 32;
  const Count each = many > 32 * all ? 32 : (many + all - 1) / all;
  for (Count k = warp * each; k < many; k += all * each) {
    const Index row = lane < each && k + lane < many ? seen(&list[k + lane]) : -1;
    if (queue.count + 32 > room) common.take(queue, room / 2);
    queue.put(row >= 0 && wanted(row), row);
  }
}

// The same of the waves; `last`: of this launch.
__device__ void wave_round(const Field& field, const Course& course, const Index* targets,
                           Count many_targets, const Index* from, bool last, Count block, Count all,
                           RowQueue& queue, const Common& common, Round* counted) {
  const unsigned lane = threadIdx.x % 32;
  const Count warp = threadIdx.x / 32 * all + block;
  all *= blockDim.x / 32;
  if (course.starts)
    take_in(targets, many_targets, warp, all, queue, common, [&](Index row) {
      const bool free = seen(&field.row_match[row]) == -1;
      if (free) show(&field.label[row], static_cast<unsigned>(255 - course.wave) << 24);
      return free;
    });
  take_in(from, course.over, warp, all, queue, common, [](Index) { return true; });
  Count edges = 0;
  for (int step = 0; step < steps && queue.count; ++step) {
    const unsigned many = queue.count < 32 ? queue.count : 32;
    const Index row = lane < many ? queue.get(lane, 0) : -1;
    queue.drop(many);
    edges += field.tell(row, queue, common);
  }
  Count oldest = 0;
  for (unsigned k = lane; k < queue.count; k += 32) {
    const Count since = seen(&field.label[queue.get(k, 0)]) >> 24;
    if (since < 255 && since > oldest) oldest = since;
  }
  __syncwarp();
  // The next launch, or all warps, go on with what this one cannot do in a step.
  const unsigned left = last ? queue.count : queue.count < 32 ? 0 : queue.count - 32;
  common.take(queue, left);
  max_over_block(&counted->oldest, oldest);
  add_over_block(&counted->stored, lane ? 0 : left);
  add_over_block(&counted->rows, lane ? 0 : queue.count);
  add_over_block(&counted->edges, edges);
}

// Rounds, at most so many, or entries, until no free column can get to a free row. over: two lists
// of `most`, at least m.
extern "C" __global__ void __launch_bounds__(threads, 2)
    walk_far(const Index* indptr, const Index* indices, const Index* row_indptr,
             const Index* row_indices, Index* row_match, Index* col_match, unsigned* label,
             Index* list, const Index* targets, Index* over, Count most, Count seed,
             Count most_rounds, Count most_edges, Progress* progress) {
  __shared__ Index items[threads / 32][1][room];
  __shared__ Course course;
  const Field field{{indptr, row_indptr}, {indices, row_indices}, row_match, col_match, label};
  const Count walkers = seen(&progress->walkers), many_targets = seen(&progress->targets);
  if (threadIdx.x == 0) {
    course = progress->course;
    if (course.wave == 0) course.send();
  }
  __syncthreads();
  RowQueue queue{items[threadIdx.x / 32]};
  const Count first = course.round, before = course.edges;
  for (bool last = false; !last && !course.done;) {
    const Count place = course.round % 3;
    Round* counted = &progress->rounds[place];
    if (blockIdx.x == 0 && threadIdx.x == 0) progress->rounds[place == 2 ? 0 : place + 1] = {};
    last = course.round + 1 - first >= most_rounds || course.edges - before >= most_edges;
    const Count half = course.round % 2;
    const Common common{over + (half ? 0 : most), most, &counted->over};
    const Count block = blockIdx.x / for_walks, walking = (gridDim.x - 1) / for_walks + 1;
    if (blockIdx.x % for_walks == 0)
      walk_round(field, course, list, walkers, seed, block, walking, counted);
    else
      wave_round(field, course, targets, many_targets, over + (half ? most : 0), last,
                 blockIdx.x - block - 1, gridDim.x - walking, queue, common, counted);
    grid_barrier(reinterpret_cast<unsigned*>(&progress->barrier));
    if (threadIdx.x == 0)
      course.take_over({seen(&counted->rows), seen(&counted->over), seen(&counted->stored),
                        seen(&counted->oldest), seen(&counted->moves), seen(&counted->edges)},
                       most);
    __syncthreads();
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) progress->course = course;
}

// All columns that sit on a row sit there, and those that walk nowhere; counts those that a wave
// may have seen elsewhere.
extern "C" __global__ void seat_columns(Index m, const Index* row_match, Index* col_match,
                                        const Index* list, Progress* progress) {
  Count strays = 0;
  for (long long i = first_item(); i < m; i += item_stride()) {
    if (row_match[i] < 0 || col_match[row_match[i]] == i) continue;
    col_match[row_match[i]] = static_cast<Index>(i);
    ++strays;
  }
  const long long walkers = static_cast<long long>(progress->walkers);
  for (long long k = first_item(); k < walkers; k += item_stride())
    if (list[k] >= 0) col_match[list[k]] = -1;
  __syncwarp();
  add_over_warp(&progress->strays, strays);
}

// The rows in a least cover, when no free column can get to a free row: those that the last wave
// has not come to.
extern "C" __global__ void mark_far_cover(Index m, const Index* row_match, const unsigned* label,
                                          const Index* owner, const Progress* progress,
                                          int* reached) {
  for (long long i = first_item(); i < m; i += item_stride())
    reached[i] = label[i] == walled
                     ? owner[i] == Forest::in_cover
                     : row_match[i] >= 0 && label[i] >> 24 > 255 - progress->course.wave;
}
