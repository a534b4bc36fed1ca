# SPDX-License-Identifier: BSD-3-Clause
"""All stages in one call: read a matrix file, match, decompose, write the permutations."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast, get_args

from btfperm import registry
from btfperm.arguments import text
from btfperm.backends.protocol import Session
from btfperm.dulmage_mendelsohn import decompose_session, meta_with_weights
from btfperm.errors import InvalidArgumentError
from btfperm.io import pattern_and_values, read, save
from btfperm.path.decompose import worth_copies
from btfperm.path.request import Request
from btfperm.pattern import DECOMPOSITION, Pattern, as_pattern, memory_for
from btfperm.pattern.input import home_of, over_ranks
from btfperm.results import BlockTriangularForm, DulmageMendelsohn, SolverOrder, Transversal
from btfperm.transversal import matched

if TYPE_CHECKING:
    from btfperm.conventions.rows import Convention
    from btfperm.pattern import ValuedPattern
    from btfperm.results import WeightedTransversal
    from btfperm.weighted.diagonal import Diagonals

__all__ = ["Ordered", "order_file"]

PathLike = str | os.PathLike[str]
#: A function with the arguments stage, file, bytes, size. The stage is ``"read"``, ``"search"``,
#: ``"decompose"``, ``"weigh"``, ``"order"`` or ``"write"``; file is the file that the stage reads
#: or writes, or None; bytes is the number of bytes read so far, 0 in other stages than ``"read"``;
#: size is the size of the file in bytes, or None
Progress = Callable[[str, PathLike | None, int, int | None], None]


@dataclass(frozen=True, eq=False)
class Ordered:
    """The result of `order_file`.

    Attributes
    ----------
    pattern : the pattern of the matrix; with `weights`, of its nonzeros
    transversal : the maximum transversal; with `weights`, the weighted one. If a limit ended the
        search, the transversal found so far
    decomposition : None if a limit ended the search; then nothing was written
    seconds : of each stage
    written : the files written
    solver_order : the order for the solver that the caller named, or None
    weighted : the weighted transversal on the diagonal, if the caller or `preorder` chose one; else
        None
    diagonals : the smallest and the median modulus of the diagonal entries, before and after
        permutation and scaling; None if `weighted` is None
    """

    pattern: Pattern
    transversal: Transversal
    decomposition: DulmageMendelsohn | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    written: tuple[PathLike, ...] = ()
    solver_order: SolverOrder | None = None
    weighted: WeightedTransversal | None = None
    diagonals: Diagonals | None = None


def order_file(
    path: PathLike,
    outputs: Sequence[PathLike] = (),
    *,
    format: str | None = None,
    convention: str | None = None,
    solver: str | None = None,
    weights: str | None = None,
    drop_zeros: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
    write: Callable[..., None] = save,
    comm: Any = None,
    **options: Any,
) -> Ordered:
    """Reads a matrix file, decomposes the matrix and writes the permutations.

    Parameters
    ----------
    path : as for `read`
    outputs : files to write, each as `save` writes it
    format, convention : as for `save`. In one process, if a convention puts a matching on the
        diagonal and the matrix is square and structurally singular, the permutation is completed as
        by `block_triangular_form`. Over ranks, such a file is refused
    solver : writes the order of `preorder` for this solver, by default in the convention of the
        solver. This order also reduces fill inside the blocks
    weights : an objective of `weighted_transversal`. The decomposition and the order for a solver
        then contain the weighted transversal, and files hold its scalings if the objective is
        "product". The file must hold values, and stored zeros are left out. "none": only the
        pattern is used. None: the same as "none", except that `preorder` may choose large entries
        for the diagonal of the order for a solver
    drop_zeros, threads : as for `read` and `maximum_transversal`
    progress : called at the start of each stage, and, in one process, while the file is read if
        only its pattern is needed
    write : called as ``write(result, path, format=..., convention=...)`` for each output
    comm : an mpi4py communicator, all of whose ranks make this call. The results are distributed
        over the ranks. `solver` must be None
    options : as for `maximum_transversal`; with weights, `algorithm` may be one of
        `weighted_transversal`

    Returns
    -------
    Ordered

    Raises what `read`, `maximum_transversal`, `dulmage_mendelsohn`, `weighted_transversal`,
    `preorder` and `save` raise.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> head = "%%MatrixMarket matrix coordinate pattern general\\n"
    >>> _ = (folder / "a.mtx").write_text(head + "2 2 3\\n1 1\\n1 2\\n2 2\\n")
    >>> done = order_file(folder / "a.mtx", [folder / "perm.npz"])
    >>> done.decomposition.n_blocks, list(done.seconds), done.written[0].name
    (2, ['read', 'search', 'decompose', 'write'], 'perm.npz')
    """
    with over_ranks(None, comm), memory_for(DECOMPOSITION):
        if comm is not None and solver is not None:
            raise InvalidArgumentError(
                "solver orders are not available over MPI ranks: run one process, or name no solver"
            )
        targets = _targets(outputs, format, convention, solver)
        stages = _Stages(progress)
        chosen = solver is not None and weights is None  # the weights that `preorder` chooses
        if weights == "none":
            weights = None
        weigher = _weigher(options, weights)
        if weights is not None:
            options = _for_weights(weights, weigher, options, home_of(comm))
        weighted, diagonals, valued, modulus = None, None, None, None
        pattern: Pattern
        stages.begin("read", path)
        if weights is not None:
            read_moduli = registry.step("weighted", "moduli of a file", home_of(comm))
            pattern, modulus, options = read_moduli(path, comm, weights, weigher, options)
        elif comm is not None:
            pattern = as_pattern(path, comm=comm, drop_zeros=drop_zeros, threads=threads)
        elif chosen:
            pattern, valued = pattern_and_values(path, drop_zeros)
        else:
            how: dict[str, Any] = {"threads": threads or 0, "progress": _reading(progress, path)}
            pattern = read(path, drop_zeros=drop_zeros, **how)
        stages.end("read")
        request, transversal, result = _decomposed(pattern, threads, options, stages)
        if result is None:
            return Ordered(pattern, transversal, None, stages.seconds)
        if weights is not None:
            from btfperm.weighted.with_diagonals import weighed_with_diagonals

            stages.begin("weigh")
            limits = {"max_work": options.get("max_work"), "backend": options["backend"]}
            limits |= {"algorithm": weigher, "threads": threads}
            weighted, diagonals = weighed_with_diagonals(
                pattern, modulus, result, weights, request, **limits
            )
            result = _with_weights(result, weighted)
            transversal = result.transversal or transversal
            stages.end("weigh")
        solver_order: SolverOrder | None = None
        if solver is not None:
            stages.begin("order")
            solver_order, chosen_weights = _for_solver(
                pattern, valued, transversal, cast(Any, solver), threads
            )
            if chosen_weights is not None and valued is not None:
                weighted = chosen_weights
                result, diagonals = _chosen(valued, result, weighted)
            stages.end("order")
    completed = _completed(result, targets) if solver_order is None else None
    for file, row in zip(outputs, targets, strict=True):
        stages.begin("write", file)
        permutations = solver_order or (completed if row.pairs_diagonal else None) or result
        write(permutations, file, format=format, convention=convention)
    if outputs:
        stages.end("write")
    done = tuple(outputs), solver_order, weighted, diagonals
    return Ordered(pattern, transversal, result, stages.seconds, *done)


class _Stages:
    """Calls `progress` at the start of each stage, and measures the seconds of each."""

    def __init__(self, progress: Progress | None) -> None:
        self.progress = progress
        self.seconds: dict[str, float] = {}
        self.since = time.perf_counter()

    def begin(self, stage: str, file: PathLike | None = None) -> None:
        if self.progress is not None:
            self.progress(stage, file, 0, None)

    def end(self, stage: str) -> None:
        """Sets the seconds of a stage: those since the end of the stage before it."""
        now = time.perf_counter()
        self.seconds[stage], self.since = round(now - self.since, 6), now


def _decomposed(
    pattern: Pattern, threads: int | None, options: dict[str, Any], stages: _Stages
) -> tuple[Request, Transversal, DulmageMendelsohn | None]:
    """(request of the search, transversal, decomposition). The decomposition is None if a limit
    ended the search."""
    stages.begin("search")
    session = Session(pattern)
    backend = options.get("backend", "auto")
    session.keep_copies = worth_copies(session, backend, has_options=False)
    try:
        request = Request(threads=threads, **options)
        transversal = matched(session, request)
        stages.end("search")
        if not transversal.maximum:
            return request, transversal, None
        stages.begin("decompose")
        result = decompose_session(session, transversal, threads)
        stages.end("decompose")
    finally:
        session.close()
    return request, transversal, result


def _for_solver(
    pattern: Pattern,
    valued: ValuedPattern | None,
    transversal: Transversal,
    solver: Any,
    threads: int | None,
) -> tuple[SolverOrder, WeightedTransversal | None]:
    """(order for a solver, weighted transversal). The weighted transversal is None unless
    `preorder` chose it for the diagonal."""
    from btfperm.preorder import order_for_solver, preorder

    if valued is not None and pattern.m == pattern.n == transversal.size:
        return order_for_solver(valued, transversal, solver, threads)
    order = preorder(pattern, solver=solver, transversal=transversal, threads=threads)
    return order, None


def _reading(progress: Progress | None, path: PathLike) -> Callable[..., None] | None:
    """The function that a reader calls with the number of bytes that it has read."""
    if progress is None:
        return None

    def show(done: int, total: int | None = None) -> None:
        progress("read", path, done, total)

    return show


def _targets(
    outputs: Sequence[PathLike], format: str | None, convention: str | None, solver: str | None
) -> list[Convention]:
    """The convention of each file. Raises an error for a convention that does not exist, even if no
    file is written."""
    if not outputs and convention is None:
        return []  # a call without files does not load the conventions
    from btfperm.conventions.rows import conventions
    from btfperm.io.perm_file import target

    if convention is not None:
        conventions.find(convention)
    return [target(file, format, convention, solver)[1] for file in outputs]


def _weigher(options: dict[str, Any], weights: str | None) -> str:
    """The name of the weighted search that `options` request, or "auto". The options are those of
    the search for the structural rank, so such a name is replaced by "auto" in them.

    Raises
    ------
    InvalidArgumentError : the algorithm is a weighted search, but `weights` is not given
    """
    name = options.get("algorithm")
    if all(
        row.name != name for row in registry.algorithms(package="weighted") if not row.of_graphs
    ):
        return "auto"
    if weights is None:
        raise InvalidArgumentError(f"the algorithm {name} needs weights=")
    options["algorithm"] = "auto"
    return str(name)


def _for_weights(weights: str, weigher: str, options: dict[str, Any], home: str) -> dict[str, Any]:
    """The options of the search for the structural rank, for a matrix that the backend `home`
    holds. In one process, this search runs on the backend of the weighted search.

    Raises
    ------
    InvalidArgumentError : there is no such objective; or, in one process, the caller requests a GPU
        for a weighted search that runs on the CPU, or names a device
    """
    from btfperm.weighted import Objective

    if text("weights", weights) not in get_args(Objective):
        raise InvalidArgumentError(
            f"there are no weights {weights!r}; give one of {', '.join(get_args(Objective))}"
        )
    step = registry.step("weighted", "options", home)
    chosen: dict[str, Any] = step(weights, weigher, options)
    return chosen


def _chosen(
    valued: ValuedPattern, d: DulmageMendelsohn, w: WeightedTransversal
) -> tuple[DulmageMendelsohn, Diagonals]:
    """The decomposition with the weighted transversal that `preorder` chose, and the facts about
    the diagonal entries before and after."""
    from btfperm.weighted import moduli
    from btfperm.weighted.diagonal import diagonals_of

    entries, modulus = moduli(valued)
    return _with_weights(d, w), diagonals_of(entries, modulus, w)


def _with_weights(d: Any, w: WeightedTransversal) -> Any:
    """The decomposition with the matching and the scalings of the weighted transversal. The
    permutations and the blocks do not depend on the matching."""
    transversal = w.transversal
    assert transversal is not None
    return d._with_transversal(transversal, meta_with_weights(d.meta, transversal))


def _completed(
    result: DulmageMendelsohn, targets: Sequence[Convention]
) -> BlockTriangularForm | None:
    """The block triangular form, which has a completed permutation, if a file needs it; else None.
    A file needs it if the matrix is square and structurally singular, and the convention of the
    file pairs rows and columns on the diagonal. Over MPI ranks, the result is None."""
    m, n = result.shape
    if result.pattern is None or result.pattern.is_distributed:  # no rank has the whole matrix
        return None
    if m != n or result.structural_rank == n or not any(row.pairs_diagonal for row in targets):
        return None
    from btfperm.block_triangular import block_triangular_form

    return block_triangular_form(result.pattern, transversal=result.transversal)
