# SPDX-License-Identifier: BSD-3-Clause
"""WHY A MATRIX IS STRUCTURALLY SINGULAR, AND WHAT WOULD REPAIR IT.

`diagnose` starts from the Dulmage-Mendelsohn decomposition. The connected components of its
vertical part are the independent overdetermined groups; those of its horizontal part are the
underdetermined groups. The explanation of a group is a minimal Hall violator in it (see
``minimal_violators.hpp``).

* ``groups.py`` and ``result.py``: the classes that `diagnose` returns
* ``explain.py``, ``submatrix.hpp``, ``items_by_degree.hpp`` and ``minimal_violators.hpp``: the
  explanation of each group; ``violators_certificate.hpp`` checks it
* ``identical.py`` and ``identical_rows.hpp``: rows with identical patterns
* ``outside_blocks.hpp``: the entries that are in no maximum transversal
* ``names.py`` and ``systems.py``: names of rows and columns; models of Pyomo and CasADi
* ``text.py`` and ``as_dict.py``: the diagnosis in words, and for JSON
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from btfperm import _core
from btfperm.arguments import refuse_unknown_keywords
from btfperm.backends.threads import pass_threads
from btfperm.diagnosis.explain import Part, defect, explained
from btfperm.diagnosis.groups import Explanation, Group, Groups
from btfperm.diagnosis.identical import identical_rows
from btfperm.diagnosis.names import checked_names
from btfperm.diagnosis.result import Diagnosis, Positions, Repair, RowSets, StoredZeros
from btfperm.diagnosis.systems import System, casadi_system, pyomo_system, with_names
from btfperm.dulmage_mendelsohn import dulmage_mendelsohn
from btfperm.errors import InvalidArgumentError
from btfperm.path.request import Request
from btfperm.pattern import DECOMPOSITION, as_pattern, memory_for
from btfperm.pattern.input import refuse_ranks
from btfperm.results import Cover, DulmageMendelsohn
from btfperm.results.read_only import frozen
from btfperm.transversal import SEARCH_KEYWORDS
from btfperm.transversal.stored_zeros import rank_the_other_way

__all__ = [
    "Diagnosis",
    "Explanation",
    "Group",
    "Groups",
    "Positions",
    "Repair",
    "RowSets",
    "StoredZeros",
    "System",
    "casadi_system",
    "diagnose",
    "pyomo_system",
]


def diagnose(
    A: Any,
    *,
    row_names: Any = None,
    col_names: Any = None,
    shape: Sequence[int] | None = None,
    drop_zeros: bool | None = None,
    **options: Any,
) -> Diagnosis:
    """Finds the rows and columns that make a matrix structurally singular, and changes that would
    repair it.

    Parameters
    ----------
    A : a matrix of any type that `as_pattern` accepts; a `DulmageMendelsohn` that was computed from
        a matrix; a Pyomo model or block (also of IDAES) or a CasADi function, whose names are used;
        or a pandas DataFrame, whose index and columns are the names unless they are plain numbers
    row_names, col_names : a name for each row and column: a list, an array, a pandas Index, or the
        path of a file with one name a line
    shape : (m, n), only with a (data, indices, indptr) triple
    drop_zeros : True omits stored zeros. By default, they are kept, and their effect is reported
    options : as for `maximum_transversal`; not allowed with a `DulmageMendelsohn`

    Returns
    -------
    Diagnosis : its findings depend on the entries alone, not on the algorithm. ``print`` shows them
        in words

    Raises
    ------
    InvalidArgumentError : the number of names is wrong; or `A` is a decomposition that has no
        matrix, or other arguments than names are given with it
    LimitReachedError : a limit stopped the search
    DefectError : an explanation failed its certificate; a defect of btfperm, please report it

    Notes
    -----
    O(m + n + nnz) after the decomposition, in addition to sorts. If a group has an excess of more
    than one, a second search in its coarse part finds another matching, which does not depend on
    the first search. If there are stored zeros, one more search finds the rank without them, or
    with them if they were dropped. If they hide a deficiency, the matrix without them is diagnosed,
    too.

    Each explanation is minimal: none of its rows (columns) can be left out. A smallest explanation
    is NP-hard to find [1]_.

    References
    ----------
    .. [1] T. F. Coleman, A. Pothen, "The null space problem I. Complexity", SIAM J. Alg. Disc.
       Meth. 7 (1986) 527-537

    Examples
    --------
    >>> import numpy as np
    >>> import btfperm
    >>> A = np.array([[1, 1, 1], [0, 0, 1], [0, 0, 1]])
    >>> d = btfperm.diagnose(A, row_names=["mass", "energy", "setpoint"])
    >>> d.overdetermined[0].rows.tolist(), d.overdetermined[0].cols.tolist()
    ([1, 2], [2])
    >>> d.repair.remove_rows.tolist(), d.repair.fix_cols.tolist()
    ([1], [0])
    """
    refuse_unknown_keywords("diagnose", options, SEARCH_KEYWORDS)
    refuse_ranks("diagnose", A, options)
    begin = time.perf_counter()
    A, row_names, col_names = with_names(A, row_names, col_names)
    d = _decomposition(A, shape, drop_zeros, options).on_host()
    middle = time.perf_counter()
    names = (
        checked_names(row_names, d.shape[0], "row"),
        checked_names(col_names, d.shape[1], "column"),
    )
    seconds = {"decomposition": middle - begin}
    return _diagnosis(d, *names, seconds, options.get("threads"))


def _decomposition(
    A: Any, shape: Sequence[int] | None, drop_zeros: bool | None, options: dict[str, Any]
) -> DulmageMendelsohn:
    if isinstance(A, DulmageMendelsohn):
        if shape is not None or drop_zeros is not None or options:
            about = {"shape": shape, "drop_zeros": drop_zeros}
            given = [*options, *(name for name, value in about.items() if value is not None)]
            raise InvalidArgumentError(
                f"nothing is searched for a decomposition: leave out {', '.join(sorted(given))}"
            )
        if A.pattern is None:
            raise InvalidArgumentError(
                "a decomposition from a file has no matrix: give the matrix to diagnose"
            )
        return A
    with memory_for(DECOMPOSITION):
        pattern = as_pattern(A, shape=shape, drop_zeros=drop_zeros, threads=options.get("threads"))
        # The diagnosis reports the effect of stored zeros, so that no warning is needed.
        decided = None if pattern.stored_zeros is None else pattern.zeros_dropped
        return dulmage_mendelsohn(pattern, drop_zeros=decided, **options)


def _diagnosis(
    d: DulmageMendelsohn,
    row_names: Any,
    col_names: Any,
    seconds: dict[str, float],
    threads: int | None = None,
) -> Diagnosis:
    begin = time.perf_counter()
    pattern = d.pattern
    assert pattern is not None
    team = pass_threads(pattern.nnz, threads)
    over, under = (explained(d, kind, team) for kind in ("overdetermined", "underdetermined"))
    n_never = _core.diagnosis.count_outside_blocks(
        pattern.indptr, pattern.indices, d.row_block, d.col_block, team
    )
    if n_never < 0:
        raise defect("an entry is below the diagonal blocks")
    same = identical_rows(pattern)
    zeros = _stored_zeros(d, row_names, col_names)
    seconds = {**seconds, "diagnosis": time.perf_counter() - begin}
    return Diagnosis(
        d,
        over.groups,
        under.groups,
        _repair(d, over, under),
        _always(d),
        n_never,
        same,
        zeros,
        row_names,
        col_names,
        seconds,
    )


def _repair(d: DulmageMendelsohn, over: Part, under: Part) -> Repair:
    """The smallest changes. A new entry in an unmatched row and an unmatched column increases the
    rank by one. These rows and columns can be paired in any way: the rows are in the vertical part
    and the columns in the horizontal part, so no such position is an entry already."""
    rows, cols = over.superfluous, under.superfluous
    missing = min(rows.size, cols.size)
    covering = np.concatenate((d.horizontal.rows, d.square.rows))
    cover = Cover(frozen(np.sort(covering)), frozen(np.sort(d.vertical.cols)))
    return Repair(Positions(rows[:missing], cols[:missing]), rows, cols, cover)


def _always(d: DulmageMendelsohn) -> Positions:
    """The entries that are in every maximum transversal: the square blocks with one row."""
    blocks = d.square.blocks
    starts = d.row_blocks[blocks.start : blocks.stop + 1]
    single = np.flatnonzero(np.diff(starts) == 1)
    rows = d.row_perm[starts[single]]
    cols = d.col_perm[d.col_blocks[blocks.start + single]]
    return Positions(rows, cols)


def _stored_zeros(d: DulmageMendelsohn, row_names: Any, col_names: Any) -> StoredZeros | None:
    pattern, found = d.pattern, d.transversal
    assert pattern is not None
    zeros = pattern.stored_zeros
    if zeros is None or found is None:
        return None
    other = rank_the_other_way(pattern, zeros, found, Request())
    assert other is not None  # there is no limit
    without = None
    if other < d.structural_rank:
        rest = dulmage_mendelsohn(pattern.without(zeros))
        without = _diagnosis(rest, row_names, col_names, {})
    return StoredZeros(zeros.nnz, pattern.zeros_dropped, other, without)
