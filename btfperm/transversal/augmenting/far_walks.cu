// SPDX-License-Identifier: BSD-3-Clause
// meeting-trees, if unmatched columns are far from unmatched rows: pushes along distances
//
// A push matches a column to a row; the column that was matched to this row is unmatched then and
// pushes next. Such a chain of pushes from an unmatched column is called a walk. A wave is one
// global relabelling: a breadth-first search from all unmatched rows that labels each row that it
// reaches with its distance, the least number of pushes from this row to an unmatched row.
//
// Idea        Walks run from all unmatched columns. A push matches the column to the row of least
//             label among the rows that it scans, and sets this label to one more than the second
//             least one, so that later columns choose other rows. At the same time, waves run: as
//             long as columns push, a new wave starts after a fixed number of steps, even if the
//             wave before has not ended. Labels may be out of date; the next wave corrects them. If
//             a wave ends and there was no push since its start, no unmatched column can reach an
//             unmatched row, so the matching is maximum.
// Paper       the push and the global relabelling of A. V. Goldberg, R. E. Tarjan, "A new approach
//             to the maximum-flow problem", J. ACM 35 (1988); here both run at the same time
// Cost        O(nnz) per wave. A step of a wave or of a walk is several dependent memory accesses;
//             there is one grid barrier for at most 16 steps. Workspace: 9 (m + n) indices, m
//             labels of 32 bits
// Prefer it   if the search of meeting-trees has not ended after several hundred rounds and many
//             rows and columns are unmatched, as on permuted honeycombs (`hex:*+rcp` of the
//             benchmarks). If few are unmatched, trees from both sides continue, see
//             `meeting_trees_gpu.py`
// Encodings   label[i]: the upper 8 bits are 255 - the number of the newest wave that has reached
//             row i, the lower 24 bits are its distance, so a smaller label is better.
//             `unlabelled`: no wave has reached row i; `retired`: row i was matched permanently in
//             `meeting_peel.cu`
// Invariants  row_match is always a matching. Only one thread holds the column that pushes next in
//             a walk; between rounds this column is in `list` and has no row in col_match. A row
//             that a wave has reached is in a warp's queue or in the shared list until its label
//             has been propagated; if that list is full, rows are dropped, and the waves so far
//             prove nothing. A push scans at most 64 entries, except in a round in which a wave may
//             prove that the matching is maximum: there it scans the whole list
// Races       atomicExch matches a row to the column of the last thread that takes it, which then
//             holds the displaced column. While columns push, labels are only estimates. If two
//             threads take a row at once, col_match may be out of date when a wave reads it.
//             `correct_col_match` counts such columns as strays, and the host accepts no proof by a
//             wave that may have read them

#include "backends/gpu/counting.cuh"
#include "backends/gpu/frontier.cuh"
#include "backends/gpu/grid_barrier.cuh"
#include "backends/gpu/warp_queue.cuh"
#include "transversal/augmenting/forest.cuh"
#include "transversal/augmenting/walks.cuh"

constexpr unsigned retired = ~0u, unlabelled = retired - 1;
constexpr unsigned farthest = (1u << 24) - 1;  // largest distance
constexpr unsigned waves = 254;                // number of waves before the labels must be cleared
constexpr unsigned room = 256;                 // capacity of a warp's queue, in rows
constexpr unsigned walking_block_stride = 4;   // every 4th block runs walks, the others waves
constexpr int steps = 16;                      // maximum for a walk or a wave in a round
constexpr int threads = 512;                   // number of threads of a block
constexpr Index whole_list = static_cast<Index>(~Place{0} >> 1);

// What the blocks count in a round. Three of these structs are used in turn, as in
// `meeting_plan.cuh`. Each row that a wave has reached and whose label was not propagated yet is
// counted once, in `rows` or in `over`.
struct Round {
  Count rows;    // number of these rows in the queues of warps
  Count over;    // number of these rows in the shared list
  Count stored;  // number of rows of `over` that warps left in the list at the end of the round
  Count oldest;  // 255 - the number of the oldest wave of a row in a queue; 0: the queues are empty
  Count pushes, edges;
};

