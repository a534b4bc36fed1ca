# SPDX-License-Identifier: BSD-3-Clause
"""The serial version of each CPU method, and its shared version, which is written for several
threads: both on one thread, in turns.

The section compiles ``serial_shared.cpp`` with the headers of the core, and needs a compiler with
OpenMP. A method keeps two versions if the shared one takes more than 1.03 times as long in the
geometric mean, or more than 1.1 times on a matrix. ``--algorithm METHOD`` measures only this one.

The initial matchings start from an empty matching, the searches and the steps of
guided-displacement from that of greedy, and the decomposition from a maximum transversal. A step is
timed on the matrices on which guided-displacement takes it. `local max` compares its sequential
model with CREW, on the graph of each square matrix, with an edge for each entry. The shared
decomposition and transpose ask for two threads, and OpenMP gives them one. Both versions must find
the same order, lists or matching; searches must find matchings of the same size. A method is left
out on a matrix on which its first turn takes more than half a second.
"""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import btfperm
from benchmarks.cases import Case, of_set, only
from benchmarks.report import Options, Row, Section, by_matrix, geometric_mean, table
from btfperm import registry
from btfperm.backends.cpu.problem import Problem
from btfperm.path.request import Request
from btfperm.path.run import run_algorithm
from btfperm.pattern import Pattern, as_pattern

HERE = Path(__file__).parent
REAL = (
    *("bundle1_rownet", "cnr-2000", "Cornell5", "delaunay_n15", "luxembourg_osm"),
    *("pfjac_case13659pegase", "qpA_BOYD2", "titan23_neuron", "wing"),
)
SEARCHES = ("trees", "pothen-fan")
STEPS = ("label pushes", "short searches", "two steps")
METHODS = ("greedy", "karp-sipser", *SEARCHES, *STEPS, "decomposition", "transpose", "local max")
PARTS = {
    "decomposition": ("coarse", "rectangles", "square", "order"),
    "local max": ("local max", "local max, equal weights"),
    **{step: (step, f"{step}, with trees") for step in STEPS},
}
"""The parts of a method that are timed, for those with several."""
MOST_PARTS = 4  # as in the C++ file
TOO_LONG = -1
LEAST = 2e-5  # seconds; shorter parts are left out
FLAGS = ("-std=c++20", "-O3", "-fopenmp", "-fPIC", "-shared")  # the flags of the core


def cases(which: str, folder: Path) -> list[Case]:
    """The matrices of a set; with ``field``, those of REAL too, if `folder` has an index."""
    found = of_set(which, folder)
    if which == "field" and (folder / "index.csv").exists():
        found += only(list(REAL), of_set("real", folder))
    return found


def run(cases: list[Case], options: Options) -> Section:
    """Ratios of the shared version over the serial one; OSError without a compiler."""
    unknown = sorted(set(options.algorithms) - {*METHODS, "auto"})
    if unknown:
        raise ValueError(f"no method {unknown[0]!r} with two versions: {', '.join(METHODS)}")
    methods = [name for name in METHODS if {name, "auto"} & set(options.algorithms)]
    rows: list[Row] = []
    complaints: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        compare = compiled(Path(folder))
        for case in cases:
            pattern = as_pattern(case.load())
            parts: dict[str, dict[str, float]] = {}
            for method in methods:
                start = _start(method, pattern)
                if start is None:
                    continue
                call = _Call(compare, method, *start)
                parts |= call.parts(options.limit, options.repeats)
                complaints += [f"{case.name}, {method}: {what}" for what in call.complaints]
            rows.append({"matrix": case.name, "entries": int(pattern.nnz), "parts": parts})
            options.say(f"{case.name}: {_shown(rows[-1])}")
    every = [name for method in METHODS for name in _names(method)]
    names = [name for name in every if any(name in row["parts"] for row in rows)]
    data = {"rows": rows, "summary": [_summary(name, rows) for name in names]}
    return Section("Serial and shared versions", _markdown(names, data), data, complaints)


def _names(method: str) -> Sequence[str]:
    return PARTS.get(method, (method,))


