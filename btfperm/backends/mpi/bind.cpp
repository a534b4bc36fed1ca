// SPDX-License-Identifier: BSD-3-Clause
// `_core.ranks`: sorts items by their owner, and computes local numbers. It calls no MPI function.
#include "backends/mpi/bind.hpp"

#include <nanobind/stl/tuple.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <algorithm>
#include <memory>
#include <tuple>
#include <vector>

#include "backends/mpi/ascending.hpp"
#include "backends/mpi/buckets.hpp"
#include "backends/mpi/ghosts.hpp"

namespace btfperm {
namespace {

template <class I>
void bind_width(nb::module_& module) {
  module.def(
      "owners",
      [](In<std::int64_t> bounds, In<I> indices) {
        const int ranks = static_cast<int>(bounds.shape(0)) - 1;
        if (ranks < 1) throw std::invalid_argument("bounds has no range");
        NumpyArray<std::int32_t> found = new_array<std::int32_t>(indices.shape(0));
        Owners owners(bounds.data(), ranks);
        for (std::size_t k = 0; k < indices.shape(0); ++k) {
          found.data()[k] = owners.of(indices.data()[k]);
        }
        return found;
      },
      nb::arg("bounds").noconvert(), nb::arg("indices").noconvert(),
      "The rank that owns each index.");
  module.def(
      "count_by_bucket",
      [](In<I> indices, std::int64_t width, Out<std::int64_t> counts) {
        if (width < 1) throw std::invalid_argument("a bucket has no index");
        const auto buckets = static_cast<std::int64_t>(counts.shape(0));
        if (!count_by_bucket(static_cast<std::int64_t>(indices.shape(0)), indices.data(), width,
                             buckets, counts.data())) {
          throw std::invalid_argument("an index is in no bucket");
        }
      },
      nb::arg("indices").noconvert(), nb::arg("width"), nb::arg("counts").noconvert(),
      "Add the number of indices in each bucket of `width` successive ones to `counts`.");
  module.def(
      "number_ghosts",
      [](std::int64_t first, std::int64_t last, std::int64_t range, Out<I> items,
         const nb::object& kept) {
        const auto count = static_cast<std::int64_t>(items.shape(0));
        if (!are_in_range(items, range)) {
          throw std::invalid_argument("an item is out of range");
        }
        LocalNumbers<I> numbers(first, last, range);
        run_pass([&](Budget& budget) { numbers.find_ghosts(count, items.data(), budget); });
        NumpyArray<I> found = new_array<I>(numbers.n_ghosts());
        numbers.list(found.data());
        nb::object ghosts = nb::cast(found);
        if (!kept.is_none()) nb::cast<nb::list>(kept).append(ghosts);
        {  // nothing fails from here on, and no signal handler runs
          const WithoutGil nogil;
          numbers.renumber(count, items.data());
        }
        return ghosts;
      },
      nb::arg("first"), nb::arg("last"), nb::arg("range"), nb::arg("items").noconvert(),
      nb::arg("kept") = nb::none(),
      "Replace items by their local numbers, in place; return the numbers of the ghosts. They are "
      "also appended to the list `kept`, before the first item changes.");
  module.def(
      "sort_by_owner",
      [](In<std::int32_t> owner, int ranks, const nb::list& fields, In<I>) {
        const auto count = static_cast<std::int64_t>(owner.shape(0));
        if (!are_in_range(owner, ranks)) {
          throw std::invalid_argument("an owner is out of range");
        }
        std::vector<In<I>> arrays;
        std::vector<const I*> columns;
        for (const nb::handle field : fields) {
          arrays.push_back(nb::cast<In<I>>(field));
          require_places(arrays.back(), count, "a field");
          columns.push_back(arrays.back().data());
        }
        NumpyArray<I> lines = new_array<I>(owner.shape(0) * columns.size());
        NumpyArray<std::int64_t> sent = new_array<std::int64_t>(ranks);
        NumpyArray<std::int64_t> order = new_array<std::int64_t>(owner.shape(0));
        count_by_owner(count, owner.data(), ranks, sent.data());
        sort_by_owner(count, owner.data(), columns, ranks, sent.data(), lines.data(), order.data());
        return std::tuple(lines, sent, order);
      },
      nb::arg("owner").noconvert(), nb::arg("ranks"), nb::arg("fields"),
      nb::arg("kind").noconvert(),
      "Return (lines, sent, order): the fields of each item as one line, sorted by owner, the "
      "number of lines for each rank, and the item of each line. `kind` is any array with the type "
      "of the fields.");
}

template <class I>
NumpyArray<I> numbers_at(const AscendingNumbers<I>& self, const auto& places) {
  if (!are_in_range(places, self.size())) throw std::invalid_argument("a place is out of range");
  NumpyArray<I> found = new_array<I>(places.shape(0));
  for (std::size_t k = 0; k < places.shape(0); ++k) found.data()[k] = self[places.data()[k]];
  return found;
}

template <class I>
void bind_ascending(nb::module_& module, const char* name) {
  using Numbers = AscendingNumbers<I>;
  nb::class_<Numbers>(module, name, "Ascending numbers in one or two bytes each.")
      .def(
          "__init__",
          [](Numbers* self, In<I> numbers) {
            const I* const end = numbers.data() + numbers.shape(0);
            if (!std::is_sorted(numbers.data(), end) ||
                (numbers.data() != end && *numbers.data() < 0)) {
              throw std::invalid_argument("the numbers must ascend from 0 or above");
            }
            new (self) Numbers(static_cast<std::int64_t>(numbers.shape(0)), numbers.data());
          },
          nb::arg("numbers").noconvert())
      .def_prop_ro("size", &Numbers::size)
      .def(
          "part",
          [](const Numbers& self, std::int64_t begin, std::int64_t end) {
            if (begin < 0 || begin > end || end > self.size()) {
              throw std::invalid_argument("a place is out of range");
            }
            NumpyArray<I> found = new_array<I>(static_cast<std::size_t>(end - begin));
            for (std::int64_t k = begin; k < end; ++k) found.data()[k - begin] = self[k];
            return found;
          },
          nb::arg("begin"), nb::arg("end"), "Return the numbers begin .. end - 1.")
      .def(
          "at",
          [](const Numbers& self, In<std::int64_t> places) { return numbers_at(self, places); },
          nb::arg("places").noconvert(), "Return the numbers at these places.")
      .def(
          "at",
          [](const Numbers& self, In<std::int32_t> places) { return numbers_at(self, places); },
          nb::arg("places").noconvert())
      .def(
          "count_below",
          [](const Numbers& self, std::int64_t number) {
            return self.first_not_below(number, 0, self.size());
          },
          nb::arg("number"), "Return how many of the numbers are below this one.");
}

}  // namespace

void bind_ranks(nb::module_& module) {
  module.def(
      "map_arrays",
      [](int least) {
#if defined(__GLIBC__)
        mallopt(M_MMAP_THRESHOLD, least);
#else
        static_cast<void>(least);
#endif
      },
      nb::arg("least"),
      "Make the C library map each array of at least this many bytes on its own, so that its "
      "memory is returned to the system when it is freed. Only glibc can do this.");
  bind_width<std::int32_t>(module);
  bind_width<std::int64_t>(module);
  bind_ascending<std::int32_t>(module, "Ascending32");
  bind_ascending<std::int64_t>(module, "Ascending64");
}

}  // namespace btfperm
