# SPDX-License-Identifier: BSD-3-Clause
"""The matrices of a run: those of ``sets.toml``, or the real ones of a folder with an index."""

from __future__ import annotations

import csv
import tomllib
from argparse import ArgumentTypeError
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp

from benchmarks.generators import family_of, make, permuted_names
from benchmarks.generators.assemble import pattern, rcp

_TABLE: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("sets.toml").read_text(encoding="utf-8")
)
SETS = tuple(_TABLE["default"])  # tiny, quick, field, large
ALL = "all"  # the set of a section that has only one


def names(section: str, which: str) -> list[str]:
    """The matrices of a section in a set, by ``sets.toml``.

    A section may have one list, ``all``, for every set that it does not name; a section that the
    file does not name has the matrices of ``default``.
    """
    own = _TABLE.get(section, _TABLE["default"])
    if which not in own and ALL not in own:
        raise ValueError(f"this section has the sets {', '.join(own)}, not {which}")
    return own[which if which in own else ALL].split()


@dataclass(frozen=True)
class Case:
    """One matrix: `load` makes or reads it, and `expected` holds what an index states about it.

    `kind` is the group for the means: that of the family, or "" for real matrices, which
    `size_class` groups by size.
    """

    name: str
    kind: str
    load: Callable[[], sp.csc_array]
    expected: dict[str, int] = field(default_factory=dict)
    path: Path | None = None

    def written(self, file: Path) -> sp.csc_array:
        """Writes the pattern of the matrix as a Matrix Market file, and returns the matrix."""
        A = self.load()
        scipy.io.mmwrite(file, A.tocoo(), field="pattern", symmetry="general")
        return A


def generated(wanted: list[str]) -> list[Case]:
    """Cases by name; raises ValueError for a name that no family has."""
    return [Case(name, family_of(name)[0].kind, _maker(name)) for name in wanted]


def real(folder: Path) -> list[Case]:
    """The matrices of ``index.csv`` in `folder`, with its ranks and blocks."""
    with (folder / "index.csv").open(newline="") as index:
        return [_real_case(folder, row) for row in csv.DictReader(index)]


def of_set(which: str, folder: Path, section: str = "default") -> list[Case]:
    """All matrices of a section's set, or all of `folder` when the set is ``real``."""
    return real(folder) if which == "real" else generated(names(section, which))


def only(wanted: list[str], cases: list[Case]) -> list[Case]:
    """Only the cases, or matrices of the families, with these names."""
    known = {case.name: case for case in cases}
    return [known[name] if name in known else generated([name])[0] for name in wanted]


def with_permutations(cases: list[Case], count: int) -> list[Case]:
    """Each case, followed by its first `count` random permutations of rows and columns."""
    result: dict[str, Case] = {}
    for case in cases:
        result.setdefault(case.name, case)
        for name in permuted_names(case.name.partition("_rcp")[0], count):
            result.setdefault(name, _permuted(case, name))
    return list(result.values())


def _permuted(case: Case, name: str) -> Case:
    """The case of a random permutation. A generated matrix is made from its name, so that the name
    always means the same matrix."""
    load = _maker(name) if case.path is None else lambda: rcp(case.load(), name)
    return Case(name, case.kind, load, case.expected)


def part(word: str) -> tuple[int, int]:
    """The numbers of ``K/N``; the error is one for `argparse`."""
    number, _, parts = word.partition("/")
    if not (number.isdigit() and parts.isdigit() and 1 <= int(number) <= int(parts)):
        raise ArgumentTypeError(f"{word!r} is not K/N with 1 <= K <= N, such as 2/4")
    return int(number), int(parts)


def kept(cases: list[Case], folder: Path) -> list[Case]:
    """The same cases; generated ones are read from `folder`, and missing files of these are made
    first, on all cores."""
    folder.mkdir(parents=True, exist_ok=True)
    made = {case.name for case in cases if _is_generated(case)}
    missing = [name for name in sorted(made) if not _file_of(name, folder).exists()]
    with ProcessPoolExecutor() as pool:
        for _ in pool.map(_keep, missing, [folder] * len(missing)):
            pass
    return [
        Case(c.name, c.kind, reader(_file_of(c.name, folder)), c.expected) if c.name in made else c
        for c in cases
    ]


def _is_generated(case: Case) -> bool:
    try:
        family_of(case.name)
    except ValueError:
        return False
    return case.path is None


def _file_of(name: str, folder: Path) -> Path:
    return folder / f"{name}.npz"


def _keep(name: str, folder: Path) -> None:
    A = make(name)
    np.savez(_file_of(name, folder), indptr=A.indptr, indices=A.indices, shape=A.shape)


def reader(path: Path) -> Callable[[], sp.csc_array]:
    """Reads a matrix that `kept` wrote."""

    def read() -> sp.csc_array:
        with np.load(path, allow_pickle=False) as file:
            arrays = file["indices"], file["indptr"]
            return sp.csc_array((np.ones(len(arrays[0])), *arrays), shape=tuple(file["shape"]))

    return read


def read_pattern(path: Path) -> sp.csc_array:
    """Reads the pattern of a file. Every stored entry counts, also explicit zeros."""
    C = scipy.io.mmread(path, spmatrix=False)
    C = C if sp.issparse(C) else sp.coo_array(C)
    return pattern(C.row, C.col, C.shape)


def size_class(nnz: int) -> str:
    """The group, in the tables, of a matrix that was not generated, by its number of entries."""
    for least in (200_000, 20_000, 5_000):
        if nnz >= least:
            return f"real, {least:,} entries and more"
    return "real, smaller"


def _maker(name: str) -> Callable[[], sp.csc_array]:
    return lambda: make(name)


def _real_case(folder: Path, row: dict[str, str]) -> Case:
    path = folder / row["file"]
    expected = {"rank": int(row["structural_rank"])}
    if row["btf_blocks"]:
        expected["blocks"] = int(row["btf_blocks"])
    return Case(row["name"], "", lambda: read_pattern(path), expected, path)
