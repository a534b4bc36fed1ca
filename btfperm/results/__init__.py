# SPDX-License-Identifier: BSD-3-Clause
"""The results of btfperm: small frozen dataclasses of NumPy or CuPy arrays.

All results have these conventions:

* ``row_match[i]`` is the column matched to row i, or -1; ``col_match[j]`` is the row matched to
  column j, or -1.
* Permutations *gather*: ``A[row_perm, :][:, col_perm]`` is the permuted matrix, and ``row_perm[k]``
  is the original row now in place k.
* Fine block k is rows ``row_blocks[k]:row_blocks[k+1]`` and columns
  ``col_blocks[k]:col_blocks[k+1]`` of the permuted matrix, which is block *upper* triangular.
* Blocks are in the canonical order, and rows and columns ascend inside a block. So only the
  matching depends on the algorithm; in a `BlockTriangularForm` of a structurally singular matrix,
  the blocks depend on it, too. `matched_row_perm` puts the matching on the diagonals of the square
  blocks. A `SolverOrder` has another order inside the blocks.

Index arrays have the index type of the pattern, int32 or int64. In a result that was read from a
file, the type is int32 if the shape and the number of entries fit. NumPy arrays are read-only,
because several fields may share one array: copy an array to change it. CuPy has no read-only
arrays.

``==`` compares the values of arrays; the docstring of each class names the fields that it compares.
Results of one process have HTML tables for notebooks.

``transversal.py`` defines the matching and its cover, ``decomposition.py`` the decompositions,
``parts.py`` their coarse parts and blocks, ``block_graph.py`` the dependencies between blocks.
"""

import importlib
from typing import TYPE_CHECKING, Any

from btfperm.pattern.arrays import IndexArray
from btfperm.results.block_graph import BlockGraph
from btfperm.results.decomposition import BlockTriangularForm, Decomposition, DulmageMendelsohn
from btfperm.results.parts import Block, CoarsePart
from btfperm.results.solver_order import SolverOrder
from btfperm.results.transversal import Counters, Cover, Transversal

if TYPE_CHECKING:  # imported at their first use, because each import delays the command line
    from btfperm.results.distributed import DistributedDecomposition as DistributedDecomposition
    from btfperm.results.distributed import DistributedGraphMatching as DistributedGraphMatching
    from btfperm.results.distributed import DistributedTransversal as DistributedTransversal
    from btfperm.results.distributed import (
        DistributedWeightedTransversal as DistributedWeightedTransversal,
    )
    from btfperm.results.graph_matching import GraphMatching as GraphMatching
    from btfperm.results.weighted import WeightedTransversal as WeightedTransversal

_MODULE_OF = {
    "DistributedDecomposition": "distributed",
    "DistributedGraphMatching": "distributed",
    "DistributedTransversal": "distributed",
    "DistributedWeightedTransversal": "distributed",
    "GraphMatching": "graph_matching",
    "WeightedTransversal": "weighted",
}

__all__ = [
    "Block",
    "BlockGraph",
    "BlockTriangularForm",
    "CoarsePart",
    "Counters",
    "Cover",
    "Decomposition",
    "DistributedDecomposition",
    "DistributedGraphMatching",
    "DistributedTransversal",
    "DistributedWeightedTransversal",
    "DulmageMendelsohn",
    "GraphMatching",
    "IndexArray",
    "SolverOrder",
    "Transversal",
    "WeightedTransversal",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'btfperm.results' has no attribute {name!r}")
    return getattr(importlib.import_module(f"btfperm.results.{_MODULE_OF[name]}"), name)
