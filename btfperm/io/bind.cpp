// SPDX-License-Identifier: BSD-3-Clause
#include "backends/cpu/bind.hpp"

#include <nanobind/stl/tuple.h>

#include <tuple>

#include "io/matrix_market.hpp"
#include "io/numbers.hpp"

namespace btfperm {
namespace {

using Bytes = In<std::uint8_t>;
using Numbers = Out<std::int64_t>;
using Found = std::tuple<int, std::int64_t>;

const char* text_of(const Bytes& text) { return reinterpret_cast<const char*>(text.data()); }

// The block `text`, which must end with a line end, and its parts: divide_text writes both arrays.
TextParts parts_of(const Bytes& text, const Numbers& ends, const Numbers& before) {
  const auto size = static_cast<std::int64_t>(text.shape(0));
  const auto parts = static_cast<std::int64_t>(ends.shape(0)) - 1;
  if (parts < 1 || size < 1) throw std::invalid_argument("a block has a part and a line");
  require_places(before, parts + 1, "before");
  if (text_of(text)[size - 1] != '\n') throw std::invalid_argument("a block ends with a line");
  return {text_of(text), parts, ends.data(), before.data()};
}

template <class Array>
void require_room(const Array& array, const TextParts& block, std::int64_t each, const char* name) {
  require_places(array, each * block.before[block.parts], name);
}

// parse(value) with the reader of values for `field`: 0 no values, 1 and 2 zeros among real and
// complex numbers, 3 real numbers, 4 whole numbers, 5 complex numbers.
template <class Parse>
Found with_values(const TextParts& block, int field, const nb::object& out, Parse parse) {
  const auto run = [&](auto value) {
    const FaultAt found = run_pass([&](Budget& budget) { return parse(value, budget); });
    return Found(static_cast<int>(found.fault), found.at);
  };
  if (field == 0) return run(NoValue{});
  if (field == 1 || field == 2) {
    const auto zeros = nb::cast<Out<bool>>(out, false);
    require_room(zeros, block, 1, "zeros");
    return run(ZeroFlag{zeros.data(), field});
  }
  if (field == 4) {
    const auto values = nb::cast<Out<std::int64_t>>(out, false);
    require_room(values, block, 1, "values");
    return run(WholeValue{values.data()});
  }
  const int each = field == 5 ? 2 : 1;
  const auto values = nb::cast<Out<double>>(out, false);
  require_room(values, block, each, "values");
  return run(RealValue{values.data(), each});
}

template <class I>
void bind_coordinates(nb::module_& module) {
  module.def(
      "parse_coordinates",
      [](Bytes text, Numbers ends, Numbers before, std::int64_t m, std::int64_t n, Out<I> rows,
         Out<I> cols, int field, const nb::object& out) {
        const TextParts block = parts_of(text, ends, before);
        require_room(rows, block, 1, "rows");
        require_room(cols, block, 1, "cols");
        return with_values(block, field, out, [&](auto value, Budget& budget) {
          return parse_coordinates(block, static_cast<I>(m), static_cast<I>(n), rows.data(),
                                   cols.data(), value, budget);
        });
      },
      nb::arg("text"), nb::arg("ends"), nb::arg("before"), nb::arg("m"), nb::arg("n"),
      nb::arg("rows").noconvert(), nb::arg("cols").noconvert(), nb::arg("field"),
      nb::arg("out").none(), "Entries of a coordinate file; (fault, where its line begins).");
}

}  // namespace

void bind_io(nb::module_& module) {
  module.def(
      "divide_text",
      [](Bytes text, Numbers ends, Numbers before) {
        const TextParts block = parts_of(text, ends, before);
        const auto size = static_cast<std::int64_t>(text.shape(0));
        const LineCounts total =
            run_pass([&](Budget& budget) { return divide_text(block, size, budget); });
        return std::tuple(total.lines, total.entries, total.nul);
      },
      nb::arg("text"), nb::arg("ends").noconvert(), nb::arg("before").noconvert(),
      "Divide whole lines of text into parts, and count the entries before each; (lines, entries, "
      "the first NUL byte or -1).");
  module.def(
      "find_long_line",
      [](Bytes text, std::int64_t longest) {
        const auto size = static_cast<std::int64_t>(text.shape(0));
        if (longest < 2) throw std::invalid_argument("a line has at least two bytes");
        if (size > 0 && text_of(text)[size - 1] != '\n') {
          throw std::invalid_argument("a block ends with a line");
        }
        return find_long_line(text_of(text), size, longest);
      },
      nb::arg("text"), nb::arg("longest"),
      "Where the first line of more than `longest` bytes that is no comment begins, or -1.");
  bind_coordinates<std::int32_t>(module);
  bind_coordinates<std::int64_t>(module);
  module.def(
      "parse_values",
      [](Bytes text, Numbers ends, Numbers before, int field, const nb::object& out) {
        const TextParts block = parts_of(text, ends, before);
        if (field == 0) throw std::invalid_argument("an array has values");
        return with_values(block, field, out, [&](auto value, Budget& budget) {
          return parse_values(block, value, budget);
        });
      },
      nb::arg("text"), nb::arg("ends"), nb::arg("before"), nb::arg("field"), nb::arg("out"),
      "Values of an array file; (fault, where its line begins).");
  module.def(
      "skip_comments",
      [](Bytes text) {
        const Skipped found =
            skip_comments(text_of(text), static_cast<std::int64_t>(text.shape(0)));
        return std::tuple(found.bytes, found.lines);
      },
      nb::arg("text"),
      "Whole lines at the start of a text that are blank or comments; (bytes, lines).");
  module.def(
      "line_of_entry",
      [](Bytes text, std::int64_t wanted) {
        return line_of_entry(text_of(text), static_cast<std::int64_t>(text.shape(0)), wanted);
      },
      nb::arg("text"), nb::arg("wanted"), "Where the line of an entry begins.");
  module.def(
      "measure_whole_numbers",
      [](Bytes text, std::int64_t first, std::int64_t last, std::int64_t most, bool commas) {
        if (first < 0 || last < first || last > static_cast<std::int64_t>(text.shape(0))) {
          throw std::invalid_argument("the range is not inside the text");
        }
        std::int64_t count = 0;
        bool wide = false;
        const char* p = text_of(text) + first;
        const Fault fault = run_pass([&](Budget& budget) {
          return for_whole_numbers(p, text_of(text) + last, most, commas, budget,
                                   [&](std::int64_t k, std::int64_t value) {
                                     count = k + 1;
                                     wide |= value != static_cast<std::int32_t>(value);
                                   });
        });
        return std::tuple(static_cast<int>(fault), count, wide,
                          static_cast<std::int64_t>(p - text_of(text)));
      },
      nb::arg("text"), nb::arg("first"), nb::arg("last"), nb::arg("most"), nb::arg("commas"),
      "Whole numbers in text[first:last], at most `most` of them: (fault, their number, whether "
      "one needs "
      "64 bits, where the text behind them begins).");
  const auto bind_read = [&]<class I>(I) {
    module.def(
        "read_whole_numbers",
        [](Bytes text, std::int64_t first, std::int64_t last, bool commas, Out<I> out) {
          if (first < 0 || last < first || last > static_cast<std::int64_t>(text.shape(0))) {
            throw std::invalid_argument("the range is not inside the text");
          }
          const char* p = text_of(text) + first;
          run_pass([&](Budget& budget) {
            return for_whole_numbers(
                p, text_of(text) + last, static_cast<std::int64_t>(out.shape(0)), commas, budget,
                [&](std::int64_t k, std::int64_t value) { out.data()[k] = static_cast<I>(value); });
          });
        },
        nb::arg("text"), nb::arg("first"), nb::arg("last"), nb::arg("commas"),
        nb::arg("out").noconvert(), "The numbers that were measured.");
  };
  bind_read(std::int32_t{});
  bind_read(std::int64_t{});
}

}  // namespace btfperm
