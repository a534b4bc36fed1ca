# SPDX-License-Identifier: BSD-3-Clause
"""An algorithm in C++ that is not part of btfperm: a header, a line of binding and a row suffice.
The test compiles both against the headers of the core, as a module of its own."""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest

import btfperm
from btfperm import _core, registry
from btfperm.pattern import Pattern, as_pattern
from btfperm.registry import Algorithm, Option
from tests import families
from tests.checks.check_transversal import check_transversal
from tests.oracles import plain_matching
from tests.transversal.test_starts import check_start, start

ADDED = Path(__file__).parent / "added"
MODULE = "last_row_core"
ROW = Algorithm(
    name="last-row",
    package="transversal",
    family="initial",
    backend="cpu",
    reference="-",
    summary="-",
    prefer="-",
    options=(Option("columns", 1, "only every k-th column is matched"),),
    function=f"{MODULE}:last_row",
)


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    """The module of the algorithm. Without optimisation, g++ takes a few seconds for it and for
    nanobind."""
    if shutil.which("g++") is None:
        pytest.skip("needs g++")
    if "LD_PRELOAD" in os.environ:
        pytest.skip("a sanitizer needs a core that is built with it")
    if importlib.util.find_spec("nanobind") is None:
        pytest.skip("nanobind is not installed")
    import nanobind

    folder = tmp_path_factory.mktemp("last_row")
    headers = Path(nanobind.include_dir())
    theirs = (
        headers,
        headers.parent / "ext/robin_map/include",
        sysconfig.get_path("include"),
    )
    flags = [
        "-std=c++20",
        "-fPIC",
        "-fopenmp",
        "-fvisibility=hidden",
        "-DNDEBUG",
        "-Wall",
    ]
    flags += ["-Wextra", "-Werror", f"-I{Path(btfperm.__file__).parent}"]
    flags += [word for path in theirs for word in ("-isystem", str(path))]
    sources = ADDED / "bind.cpp", Path(nanobind.source_dir()) / "nb_combined.cpp"
    objects = [folder / f"{source.stem}.o" for source in sources]
    compilers = [
        subprocess.Popen(["g++", *flags, "-c", source, "-o", made])
        for source, made in zip(sources, objects, strict=True)
    ]
    assert [compiler.wait() for compiler in compilers] == [0, 0]
    library = folder / f"{MODULE}{sysconfig.get_config_var('EXT_SUFFIX')}"
    subprocess.run(["g++", "-shared", "-fopenmp", *objects, "-o", library], check=True)
    spec = importlib.util.spec_from_file_location(MODULE, library)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def row(core, monkeypatch):
    """The row, in the registry for one test."""
    monkeypatch.setitem(sys.modules, MODULE, core)
    registry.add(ROW)
    yield ROW
    registry.remove(ROW)


def expected(P, step=1):
    """The row of each column by the definition of the algorithm."""
    taken, matching = set(), [-1] * P.n
    for j in range(0, P.n, step):
        rows = P.indices[P.indptr[j] : P.indptr[j + 1]].tolist()
        matching[j] = next((i for i in reversed(rows) if i not in taken), -1)
        taken.add(matching[j])
    return matching


@pytest.mark.parametrize("width", [np.int32, np.int64])
def test_its_matching_counters_options_and_limits(row, width, run_seed):
    P = as_pattern(families.random_rectangle(40, 50, 2.5, run_seed).A)
    P = Pattern._unchecked(P.shape, P.indptr.astype(width), P.indices.astype(width))
    _, problem, counters, _ = start(P, row)
    assert problem.col_match.dtype == width and problem.col_match.tolist() == expected(P)
    assert check_start(P, problem) <= counters["phases"] <= counters["edges"] <= P.nnz
    _, problem, _, _ = start(P, row, {"columns": 3})
    assert problem.col_match.tolist() == expected(P, 3)
    _, problem, _, stopped_by = start(P, row, max_work=1)
    assert stopped_by == "max_work" and 0 < problem.size < P.m


def test_it_is_found_by_name_and_a_search_follows(row, run_seed):
    A = families.random_rectangle(60, 60, 2.5, run_seed).A
    t = btfperm.maximum_transversal(A, initializer="last-row", options={"columns": 2})
    assert t.initializer == "last-row" and t.counters["start_edges"] > 0
    check_transversal(A, t, rank=plain_matching.structural_rank(A))
    with pytest.raises(btfperm.InvalidArgumentError, match="columns of last-row"):
        btfperm.maximum_transversal(A, initializer="last-row", options={"rows": 2})


def test_the_counters_of_a_thread_are_added(core):
    """The core sums all numbers except those of which the largest counts, and leaves lists."""
    names = [name for name, _ in _core.transversal.counters()]
    for one, other in ((5, 3), (3, 5)):
        found = core.added_counters(one, other)
        assert [name for name, _ in found] == names
        assert dict(found) == dict.fromkeys(names, 8) | {"longest_path": 5, "frontier_sizes": one}


def test_without_its_row_it_is_unknown():
    with pytest.raises(btfperm.InvalidArgumentError, match="unknown initializer 'last-row'"):
        btfperm.maximum_transversal([[1]], initializer="last-row")
    assert dataclasses.replace(ROW, function="").path == "transversal/initial/last_row.hpp"
