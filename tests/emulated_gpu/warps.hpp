// SPDX-License-Identifier: BSD-3-Clause
// What lanes of a warp do together: all that the mask names must come, from the same line
#pragma once

#include "fibers.hpp"

namespace fibers {

// Gives a word, and look(words, lanes that came) once all lanes of the mask have given theirs.
template <class Look>
auto meet(unsigned mask, std::uint64_t word, Place place, Look look) {
  Warp& w = warp();
  const unsigned me = 1u << lane();
  if (!(mask & me))
    block->launch->fail("a lane is not in its own mask: " + std::string(place.file) + ":" +
                        std::to_string(place.line));
  Meeting* m = nullptr;
  for (Meeting& open : w.meetings) {
    if (!open.complete && !(open.arrived & me) && open.mask == mask) m = &open;
  }
  if (m == nullptr) {
    m = &w.meetings.emplace_back(Meeting{mask, 0, 0, false, place, {}});
  } else if (!(m->place == place)) {
    block->launch->fail("lanes of one warp meet at different places: " + std::string(place.file) +
                        ":" + std::to_string(place.line) + " and line " +
                        std::to_string(m->place.line));
  }
  m->arrived |= me;
  m->word[lane()] = word;
  complete(w, self->thread.x / lanes, *m);
  if (!m->complete) wait(false, place);
  const auto result = look(m->word, m->arrived);
  if (--m->readers == 0) w.meetings.remove_if([m](const Meeting& ended) { return &ended == m; });
  return result;
}

template <class T>
std::uint64_t as_word(T value) {
  static_assert(sizeof(T) <= 8);
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof(T));
  return word;
}

template <class T>
T of_word(std::uint64_t word) {
  T value;
  std::memcpy(&value, &word, sizeof(T));
  return value;
}

// What lane `from` gave; of an ended lane, or one outside the mask, it is rubbish.
template <class T>
T given_by(unsigned mask, T value, Place place, int from) {
  return meet(mask, as_word(value), place, [&](const std::uint64_t* words, unsigned came) {
    return came >> from & 1 ? of_word<T>(words[from]) : of_word<T>(0xABABABABABABABABu);
  });
}

// Of lane `from` in its group of `width` lanes.
template <class T>
T shuffle(unsigned mask, T value, Place place, int from, int width = lanes) {
  const int first = static_cast<int>(lane()) & ~(width - 1);
  return given_by(mask, value, place, first | (from & (width - 1)));
}

// Of the lane so many places on or back in its group; what lies outside gives its own.
template <class T>
T shift(unsigned mask, T value, Place place, int way, int by, int width = lanes) {
  const int me = static_cast<int>(lane()), from = me + way * by;
  return given_by(mask, value, place, (from ^ me) & ~(width - 1) ? me : from);
}

// Of the lanes that come here, any that do so before the first of them goes on: on a device, too,
// any number may.
[[gnu::noinline]] inline unsigned active() {
  const void* const place = __builtin_return_address(0);
  Warp& w = warp();
  Gathering* g = nullptr;
  for (Gathering& open : w.gatherings) {
    if (open.place == place && !open.closed) g = &open;
  }
  if (g == nullptr) g = &w.gatherings.emplace_back(Gathering{place, 0, 0, false});
  g->mask |= 1u << lane();
  yield();
  if (!g->closed) {
    g->closed = true;
    g->readers = static_cast<unsigned>(std::popcount(g->mask));
  }
  const unsigned mask = g->mask;
  if (--g->readers == 0)
    w.gatherings.remove_if([g](const Gathering& ended) { return &ended == g; });
  return mask;
}

inline unsigned ballot(unsigned mask, bool holds, Place place) {
  return meet(mask, holds, place, [](const std::uint64_t* words, unsigned came) {
    unsigned who = 0;
    for (unsigned k = 0; k < lanes; ++k) who |= (came >> k & 1 && words[k]) ? 1u << k : 0u;
    return who;
  });
}

template <class T>
unsigned match(unsigned mask, T value, Place place) {
  return meet(mask, as_word(value), place, [&](const std::uint64_t* words, unsigned came) {
    unsigned same = 0;
    for (unsigned k = 0; k < lanes; ++k) {
      same |= (came >> k & 1 && words[k] == as_word(value)) ? 1u << k : 0u;
    }
    return same;
  });
}

inline void sync_warp(Place place, unsigned mask = 0xffffffffu) {
  meet(mask, 0, place, [](const std::uint64_t*, unsigned) { return 0; });
}

}  // namespace fibers
