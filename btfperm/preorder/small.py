# SPDX-License-Identifier: BSD-3-Clause
"""`preorder` with its defaults for a small matrix: one call of the core instead of one for each
step.

``small.hpp`` implements the rules of ``weights.py`` and ``inside_blocks.py`` for fewer than 500
rows. The block triangular form, with its transversal and scalings, is computed at its first use.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.block_triangular import block_triangular_form
from btfperm.ordering import Fill, inside_blocks
from btfperm.pattern.host_matrix import is_scipy
from btfperm.preorder import weights
from btfperm.preorder.preordering import Preordering, Solver
from btfperm.preorder.values import canonical_copies
from btfperm.results import BlockTriangularForm
from btfperm.results.read_only import new_result
from btfperm.transversal.stored_zeros import warn_that_zeros_do_not_matter
from btfperm.weighted.certificate import TOLERANCE

__all__ = ["small_preordering"]

# Below this number of entries, `maximum_transversal` searches by ss-bfs from an empty matching. The
# core does the same here, so that both find the same one of several transversals.
_MOST_ENTRIES = 4_000
_ORDERINGS = {-1: "natural", 0: "amd", 1: "colamd", 3: "minimum-fill"}


def _rules(solver: Solver) -> Any:
    return _core.preorder.SmallRules(
        for_klu=solver == "klu",
        symmetric_enough=inside_blocks.SYMMETRIC_ENOUGH,
        most_small=inside_blocks.MOST_SMALL,
        weak=weights.WEAK,
        small=weights.SMALL_ENTRY,
        fill_more=weights.FILL_MORE,
        less_fill=inside_blocks.LESS_FILL,
        work_per_operation=inside_blocks.WORK_PER_OPERATION,
        work_per_entry=inside_blocks.WORK_PER_ENTRY,
        most_fill=inside_blocks.MOST_FILL,
        tolerance=TOLERANCE,
    )


_RULES = {"klu": _rules("klu"), "superlu": _rules("superlu")}


def small_preordering(A: Any, solver: Solver) -> Preordering | None:
    """The result of `preorder` for a SciPy matrix in sorted compressed columns of float64 values,
    with fewer than 500 rows and fewer than 4,000 entries. None for all other matrices, and if a
    step fails or a stored zero is matched."""
    if not is_scipy(A) or A.format != "csc" or not 0 < A.shape[0] < inside_blocks.SMALL:
        return None
    if A.indices.size >= _MOST_ENTRIES:
        return None
    arrays = canonical_copies(A)
    if arrays is None or arrays[2].dtype != np.float64:
        return None
    indptr, _, values = arrays
    n = indptr.size - 1
    rows, cols, bounds = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n + 1, np.int32)
    order = _core.preorder.small_order
    logarithms = partial(_logarithms, values)
    is_ordered, *facts = order(*arrays, logarithms, _RULES[solver], rows, cols, bounds)
    if not is_ordered:
        return None
    n_zeros = values.size - int(np.count_nonzero(values))
    if n_zeros:
        warn_that_zeros_do_not_matter(n_zeros, n)
    n_blocks, ordering, is_weighted, is_symmetric, is_counted, *fill = facts
    blocks = bounds[: n_blocks + 1].copy()
    fields = {
        "shape": (n, n),
        "row_perm": rows,
        "col_perm": cols,
        "blocks": blocks,
        "solver": solver,
        "block_ordering": _ORDERINGS[ordering],
        "weights": "product" if is_weighted else "none",
        "_is_nearly_symmetric": is_symmetric,
    }
    if is_counted:
        fields["predicted_fill"] = Fill(*fill)
    return new_result(Preordering, fields, {"form": partial(_form, arrays, is_weighted)})


def _logarithms(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    logarithms: npt.NDArray[np.float64] = np.log(np.abs(values[values != 0]))
    return logarithms


def _form(arrays: tuple[Any, Any, Any], is_weighted: bool) -> BlockTriangularForm:
    valued = weights.valued_of(*arrays)
    form = block_triangular_form(valued.pattern, drop_zeros=False)
    return weights.weighted_form(valued, form, 1)[0] if is_weighted else form
