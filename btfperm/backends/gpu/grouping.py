# SPDX-License-Identifier: BSD-3-Clause
"""Who belongs to each group: the host's side of ``grouping.cu``, and a sort."""

from __future__ import annotations

from typing import Any

from btfperm.backends.gpu.arrays import BLOCK, COUNTING, grid
from btfperm.backends.gpu.compile import kernels
from btfperm.backends.gpu.counting_sort import sort_by_keys
from btfperm.backends.gpu.readback import Readback

__all__ = ["members_by_group"]

_WARPS = 10_000  # that a device is busy with
_MOST_LARGE = 16  # groups that are looked for in a list, by every member


def members_by_group(group: Any, groups: int) -> tuple[Any, Any]:
    """Starts (groups + 1,) and members (n,): those of group k are ``members[starts[k]:starts[k +
    1]]``, ascending."""
    import cupy

    n, width = int(group.size), group.dtype
    if groups <= 1:
        return cupy.array([0, n], dtype=width)[: groups + 1], cupy.arange(n, dtype=width)
    run = kernels("backends/gpu/grouping.cu", width.name)
    starts = cupy.zeros(groups + 1, dtype=width)
    run.launch("count_members", grid(n, COUNTING), BLOCK, n, group, starts)
    starts = cupy.cumsum(starts, dtype=width)
    found = Readback(1 + 2 * _MOST_LARGE)
    which, sizes = found.array[1 : 1 + _MOST_LARGE], found.array[1 + _MOST_LARGE :]
    listed = _MOST_LARGE, found.array, which, sizes
    run.launch("find_large", grid(groups), BLOCK, groups, starts, *listed)
    count, *numbers = found.read()
    if count > _MOST_LARGE:
        return starts, sort_by_keys(group, None, groups)[1]
    unordered, members = cupy.empty(n, dtype=width), cupy.empty(n, dtype=width)
    if count:
        run.launch("class_members", grid(n), BLOCK, n, group, count, which, unordered)
        by_class = sort_by_keys(unordered, None, count + 1)
        total = sum(numbers[_MOST_LARGE:])
        places = which, sizes, starts, members
        run.launch("place_large", grid(total), BLOCK, total, *by_class, *places)
    taken = cupy.zeros(groups, dtype=width)
    run.launch("place_members", grid(n), BLOCK, n, group, starts, taken, unordered, members)
    each = min(max(groups // _WARPS, 1), 32)
    blocks = grid(32 * -(-groups // each))
    run.launch("order_members", blocks, BLOCK, groups, each, starts, unordered, members)
    return starts, members
