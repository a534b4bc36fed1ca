# SPDX-License-Identifier: BSD-3-Clause
"""All stages in one call: read a matrix file, match, decompose, write the permutations."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from btfperm.backends.protocol import Session
from btfperm.conventions.rows import Convention, conventions
from btfperm.dulmage_mendelsohn import decompose_session
from btfperm.io import read, save
from btfperm.io.perm_file import target
from btfperm.path.decompose import worth_copies
from btfperm.path.request import Request
from btfperm.pattern import DECOMPOSITION, Pattern, memory_for
from btfperm.results import BlockTriangularForm, DulmageMendelsohn, SolverOrder, Transversal
from btfperm.transversal import matched

__all__ = ["Ordered", "order_file"]

PathLike = str | os.PathLike[str]
#: called with a stage (``"read"``, ``"search"``, ``"decompose"``, ``"order"``, ``"write"``), the
#: file that it works on or None, and, while a file is read, the bytes read and its size (None where
#: unknown)
Progress = Callable[[str, PathLike | None, int, int | None], None]


@dataclass(frozen=True, eq=False)
class Ordered:
    """What `order_file` did.

    Attributes
    ----------
    pattern : of the matrix
    transversal : the maximum transversal, or the partial one that a limit allowed
    decomposition : None where a limit ended the search; nothing was written then
    seconds : of each stage
    written : the files written
    solver_order : the order for the solver that the caller named, or None
    """

    pattern: Pattern
    transversal: Transversal
    decomposition: DulmageMendelsohn | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    written: tuple[PathLike, ...] = ()
    solver_order: SolverOrder | None = None


def order_file(
    path: PathLike,
    outputs: Sequence[PathLike] = (),
    *,
    format: str | None = None,
    convention: str | None = None,
    solver: str | None = None,
    drop_zeros: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
    write: Callable[..., None] = save,
    **options: Any,
) -> Ordered:
    """Reads a matrix file, decomposes the matrix and writes the permutations.

    Parameters
    ----------
    path : as for `read`
    outputs : files to write, each as `save` writes it
    format, convention : as for `save`. In the convention of a solver, a structurally singular
        square matrix is completed as `block_triangular_form` does
    solver : write the order of `preorder` for this solver, in its convention by default: it is
        ordered against fill inside the blocks, too
    drop_zeros, threads : as for `read` and `maximum_transversal`
    progress : called at the start of each stage, and repeatedly while the file is read
    write : called as ``write(result, path, format=..., convention=...)`` for each output
    options : as for `maximum_transversal`

    Returns
    -------
    Ordered

    Raises what `read`, `maximum_transversal`, `dulmage_mendelsohn`, `preorder` and `save` raise.

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
    if convention is not None:
        conventions.find(convention)
    targets = [target(file, format, convention, solver)[1] for file in outputs]
    seconds: dict[str, float] = {}
    since = time.perf_counter()

    def begin(stage: str, file: PathLike | None = None) -> None:
        if progress is not None:
            progress(stage, file, 0, None)

    def end(stage: str) -> None:
        nonlocal since
        now = time.perf_counter()
        seconds[stage], since = round(now - since, 6), now

    with memory_for(DECOMPOSITION):
        begin("read", path)
        on_bytes_read = None
        if progress is not None:
            show = progress

            def on_bytes_read(done: int, total: int | None = None) -> None:
                show("read", path, done, total)

        pattern = read(path, drop_zeros=drop_zeros, threads=threads or 0, progress=on_bytes_read)
        end("read")
        begin("search")
        session = Session(pattern)
        session.keep_copies = options.get("backend") != "cpu" and worth_copies(
            session, has_options=False
        )
        try:
            transversal = matched(session, Request(pattern.nnz, threads=threads, **options))
            end("search")
            if not transversal.maximum:
                return Ordered(pattern, transversal, None, seconds)
            begin("decompose")
            result = decompose_session(session, transversal, threads)
            end("decompose")
        finally:
            session.close()
        solver_order: SolverOrder | None = None
        if solver is not None:
            from btfperm.preorder import preorder

            begin("order")
            solver_order = preorder(
                pattern, solver=cast(Any, solver), transversal=transversal, threads=threads
            )
            end("order")
    completed = _completed(result, targets) if solver_order is None else None
    for file, row in zip(outputs, targets, strict=True):
        begin("write", file)
        permutations = solver_order or (completed if row.pairs_diagonal else None) or result
        write(permutations, file, format=format, convention=convention)
    if outputs:
        end("write")
    return Ordered(pattern, transversal, result, seconds, tuple(outputs), solver_order)


def _completed(
    result: DulmageMendelsohn, targets: Sequence[Convention]
) -> BlockTriangularForm | None:
    """The block triangular form if the matrix is square and structurally singular and a file is
    written in a solver's convention: only this form has a completed permutation. Else None."""
    m, n = result.shape
    if m != n or result.structural_rank == n or not any(row.pairs_diagonal for row in targets):
        return None
    from btfperm.block_triangular import block_triangular_form

    return block_triangular_form(result.pattern, transversal=result.transversal)
