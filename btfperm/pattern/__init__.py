# SPDX-License-Identifier: BSD-3-Clause
"""THE MATRIX WITHOUT ITS VALUES.

`Pattern` is the one form in which every other room sees a matrix: canonical compressed columns,
validated once, in linear time. `as_pattern` is the one door: it takes whatever is a sparse matrix
to its owner. After the door, nobody checks again; so a pattern owns its arrays, and what its
maker does to the matrix later does not reach it.

``pattern.py`` has the class, ``device_pattern.py`` its sibling on a GPU; ``door.py`` the door,
``device_door.py`` that on a GPU, ``values.py`` `as_valued`, which adds the values, and
``values_gpu.py`` that on a GPU, ``arrays.py`` the checks of what comes in, ``memory.py`` those of
memory, ``permute.py`` permutations; ``canonical.py`` sorts,
merges duplicates and transposes by ``canonical.hpp``, ``canonical_gpu.py`` sorts on a GPU.
"""

from typing import TYPE_CHECKING, Any

from btfperm.pattern.arrays import LARGEST_INT32, index_type
from btfperm.pattern.device_pattern import DevicePattern
from btfperm.pattern.door import as_pattern
from btfperm.pattern.memory import (
    DECOMPOSITION,
    SEARCH,
    check_memory,
    memory_for,
    refuse_beyond_memory,
)
from btfperm.pattern.pattern import Pattern
from btfperm.pattern.permute import inverse, permute

if TYPE_CHECKING:
    from btfperm.pattern.valued import ValuedPattern
    from btfperm.pattern.values import as_valued

__all__ = [
    "DECOMPOSITION",
    "LARGEST_INT32",
    "SEARCH",
    "DevicePattern",
    "Pattern",
    "ValuedPattern",
    "as_pattern",
    "as_valued",
    "check_memory",
    "index_type",
    "inverse",
    "memory_for",
    "permute",
    "refuse_beyond_memory",
]


def __getattr__(name: str) -> Any:  # values are loaded only for callers that ask for them
    if name == "ValuedPattern":
        from btfperm.pattern.valued import ValuedPattern

        return ValuedPattern
    if name == "as_valued":
        from btfperm.pattern.values import as_valued

        return as_valued
    raise AttributeError(f"module 'btfperm.pattern' has no attribute {name!r}")
