// SPDX-License-Identifier: BSD-3-Clause
// local-max-external: local-max on lists of edges that are larger than memory
//
// Idea        A working file holds each edge {x, y} twice, as (x, y) and as (y, x), sorted by
//             (x, y). In each round, one pass over the file leaves out the edges of matched
//             vertices, writes the remaining edges to a new file, and finds the heaviest edge of
//             each vertex. These heaviest edges are sorted; an edge that occurs twice among them is
//             the heaviest of both of its vertices and is matched. As soon as the remaining edges
//             fit into memory, the rounds of local-max continue in memory.
// Paper       M. Birn, V. Osipov, P. Sanders, C. Schulz, N. Sitchinava, "Efficient parallel and
//             external matching", Euro-Par 2013, section 2, external memory models: O(sort(m))
//             transfers of blocks by an emulation of the PRAM algorithm. Changed: the array of
//             mates is in memory and has random accesses (the semi-external model), while the
//             paper has all data of the vertices in external memory, too. The edges are sorted
//             by (x, y) only once, because the passes keep this order. They are sorted by weight
//             once if the limit on visits is reached. Each round sorts only the heaviest edges of
//             the vertices. The weights, the random numbers and the limit on visits are those of
//             local-max, so the matching is that of local-max
//             With model=candidates, not in the paper: if one candidate for each vertex fits into
//             three quarters of the memory, nothing is sorted. A working file holds each edge once,
//             in the order of the input. One pass over it finds the heaviest edges of all vertices,
//             which are compared in memory. Edges that are given twice are found later or count as
//             two
// Cost        sort(2 m) + scan(2 m) + sort(n) transfers of blocks if a round removes a constant
//             share of the edges. sort(k) and scan(k) are the transfers that sort and read k items;
//             m is the number of edges and n of vertices. With candidates scan(m). The workspace
//             and the buffers take at most `memory` bytes; the array of mates is not counted
// Prefer it   for graphs whose edges do not fit into memory
// Options     those of local-max; model (sorted): sorted or candidates, see Paper
// Invariants  the working files are sorted by (x, y), and hold both (x, y) and (y, x) or neither.
//             For a fixed x, an edge with a larger y also has a later place in the list of
//             local-max. So edges of equal weight and random number have the same order in both
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/workspace.hpp"
#include "weighted/graph/external_candidates.hpp"
#include "weighted/graph/external_edges.hpp"
#include "weighted/graph/external_sort.hpp"
#include "weighted/graph/local_max.hpp"
#include "weighted/graph/local_max_search.hpp"