def _markdown(names: list[str], data: dict[str, Any]) -> str:
    head = "shared over serial", "matrices", "geometric mean", "least", "most", "matrix"
    shown = [
        [
            s["part"],
            str(s["matrices"]),
            *(f"{s[k]:.2f}" for k in ("mean", "least", "most")),
            s["at"],
        ]
        for s in data["summary"]
    ]
    each = by_matrix(
        ["entries", *names],
        data["rows"],
        lambda row: [f"{row['entries']:,}", *(_ratio(row, name) for name in names)],
    )
    return f"{table(head, shown)}\n\n{each}"


def _summary(name: str, rows: list[Row]) -> dict[str, Any]:
    found = [(row["parts"][name]["ratio"], row["matrix"]) for row in rows if name in row["parts"]]
    most, at = max(found)
    ratios = [ratio for ratio, _ in found]
    return {
        "part": name,
        "matrices": len(found),
        "mean": geometric_mean(ratios),
        "least": min(ratios),
        "most": most,
        "at": at,
    }


def _ratio(row: Row, name: str) -> str:
    return f"{row['parts'][name]['ratio']:.2f}" if name in row["parts"] else "-"


def _shown(row: Row) -> str:
    return ", ".join(f"{name} {part['ratio']:.2f}" for name, part in row["parts"].items())


class _Call:
    """One method on one matrix."""

    def __init__(self, compare: Any, method: str, pattern: Pattern, rows: Any, cols: Any) -> None:
        self._compare = compare
        self._method = method
        arrays = (pattern.indptr, pattern.indices, rows, cols)
        self._arrays = [np.ascontiguousarray(array, dtype=np.int32) for array in arrays]
        self._shape = pattern.shape
        self.complaints: list[str] = []

    def parts(self, seconds: float, rounds: int) -> dict[str, dict[str, float]]:
        """Median milliseconds of both versions, and their ratio, for each part of the method."""
        times = np.zeros((rounds, 2, MOST_PARTS))
        results = np.zeros((rounds, 2), dtype=np.int64)
        arrays: list[npt.NDArray[Any]] = [*self._arrays, times, results]
        places = [array.ctypes.data for array in arrays]
        done = self._compare(
            self._method.encode(), *self._shape, *places[:4], seconds, 0.5, rounds, *places[4:]
        )
        if done < TOO_LONG:
            raise OSError("OpenMP does not run on one thread")
        if done <= 0:
            return {}
        if len(np.unique(results[:done])) > 1 and self._method not in ("greedy", "karp-sipser"):
            self.complaints.append(f"the results differ: {results[:done].tolist()}")
        medians = np.median(times[:done], axis=0)
        return {
            name: {"serial_ms": 1e3 * serial, "shared_ms": 1e3 * shared, "ratio": shared / serial}
            for name, serial, shared in zip(_names(self._method), *medians.tolist(), strict=False)
            if serial >= LEAST
        }


def _start(method: str, pattern: Pattern) -> tuple[Pattern, Any, Any] | None:
    """The pattern and the matching from which a method starts; None if it does not apply."""
    if method == "local max":
        if pattern.m != pattern.n:
            return None
        ends = pattern.indices, pattern.cols()
        both = np.concatenate(ends), np.concatenate(ends[::-1])
        pattern = Pattern.from_coo(*both, pattern.shape)
    problem = Problem.empty(pattern)
    if method == "decomposition":
        found = btfperm.maximum_transversal(pattern, threads=1)
        return pattern, found.row_match, found.col_match
    if method in (*SEARCHES, *STEPS):
        greedy = registry.find("greedy", initializer=True)
        run_algorithm(greedy, problem, Request(threads=1))
    return pattern, problem.row_match, problem.col_match


def compiled(folder: Path) -> Any:
    """The function `compare` of the C++ file."""
    file = folder / "serial_shared.so"
    include = HERE.parent / "btfperm"
    line = ["c++", *FLAGS, f"-I{include}", str(HERE / "serial_shared.cpp"), "-o", str(file)]
    if subprocess.run(line, check=False).returncode != 0:
        raise OSError("the compiler c++ did not compile serial_shared.cpp")
    compare = ctypes.CDLL(str(file)).compare
    types: list[Any] = [ctypes.c_char_p, *2 * [ctypes.c_int], *4 * [ctypes.c_void_p]]
    compare.argtypes = [*types, *2 * [ctypes.c_double], ctypes.c_int, *2 * [ctypes.c_void_p]]
    return compare
