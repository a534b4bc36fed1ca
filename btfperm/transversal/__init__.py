# SPDX-License-Identifier: BSD-3-Clause
"""WHICH ENTRIES CAN STAND ON THE DIAGONAL.

`maximum_transversal` runs three steps:

1. an initializer (`initial/`) finds a matching that is cheap and often nearly maximum;
2. a search (`augmenting/`, `push_relabel/`, `displacement/`) makes it maximum. Most searches start
   from unmatched columns. A wide matrix (more than 1.3 columns per row) is transposed first, so
   that these searches start from its rows, which are fewer;
3. the certificate is checked (`certificate.hpp`): the matching consists of entries, and there is a
   cover of the same size.

``btfperm/path`` runs the steps. It chooses the initializer and the search by the rules of
``auto_table.py`` unless the caller names them. ``certificate.py`` checks the certificate,
``given.py`` checks a matching that the caller gives, and ``stored_zeros.py`` warns about entries
that are stored as zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy.typing as npt

from btfperm.arguments import refuse_unknown_keywords, truth
from btfperm.backends.protocol import Session
from btfperm.errors import InvalidArgumentError, LimitReachedError
from btfperm.path.make_plan import team_size
from btfperm.path.request import Request
from btfperm.path.run import match
from btfperm.path.watch import Watcher
from btfperm.pattern import SEARCH, as_pattern, memory_for
from btfperm.pattern.input import over_ranks
from btfperm.pattern.memory import check_memory_of
from btfperm.results import Decomposition, Transversal
from btfperm.results.host_copy import gathered
from btfperm.transversal.given import Orientation, given_problem
from btfperm.transversal.stored_zeros import warn_of_zeros

if TYPE_CHECKING:
    from btfperm.results import WeightedTransversal

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
    device: int | Literal["gpu"] | None = None,
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
    algorithm : a name from `algorithms()`. ``"auto"`` applies the first rule whose conditions hold
        for this matrix; for most large matrices it chooses guided-displacement on the CPU,
        meeting-trees on a GPU and, over MPI ranks, ms-bfs or, if all are on one machine,
        first-rank. ``explain()`` of the result names the rules. ``"published"`` chooses by rules
        among algorithms of other authors: pothen-fan, ss-bfs, ms-bfs or, on four threads or more,
        ms-bfs-graft on the CPU, apfb-wr or g-pr-shr on a GPU, ms-bfs over MPI ranks
    initializer : a name from ``algorithms("initial")``, or ``"none"``. ``"auto"`` chooses by rules,
        for example greedy, or none where meeting-trees makes its own initial matching
    backend : ``"auto"``, ``"cpu"``, ``"gpu"`` or, for a matrix over MPI ranks, ``"mpi"``.
        ``"auto"`` uses the GPU for a matrix on a GPU, unless the named algorithm runs only on the
        CPU, and for algorithms that only the GPU has. It also uses the GPU for a large matrix on
        the host if the rules predict a gain and the caller named no algorithm (other than
        ``"published"``) or initializer and set no `initial`, `options` or `deterministic`. Over MPI
        ranks, ``"auto"`` has each rank analyse a small matrix as a whole. If all ranks are on one
        machine, which has several cores and enough free memory, the first rank gathers a large
        matrix and searches on all cores for the other ranks. Otherwise the ranks share the search
        by messages; ``"mpi"`` requests this. In all other cases ``"auto"`` uses the CPU. If a GPU
        that the caller did not request fails, or if its search is slow because augmenting paths are
        long, the call runs again on the CPU, from `initial` or an empty matching. A failure also
        gives a BackendWarning
    threads : the number of threads, from 1 to 1024, for algorithms that use several. The default is
        all cores that this process may use from 1,000,000 entries on (5,000,000 with two or three
        cores), and one for smaller matrices. Below 100,000 entries one thread runs, whatever the
        number. One thread also runs in a process that a process with threads started by `os.fork`,
        because the new process does not have these threads. If the system refuses to start some
        threads, fewer are used, with a BackendWarning; ``counters["threads"]`` is their number
    seed : for algorithms that use random numbers, from 0 to 2**64 - 1; the same seed gives the same
        random numbers. The default is 0
    options : options of the algorithm and the initializer, numbers or words by name, such as
        ``{"alpha": 5}``; the rows of `algorithms()` list them
    device : the number of the GPU, from 0. Setting it requests the GPU. The default is the device
        that holds the matrix, or CuPy's current device for a matrix on the host. With
        ``backend="mpi"``, each MPI rank gives the number of the GPU on which it searches. With
        ``"gpu"``, the ranks of a machine are numbered from 0, and each uses the GPU with its own
        number, modulo the number of GPUs. With ``"gpu"`` and ``backend="auto"``, the first rank
        gathers the matrix on its GPU and searches there, if all ranks are on one machine and there
        is enough memory
    initial : a matching to start from: a `Transversal`, a decomposition (also one from a file), or
        an array of integers with -1 for unmatched; see `orientation`. Pairs of a row and a column
        that are not entries of `A` are dropped, and all but one of several pairs with the same row
        or column; ``counters["initial_dropped"]`` is the number of dropped pairs. An array may be
        longer or shorter than `A` has columns (or rows)
    orientation : the meaning of an array given as `initial`. ``"col_match"``, the default: the row
        matched to each column (n,), which SciPy's ``maximum_bipartite_matching`` returns with
        ``perm_type="row"``. ``"row_match"``: the column matched to each row (m,), which SciPy
        returns with ``perm_type="column"``
    time_limit, max_work : limits in seconds and in visited entries; the default is no limit. A
        search that reaches a limit returns a partial matching with `maximum` False and bounds on
        the rank
    deterministic : True gives the same matching in each run and for each number of threads. The
        search then uses one thread of the CPU, or ``ordered-trees`` for a matrix on a GPU or with
        ``backend="gpu"``. CPU and GPU may give different matchings. If `time_limit`, or `max_work`
        on a GPU, stops the search, the partial matching may differ between runs. Over MPI ranks
        the matching may also depend on their number. The size of a maximum matching and the
        decomposition are the same in each run, also without this option
    watcher : called with a `btfperm.path.watch.SearchState` at the start and at the end of each
        step, and ten times a second, from another thread, while the step runs on the CPU
    drop_zeros : True omits stored zeros, False treats them as entries. The default, None, treats
        them as entries and issues a warning; a `Pattern` is used as it is
    shape : (m, n), only with a (data, indices, indptr) triple
    comm : an mpi4py communicator. All its ranks must make this call with the same options. If `A`
        is a path, each rank reads its part of the file; otherwise `A` must be the same matrix on
        each rank, which takes its part of it. A `DistributedPattern` needs no `comm`
    gather : only for a matrix over MPI ranks. True, the default, returns the whole result on each
        rank; False returns a `DistributedTransversal`

    Returns
    -------
    Transversal

    Raises
    ------
    InvalidArgumentError, InvalidMatrixError, UnreadableInputError, ResourceMissingError
    BackendUnavailableError : a GPU or MPI was requested and cannot be used, or the GPU has too
        little memory
    DefectError : neither the certificate of the result holds, nor that of a second algorithm, which
        btfperm then runs (not over MPI ranks). This is a defect of btfperm; please report it

    Warns
    -----
    BackendWarning : a GPU that the caller did not request failed, and the call ran again on the
        CPU; or the system refused to start the threads
    InitialMatchingWarning : more than half of the pairs of `initial` do not fit `A`
    StoredZerosWarning : entries are stored as zero, and `drop_zeros` was not given
    DefectWarning : the certificate did not hold, and a second algorithm repaired the result

    Notes
    -----
    O((m + n + nnz) sqrt(n)) in the worst case with ``"auto"`` on the CPU.

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
        gather = truth("gather", gather)
        with memory_for(SEARCH):
            # The arrays of `A` may be shared, because the pattern does not outlive the call.
            pattern = as_pattern(
                A, shape=shape, drop_zeros=drop_zeros, owned=True, threads=threads, comm=comm
            )
            check_memory_of(pattern)
        session = Session(pattern)
        request = Request(
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
            result = matched(session, request, initial, orientation, drop_zeros)
        finally:
            if session.copies:
                session.close()
        return gathered(result) if gather else result


def matched(
    session: Session,
    request: Request,
    initial: Transversal | Decomposition | npt.ArrayLike | None = None,
    orientation: Orientation | None = None,
    drop_zeros: bool | None = None,
) -> Transversal:
    """`maximum_transversal` of the matrix of a session. Unless `drop_zeros` is None, the caller has
    decided about stored zeros, and no warning is issued."""
    pattern = session.pattern
    if request.is_limited_to_cpu and not pattern.is_distributed:
        pattern = session.pattern = pattern.on_host()
    given = None
    if pattern.is_distributed and initial is not None:
        raise InvalidArgumentError("initial= is not accepted for a matrix over MPI ranks")
    if initial is not None:
        threads = team_size(pattern.nnz, request.threads)
        given = given_problem(session.on_host(), initial, orientation, threads)
    elif orientation is not None:
        raise InvalidArgumentError("orientation= describes initial=, which is missing")
    result = match(session, request, given)
    if pattern.stored_zeros is not None and drop_zeros is None:  # else the caller has decided
        warn_of_zeros(session.on_host(), result, request)
    return result


def structural_rank(A: Any, **options: Any) -> int:
    """Size of a maximum transversal of `A`: an upper bound of the numerical rank.

    Parameters
    ----------
    A : a matrix of any type that `as_pattern` accepts, (m, n)
    options : as for `maximum_transversal`

    Returns
    -------
    int : at most min(m, n)

    Raises
    ------
    LimitReachedError : a limit stopped the search. Other errors are those of `maximum_transversal`

    Notes
    -----
    As `maximum_transversal`.

    Examples
    --------
    >>> import numpy as np
    >>> import btfperm
    >>> btfperm.structural_rank(np.array([[0, 1], [0, 1]]))
    1
    """
    with over_ranks(A, options.get("comm")):
        refuse_unknown_keywords("structural_rank", options, SEARCH_KEYWORDS)
        return maximum_transversal(A, **{"gather": False, **options}).structural_rank


#: Names of the keyword arguments of `maximum_transversal`, for functions that pass them to it.
SEARCH_KEYWORDS = frozenset(maximum_transversal.__kwdefaults__ or ())


def proven_transversal(
    session: Session,
    given: Transversal | WeightedTransversal | None,
    options: dict[str, Any],
) -> Transversal:
    """A maximum transversal of the matrix of a session. If `given` is None, a search with the given
    options computes it; `initial`, `orientation` and `drop_zeros` are removed from `options`.
    Otherwise it is `given`, whose certificate is checked again for this matrix.

    Raises
    ------
    InvalidArgumentError : `given` does not belong to this matrix, or the caller also set options of
        a search
    LimitReachedError : a limit stopped the search, or the search that returned `given`, so that the
        transversal may not be maximum and cannot be decomposed
    """
    pattern = session.pattern
    check_memory_of(pattern)
    if given is not None and pattern.is_distributed:
        raise InvalidArgumentError("transversal= is not accepted for a matrix over MPI ranks")
    if given is None:
        how = {name: options.pop(name, None) for name in ("initial", "orientation", "drop_zeros")}
        return _maximum(matched(session, Request(**options), **how))
    from btfperm.path.recertify import recertified
    from btfperm.results import weighted

    if isinstance(given, weighted.WeightedTransversal):
        given = given.transversal
    if isinstance(given, Transversal) and pattern.is_on_host:
        given = given.on_host()
    if isinstance(given, Decomposition):
        raise InvalidArgumentError(
            f"transversal must be what maximum_transversal returns, not {type(given).__name__}; "
            "give its .transversal or, when it was read from a file, give it as initial="
        )
    if not isinstance(given, Transversal):
        raise InvalidArgumentError(
            f"transversal must be what maximum_transversal returns, not {type(given).__name__}"
        )
    if unused := sorted(name for name, value in options.items() if value is not None):
        raise InvalidArgumentError(
            f"with transversal= nothing is searched: leave out {', '.join(unused)}"
        )
    if given.shape != pattern.shape:
        raise InvalidArgumentError(
            f"the transversal belongs to a matrix of shape {given.shape}, not {pattern.shape}"
        )
    return recertified(pattern, _maximum(given))


def _maximum(transversal: Transversal) -> Transversal:
    """A transversal that is maximum.

    Raises
    ------
    LimitReachedError : it is not
    """
    if transversal.maximum:
        return transversal
    lower, upper = transversal.rank_bounds
    raise LimitReachedError(
        f"the search was stopped by {transversal.stopped_by}: only a maximum transversal can be "
        f"decomposed, and the structural rank is only known to lie between {lower} and "
        f"{upper}; raise the limit",
        transversal.rank_bounds,
    )
