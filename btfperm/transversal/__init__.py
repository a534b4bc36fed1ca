# SPDX-License-Identifier: BSD-3-Clause
"""WHICH ENTRIES CAN STAND ON THE DIAGONAL.

`maximum_transversal` runs three steps:

1. a start (`initial/`): a matching that is cheap to find and often nearly maximum;
2. a search (`augmenting/`, `push_relabel/`, `displacement/`): makes it maximum. Searches work from
   the columns; a wide matrix is handed over transposed, so that the search starts from the shorter
   side;
3. the certificate (`certificate.hpp`): the pairs are entries, and a cover of the same size exists.

``btfperm/path`` runs them one after the other and chooses the first two, unless the caller names
them, by the rules of ``auto_table.py``. ``certificate.py`` is the proof, ``given.py`` checks a
matching that the caller gives, ``stored_zeros.py`` warns about entries that are stored as zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy.typing as npt

from btfperm import registry
from btfperm.arguments import refuse_unknown_keywords
from btfperm.backends.protocol import Session
from btfperm.errors import InvalidArgumentError, LimitReachedError
from btfperm.path.request import Request
from btfperm.path.run import match
from btfperm.path.watch import Watcher
from btfperm.pattern import SEARCH, as_pattern, check_memory, memory_for
from btfperm.pattern.input import over_ranks
from btfperm.results import Decomposition, Transversal, WeightedTransversal
from btfperm.results.distributed import gathered
from btfperm.transversal.given import Orientation, given_problem
from btfperm.transversal.stored_zeros import warn_of_zeros

__all__ = [
    "SEARCH_KEYWORDS",
    "matched",
    "maximum_transversal",
    "proven_transversal",
    "structural_rank",
]


def maximum_transversal(
    A: Any,
    *,
    algorithm: str = "auto",
    initializer: str = "auto",
    backend: str = "auto",
    threads: int | None = None,
    seed: int | None = None,
    options: Mapping[str, float | str] | None = None,
    device: int | None = None,
    initial: Transversal | Decomposition | npt.ArrayLike | None = None,
    orientation: Orientation | None = None,
    time_limit: float | None = None,
    max_work: int | None = None,
    deterministic: bool = False,
    watcher: Watcher | None = None,
    drop_zeros: bool | None = None,
    shape: Sequence[int] | None = None,
    comm: Any = None,
    gather: bool = True,
) -> Transversal:
    """Find a maximum transversal of a sparse matrix, with the proof that it is maximum.

    A transversal is a set of entries, no two of them in the same row or column.

    Parameters
    ----------
    A : a matrix of any type that `as_pattern` accepts
    algorithm : a name from `algorithms()`, or ``"auto"``: the choice of the first rule whose
        conditions hold for this matrix, in most cases guided-displacement. ``explain()`` of the
        result names the rules. ``"published"`` chooses among the algorithms of other authors in
        the same way, on a GPU apfb-wr or g-pr-shr
    initializer : a name from ``algorithms("initial")``, ``"none"``, or ``"auto"``: also by rules,
        in most cases greedy; none for meeting-trees, which makes its own initial matching
    backend : ``"auto"``, ``"cpu"``, ``"gpu"`` or, with `comm`, ``"mpi"``: then no rank analyses the
        whole matrix, however small it is. ``"auto"`` uses the GPU for a matrix on a GPU and for
        algorithms that only the GPU has. If nothing else is named, it also uses the GPU for a
        large matrix if the rules predict a gain; in all other cases the CPU. If a GPU that
        ``"auto"`` chose fails, a warning is issued and the CPU continues; if its search follows
        long paths, the CPU starts again
    threads : for algorithms that use several threads; the default is all cores that this process
        may use, and one for small matrices. One thread, in spite of a larger number, for matrices
        below 100,000 entries, and in a child process made by `os.fork` or multiprocessing, which
        does not have the threads of its parent. If the system refuses to start the threads, fewer
        are used, with a BackendWarning; ``counters["threads"]`` is their number
    seed : for algorithms that draw at random; the same seed gives the same draws. Default 0
    options : numbers or words for the algorithm and the initializer by name, as their rows in
        `algorithms()` list them, such as ``{"alpha": 5}``
    device : number of the GPU; naming one requests the GPU. The default is the device of the
        matrix, or CuPy's current one
    initial : a matching to start from: a `Transversal`, a decomposition (also one from a file), or
        an array of integers with -1 for none; see `orientation`. It need not fit: pairs that are
        not entries of `A`, and the second pair in a row or column, are dropped, and an array may be
        longer or shorter than `A` has columns. ``counters["initial_dropped"]`` is their number
    orientation : the meaning of an array given as `initial`. ``"col_match"``, the default: the row
        matched to each column (n,), which SciPy's ``maximum_bipartite_matching`` returns with
        ``perm_type="row"``. ``"row_match"``: the column matched to each row (m,), SciPy's
        ``perm_type="column"``
    time_limit, max_work : limits in seconds and in visited entries. A search that reaches a limit
        returns a legal partial matching, marked as not `maximum`, with bounds on the rank
    deterministic : True gives the same matching in each run and for each number of threads: the
        search uses one thread of the CPU, or ``ordered-trees`` for a matrix on a GPU or with
        ``backend="gpu"``. CPU and GPU may give different matchings. `time_limit`, and on a GPU
        `max_work`, may stop each run at another matching. The size of a maximum matching and the
        decomposition are the same in each run in any case
    watcher : called with a `btfperm.path.watch.SearchState` at the start and at the end of each
        step, and ten times a second while it runs on the CPU, from another thread
    drop_zeros : True omits stored zeros, False treats them as entries. The default treats them as
        entries, with a warning; it does not change a `Pattern`
    shape : (m, n), only with a (data, indices, indptr) triple
    comm : an mpi4py communicator, all of whose ranks make this call: each rank reads its part of
        the file if `A` is a path, or takes its part of `A`, which is then the same on each rank. A
        `DistributedPattern` needs no `comm`
    gather : False leaves the result of a call over ranks distributed: `DistributedTransversal`

    Returns
    -------
    Transversal

    Raises
    ------
    InvalidArgumentError, InvalidMatrixError, UnreadableInputError, ResourceMissingError
    BackendUnavailableError : a GPU was requested and cannot be used, or has too little memory
    DefectError : the certificate of the result and that of a second algorithm do not hold. This is
        a defect of btfperm; please report it

    Warns
    -----
    BackendWarning : the GPU that ``"auto"`` chose failed, and the CPU continued
    InitialMatchingWarning : more than half of the pairs of `initial` do not fit `A`
    StoredZerosWarning : entries are stored as zero, and `drop_zeros` was not given
    DefectWarning : the certificate did not hold, and a second algorithm repaired the result

    Notes
    -----
    O((m + n + nnz) sqrt(n)) in the worst case with ``"auto"``, linear in practice.

    Examples
    --------
    >>> import numpy as np
    >>> import btfperm
    >>> A = np.array([[1, 1, 1], [1, 0, 0], [1, 0, 0]])
    >>> t = btfperm.maximum_transversal(A)
    >>> t.structural_rank
    2
    >>> t.cover()  # one row and one column touch every entry
    Cover(rows=array([0]), cols=array([0]))
    """
    with over_ranks(A, comm):
        with memory_for(SEARCH):
            # The arrays of `A` may be shared, because the pattern does not outlive the call.
            pattern = as_pattern(
                A, shape=shape, drop_zeros=drop_zeros, owned=True, threads=threads, comm=comm
            )
            if pattern.backend != "mpi":
                check_memory(pattern.shape, pattern.name)
        session = Session(pattern)
        request = Request(
            pattern.nnz,
            algorithm,
            initializer,
            backend,
            device,
            threads,
            seed,
            options,
            time_limit,
            max_work,
            deterministic=deterministic,
            watcher=watcher,
        )
        try:
            found = matched(session, request, initial, orientation, drop_zeros)
        finally:
            if session.copies:
                session.close()
        return gathered(found) if gather else found


def matched(
    session: Session,
    request: Request,
    initial: Transversal | Decomposition | npt.ArrayLike | None = None,
    orientation: Orientation | None = None,
    drop_zeros: bool | None = None,
) -> Transversal:
    """`maximum_transversal` of the matrix of a session. `drop_zeros` is not None where the caller
    decided about stored zeros."""
    pattern = session.pattern
    if request.backend == "cpu" and pattern.backend == "gpu":
        pattern = session.pattern = pattern.on_host()
    given = None
    if pattern.backend == "mpi" and initial is not None:
        raise InvalidArgumentError("initial= is not accepted for a matrix over MPI ranks")
    if initial is not None:
        given = given_problem(session.on_host(), initial, orientation, request.threads)
    elif orientation is not None:
        raise InvalidArgumentError("orientation= describes initial=, which is missing")
    found = match(session, request, given)
    if pattern.stored_zeros is not None and drop_zeros is None:  # else the caller has decided
        warn_of_zeros(session.on_host(), found, request)
    return found


def structural_rank(A: Any, **options: Any) -> int:
    """Size of a maximum transversal of `A`: an upper bound of the numerical rank.

    Takes what `maximum_transversal` takes; raises LimitReachedError when a limit stopped the
    search.

    Parameters
    ----------
    A : a matrix of any type that `as_pattern` accepts, (m, n)
    options : as for `maximum_transversal`

    Returns
    -------
    int : at most min(m, n)

    Raises
    ------
    LimitReachedError : a limit stopped the search; what `maximum_transversal` raises

    Notes
    -----
    As `maximum_transversal`: linear in practice.

    Examples
    --------
    >>> import numpy as np
    >>> import btfperm
    >>> btfperm.structural_rank(np.array([[0, 1], [0, 1]]))
    1
    """
    refuse_unknown_keywords("structural_rank", options, SEARCH_KEYWORDS)
    return maximum_transversal(A, **{"gather": False, **options}).structural_rank


#: What `maximum_transversal` takes by keyword, for the functions that pass options on to it.
SEARCH_KEYWORDS = frozenset(maximum_transversal.__kwdefaults__ or ())


def proven_transversal(
    session: Session,
    given: Transversal | WeightedTransversal | None,
    options: Mapping[str, Any],
) -> Transversal:
    """A maximum transversal of the matrix of a session: found now, or the given one, certified
    again for this matrix.

    Raises
    ------
    InvalidArgumentError : the given one is none, belongs to another matrix, or comes with options
        of a search
    LimitReachedError : a limit stopped the search, so that there is nothing to decompose
    """
    pattern = session.pattern
    if pattern.backend != "mpi":
        check_memory(pattern.shape, pattern.name)
    elif given is not None:
        raise InvalidArgumentError("transversal= is not accepted for a matrix over MPI ranks")
    if isinstance(given, WeightedTransversal):
        given = given.transversal
    found = given
    if found is None:
        how = {name: options.get(name) for name in ("initial", "orientation", "drop_zeros")}
        asked = {name: value for name, value in options.items() if name not in how}
        found = matched(session, Request(pattern.nnz, **asked), **how)
    if isinstance(found, Transversal) and pattern.backend == "cpu":
        found = found.on_host()
    if isinstance(found, Decomposition):
        raise InvalidArgumentError(
            f"transversal must be what maximum_transversal returns, not {type(found).__name__}; "
            "give its .transversal or, when it was read from a file, give it as initial="
        )
    if not isinstance(found, Transversal):
        raise InvalidArgumentError(
            f"transversal must be what maximum_transversal returns, not {type(found).__name__}"
        )
    unused = [name for name, value in options.items() if value is not None]
    if given is not None and unused:
        raise InvalidArgumentError(
            f"with transversal= nothing is searched: leave out {', '.join(sorted(unused))}"
        )
    if found.shape != pattern.shape:
        raise InvalidArgumentError(
            f"the transversal belongs to a matrix of shape {found.shape}, not {pattern.shape}"
        )
    if not found.maximum:
        lower, upper = found.rank_bounds
        raise LimitReachedError(
            f"the search was stopped by {found.stopped_by}: only a maximum transversal can be "
            f"decomposed, and the structural rank is only known to lie between {lower} and "
            f"{upper}; raise the limit",
            found.rank_bounds,
        )
    if given is None:
        return found
    recertify: Callable[..., Transversal] = registry.step(
        "transversal", "recertification", pattern.backend
    )
    return recertify(pattern, found)
