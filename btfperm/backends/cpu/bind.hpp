// SPDX-License-Identifier: BSD-3-Clause
// Shared by the bind.cpp of every package: array types, Ctrl-C, arrays returned to Python
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "backends/cpu/budget.hpp"
#include "backends/cpu/gil.hpp"
#include "backends/cpu/pieces.hpp"
#include "backends/cpu/workspace.hpp"
#include "pattern/pattern.hpp"

namespace btfperm {

namespace nb = nanobind;

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using NumpyArray = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;

// Called with the GIL held, after a search that may have been interrupted.
inline void raise_if_interrupted(const Budget& budget) {
  if (budget.stop() == Stop::interrupted) throw nb::python_error();
}

// Runs pass(budget) without the GIL and returns its result. The budget has no limits; Ctrl-C ends
// it.
template <class Pass>
auto run_pass(Pass pass) {
  Budget budget(0, 0, &python_interrupted);
  try {
    const WithoutGil nogil;
    if constexpr (std::is_void_v<decltype(pass(budget))>) {
      pass(budget);
      if (!budget.stopped()) return;
    } else {
      auto result = pass(budget);
      if (!budget.stopped()) return result;
    }
  } catch (const Unfinished&) {
  }
  throw nb::python_error();
}

template <class I>
PatternView<I> view_of(std::int64_t m, const In<I>& indptr, const In<I>& indices) {
  return {static_cast<I>(m), static_cast<I>(indptr.shape(0) - 1), indptr.data(), indices.data()};
}

// Throws (ValueError in Python) unless an array has this length.
template <class Array>
void require_places(const Array& array, std::int64_t places, const char* name) {
  if (static_cast<std::int64_t>(array.shape(0)) != places) {
    throw std::invalid_argument(std::string(name) + " has " + std::to_string(array.shape(0)) +
                                " places, not " + std::to_string(places));
  }
}

// As view_of, for an `indptr` that is valid in itself; throws unless `m` fits the index type and
// `indices` has as many elements as `indptr` requires.
template <class I>
PatternView<I> checked_view_of(std::int64_t m, const In<I>& indptr, const In<I>& indices) {
  if (indptr.shape(0) == 0) throw std::invalid_argument("indptr has 0 places, not 1 or more");
  if (m < 0 || m > std::numeric_limits<I>::max()) throw std::invalid_argument("m is out of range");
  require_places(indices, indptr.data()[indptr.shape(0) - 1], "indices");
  return view_of<I>(m, indptr, indices);
}

// A Python object that owns a `Workspace`, as the owner of NumPy arrays in its memory.
inline nb::capsule owner_of(std::unique_ptr<Workspace> workspace) {
  return nb::capsule(workspace.release(),
                     [](void* p) noexcept { delete static_cast<Workspace*>(p); });
}

// A NumPy array that owns the memory of a `Workspace`.
template <class T>
NumpyArray<T> owned_array(std::unique_ptr<Workspace> workspace, T* data, std::size_t count) {
  return NumpyArray<T>(data, {count}, owner_of(std::move(workspace)));
}

// A NumPy array of `count` numbers that are not set.
template <class T>
NumpyArray<T> new_array(std::size_t count) {
  auto workspace = std::make_unique<Workspace>();
  T* data = workspace->take<T>(count);
  return owned_array(std::move(workspace), data, count);
}

void bind_backends(nb::module_& module);
void bind_io(nb::module_& module);
void bind_pattern(nb::module_& module);
void bind_transversal(nb::module_& module);
void bind_dulmage_mendelsohn(nb::module_& module);
void bind_ordering(nb::module_& module);
void bind_weighted(nb::module_& module);
void bind_starts(nb::module_& module);
void bind_graph(nb::module_& module);     // called by bind_weighted
void bind_external(nb::module_& module);  // called by bind_weighted
void bind_preorder(nb::module_& module);
void bind_diagnosis(nb::module_& module);

}  // namespace btfperm
