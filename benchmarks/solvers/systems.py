# SPDX-License-Identifier: BSD-3-Clause
"""Linear systems for the sections about solvers: matrices with values, and right-hand sides."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.io
import scipy.sparse as sp

import btfperm
from benchmarks.cases import Case
from benchmarks.generators.assemble import SEED
from benchmarks.report import Row

POWER_FLOW = "pfjac_"  # prefix of the names of Newton power flow Jacobians
WITH_VALUES = "with values"  # `Case.kind` of generated matrices with values
LAYOUTS = ("natural", "swapped", "shuffled")
TIES = 20  # number of power lines between two copies of a network (`tied`)
_FIELDS = ("real", "complex", "integer")
_Numbers = npt.NDArray[Any]


class System(NamedTuple):
    """A square matrix with values, and the right-hand side of a known solution."""

    A: sp.csc_array
    b: _Numbers
    size: float  # the largest sum of moduli in a row of A


def system_of(A: sp.csc_array) -> System:
    """The system whose solution has entries between 1 and 2."""
    x = 1 + np.random.default_rng(SEED).random(A.shape[0])
    return System(A, A @ x, float(abs(A).sum(axis=1).max()))


def matrix_of(case: Case) -> sp.csc_array | None:
    """The matrix with values, without stored zeros; None if it is not square, has no values or is
    structurally singular. The values of a generated pattern are random, with a large transversal.
    """
    if case.kind == WITH_VALUES:
        return case.load()
    if case.path is None:
        return _with_values(case.load())
    if scipy.io.mminfo(case.path)[4] not in _FIELDS:
        return None
    C = sp.csc_array(scipy.io.mmread(case.path, spmatrix=False))
    C = C.astype(np.complex128 if C.dtype.kind == "c" else np.float64)
    C.eliminate_zeros()
    return C if _is_regular(C) else None


def matrices_of(cases: Sequence[Case]) -> Iterator[tuple[Row, sp.csc_array]]:
    """The name and size of each matrix that `matrix_of` returns, and the matrix; other cases are
    skipped."""
    for case in cases:
        A = matrix_of(case)
        if A is not None:
            yield {"matrix": case.name, "n": A.shape[0], "nnz": int(A.nnz)}, A


def domains(folder: Path) -> dict[str, str]:
    """The field of application of each real matrix, by the index of the folder."""
    with (folder / "index.csv").open(newline="") as index:
        return {row["name"]: row.get("domain", "") for row in csv.DictReader(index)}


def _is_regular(A: sp.csc_array) -> bool:
    m, n = A.shape
    return bool(m == n and btfperm.maximum_transversal(A).structural_rank == n)


def _with_values(A: sp.csc_array) -> sp.csc_array | None:
    """The pattern with random values between -1 and 1. On one transversal, the value is four times
    the number of entries in the column."""
    if not _is_regular(A):
        return None
    rng = np.random.default_rng(SEED)
    counts = np.diff(A.indptr)
    cols = np.repeat(np.arange(A.shape[1]), counts)
    values = rng.uniform(-1, 1, A.nnz)
    matched = btfperm.maximum_transversal(A).col_match[cols] == A.indices
    values[matched] = 4 * counts[cols[matched]]
    return sp.csc_array((values, A.indices, A.indptr), shape=A.shape)


# -- power flow ------------------------------------------------------------------------------------


def tied(A: sp.csc_array, copies: int) -> sp.csc_array:
    """A block diagonal matrix of `copies` of a Jacobian, whose values are multiplied by random
    factors between 0.9 and 1.1. Each copy is tied to the next one by `TIES` power lines. A line
    adds -w at two symmetric off-diagonal places and w to both diagonal entries; w is the median
    modulus of the diagonal of `A`."""
    rng = np.random.default_rng(SEED)
    n = A.shape[0]
    parts = [A.tocoo() for _ in range(copies)]
    rows = [part.row + k * n for k, part in enumerate(parts)]
    cols = [part.col + k * n for k, part in enumerate(parts)]
    values = [part.data * rng.uniform(0.9, 1.1, part.nnz) for part in parts]
    weight = float(np.median(np.abs(A.diagonal())))
    for k in range(copies - 1):
        one = rng.choice(n, TIES, replace=False) + k * n
        two = rng.choice(n, TIES, replace=False) + (k + 1) * n
        rows.append(np.concatenate([one, two, one, two]))
        cols.append(np.concatenate([two, one, one, two]))
        values.append(np.repeat([-weight, weight], 2 * TIES))
    total = copies * n
    entries = np.concatenate(values), (np.concatenate(rows), np.concatenate(cols))
    return sp.csc_array(sp.coo_array(entries, shape=(total, total)))


def laid_out(A: sp.csc_array, layout: str) -> sp.csc_array:
    """The matrix with its rows in a layout.

    - "natural": the rows as they are
    - "swapped": at each bus that has both, the equations of active and of reactive power are
      exchanged. These two rows have the same pattern and are equally far apart at all such buses;
      `_pairs` finds them. In a matrix without such rows, other pairs of rows are exchanged
    - "shuffled": the rows are in a random order
    """
    n = A.shape[0]
    rows = np.arange(n)
    if layout == "swapped":
        one, two = _pairs(A)
        rows[one], rows[two] = two, one
    elif layout == "shuffled":
        rows = np.random.default_rng(SEED).permutation(n)
    permuted = sp.csc_array(sp.csr_array(A)[rows])
    permuted.sort_indices()
    return permuted


def _pairs(A: sp.csc_array) -> tuple[_Numbers, _Numbers]:
    """Pairs of rows with the same pattern, at the distance that occurs most often. Between the two
    rows of a pair there is no row with this pattern. If no two rows have the same pattern, each row
    of the first half is paired with a row of the second half."""
    R = sp.csr_array(A)
    R.sort_indices()
    n, ends = R.shape[0], R.indptr
    previous: dict[bytes, int] = {}
    pairs = []
    for i in range(n):
        pattern = R.indices[ends[i] : ends[i + 1]].tobytes()
        if pattern in previous:
            pairs.append((previous[pattern], i))
        previous[pattern] = i
    if not pairs:
        return np.arange(n // 2), np.arange(n // 2) + n // 2
    (distance, _), *_ = Counter(j - i for i, j in pairs).most_common(1)
    chosen = np.array([pair for pair in pairs if pair[1] - pair[0] == distance])
    # Each row may be in only one pair: drop a pair whose first row is the second row of another
    # pair.
    keep = ~np.isin(chosen[:, 0], chosen[:, 1])
    return chosen[keep, 0], chosen[keep, 1]
