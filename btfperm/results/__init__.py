# SPDX-License-Identifier: BSD-3-Clause
"""What btfperm hands out: small frozen dataclasses of NumPy arrays.

Conventions, everywhere:

* ``row_match[i]`` is the column matched to row i, or -1; ``col_match[j]`` the row matched to
  column j, or -1.
* Permutations *gather*: ``A[row_perm, :][:, col_perm]`` is the permuted matrix, ``row_perm[k]``
  is the original row now in place k.
* Fine block k is rows ``row_blocks[k]:row_blocks[k+1]`` and columns
  ``col_blocks[k]:col_blocks[k+1]`` of the permuted matrix, which is block *upper* triangular.
* Blocks come in the canonical order; rows and columns ascend inside a block, so that nothing but
  the matching depends on the algorithm that ran. `matched_row_perm` puts the matching on the
  diagonal for those who need it there.

Index arrays have the index type of the pattern, int32 or int64; files hold int64. All arrays are
read-only, for several fields may share one: copy what you want to change.

``transversal.py`` has the matching and its cover, ``decomposition.py`` what is permuted by it,
``block_graph.py`` which blocks wait for which.
"""

from btfperm.pattern.arrays import IndexArray
from btfperm.results.block_graph import BlockGraph
from btfperm.results.decomposition import BlockTriangularForm, Decomposition, DulmageMendelsohn
from btfperm.results.transversal import Counters, Cover, Transversal

__all__ = [
    "BlockGraph",
    "BlockTriangularForm",
    "Counters",
    "Cover",
    "Decomposition",
    "DulmageMendelsohn",
    "IndexArray",
    "Transversal",
]
