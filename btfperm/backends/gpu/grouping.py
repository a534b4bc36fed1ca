# SPDX-License-Identifier: BSD-3-Clause
"""The members of each group: the driver of ``grouping.cu``, which sorts if many groups are
large."""

from __future__ import annotations

from typing import Any

from btfperm.backends.gpu.arrays import BLOCK
from btfperm.backends.gpu.compile import kernels
from btfperm.backends.gpu.counting_sort import places_in_order
from btfperm.backends.gpu.layout import constant
from btfperm.backends.gpu.readback import SharedStruct

__all__ = ["members_by_group"]

_WARPS = 10_000  # groups are divided among about this number of warps, enough for a whole device
_FILE = "backends/gpu/grouping.cu"


def members_by_group(
    group: Any, groups: int, halves: tuple[int, int] | None = None
) -> tuple[Any, Any]:
    """The items of each group, where ``group[i]`` is the group of item i. Returns two arrays:
    starts (groups + 1,) and members (n,). The items of group k are
    ``members[starts[k]:starts[k + 1]]``, ascending.

    With `halves`, there are two kinds of items, such as rows and columns, and no group has both.
    Its two numbers state how many groups, and how many items, are of the first kind; all others are
    of the second kind. Then starts has length groups + 2: the starts of the second kind follow
    those of the first kind, and they, and the members of the second kind, count from 0 again.
    """
    import cupy

    n, width = int(group.size), group.dtype
    if groups <= 1:
        return cupy.array([0, n], dtype=width)[: groups + 1], cupy.arange(n, dtype=width)
    half, first = halves or (groups, n)
    run = kernels(_FILE, width.name)
    starts, taken = cupy.empty(groups + 1 + (half < groups), dtype=width), cupy.empty(groups, width)
    large, max_large = SharedStruct(_FILE, "Large"), constant(_FILE, "most_large")
    sizes = n, group, groups, half, first, starts
    of_blocks = run.totals_of_blocks("size_groups", BLOCK)
    run.launch_together("size_groups", BLOCK, *sizes, taken, of_blocks, large.array)
    unordered, members = cupy.empty(n, dtype=width), cupy.empty(n, dtype=width)
    each = min(max(groups // _WARPS, 1), 32)
    of_blocks = run.totals_of_blocks("place_groups", BLOCK, max_large)
    placed = each, taken, unordered, members, of_blocks, large.array
    run.launch_together("place_groups", BLOCK, *sizes, *placed)
    if large.fields()["count"] > max_large:  # then place_groups did nothing
        members = places_in_order(group, groups)
        members[first:] -= width.type(first)
    return starts, members
