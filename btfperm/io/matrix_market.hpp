// SPDX-License-Identifier: BSD-3-Clause
// matrix_market: the entries in a block of whole lines of a Matrix Market file
//
// Idea        One pass counts the lines with an entry in each part of the block, so that each
//             thread knows where in the arrays its part begins. A second pass parses the parts.
// Cost        O(bytes). In most blocks, lines are counted without examining them one by one. Both
//             passes skip blank lines and comments.
// Races       A thread writes to the places of its own part and to its own fault. The arrays of
//             faults and counts are read after the region.
// Requires    The text ends with a line end, and the arrays have a place for each counted entry.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <thread>
#include <vector>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/pieces.hpp"
#include "io/numbers.hpp"

namespace btfperm {

constexpr std::ptrdiff_t text_piece = 1 << 18;  // bytes between two samples of the budget

inline const char* after_line(const char* p, const char* end) {
  return static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p))) + 1;
}

// A block divided into parts of whole lines. Part k is [ends[k], ends[k + 1]), and before[k] is the
// number of entries in the parts before it.
struct TextParts {
  const char* text;
  std::int64_t parts;
  std::int64_t* ends;
  std::int64_t* before;
};

// Calls body(k, is_caller) for each part k, on one thread for each part, or on as many as the
// system starts. OpenMP's threads are not used, because they would occupy cores while the reader
// waits for the file between two blocks.
template <class Body>
void for_each_part(std::int64_t parts, Body body) {
  std::atomic<std::int64_t> next{0};
  const auto work = [&](bool is_caller) {
    for (std::int64_t k = next.fetch_add(1); k < parts; k = next.fetch_add(1)) body(k, is_caller);
  };
  std::vector<std::jthread> others;  // the destructor joins the threads
  try {
    for (std::int64_t k = 1; k < parts; ++k) others.emplace_back(work, false);
  } catch (const std::system_error&) {  // the system refuses more threads
  }
  work(true);
}

struct LineCounts {
  std::int64_t lines = 0;
  std::int64_t entries = 0;
  std::int64_t nul = -1;  // the place of the first NUL byte, or -1
};

// Counts the lines and the entries in a text of whole lines. If no line is empty or begins with a
// percent sign, a space or a control character, each line is an entry; otherwise all lines are
// examined one by one.
inline LineCounts count_lines(const char* p, const char* end) {
  constexpr std::ptrdiff_t step = 128;  // counts of that many bytes fit into eight bits
  LineCounts counts;
  const auto is_special = [](char c) { return c == '%' || static_cast<unsigned char>(c) <= ' '; };
  std::int64_t special = is_special(*p);
  for (const char* q = p; q < end;) {
    const char* const last = std::min(q + step, end - 1);
    std::uint8_t line_ends = 0;
    std::uint8_t before_special = 0;
    for (; q < last; ++q) {
      line_ends += q[0] == '\n';
      before_special += (q[0] == '\n') & is_special(q[1]);
    }
    counts.lines += line_ends;
    special += before_special;
    if (q == end - 1) break;
  }
  ++counts.lines;  // the line end that is the last byte
  if (special == 0) {
    counts.entries = counts.lines;
    return counts;
  }
  while (p < end) {
    p = skip_blanks(p);
    counts.entries += !ends_line(*p);
    p = after_line(p, end);
  }
  return counts;
}

// Divides a block into parts, and counts the entries of each. Returns the counts of the whole
// block. Throws Unfinished when the budget ends the call.
inline LineCounts divide_text(const TextParts& block, std::int64_t size, Budget& budget) {
  const char* const end = block.text + size;
  block.ends[0] = 0;
  for (std::int64_t k = 1; k < block.parts; ++k) {
    const std::int64_t at = std::max(block.ends[k - 1], size / block.parts * k);
    block.ends[k] = at == 0 ? 0 : after_line(block.text + at - 1, end) - block.text;
  }
  block.ends[block.parts] = size;
  std::vector<LineCounts> counts(static_cast<std::size_t>(block.parts));
  for_each_part(block.parts, [&](std::int64_t k, bool is_caller) {
    const char* p = block.text + block.ends[k];
    const char* const last = block.text + block.ends[k + 1];
    while (p < last && !budget.stopped()) {
      const char* const stop = last - p > text_piece ? after_line(p + text_piece, last) : last;
      const LineCounts found = count_lines(p, stop);
      LineCounts& own = counts[static_cast<std::size_t>(k)];
      own.lines += found.lines;
      own.entries += found.entries;
      const void* const nul = std::memchr(p, 0, static_cast<std::size_t>(stop - p));
      if (nul != nullptr && own.nul < 0) own.nul = static_cast<const char*>(nul) - block.text;
      p = stop;
      if (is_caller) budget.poll();
    }
  });
  if (budget.stopped()) throw Unfinished();
  LineCounts total;
  block.before[0] = 0;
  for (std::int64_t k = 0; k < block.parts; ++k) {
    const LineCounts& found = counts[static_cast<std::size_t>(k)];
    total.lines += found.lines;
    total.entries += found.entries;
    if (total.nul < 0) total.nul = found.nul;
    block.before[k + 1] = total.entries;
  }
  return total;
}

// Where the first line of more than `longest` bytes that is no comment begins, or -1. The text is
// divided into windows of `longest` / 2 bytes. A line that long covers at least one whole window,
// which then has no line end. In a usual text, a line end is found in the first bytes of each
// window.
inline std::int64_t find_long_line(const char* text, std::int64_t size, std::int64_t longest) {
  const std::int64_t window = longest / 2;
  for (std::int64_t at = 0; at + window <= size; at += window) {
    if (std::memchr(text + at, '\n', static_cast<std::size_t>(window)) != nullptr) continue;
    std::int64_t begin = at;
    while (begin > 0 && text[begin - 1] != '\n') --begin;
    const std::int64_t end = after_line(text + at, text + size) - text;
    if (end - begin > longest && *skip_blanks(text + begin) != '%') return begin;
    at = (end / window - 1) * window;  // the next window is the one that holds `end`
  }
  return -1;
}