namespace btfperm {

struct ExternalCounters {
  GraphCounters work;
  IoVolume volume;
  std::int64_t external_rounds = 0;
  std::vector<std::int64_t> left;     // edges between unmatched vertices after each round
  std::vector<std::int64_t> matched;  // edges matched in each round
  std::int64_t twice_x = -1;          // an edge that the file lists twice; -1: none
  std::int64_t twice_y = -1;
};

template <class I>
class ExternalLocalMax {
 public:
  ExternalLocalMax(ExternalGraph G, I* mate, EdgeOrder order, double limit, std::string folder,
                   std::int64_t memory, ExternalModel model, Budget& budget,
                   ExternalCounters& counters)
      : G_(G),
        mate_(mate),
        order_(order),
        most_(limit * static_cast<double>(G.edges)),
        folder_(std::move(folder)),
        memory_(memory),
        has_candidates_(model == ExternalModel::candidates &&
                        Candidates::bytes(G.n) <= memory / 4 * 3),
        block_(std::clamp<std::int64_t>(memory / 256, 16 * sizeof(HalfEdge), 1 << 20)),
        scan_(std::clamp<std::int64_t>(memory / 32, block_, 1 << 22)),
        ends_{static_cast<int>(
            std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(G.n - 1, 1))))},
        budget_(budget),
        counters_(counters) {}

  // Returns false if an edge occurs twice.
  bool run() {
    if (fits(G_.edges)) return continue_in_memory(G_.descriptor, G_.edges, G_.edges);
    if (has_candidates_) return run_with_candidates();
    std::int64_t kept = first_round();
    while (kept > 0 && counters_.twice_x < 0) {
      if (fits(kept / 2)) return continue_in_memory(file_->descriptor(), kept, kept / 2);
      if (most_ > 0 && visited_ >= most_) {
        finish_sorted(file_->descriptor(), kept);
        break;
      }
      BlockReader<HalfEdge> edges = reader(file_->descriptor(), kept);
      kept = round([&] {
        const HalfEdge* const e = edges.next();
        if (e != nullptr) __builtin_prefetch(&mate_[edges.ahead(32).y]);
        return e;
      });
    }
    return counters_.twice_x < 0;
  }

 private:
  // Bound on the bytes for an edge in memory: three copies of the edge, and the items of both of
  // its vertices in each array of vertices.
  static constexpr std::int64_t bytes_in_memory = 32 + 20 * static_cast<std::int64_t>(sizeof(I));

  bool fits(std::int64_t edges) const { return edges <= memory_ / bytes_in_memory; }
  ExternalMemory part(std::int64_t of) const { return {memory_ / of, block_}; }
  ExternalMemory beside_a_scan() const { return {memory_ - 2 * scan_, block_}; }
  std::int64_t items() const { return scan_ / static_cast<std::int64_t>(sizeof(HalfEdge)); }

  BlockReader<HalfEdge> reader(int descriptor, std::int64_t count) {
    return {descriptor, 0, count, items(), counters_.volume};
  }

  std::int64_t first_round() {
    ExternalSort<HalfEdge, ByEnds> halves(ends_, folder_, beside_a_scan(), counters_.volume,
                                          budget_);
    BlockReader<HalfEdge> edges = reader(G_.descriptor, G_.edges);
    while (const HalfEdge* const e = edges.next()) {
      halves.add(*e);
      halves.add({e->y, e->x, e->weight});
    }
    Merge<HalfEdge, ByEnds> merge = halves.merged({memory_ / 8 * 3, block_});
    return round([&merge] { return merge.next(); });
  }

  // Executes one round. next() returns the items of the working file, which holds each edge twice.
  // Returns the number of items in the new file. Edges of vertices that this round matches are
  // still among them; the next round leaves them out.
  template <class Next>
  std::int64_t round(Next next) {
    order_.start_round(counters_.work.rounds + 1);
    const ByWeight by_weight{order_};
    auto file = std::make_unique<TemporaryFile>(folder_);
    BlockWriter<HalfEdge> writer(file->descriptor(), items(), counters_.volume);
    ExternalSort<HalfEdge, ByEnds> heaviest(ends_, folder_, part(2), counters_.volume, budget_);
    const bool is_first = counters_.work.rounds == 0;  // in the first round, no vertex is matched
    HalfEdge best{}, before{};
    bool any = false;
    while (const HalfEdge* const e = next()) {
      if (!budget_.spend(1)) throw Unfinished();
      if (!is_first && (mate_[e->x] >= 0 || mate_[e->y] >= 0)) continue;
      if (any && e->x == before.x && e->y == before.y) {
        counters_.twice_x = e->x;
        counters_.twice_y = e->y;
        return 0;
      }
      before = *e;
      writer.put(*e);
      if (!any || e->x != best.x) {
        if (any) heaviest.add(upwards(best));
        best = *e;
      } else if (e->weight > best.weight ||
                 (e->weight == best.weight && by_weight.tie(*e) > by_weight.tie(best))) {
        best = *e;
      }
      any = true;
    }
    writer.flush();
    file_ = std::move(file);
    const std::int64_t kept = writer.items();
    if (counters_.work.rounds > 0) counters_.left.push_back(kept / 2);
    if (!any) return 0;
    heaviest.add(upwards(best));
    count_round(kept / 2);
    match_those_found_twice(heaviest.merged(part(4)));
    return kept;
  }

  void count_round(std::int64_t edges) {
    ++counters_.work.rounds;
    ++counters_.external_rounds;
    counters_.work.edges += edges;
    visited_ += static_cast<double>(edges);
  }

  static HalfEdge upwards(const HalfEdge& e) {
    return {std::min(e.x, e.y), std::max(e.x, e.y), e.weight};
  }

  void match_those_found_twice(Merge<HalfEdge, ByEnds> heaviest) {
    std::int64_t matched = 0;
    HalfEdge before{0, 0, 0};  // no edge
    while (const HalfEdge* const e = heaviest.next()) {
      if (e->x == before.x && e->y == before.y) {
        match(*e);
        ++matched;
      }
      before = *e;
    }
    counters_.matched.push_back(matched);
  }

  void match(const HalfEdge& e) {
    mate_[e.x] = static_cast<I>(e.y);
    mate_[e.y] = static_cast<I>(e.x);
  }

  // The rounds with candidates. Returns false if an edge that occurs twice was found.
  bool run_with_candidates() {
    Workspace workspace;
    VertexSet<std::int64_t> is_matched(workspace, G_.n);
    auto candidates = std::make_unique<Candidates>(G_.n);
    std::int64_t kept = G_.edges;
    int descriptor = G_.descriptor;
    while (kept > 0) {
      const bool is_at_limit = most_ > 0 && visited_ >= most_;
      if (fits(kept) || is_at_limit) candidates.reset();
      if (fits(kept)) return continue_in_memory(descriptor, kept, kept);
      if (is_at_limit) {
        finish_sorted(descriptor, kept);
        break;
      }
      is_matched.assign(G_.n, [this](std::int64_t v) { return mate_[v] >= 0; });
      kept = find_candidates(descriptor, kept, is_matched, *candidates);
      if (file_) descriptor = file_->descriptor();
      if (kept == 0) break;
      count_round(kept);
      std::int64_t matched = 0;
      candidates->for_matched([&](const HalfEdge& e) {
        match(e);
        ++matched;
      });
      counters_.matched.push_back(matched);
    }
    return true;
  }

  // A pass over a file of `count` edges. Copies the edges of unmatched vertices to a new file,
  // except in the first round, which has only such edges, and returns their number.
  std::int64_t find_candidates(int descriptor, std::int64_t count,
                               const VertexSet<std::int64_t>& is_matched, Candidates& candidates) {
    order_.start_round(counters_.work.rounds + 1);
    candidates.clear();
    const auto stays = [&](const HalfEdge& e) {
      return !is_matched.has(e.x) & !is_matched.has(e.y);
    };
    const bool is_first = counters_.work.rounds == 0;
    auto file = is_first ? nullptr : std::make_unique<TemporaryFile>(folder_);
    BlockWriter<HalfEdge> writer(is_first ? -1 : file->descriptor(), items(), counters_.volume);
    BlockReader<HalfEdge> edges = reader(descriptor, count);
    std::int64_t kept = 0;
    while (const HalfEdge* const e = edges.next()) {
      if (const HalfEdge& later = edges.ahead(32); stays(later)) candidates.prefetch(later);
      if (!budget_.spend(1)) throw Unfinished();
      if (!stays(*e)) continue;
      if (!is_first) writer.put(*e);
      ++kept;
      candidates.add(*e, order_);
    }
    if (!is_first) {
      writer.flush();
      file_ = std::move(file);
      counters_.left.push_back(kept);
    }
    return kept;
  }

  // Matches the remaining edges by decreasing weight, as finish_sorted of edge_order.hpp does.
  void finish_sorted(int descriptor, std::int64_t kept) {
    order_.start_round(++counters_.work.rounds);
    ExternalSort<HalfEdge, ByWeight> sort({order_}, folder_, beside_a_scan(), counters_.volume,
                                          budget_);
    BlockReader<HalfEdge> edges = reader(descriptor, kept);
    while (const HalfEdge* const e = edges.next()) {
      if (e->y < e->x && mate_[e->x] < 0 && mate_[e->y] < 0) sort.add(*e);
    }
    counters_.left.push_back(sort.items());
    counters_.work.sorted = sort.items();
    std::int64_t matched = 0;
    Merge<HalfEdge, ByWeight> merge = sort.merged(part(2));
    while (const HalfEdge* const e = merge.next()) {
      ++counters_.work.edges;
      if (!budget_.spend(1)) throw Unfinished();
      if (mate_[e->x] >= 0 || mate_[e->y] >= 0) continue;
      match(*e);
      ++matched;
    }
    counters_.matched.push_back(matched);
    counters_.left.push_back(0);
  }

  // Reads the remaining edges and runs the rounds of local-max in memory. False: the file holds an
  // edge twice.
  bool continue_in_memory(int descriptor, std::int64_t items_of_file, std::int64_t most) {
    Workspace workspace;
    std::vector<HalfEdge> remaining;
    std::vector<std::uint32_t> names;
    remaining.reserve(static_cast<std::size_t>(most));
    names.reserve(2 * static_cast<std::size_t>(most));
    BlockReader<HalfEdge> edges = reader(descriptor, items_of_file);
    while (const HalfEdge* const e = edges.next()) {
      if (e->y > e->x || mate_[e->x] >= 0 || mate_[e->y] >= 0) continue;
      remaining.push_back(*e);
      names.push_back(e->x);
      names.push_back(e->y);
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::sort(remaining.begin(), remaining.end(),
              [this](const HalfEdge& a, const HalfEdge& b) { return ends_.key(a) < ends_.key(b); });
    if (counters_.work.rounds > 0) {
      counters_.left.push_back(static_cast<std::int64_t>(remaining.size()));
    }
    const auto place = [&names](std::uint32_t v) {
      return static_cast<I>(std::lower_bound(names.begin(), names.end(), v) - names.begin());
    };
    const auto size = static_cast<I>(remaining.size());
    Edge<I>* const E = workspace.take<Edge<I>>(remaining.size());
    for (I e = 0; e < size; ++e) {
      const HalfEdge& edge = remaining[static_cast<std::size_t>(e)];
      const HalfEdge& before = remaining[static_cast<std::size_t>(std::max(e, I{1}) - 1)];
      if (e > 0 && edge.x == before.x && edge.y == before.y) {
        counters_.twice_x = edge.x;
        counters_.twice_y = edge.y;
        return false;
      }
      E[e] = {edge.weight, place(edge.y), place(edge.x)};
    }
    order_.names = names.data();
    run_in_memory(E, size, remaining, names, workspace);
    return true;
  }

  void run_in_memory(Edge<I>* E, I size, std::vector<HalfEdge>& remaining,
                     const std::vector<std::uint32_t>& names, Workspace& workspace) {
    const auto n = static_cast<I>(names.size());
    const GraphMatching<I> M{workspace.take<I>(names.size()), workspace.take<I>(names.size()),
                             nullptr};
    std::fill(M.mate, M.mate + n, I{-1});
    std::fill(M.round_of, M.round_of + n, I{0});
    const std::int64_t before = counters_.work.rounds;
    const auto keep = [&] {
      for (I v = 0; v < n; ++v) {
        if (M.mate[v] < 0) continue;
        mate_[names[static_cast<std::size_t>(v)]] =
            static_cast<I>(names[static_cast<std::size_t>(M.mate[v])]);
      }
      count_rounds(before, size, remaining, names, M);
    };
    try {
      SequentialLocalMax<I>(n, {E, size, most_, visited_}, M, order_, workspace, budget_,
                            counters_.work)
          .run();
    } catch (const Unfinished&) {
      keep();
      throw;
    }
    keep();
  }

  // Counts, for each round in memory, the edges that it matched and the edges left after it.
  void count_rounds(std::int64_t before, I size, const std::vector<HalfEdge>& remaining,
                    const std::vector<std::uint32_t>& names, const GraphMatching<I>& M) {
    const auto rounds = static_cast<std::size_t>(counters_.work.rounds - before);
    std::vector<std::int64_t> removed(rounds, 0), matched(rounds, 0);
    const auto round_of = [&](std::uint32_t v) {
      const auto place = std::lower_bound(names.begin(), names.end(), v) - names.begin();
      return static_cast<std::int64_t>(M.round_of[place]);
    };
    for (const HalfEdge& e : remaining) {
      const std::int64_t x = round_of(e.x), y = round_of(e.y);
      const std::int64_t first = x > 0 && y > 0 ? std::min(x, y) : std::max(x, y);
      if (first > before) ++removed[static_cast<std::size_t>(first - before - 1)];
    }
    for (std::size_t v = 0; v < names.size(); ++v) {
      const auto own = static_cast<std::int64_t>(M.round_of[v]);
      if (own > before) ++matched[static_cast<std::size_t>(own - before - 1)];
    }
    auto left = static_cast<std::int64_t>(size);
    for (std::size_t k = 0; k < rounds; ++k) {
      left -= removed[k];
      counters_.left.push_back(left);
      counters_.matched.push_back(matched[k] / 2);
    }
  }

  ExternalGraph G_;
  I* mate_;
  EdgeOrder order_;
  double most_;
  std::string folder_;
  std::int64_t memory_;
  bool has_candidates_;
  std::int64_t block_;  // smallest size of a block of a run, in bytes
  std::int64_t scan_;   // size of a block in a pass over a whole file, in bytes
  ByEnds ends_;
  Budget& budget_;
  ExternalCounters& counters_;
  double visited_ = 0;
  std::unique_ptr<TemporaryFile> file_;  // the remaining edges, each twice
};

}  // namespace btfperm
