# SPDX-License-Identifier: BSD-3-Clause
"""The input layer: matrices of all supported types become patterns.

The structural algorithms take a matrix as a `Pattern`: canonical compressed columns without values.
`as_pattern` checks the arrays of a matrix once. It copies arrays on the host unless the caller sets
`owned`, so that later changes of the input do not reach the pattern; canonical columns on a GPU are
shared. `as_valued` keeps the values, too, in a `ValuedPattern`.

* ``pattern.py``, ``device_pattern.py``, ``compared.py``: the classes, on the host and on a GPU
* ``input.py``, ``device_input.py``, ``blocks_and_diagonals.py``: `as_pattern`
* ``distributed.py`` and ``owned_lists.py``: a pattern over MPI ranks, and the lists of one rank
* ``valued.py``, ``values.py`` and ``values_gpu.py``: `ValuedPattern` and `as_valued`
* ``arrays.py``, ``host_matrix.py`` and ``memory.py``: checks of arrays, matrices and memory
* ``canonical.py``, ``canonical.hpp``, ``canonical_gpu.py``, ``transpose_by_parts.hpp``: sort, merge
  duplicates, transpose
* ``permute.py``, ``permute_gpu.py`` and ``scale.py``: permutations and scalings
* ``features.py`` and ``order_sample_gpu.py``: features of a sample, for the rules of ``auto``
* ``raster.py``: the numbers of entries in the cells of a picture
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
