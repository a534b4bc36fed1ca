# SPDX-License-Identifier: BSD-3-Clause
"""The input layer for matrices in memory.

All packages take a matrix as a `Pattern`: canonical compressed columns without values. `as_pattern`
checks a matrix of any supported type once, in linear time, and copies its arrays, so that later
changes of the input do not reach the pattern. `as_valued` keeps the values, too, in a
`ValuedPattern`.

* ``pattern.py`` and ``device_pattern.py``: the classes, on the host and on a GPU
* ``input.py`` and ``device_input.py``: `as_pattern`
* ``distributed.py`` and ``owned_lists.py``: a pattern over MPI ranks, and the lists of one rank
* ``valued.py``, ``values.py`` and ``values_gpu.py``: `ValuedPattern` and `as_valued`
* ``arrays.py``, ``host_matrix.py`` and ``memory.py``: checks of arrays, matrices and memory
* ``canonical.py``, ``canonical.hpp`` and ``canonical_gpu.py``: sort, merge duplicates, transpose
* ``permute.py``: permutations
"""

from typing import TYPE_CHECKING, Any

from btfperm.pattern.arrays import LARGEST_INT32, index_type
from btfperm.pattern.device_pattern import DevicePattern
from btfperm.pattern.input import as_pattern
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
    from btfperm.pattern.distributed import DistributedPattern
    from btfperm.pattern.valued import ValuedPattern
    from btfperm.pattern.values import as_valued

__all__ = [
    "DECOMPOSITION",
    "LARGEST_INT32",
    "SEARCH",
    "DevicePattern",
    "DistributedPattern",
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


def __getattr__(name: str) -> Any:  # loads a module only when one of its names is used
    if name == "DistributedPattern":
        from btfperm.pattern.distributed import DistributedPattern

        return DistributedPattern
    if name == "ValuedPattern":
        from btfperm.pattern.valued import ValuedPattern

        return ValuedPattern
    if name == "as_valued":
        from btfperm.pattern.values import as_valued

        return as_valued
    raise AttributeError(f"module 'btfperm.pattern' has no attribute {name!r}")