struct FaultAt {
  Fault fault = Fault::none;
  std::int64_t at = 0;  // the byte at which the line begins
};

// Calls parse(p, place) for each line of a block that holds an entry, with `p` at the first
// character of the entry; parse() returns a fault, and leaves `p` in the line. Returns the first
// fault of the block. Throws Unfinished when the budget ends the call.
template <class Parse>
FaultAt for_entries(const TextParts& block, Budget& budget, Parse parse) {
  std::vector<FaultAt> faults(static_cast<std::size_t>(block.parts));
  for_each_part(block.parts, [&](std::int64_t k, bool is_caller) {
    const char* p = block.text + block.ends[k];
    const char* const last = block.text + block.ends[k + 1];
    std::int64_t place = block.before[k];
    const char* sampled = p;
    while (p < last) {
      const char* const line = p;
      p = skip_blanks(p);
      if (!ends_line(*p)) {
        const Fault fault = parse(p, place++);
        if (fault != Fault::none) {
          faults[static_cast<std::size_t>(k)] = {fault, line - block.text};
          break;
        }
      }
      p = *p == '\n' ? p + 1 : after_line(p, last);
      if (p - sampled > text_piece) {
        if (is_caller) budget.poll();
        if (budget.stopped()) break;
        sampled = p;
      }
    }
  });
  if (budget.stopped()) throw Unfinished();
  for (const FaultAt& found : faults) {
    if (found.fault != Fault::none) return found;
  }
  return {};
}

// The value of an entry, in the form that the caller requests.
struct NoValue {  // whatever follows the position is ignored
  Fault operator()(const char*&, std::int64_t) const { return Fault::none; }
};

struct ZeroFlag {  // whether the value is zero; complex numbers have two parts
  bool* zeros;
  int parts;
  Fault operator()(const char*& p, std::int64_t place) const {
    bool zero = true;
    for (int part = 0; part < parts; ++part) {
      RealToken token;
      if (part > 0) p = skip_blanks(p);
      if (!scan_real(p, token)) return Fault::no_value;
      zero &= is_zero(token);
    }
    zeros[place] = zero;
    return Fault::none;
  }
};

struct RealValue {
  double* values;
  int parts;
  Fault operator()(const char*& p, std::int64_t place) const {
    for (int part = 0; part < parts; ++part) {
      RealToken token;
      if (part > 0) p = skip_blanks(p);
      if (!scan_real(p, token)) return Fault::no_value;
      values[place * parts + part] = real_of(token);
    }
    return Fault::none;
  }
};

struct WholeValue {
  std::int64_t* values;
  Fault operator()(const char*& p, std::int64_t place) const {
    const char* q = p;
    RealToken token;
    if (!scan_real(q, token)) return Fault::no_value;
    return read_whole(p, ends_token, values[place]);
  }
};

// Parses the lines of a coordinate file. Text behind an entry is ignored.
template <class I, class Value>
FaultAt parse_coordinates(const TextParts& block, I m, I n, I* rows, I* cols, Value value,
                          Budget& budget) {
  return for_entries(block, budget, [=](const char*& p, std::int64_t place) {
    I row = 0;
    I col = 0;
    Fault fault = read_index(p, row);
    if (fault != Fault::none) return fault;
    p = skip_blanks(p);
    fault = read_index(p, col);
    if (fault != Fault::none) return fault;
    if (row < 0 || row >= m) return Fault::row_outside;
    if (col < 0 || col >= n) return Fault::col_outside;
    p = skip_blanks(p);
    rows[place] = row;
    cols[place] = col;
    return value(p, place);
  });
}

// Parses the lines of an array file, with one value in each. Another number behind the value would
// be lost, so it is a fault.
template <class Value>
FaultAt parse_values(const TextParts& block, Value value, Budget& budget) {
  return for_entries(block, budget, [=](const char*& p, std::int64_t place) {
    const Fault fault = value(p, place);
    if (fault != Fault::none) return fault;
    p = skip_blanks(p);
    const bool begins_one = is_digit(*p) || *p == '+' || *p == '-' || *p == '.';
    RealToken token;  // "inf" and "nan" are numbers, too
    return begins_one || scan_real(p, token) ? Fault::second_number : Fault::none;
  });
}

struct Skipped {
  std::int64_t bytes = 0;
  std::int64_t lines = 0;
};

// Counts the lines at the start of a text that are blank or comments. The text may end inside a
// line; this last line is not counted.
inline Skipped skip_comments(const char* text, std::int64_t size) {
  const char* end = text + size;
  while (end > text && end[-1] != '\n') --end;
  Skipped skipped;
  const char* p = text;
  while (p < end) {
    while (is_blank(*p) || *p == '\f' || *p == '\v') ++p;
    if (!ends_line(*p)) break;
    p = *p == '\n' ? p + 1 : after_line(p, end);
    skipped.bytes = p - text;
    ++skipped.lines;
  }
  return skipped;
}

// Returns where the line of entry number `wanted` (from 0) begins in a text of whole lines.
inline std::int64_t line_of_entry(const char* text, std::int64_t size, std::int64_t wanted) {
  const char* const end = text + size;
  for (const char* p = text; p < end; p = after_line(p, end)) {
    const char* const first = skip_blanks(p);
    if (!ends_line(*first) && wanted-- == 0) return p - text;
  }
  return 0;
}

}  // namespace btfperm