// The state of the rounds. Each block computes it from the same counts.
struct Course {
  Count round, edges;
  Count wave;      // the number of the newest wave
  Count complete;  // the newest wave that has ended, and all waves before it, too
  Count next;      // the step in which the next wave starts; after the last wave, the last step
  Count gap;       // number of steps between the starts of two waves
  Count over;      // number of rows in the shared list
  Count starts;    // 1: a wave starts in this round
  Count quiet;     // 1: there was no push since the newest wave started
  Count done;      // 1: the matching is proved to be maximum. 2: no wave is left

  // Whether the newest wave has ended, without a push since its start. If there is no push in this
  // round, either, the matching is maximum.
  __device__ bool may_prove() const { return complete == wave && quiet; }

  __device__ void send() {
    starts = quiet = 1;
    ++wave;
    next = steps * round + gap;
  }

  // Adds the counts of a round; `limit`: capacity of the shared list.
  __device__ void take_over(const Round& counts, Count limit) {
    ++round;
    edges += counts.edges;
    over = counts.over < limit ? counts.over : limit;
    if (counts.pushes || counts.over > limit) quiet = 0;
    // A walk can read the labels that a wave writes in its last round only in the next round, so
    // the proof needs one more round.
    const bool had_ended = complete == wave, at_end = counts.rows + counts.over == 0;
    if (at_end || counts.over == counts.stored) {
      const Count ended = at_end || counts.oldest == 0 ? wave : 254 - counts.oldest;
      // After the last wave, walks continue for at most as many steps as they have taken so far.
      if (ended == waves && complete < waves) next = 2 * steps * round;
      if (ended > complete) complete = ended;
    }
    starts = 0;
    const bool is_time = steps * round >= next || (at_end && counts.pushes == 0);
    if (at_end && had_ended && quiet)
      done = 1;
    else if (!quiet && is_time && wave < waves)
      send();
    else if (!quiet && is_time && at_end)
      done = 2;
  }
};

using RowQueue = WarpQueue<1, room>;

// The list that all warps share, for rows whose labels are propagated in the next round. Rows that
// do not fit are dropped.
struct SharedList {
  Index* list;
  Count limit;
  Count* size;

