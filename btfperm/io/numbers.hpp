// SPDX-License-Identifier: BSD-3-Clause
// numbers: numbers in text files, each of which must end where its token ends
//
// Idea        Each reader checks the character behind a number (`read_digits` leaves it to its
//             callers): "1.5" is no row number, and "1-2" is not the two numbers 1 and -2. A caller
//             receives the whole token as a number, or a fault, never the first part of a token.
// Beware      `read_index`, `read_whole` and `scan_real` read up to the first character that can be
//             no part of a number. The caller guarantees that one follows, such as a line end.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/pieces.hpp"

namespace btfperm {

// What is wrong with a line of a file; `none` if nothing is.
enum class Fault : int {
  none = 0,
  no_index = 1,   // two whole numbers are expected
  too_large = 2,  // a whole number exceeds its type
  row_outside = 3,
  col_outside = 4,
  no_value = 5,       // a number is expected
  not_whole = 6,      // a whole number is expected
  second_number = 7,  // a line of an array has one number
};

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }
inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
inline bool is_space(char c) { return is_blank(c) || c == '\n'; }
inline bool ends_line(char c) { return c == '\n' || c == '%'; }  // a comment also ends a line
inline bool ends_token(char c) { return is_blank(c) || ends_line(c); }

inline const char* skip_blanks(const char* p) {
  while (is_blank(*p)) ++p;
  return p;
}

// Digits at `p` as a number; 2^64 - 1 if it is larger than 2^63 - 1.
inline std::uint64_t read_digits(const char*& p) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  std::uint64_t value = 0;
  const char* const first = p;
  for (; is_digit(*p); ++p) value = 10 * value + static_cast<std::uint64_t>(*p - '0');
  if (p - first > 19) {  // leading zeros, or a number that no longer fits
    const char* const digits = std::find_if(first, p, [](char c) { return c != '0'; });
    if (p - digits > 19) value = most + 1;
  }
  return value > most ? std::numeric_limits<std::uint64_t>::max() : value;
}

// A whole number with a sign or without one. `ends` decides whether the token ends behind it.
template <class Ends>
Fault read_whole(const char*& p, Ends ends, std::int64_t& value) {
  const bool negative = *p == '-';
  if (negative || *p == '+') ++p;
  if (!is_digit(*p)) return Fault::not_whole;
  const std::uint64_t digits = read_digits(p);
  if (!ends(*p)) return Fault::not_whole;
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  if (digits > most) return Fault::too_large;
  value = negative ? -static_cast<std::int64_t>(digits) : static_cast<std::int64_t>(digits);
  return Fault::none;
}

// A row or column number, counted from 1 in the file; it may still lie outside the matrix.
template <class I>
Fault read_index(const char*& p, I& index) {
  std::int64_t value = 0;
  const Fault fault = read_whole(p, ends_token, value);
  if (fault != Fault::none) return fault == Fault::not_whole ? Fault::no_index : fault;
  if (value > std::numeric_limits<I>::max()) return Fault::too_large;
  index = value < 1 ? I{-1} : static_cast<I>(value - 1);
  return Fault::none;
}

// A real number that `scan_real` found.
struct RealToken {
  const char* first = nullptr;  // after a plus sign, if there is one
  const char* last = nullptr;
  const char* exponent = nullptr;  // the letter of the exponent, or null
  bool has_nonzero_digit = false;
  bool is_word = false;  // infinity or nan
};

inline bool skip_word(const char*& p, std::string_view word) {
  for (std::size_t k = 0; k < word.size(); ++k) {
    if ((p[k] | 0x20) != word[k]) return false;
  }
  p += word.size();
  return true;
}

// Whether the token at `p` is a decimal number (E or D before its exponent), infinity or nan.
inline bool scan_real(const char*& p, RealToken& token) {
  token = RealToken{};
  if (*p == '+') {
    token.first = ++p;
  } else {
    token.first = p;
    if (*p == '-') ++p;
  }
  int digits = 0;
  const auto take_digits = [&] {
    for (; is_digit(*p); ++p, digits = 1) token.has_nonzero_digit |= *p != '0';
  };
  take_digits();
  if (*p == '.') {
    ++p;
    take_digits();
  }
  if (digits == 0) {
    token.is_word = skip_word(p, "nan") || skip_word(p, "infinity") || skip_word(p, "inf");
    if (!token.is_word) return false;
  } else if ((*p | 0x20) == 'e' || (*p | 0x20) == 'd') {
    token.exponent = p++;
    if (*p == '+' || *p == '-') ++p;
    if (!is_digit(*p)) return false;
    while (is_digit(*p)) ++p;
  }
  token.last = p;
  return ends_token(*p);
}

