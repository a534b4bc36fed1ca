# SPDX-License-Identifier: BSD-3-Clause
"""Cases about values: each rank has those of its own entries."""

from __future__ import annotations

import gzip
from functools import partial

import numpy as np
import scipy.sparse as sp
from mpi4py import MPI

import btfperm
from btfperm.order import order_file
from btfperm.pattern.distributed_values import as_distributed_values, row_values
from tests.mpi import inputs
from tests.mpi.damage import raised

COMM = MPI.COMM_WORLD
HEAD = "%%MatrixMarket matrix coordinate "
FILES = {
    "real": HEAD + "real general\n4 3 6\n1 1 1.5\n2 2 0\n4 3 -2\n1 3 1e-3\n2 2 1\n1 1 2\n",
    "symmetric": HEAD + "integer symmetric\n5 5 5\n1 1 3\n5 1 2\n3 2 1\n5 5 7\n5 1 4\n",
    "skew": HEAD + "real skew-symmetric\n4 4 3\n2 1 3\n4 1 2\n3 2 -1\n",
    "hermitian": HEAD + "complex hermitian\n3 3 3\n1 1 3 0\n3 1 2 1\n3 3 0 0\n",
    "array": "%%MatrixMarket matrix array real general\n2 3\n1\n0\n0\n2\n3\n4\n",
}


def written(path, text):
    """Writes a file of text on the first rank; the others wait for it."""
    if COMM.rank == 0:
        packed = gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode()
        path.write_bytes(packed)
    COMM.Barrier()
    return path


def whole(P):
    """The matrix of a `DistributedPattern` with values, on each rank."""
    values = COMM.allgather(P.values)
    pattern = P.on_host()
    return sp.csc_array(
        (np.concatenate(values), pattern.indices, pattern.indptr), shape=pattern.shape
    )


def same_values(P, expected):
    """Whether entries and values are those of one process."""
    found = whole(P)
    assert np.array_equal(found.indptr, expected.pattern.indptr)
    assert np.array_equal(found.indices, expected.pattern.indices)
    assert np.array_equal(found.data, expected.values)


def case_values_of_files(folder):
    for name, text in FILES.items():
        for ending in (".mtx", ".mtx.gz"):
            path = written(folder / f"values_{name}{ending}", text)
            P = as_distributed_values(path, COMM)
            same_values(P, btfperm.io.read_valued(path))


def case_values_of_long_files(folder):
    """Ranges in the middle of lines, and duplicates in the ranges of several ranks."""
    rng = np.random.default_rng(7)
    entries = zip(rng.integers(1, 41, 900), rng.integers(1, 31, 900), strict=True)
    lines = "".join(f"{i} {j} {rng.integers(-9, 10)}\n" for i, j in entries)
    path = written(folder / "values_long.mtx", HEAD + "real general\n40 30 900\n" + lines)
    with inputs.small_steps():
        same_values(as_distributed_values(path, COMM), btfperm.io.read_valued(path))


def case_a_file_without_values(folder):
    path = written(folder / "no_values.mtx", HEAD + "pattern general\n2 2 1\n1 1\n")
    texts = {
        raised(btfperm.UnreadableInputError, lambda: as_distributed_values(path, COMM, None, "so")),
        raised(btfperm.UnreadableInputError, lambda: btfperm.io.values_of(path, True, "so")),
    }
    assert len(texts) == 1 and texts.pop().endswith(
        "it holds no values, only the positions of the entries: so"
    )


def case_values_of_distributed_rows():
    """Each rank gives its rows as SuperLU_DIST stores them. If one rank has complex values, the
    values of all ranks become complex."""
    A = inputs.random_matrix(5)
    A.data = np.arange(1.0, A.nnz + 1)
    same_values(inputs.as_distributed_rows(A, COMM, values=True), btfperm.as_valued(A))
    same_values(as_distributed_values(A, COMM), btfperm.as_valued(A))
    P = btfperm.DistributedPattern.from_positions(
        COMM, [0], [0], (1, 1), values=[1j if COMM.rank == 0 else 2.0]
    )
    assert whole(P).toarray().item() == 2 * (COMM.size - 1) + 1j
    text = raised(
        btfperm.InvalidMatrixError,
        lambda: (
            btfperm.DistributedPattern.from_positions(
                COMM, [0], [0], (1, 1), values=None if COMM.rank == 0 else [1.0]
            )
            if COMM.size > 1
            else as_distributed_values(inputs.as_distributed_rows(A, COMM), COMM)
        ),
    )
    assert "must give values" in text or "has no values" in text


def case_selected_entries_and_rows():
    A = inputs.random_matrix(9)
    A.data = np.arange(1.0, A.nnz + 1)
    P = as_distributed_values(A, COMM)
    P.halo()  # the entries are numbered locally from here on
    kept = P.values % 3 != 0
    some = P.selected(kept)
    expected = A.copy()
    expected.data[expected.data % 3 == 0] = 0
    expected.eliminate_zeros()
    same_values(some, btfperm.as_valued(expected))
    lists, values = row_values(P, P.values)
    rows = sp.csr_array(A)[P.row_slices.first : P.row_slices.last]
    assert np.array_equal(lists.indptr, rows.indptr) and np.array_equal(lists.items, rows.indices)
    assert np.array_equal(values, rows.data)


