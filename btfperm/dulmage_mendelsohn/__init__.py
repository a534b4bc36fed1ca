# SPDX-License-Identifier: BSD-3-Clause
"""The Dulmage-Mendelsohn decomposition: three coarse parts, and the fine blocks of each.

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

On the CPU, ``coarse.hpp`` finds the coarse parts and, by uniting search trees
(``fine_rectangular/union_find.hpp``), the blocks H and V. ``fine_square/`` finds the blocks S, and
``canonical_order.hpp`` the order of all blocks. ``decompose.hpp`` calls these steps. ``team.hpp``
defines the sizes from which on several threads share the work.

On a GPU, the steps are ``coarse.cu``, the ``.cu`` files of the folders ``fine_rectangular`` and
``fine_square``, and ``canonical_order.cu``; ``decompose_gpu.py`` calls them. ``find_square_gpu.py``
defines the order of the searches for the blocks S, and when one core of the CPU continues. Over MPI
ranks, the steps are the files ``*_mpi.py``."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from btfperm import registry
from btfperm.arguments import refuse_unknown_keywords, truth
from btfperm.backends import check_backend, of_one_process
from btfperm.backends.protocol import Session
from btfperm.path.decompose import Decomposed, Pairing, decompose, worth_copies
from btfperm.path.make_plan import team_size
from btfperm.path.request import is_limited_to_cpu, requested_backend
from btfperm.pattern import DECOMPOSITION, Pattern, as_pattern, memory_for
from btfperm.pattern.arrays import device_context
from btfperm.pattern.input import over_ranks
from btfperm.results import Decomposition, DulmageMendelsohn, IndexArray, Transversal
from btfperm.results.host_copy import gathered
from btfperm.transversal import SEARCH_KEYWORDS, proven_transversal

if TYPE_CHECKING:
    from btfperm.results import WeightedTransversal

__all__ = ["decompose_session", "decomposed", "dulmage_mendelsohn", "meta_with_weights"]

# For a small matrix on the host, the steps keep a copy of it on a GPU only if the caller gives
# other keyword arguments than these.
_NO_REASON_FOR_A_GPU = {"threads", "drop_zeros", "deterministic"}

_Result = TypeVar("_Result", bound=Decomposition)


def dulmage_mendelsohn(
    A: Any,
    *,
    transversal: Transversal | WeightedTransversal | None = None,
    threads: int | None = None,
    drop_zeros: bool | None = None,
    shape: Sequence[int] | None = None,
    **options: Any,
) -> DulmageMendelsohn:
    """Coarse and fine Dulmage-Mendelsohn decomposition of a matrix of any shape and rank.

    Parameters
    ----------
    A : a matrix of any type that `as_pattern` accepts
    transversal : a maximum transversal of `A`, if one is known; not for a matrix over MPI ranks. If
        it is a weighted transversal, the result also has its scalings; a weighted transversal
        belongs to `A` without its stored zeros (``drop_zeros=True``)
    threads : as for `maximum_transversal`; the blocks and their order do not depend on it
    drop_zeros : as for `maximum_transversal`
    shape : (m, n), only with a (data, indices, indptr) triple
    options : as for `maximum_transversal`; not permitted together with `transversal`

    Returns
    -------
    DulmageMendelsohn : its permutations and boundaries depend on the entries alone, not on the
        matching or the algorithm. For a matrix over MPI ranks and with ``gather=False``, a
        `DistributedDecomposition`

    Raises
    ------
    LimitReachedError : a limit stopped the search, and only a maximum transversal can be decomposed
    InvalidArgumentError : `transversal` does not belong to `A` or is not maximum, or another
        argument is invalid
    DefectError : the result fails its certificate; a defect of btfperm, please report it

    Notes
    -----
    After the search for the transversal, the cost on one thread is nearly linear in m + n + nnz. A
    matrix on a GPU is decomposed there, and the result holds CuPy arrays (see `Decomposition`),
    except in two cases: with ``backend="cpu"``, and if the GPU was not requested and fails.

    Examples
    --------
    >>> import numpy as np
    >>> import btfperm
    >>> A = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])  # rows 0 and 2 compete for column 1
    >>> d = btfperm.dulmage_mendelsohn(A)
    >>> d
    <DulmageMendelsohn of a 3 x 3 matrix: structural rank 2, horizontal 1 x 2, vertical 2 x 1,
    2 fine blocks>
    >>> d.row_perm.tolist(), d.col_perm.tolist()
    ([1, 0, 2], [0, 2, 1])
    """
    comm = options.pop("comm", None)
    with over_ranks(A, comm), memory_for(DECOMPOSITION):
        refuse_unknown_keywords("dulmage_mendelsohn", options, SEARCH_KEYWORDS)
        gather = truth("gather", options.pop("gather", True))
        pattern = as_pattern(A, shape=shape, drop_zeros=drop_zeros, threads=threads, comm=comm)
        options["drop_zeros"] = drop_zeros
        result = decomposed(pattern, transversal, threads, options, _matching, _dulmage_mendelsohn)
        whole: DulmageMendelsohn = gathered(result) if gather else result
        return whole


def decomposed(
    pattern: Pattern,
    transversal: Transversal | WeightedTransversal | None,
    threads: int | None,
    options: dict[str, Any],
    pairing: Pairing,
    finish: Callable[[Decomposed, Callable[[str], Any]], _Result],
) -> _Result:
    """Finds a maximum transversal of the pattern, or certifies the given one again, and computes
    the blocks. `pairing` returns the matching that defines the blocks from the transversal;
    `finish` makes the result."""
    backend, device = options.get("backend", "auto"), options.get("device")
    check_backend(backend)
    team = team_size(pattern.nnz, threads)
    if transversal is None:
        options["threads"] = threads
    else:
        del options["drop_zeros"]
    if is_limited_to_cpu(backend):
        pattern = pattern.on_host()
    session = Session(pattern)
    has_options = bool(options.keys() - _NO_REASON_FOR_A_GPU)
    session.keep_copies = worth_copies(session, backend, has_options=has_options)
    try:
        with device_context(pattern.indices):
            matched = proven_transversal(session, transversal, options)
            return _by(
                session,
                matched,
                team,
                pairing,
                finish,
                requested=requested_backend(backend, device) in of_one_process(),
            )
    finally:
        session.close()


def _by(
    session: Session,
    transversal: Transversal,
    team: int,
    pairing: Pairing,
    finish: Callable[[Decomposed, Callable[[str], Any]], _Result],
    *,
    requested: bool = False,
) -> _Result:
    """The blocks that `transversal` defines. This must be a maximum transversal that is certified
    for the matrix of the session."""
    begin = time.perf_counter()
    done = decompose(session, transversal, pairing, team, requested=requested)
    seconds = dict(done.transversal.seconds, decomposition=time.perf_counter() - begin)

    def meta(kind: str) -> Any:
        return partial(describe, kind, done, seconds)

    return finish(done, meta)


def decompose_session(
    session: Session, transversal: Transversal, threads: int | None
) -> DulmageMendelsohn:
    """The decomposition that a maximum transversal defines, which is certified for the matrix of
    the session. The caller must have checked that the memory suffices."""
    team = team_size(session.pattern.nnz, threads)
    result: DulmageMendelsohn = _by(session, transversal, team, _matching, _dulmage_mendelsohn)
    return result


def _matching(transversal: Transversal) -> tuple[IndexArray, IndexArray]:
    return transversal.row_match, transversal.col_match


def _dulmage_mendelsohn(done: Decomposed, meta: Callable[[str], Any]) -> Any:
    pattern = done.session.pattern
    new = registry.step_or_cpu("results", "decomposition", pattern.backend)
    return new(pattern, done.form, done.transversal, meta("dulmage_mendelsohn"))


def describe(kind: str, done: Decomposed, seconds: dict[str, float]) -> dict[str, Any]:
    """The part of ``meta`` that describes how the result was computed."""
    from btfperm import __version__

    pattern, transversal = done.session.pattern, done.transversal
    weights = {} if transversal.weights is None else {"weights": dict(transversal.weights)}
    return {
        **weights,
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
        "explain": _explained(transversal, done.place),
        "verified": transversal.verified,
        "maximum": transversal.maximum,
        "seconds": seconds,
        "counters": dict(transversal.counters),
    }


def meta_with_weights(meta: Mapping[str, Any], transversal: Transversal) -> dict[str, Any]:
    """The ``meta`` of a decomposition whose matching is replaced by that of a weighted transversal.
    It also describes the weighted search."""
    place = meta["explain"]["decisions"]["decomposition"]
    weights = dict(transversal.weights or {})
    return {**meta, "explain": _explained(transversal, place), "weights": weights}


def _explained(transversal: Transversal, place: Any) -> dict[str, Any]:
    """The decisions of the search, and the choice of the backend for the decomposition."""
    explained = dict(transversal.explain())
    explained["decisions"] = {**explained.get("decisions", {}), "decomposition": place}
    return explained
