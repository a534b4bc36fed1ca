// SPDX-License-Identifier: BSD-3-Clause
// A kernel for its launcher: a name, parameters, and a call with pointers to the arguments
#pragma once

#include <type_traits>
#include <utility>

namespace fibers {

// A parameter: its size in bytes, and 256 times the size of a pointer's target (0: not a pointer;
// 1: the target is not a number).
struct Parameter {
  unsigned bytes, pointee;
};

struct Kernel {
  const char* name;
  void (*call)(void**);
  const Parameter* parameters;
  unsigned count;
};

template <class P>
constexpr Parameter parameter_of() {
  if constexpr (std::is_pointer_v<P>) {
    using To = std::remove_pointer_t<P>;
    if constexpr (std::is_arithmetic_v<To>) return {sizeof(P), sizeof(To) << 8};
    return {sizeof(P), 1};
  }
  return {sizeof(P), 0};
}

template <auto function>
struct Called;

template <class... P, void (*function)(P...)>
struct Called<function> {
  static constexpr Parameter parameters[sizeof...(P) + 1] = {parameter_of<P>()..., {0, 0}};

  static void call(void** arguments) { unpack(arguments, std::index_sequence_for<P...>{}); }

  template <std::size_t... k>
  static void unpack(void** arguments, std::index_sequence<k...>) {
    function(*static_cast<std::remove_cv_t<P>*>(arguments[k])...);
  }

  static constexpr Kernel named(const char* name) {
    return {name, &call, parameters, sizeof...(P)};
  }
};

}  // namespace fibers