// For a number outside the range of double: whether its modulus is too large (or else too small).
inline bool is_huge(const RealToken& token) {
  const char* const mantissa_end = token.exponent != nullptr ? token.exponent : token.last;
  const char* const point = std::find(token.first, mantissa_end, '.');
  const char* const leading =
      std::find_if(token.first, mantissa_end, [](char c) { return c >= '1' && c <= '9'; });
  std::int64_t power = point - leading;
  if (token.exponent != nullptr) {
    const char* p = token.exponent + 1;
    const bool negative = *p == '-';
    if (negative || *p == '+') ++p;
    constexpr std::uint64_t most = std::uint64_t{1} << 62;
    const auto size = static_cast<std::int64_t>(std::min(read_digits(p), most));
    power += negative ? -size : size;
  }
  return power > 0;
}

// The nearest double; beyond the largest one infinity, below the smallest one zero.
inline double real_of(const RealToken& token) {
  double value = 0;
  const char* first = token.first;
  const char* last = token.last;
  std::string copy;
  if (token.exponent != nullptr && (*token.exponent | 0x20) == 'd') {
    copy.assign(first, last);
    copy[static_cast<std::size_t>(token.exponent - first)] = 'e';
    first = copy.data();
    last = first + copy.size();
  }
  if (std::from_chars(first, last, value).ec == std::errc::result_out_of_range) {
    value = is_huge(token) ? std::numeric_limits<double>::infinity() : 0.0;
    if (*token.first == '-') value = -value;
  }
  return value;
}

// Whether the nearest double is zero. Most numbers need no conversion for this test.
inline bool is_zero(const RealToken& token) {
  if (token.is_word) return false;
  if (!token.has_nonzero_digit) return true;
  constexpr std::ptrdiff_t most_digits = 100;
  const bool small_exponent = token.exponent == nullptr || token.last - token.exponent <= 4;
  if (small_exponent && token.last - token.first <= most_digits) return false;
  return real_of(token) == 0;
}

// Calls take(k, value) for number k of [p, end), for at most `most` numbers, and moves `p` behind
// the last one. White space separates the numbers, or with `commas` the rules of JSON hold: commas
// separate them, and no number has a leading zero. Throws Unfinished when the budget ends the call.
template <class Take>
Fault for_whole_numbers(const char*& p, const char* end, std::int64_t most, bool commas,
                        Budget& budget, Take take) {
  const auto skip = [&] {
    while (p != end && is_space(*p)) ++p;
  };
  constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t k = 0; k < most; ++k) {
    if (k % piece == piece - 1 && !budget.poll()) throw Unfinished();
    const char* const behind = p;
    skip();
    if (p == end) {  // `p` stays behind the last number
      p = behind;
      return Fault::none;
    }
    if (k > 0 && commas) {
      if (*p++ != ',') return Fault::not_whole;
      skip();
    }
    const bool negative = p != end && *p == '-';
    if (p != end && (negative || (*p == '+' && !commas))) ++p;
    const char* const first = p;
    std::uint64_t value = 0;
    bool fits = true;
    for (; p != end && is_digit(*p); ++p) {
      const auto digit = static_cast<std::uint64_t>(*p - '0');
      fits = fits && value <= (largest - digit) / 10;
      value = 10 * value + digit;
    }
    if (p == first) return Fault::not_whole;
    // JSON allows no leading zero.
    if (commas && *first == '0' && p - first > 1) return Fault::not_whole;
    if (p != end && !is_space(*p) && !(commas && *p == ',')) return Fault::not_whole;
    if (!fits) return Fault::too_large;
    take(k, negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value));
  }
  return Fault::none;
}

}  // namespace btfperm
