// SPDX-License-Identifier: BSD-3-Clause
// The lists of the nodes of a graph in one array. A list may shrink, move, or be replaced
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/cpu/workspace.hpp"

namespace btfperm {

// The list of node k is members[start[k]] ... members[start[k] + length[k] - 1]. Members are not
// negative.
template <class I>
class NodeLists {
 public:
  // For lists with `entries` members in all. The array has room for one more list of all variables,
  // because a new list is written while the list that it replaces still exists.
  NodeLists(I variables, I elements, std::int64_t entries, Workspace& workspace)
      : members(workspace.take<I>(entries + variables)),
        start(workspace.take<std::int64_t>(static_cast<std::size_t>(variables) + elements)),
        length(workspace.take<I>(static_cast<std::size_t>(variables) + elements)),
        room_(entries + variables) {}

  void clear() { end = 0; }
  void open(I node) { start[node] = end; }
  void append(I member) { members[end++] = member; }
  void close(I node) { length[node] = static_cast<I>(end - start[node]); }

  bool has_room(std::int64_t more) const { return end + more <= room_; }

  // Moves the lists that are in use to the front of the array, and returns the number of places
  // that were read. To find the lists in the array, the first loop replaces the first member of
  // each list by a negative number, the complement of its node, and stores this member in `start`.
  template <class InUse>
  std::int64_t compress(I nodes, InUse in_use) {
    for (I k = 0; k < nodes; ++k) {
      if (length[k] == 0 || !in_use(k)) continue;
      const std::int64_t at = start[k];
      start[k] = members[at];
      members[at] = ~k;
    }
    const std::int64_t before = end;
    std::int64_t to = 0;
    for (std::int64_t p = 0; p < before;) {
      const I head = members[p++];
      if (head >= 0) continue;
      const I k = ~head;
      members[to] = static_cast<I>(start[k]);
      start[k] = to++;
      for (I left = length[k] - 1; left > 0; --left) members[to++] = members[p++];
    }
    end = to;
    return before;
  }

  I* members;
  std::int64_t* start;
  I* length;
  std::int64_t end = 0;  // number of places in use

 private:
  std::int64_t room_;
};

}  // namespace btfperm
