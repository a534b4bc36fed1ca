# SPDX-License-Identifier: BSD-3-Clause
"""COARSE: horizontal | square | vertical.  FINE: the blocks inside.

The permuted matrix, rows and columns in canonical order::

                 horizontal    square     vertical
                 columns       columns    columns
    horizontal  [ H1 ......... | ........ | ........ ]   H: more columns than rows in each block,
    rows        [    H2 ...... | ........ | ........ ]      every row matched
    square      [              | S1 ..... | ........ ]   S: strongly connected, topological order,
    rows        [              |    S2 .. | ........ ]      perfectly matched
                [              |       S3 | ........ ]
    vertical    [              |          | V1       ]   V: more rows than columns in each block,
    rows        [              |          |    V2    ]      every column matched

``coarse.hpp`` makes the coarse split, ``fine_square/`` and ``fine_rectangular/`` the blocks,
``canonical_order.hpp`` their order, ``decompose.hpp`` calls one after the other; ``team.hpp`` says
from what size on several threads share the work. The same on a GPU: ``coarse.cu``, the ``.cu`` of
the two folders, ``canonical_order.cu``, and ``decompose_gpu.py``; ``find_square_gpu.py`` says which
search runs when, and what goes to the CPU.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np

from btfperm import _core
from btfperm.arguments import refuse_unknown_keywords
from btfperm.backends.threads import is_forked
from btfperm.dulmage_mendelsohn.form import Form
from btfperm.errors import BackendUnavailableError, BackendWarning, DefectError
from btfperm.pattern import (
    DECOMPOSITION,
    DevicePattern,
    KeptPattern,
    Pattern,
    as_pattern,
    memory_for,
)
from btfperm.pattern.arrays import beside, lives_on_device
from btfperm.results import Decomposition, DulmageMendelsohn, IndexArray, Transversal
from btfperm.results.read_only import made
from btfperm.transversal import SEARCH_KEYWORDS, proven_transversal
from btfperm.transversal.limits import Controls, asked_backend, check_backend
from btfperm.warn import warn

__all__ = ["decompose_proven", "dulmage_mendelsohn"]

# Entries from which on copy, decomposition and the way back take less time than the decomposition
# on 16 cores.
_WORTH_A_COPY = 4_000_000
# Entries below which no GPU is used unless the caller gives an option other than these.
_SMALL = 100_000
_NO_REASON_FOR_A_GPU = {"threads", "drop_zeros"}


def dulmage_mendelsohn(
    A: Any,
    *,
    transversal: Transversal | None = None,
    threads: int | None = None,
    drop_zeros: bool | None = None,
    shape: Sequence[int] | None = None,
    **options: Any,
) -> DulmageMendelsohn:
    """Coarse and fine Dulmage-Mendelsohn decomposition of a matrix of any shape and rank.

    Parameters
    ----------
    A : anything `as_pattern` takes
    transversal : a maximum transversal of `A`, when it is known already
    threads : as for `maximum_transversal`; the blocks and their order do not depend on it
    drop_zeros : True leaves stored zeros out, False keeps them; the default keeps them and warns
    shape : (m, n), only with a (data, indices, indptr) triple
    options : as for `maximum_transversal`; none together with `transversal`

    Returns
    -------
    DulmageMendelsohn : everything but the matching is a function of the entries alone, whatever
        algorithm ran

    Raises
    ------
    LimitReachedError : a limit stopped the search, so that there is nothing to decompose
    InvalidArgumentError : `transversal` does not belong to `A`
    DefectError : the answer does not stand its proof; a defect of btfperm, please report it

    Notes
    -----
    O(nnz) after the transversal. A matrix that lives on a GPU is decomposed there, unless
    ``backend="cpu"``: the result holds CuPy arrays; see `Decomposition`.

    Examples
    --------
    >>> import numpy as np
    >>> import btfperm
    >>> A = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])  # rows 0 and 2 want the same column
    >>> d = btfperm.dulmage_mendelsohn(A)
    >>> d
    <DulmageMendelsohn of a 3 x 3 matrix: structural rank 2, horizontal 1 x 2, vertical 2 x 1,
    2 fine blocks>
    >>> d.row_perm.tolist(), d.col_perm.tolist()
    ([1, 0, 2], [0, 2, 1])
    """
    refuse_unknown_keywords("dulmage_mendelsohn", options, SEARCH_KEYWORDS)
    with memory_for(DECOMPOSITION):
        pattern = as_pattern(A, shape=shape, drop_zeros=drop_zeros, threads=threads)
        team = Controls(pattern.nnz, threads=threads).threads
        if transversal is None:
            options |= {"threads": threads, "drop_zeros": drop_zeros}
        return where_the_matrix_is(_decomposed, pattern, transversal, options, team)


def _decomposed(
    pattern: Pattern, given: Transversal | None, options: dict[str, Any], team: int
) -> DulmageMendelsohn:
    return decompose_proven(pattern, proven_transversal(pattern, given, options), team)


def decompose_proven(pattern: Pattern, transversal: Transversal, team: int) -> DulmageMendelsohn:
    """The decomposition by a maximum transversal that is known to be one of this pattern. The
    caller has checked the memory for it.
    """
    begin = time.perf_counter()
    pattern = beside_matches(pattern, transversal)
    row_match, col_match = transversal.row_match, transversal.col_match
    form = decompose_matched(pattern, row_match, col_match, team)
    seconds = dict(transversal.seconds, decomposition=time.perf_counter() - begin)
    fields = {
        "shape": pattern.shape,
        **form._asdict(),
        "row_match": row_match,
        "col_match": col_match,
        "structural_rank": transversal.structural_rank,
        "transversal": transversal,
        "pattern": pattern.on_host() if isinstance(pattern, KeptPattern) else pattern,
    }
    meta = partial(describe, "dulmage_mendelsohn", pattern, transversal, seconds)
    return made(DulmageMendelsohn, fields, {"meta": meta})


_Result = TypeVar("_Result", bound=Decomposition)


def where_the_matrix_is(
    decompose: Callable[[Pattern, Transversal | None, dict[str, Any], int], _Result],
    pattern: Pattern,
    given: Transversal | None,
    options: dict[str, Any],
    team: int,
) -> _Result:
    """Calls `decompose` with a pattern on its device; on the host when the cpu was asked for, and
    when the device fails although nobody asked for it. One of the host keeps its copy on a device
    until all is done, unless the cpu was asked for."""
    check_backend(options.get("backend", "auto"))
    if isinstance(pattern, DevicePattern) and options.get("backend") != "cpu":
        try:
            with beside(pattern.indices):
                return decompose(pattern, given, options, team)
        except BackendUnavailableError as failure:
            if asked_backend(options.get("backend", "auto"), options.get("device")) == "gpu":
                raise
            warn(BackendWarning(f"{failure}; the cpu went on"))
    elif options.get("backend") != "cpu" and (
        pattern.nnz >= _SMALL or options.keys() - _NO_REASON_FOR_A_GPU
    ):
        kept = KeptPattern.of(pattern)
        try:
            return decompose(kept, given, options, team)
        finally:
            kept.forget()
    return decompose(pattern.on_host(), given, options, team)


def beside_matches(pattern: Pattern, transversal: Transversal) -> Pattern:
    """The pattern on the host where the transversal is there: a device failed during the search,
    and the cpu went on."""
    if isinstance(pattern, DevicePattern) and not lives_on_device(transversal.row_match):
        return pattern.on_host()
    return pattern


def describe(
    kind: str, pattern: Pattern, transversal: Transversal, seconds: dict[str, float]
) -> dict[str, Any]:
    """What the ``meta`` of a result says about how it was made."""
    from btfperm import __version__

    return {
        "format_version": 1,
        "kind": kind,
        "convention": "btfperm",
        "btfperm_version": __version__,
        "matrix": {**pattern.source, "nnz": pattern.nnz, "zeros_dropped": pattern.zeros_dropped},
        "algorithm": transversal.algorithm,
        "initializer": transversal.initializer,
        "backend": transversal.backend,
        "device": transversal.device,
        "choice": transversal.choice,
        "explain": transversal.explain(),
        "verified": transversal.verified,
        "maximum": transversal.maximum,
        "seconds": seconds,
        "counters": dict(transversal.counters),
    }


def decompose_matched(
    pattern: Pattern, row_match: IndexArray, col_match: IndexArray, threads: int = 1
) -> Form:
    """The blocks of a pattern with a matching that is known to be maximum; of a square one also
    with all rows paired, be the pairs entries or not. On the pattern's device, if it lives on one;
    a `KeptPattern` goes to a device where that pays.

    Raises
    ------
    BackendUnavailableError : the device fails
    DefectError : the core finds that the matching is not maximum, or arrays of wrong lengths
    """
    if isinstance(pattern, DevicePattern):
        from btfperm.dulmage_mendelsohn.decompose_gpu import decompose_on_device
        from btfperm.transversal.device_problem import DeviceProblem

        arrays = pattern.m, pattern.indptr, pattern.indices, row_match, col_match
        problem = DeviceProblem(pattern.device, pattern, *arrays)
        return decompose_on_device(problem, problem.size)
    if isinstance(pattern, KeptPattern) and _is_sooner_on_device(pattern):
        from btfperm.dulmage_mendelsohn.decompose_gpu import decompose_from_host

        try:
            return decompose_from_host(pattern, row_match, col_match)
        except BackendUnavailableError as failure:
            warn(BackendWarning(f"{failure}; the cpu went on"))
    width = pattern.indices.dtype
    coarse_rows, coarse_cols = np.empty(5, dtype=width), np.empty(5, dtype=width)
    try:
        row_perm, col_perm, row_blocks, col_blocks = _core.dulmage_mendelsohn(
            pattern.m,
            pattern.indptr,
            pattern.indices,
            row_match,
            col_match,
            coarse_rows,
            coarse_cols,
            threads,
        )
    except ValueError as error:
        raise DefectError(
            f"the decomposition went wrong: {error}; this is a defect of btfperm, please report it "
            "with the matrix"
        ) from error
    return Form(row_perm, col_perm, row_blocks, col_blocks, coarse_rows, coarse_cols)


def _is_sooner_on_device(pattern: KeptPattern) -> bool:
    """Whether its copy is there already, or a GPU is at work in this process and the matrix is not
    small."""
    if pattern.copies or pattern.nnz < _WORTH_A_COPY or is_forked():
        return bool(pattern.copies)
    from btfperm.backends.gpu.device import in_use

    return in_use()