def case_stored_zeros_of_distributed_values():
    zeros = sp.csc_array((np.array([0.0, 1.0, 0.0, 2.0]), [0, 1, 2, 2], [0, 1, 2, 4]), (3, 3))
    P = as_distributed_values(zeros, COMM)
    assert [btfperm.structural_rank(P), btfperm.structural_rank(P, drop_zeros=True)] == [3, 2]
    assert btfperm.structural_rank(P, comm=COMM, drop_zeros=True, backend="mpi") == 2


def case_meta_of_zeros_left_out(folder):
    """`zeros_dropped` of the result is that of one process: True only if there was a zero."""
    for name, entries in (
        ("none", "1 1 2\n2 2 1\n1 2 3\n"),
        ("one", "1 1 2\n2 2 1\n1 2 0\n"),
        ("sum", "1 1 2\n2 2 1\n1 1 -2\n"),
        ("beside", "1 1 0\n2 2 1\n1 1 3\n"),
    ):
        path = written(folder / f"zeros_{name}.mtx", HEAD + "real general\n2 2 3\n" + entries)
        for how in ({}, {"backend": "mpi"}):
            d = order_file(path, weights="product", comm=COMM, **how).decomposition
            alone = order_file(path, weights="product").decomposition
            found = d.meta["matrix"]["zeros_dropped"]
            assert found == alone.meta["matrix"]["zeros_dropped"] == (name in ("one", "sum")), name
    A = btfperm.as_valued(sp.csc_array(([0.0, 1.0], [0, 1], [0, 1, 2]), (2, 2)), drop_zeros=True)
    assert as_distributed_values(A, COMM).zeros_dropped and A.pattern.zeros_dropped


def case_arguments_that_do_not_fit_a_distributed_pattern():
    """Each of these arguments is refused, because it has no meaning for a distributed pattern and
    must not be ignored."""
    A = inputs.full(3, 2)
    positions = inputs.as_distributed_rows(A, COMM)
    dropped = btfperm.as_pattern(A, comm=COMM, drop_zeros=True)
    for P, drop in ((positions, True), (dropped, False)):
        call = partial(btfperm.structural_rank, P, drop_zeros=drop)
        assert "came too late" in raised(btfperm.InvalidArgumentError, call)
        assert btfperm.structural_rank(P, drop_zeros=not drop) == 2
    valued = inputs.as_distributed_rows(sp.csc_array(np.ones((2, 2))), COMM, values=True)
    for function in (btfperm.weighted_transversal, btfperm.match, btfperm.structural_rank):
        text = raised(btfperm.InvalidArgumentError, partial(function, valued, shape=(3, 2)))
        assert "was given with a matrix of shape (2, 2)" in text
        assert function(valued, shape=(2, 2)) is not None
    if COMM.size > 1:
        half = COMM.Split(COMM.rank % 2)
        text = raised(
            btfperm.InvalidArgumentError, lambda: btfperm.structural_rank(valued, comm=half)
        )
        assert "belongs to a communicator with other ranks" in text
        half.Free()
    own = COMM.Dup()
    assert btfperm.structural_rank(valued, comm=own) == 2
    own.Free()


def case_the_shape_of_a_file(folder):
    file = folder / f"shape{COMM.size}.mtx"
    if COMM.rank == 0:
        file.write_text("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 2.0\n")
    COMM.barrier()
    for function in (btfperm.weighted_transversal, btfperm.match, btfperm.structural_rank):
        call = partial(function, file, comm=COMM, shape=(3, 2))
        assert "with a matrix of shape (2, 2)" in raised(btfperm.InvalidArgumentError, call)


def case_what_needs_the_whole_matrix_is_refused_before_reading(folder):
    file = folder / f"large{COMM.size}.mtx"
    if COMM.rank == 0:
        file.write_text("%%MatrixMarket matrix coordinate real general\n9 9 5000000\n1 1 2.0\n")
    COMM.barrier()
    for how in ({"weights": "bottleneck"}, {"weights": "sum", "algorithm": "mc64"}):
        for backend in ("mpi", "auto"):
            call = partial(order_file, file, comm=COMM, backend=backend, **how)
            if backend == "mpi" or COMM.size > 1:
                text = raised(btfperm.InvalidArgumentError, call)
                assert "needs the whole matrix in one process" in text
                how_here = {"objective": how["weights"], "algorithm": how.get("algorithm", "auto")}
                call = partial(
                    btfperm.weighted_transversal, file, comm=COMM, backend=backend, **how_here
                )
                assert raised(btfperm.InvalidArgumentError, call) == text
            else:
                assert "truncated" in raised(btfperm.UnreadableInputError, call)
    P = inputs.as_distributed_rows(inputs.full(3, 3), COMM, values=True)
    call = partial(btfperm.weighted_transversal, P, objective="bottleneck", backend="mpi")
    with inputs.changed("btfperm.weighted.weigh_mpi", "dulmage_mendelsohn", None):
        assert "needs the whole matrix" in raised(btfperm.InvalidArgumentError, call)
    assert btfperm.weighted_transversal(P, objective="bottleneck").structural_rank == 3