  __device__ void take(RowQueue& queue, unsigned many) const {
    if (many == 0) return;
    const Count first = add_once(size, many);
    if (first + many <= limit)
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

  // One push of column v. It scans at most `limit` entries and pushes if a row has a label of at
  // most `oldest`. Returns the displaced column, -1 if the row was unmatched, or v if there was no
  // push.
  __device__ Index step(Index v, Count drawn, Index limit, unsigned oldest, Count* edges) const {
    const Choice<unsigned> to =
        choose_row<unsigned>(v, drawn, limit, starts[0], lists[0], label, ~0u, unlabelled, edges);
    if (to.row == -1 || to.least > oldest) return v;
    show(&col_match[v], to.row);
    Place* mate = reinterpret_cast<Place*>(&row_match[to.row]);
    const Index other = static_cast<Index>(atomicExch(mate, static_cast<Place>(v)));
    show(&label[to.row], one_more(to.second));
    return other;
  }

  __device__ static unsigned one_more(unsigned known) {
    return known == unlabelled || (known & farthest) == farthest ? known : known + 1;
  }

  // Each lane has a row i (-1: none). Propagates its label to all rows from which one push leads to
  // row i, unless the same wave or a newer one has reached them. The loads of a batch are issued
  // together to hide their latency.
  __device__ Count propagate(Index i, RowQueue& queue, const SharedList& shared_list) const {
    constexpr int batch = 4;
    const unsigned mine = i < 0 ? unlabelled : seen(&label[i]);
    const Index begin = i < 0 ? 0 : starts[1][i],
                end = mine >= unlabelled ? begin : starts[1][i + 1];
    // k counts from 0: while other lanes have longer lists, begin + k could exceed the range of
    // Index.
    const Index size = end - begin;
    for (Index k = 0; __any_sync(whole_warp, k < size); k += batch) {
      Index row[batch];
      unsigned known[batch];
      for (int t = 0; t < batch; ++t) row[t] = t < size - k ? lists[1][begin + k + t] : -1;
      for (int t = 0; t < batch; ++t) row[t] = row[t] < 0 ? -1 : seen(&col_match[row[t]]);
      for (int t = 0; t < batch; ++t) known[t] = row[t] < 0 ? retired : seen(&label[row[t]]);
      for (int t = 0; t < batch; ++t) {
        if (known[t] == retired || known[t] >> 24 <= mine >> 24) {
          row[t] = -1;
        } else {
          asm volatile("prefetch.global.L1 [%0];" ::"l"(&starts[1][row[t]]));
          known[t] = atomicMin(&label[row[t]], one_more(mine));
        }
      }
      for (int t = 0; t < batch; ++t) {
        if (queue.count + 32 > room) shared_list.take(queue, room / 2);
        queue.put(row[t] >= 0 && known[t] >> 24 > mine >> 24, row[t]);
      }
    }
    return static_cast<Count>(size);
  }
};

// Clears the labels and lists the unmatched rows and columns that have entries. If `core` is not
// null, lists only the columns of the core, see `meeting_peel.cu`.
extern "C" __global__ void prepare_far(Index m, Index n, const Index* indptr,
                                       const Index* row_indptr, const Index* row_match,
                                       const Index* col_match, const Index* owner,
                                       const Index* core, unsigned* label, Index* list,
                                       Index* targets, Count gap, Progress* progress) {
  const Frontier walking{list, &progress->walkers}, unmatched{targets, &progress->targets};
  for (long long i = first_item(); i < m; i += item_stride()) {
    const bool done = core && Forest::is_done(owner[i]);
    label[i] = done ? retired : unlabelled;
    if (row_match[i] == -1 && !done && row_indptr[i] < row_indptr[i + 1])
      unmatched.push(static_cast<Index>(i));
  }
  for (long long j = first_item(); j < n; j += item_stride())
    if (col_match[j] == -1 && (core ? core[j] > 1 : indptr[j] < indptr[j + 1]))
      walking.push(static_cast<Index>(j));
  if (first_item() == 0) progress->course.gap = gap;
}

// Runs the walks of this block, which is one of `all` blocks, in a round. The walks are spread over
// all warps, because memory latency dominates.
__device__ void walk_round(const Field& field, const Course& course, Index* list, Count walkers,
                           Count seed, Count block, Count all, Round* counted) {
  const Count warps = blockDim.x / 32;
  const unsigned oldest = static_cast<unsigned>(255 - course.complete) << 24 | farthest;
  const Index limit = course.may_prove() ? whole_list : max_scanned;
  Count pushes = 0, edges = 0;
  for (Count k = (lane_id() * warps + warp_id()) * all + block; k < walkers;
       k += blockDim.x * all) {
    Index v = list[k];
    if (v < 0) continue;
    for (int step = 0; step < steps && v >= 0; ++step) {
      const Count drawn = seed + (static_cast<Count>(v) << 20) + steps * course.round + step;
      const Index before = v;
      v = field.step(v, drawn, limit, oldest, &edges);
      if (v == before) break;
      ++pushes;
    }
    if (v >= 0) show(&field.col_match[v], Index{-1});
    list[k] = v;
  }
  __syncwarp();
  add_over_warp(&counted->pushes, pushes);
  add_over_warp(&counted->edges, edges);
}

// Puts those rows of the list into the queue for which `wanted` holds. Each of `all` warps takes a
// part of the list; this is warp number `warp`.
template <class Wanted>
__device__ void take_in(const Index* list, Count many, Count warp, Count all, RowQueue& queue,
                        const SharedList& shared_list, const Wanted& wanted) {
  const unsigned lane = lane_id();
  const Count each = many > 32 * all ? 32 : (many + all - 1) / all;
  for (Count k = warp * each; k < many; k += all * each) {
    const Index row = lane < each && k + lane < many ? seen(&list[k + lane]) : -1;
    if (queue.count + 32 > room) shared_list.take(queue, room / 2);
    queue.put(row >= 0 && wanted(row), row);
  }
}

// Does the part of this block, which is one of `all` blocks, in the waves of a round. `last`: this
// is the last round of the launch.
__device__ void wave_round(const Field& field, const Course& course, const Index* targets,
                           Count many_targets, const Index* from, bool last, Count block, Count all,
                           RowQueue& queue, const SharedList& shared_list, Round* counted) {
  const unsigned lane = lane_id();
  const Count warp = warp_id() * all + block;
  all *= blockDim.x / 32;
  if (course.starts)
    take_in(targets, many_targets, warp, all, queue, shared_list, [&](Index row) {
      const bool unmatched = seen(&field.row_match[row]) == -1;
      if (unmatched) show(&field.label[row], static_cast<unsigned>(255 - course.wave) << 24);
      return unmatched;
    });
  take_in(from, course.over, warp, all, queue, shared_list, [](Index) { return true; });
  Count edges = 0;
  for (int step = 0; step < steps && queue.count; ++step) {
    const unsigned many = queue.count < 32 ? queue.count : 32;
    const Index row = lane < many ? queue.get(lane, 0) : -1;
    queue.drop(many);
    edges += field.propagate(row, queue, shared_list);
  }
  Count oldest = 0;
  for (unsigned k = lane; k < queue.count; k += 32) {
    const Count since = seen(&field.label[queue.get(k, 0)]) >> 24;
    if (since < 255 && since > oldest) oldest = since;
  }
  __syncwarp();
  // At most 32 rows, the work of one step, stay in the queue of this warp. The others are moved to
  // the shared list. After the last round all are moved, because the next launch needs them.
  const unsigned left = last ? queue.count : queue.count < 32 ? 0 : queue.count - 32;
  shared_list.take(queue, left);
  max_over_block(&counted->oldest, oldest);
  add_over_block(&counted->stored, lane ? 0 : left);
  add_over_block(&counted->rows, lane ? 0 : queue.count);
  add_over_block(&counted->edges, edges);
}

// Runs until no unmatched column can reach an unmatched row, until a limit on rounds or entries is
// reached, or until no wave is left. `over` is memory for two shared lists of `limit` rows, which
// is at least m.
extern "C" __global__ void __launch_bounds__(threads, 2)
    walk_far(const Index* indptr, const Index* indices, const Index* row_indptr,
             const Index* row_indices, Index* row_match, Index* col_match, unsigned* label,
             Index* list, const Index* targets, Index* over, Count limit, Count seed,
             Count max_rounds, Count max_edges, Progress* progress) {
  __shared__ Index items[threads / 32][1][room];
  __shared__ Course course;
  const Field field{{indptr, row_indptr}, {indices, row_indices}, row_match, col_match, label};
  const Count walkers = seen(&progress->walkers), many_targets = seen(&progress->targets);
  if (threadIdx.x == 0) {
    course = progress->course;
    if (course.wave == 0) course.send();
  }
  __syncthreads();
  RowQueue queue{items[warp_id()]};
  const Count first = course.round, before = course.edges;
  for (bool last = false; !last && !course.done;) {
    const Count place = course.round % 3;
    Round* counted = &progress->rounds[place];
    if (blockIdx.x == 0 && threadIdx.x == 0) progress->rounds[place == 2 ? 0 : place + 1] = {};
    last = course.round + 1 - first >= max_rounds || course.edges - before >= max_edges;
    const Count half = course.round % 2;
    const SharedList shared_list{over + (half ? 0 : limit), limit, &counted->over};
    const Count block = blockIdx.x / walking_block_stride,
                walking = (gridDim.x - 1) / walking_block_stride + 1;
    if (blockIdx.x % walking_block_stride == 0)
      walk_round(field, course, list, walkers, seed, block, walking, counted);
    else
      wave_round(field, course, targets, many_targets, over + (half ? limit : 0), last,
                 blockIdx.x - block - 1, gridDim.x - walking, queue, shared_list, counted);
    grid_barrier(&progress->barrier);
    if (threadIdx.x == 0)
      course.take_over({seen(&counted->rows), seen(&counted->over), seen(&counted->stored),
                        seen(&counted->oldest), seen(&counted->pushes), seen(&counted->edges)},
                       limit);
    __syncthreads();
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) progress->course = course;
}

// Corrects col_match by row_match; the columns whose walks have not ended are unmatched. Counts the
// strays: matched columns for which col_match had another row, which a wave may have read.
extern "C" __global__ void correct_col_match(Index m, const Index* row_match, Index* col_match,
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

// If no unmatched column can reach an unmatched row, marks the rows of a minimum cover. These are
// the matched rows that the last wave has not reached; for retired rows, `owner` decides.
extern "C" __global__ void mark_far_cover(Index m, const Index* row_match, const unsigned* label,
                                          const Index* owner, const Progress* progress,
                                          int* reached) {
  for (long long i = first_item(); i < m; i += item_stride())
    reached[i] = label[i] == retired
                     ? owner[i] == Forest::in_cover
                     : row_match[i] >= 0 && label[i] >> 24 > 255 - progress->course.wave;
}
