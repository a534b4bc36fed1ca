# SPDX-License-Identifier: BSD-3-Clause
"""Which libraries of KLU are found, and what is reported about those that do not work."""

from __future__ import annotations

import ctypes.util
import importlib.metadata
import os
import resource
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.preorder import klu_libraries, klu_shared
from btfperm.printable import one_line


@pytest.fixture
def search_again(monkeypatch):
    """Removes the cached result before and after the test, so that the libraries are searched for
    again. scikit-sparse counts as not installed."""
    monkeypatch.setattr(klu_libraries, "_scikit_sparse", tuple)
    klu_libraries._search.cache_clear()
    yield
    klu_libraries._search.cache_clear()


@pytest.mark.usefixtures("search_again")
@pytest.mark.parametrize("has_wheel", [False, True])
def test_a_named_library_that_does_not_work_is_reported(monkeypatch, tmp_path, has_wheel):
    """No other libklu replaces the library that the variable BTFPERM_LIBKLU names, and the reason
    contains the path of that library."""
    broken = tmp_path / "libmine.so"
    broken.write_bytes(b"not a library")
    if has_wheel:
        pytest.importorskip("nbklu", reason="nbklu is not installed, or not for a sanitizer")
    else:
        monkeypatch.setattr(klu_libraries, "SOURCES", (klu_shared.Shared,))
    monkeypatch.setenv("BTFPERM_LIBKLU", str(broken))
    rows = [row for row in btfperm.solvers() if row.name == "klu"]
    assert [row.library for row in rows] == [*["nbklu"] * has_wheel, ""]
    assert rows[-1].reason.startswith("libklu does not work: ") and str(broken) in rows[-1].reason
    assert ("btfperm[klu]" in rows[-1].hint) == (not has_wheel)
    assert klu_libraries.find() is None or has_wheel


A = np.array([[4.0, 1.0], [1.0, 3.0]])


def _without_klu(path):
    return path / "libmine.so", "cannot open shared object file: No such file or directory"


def _with_text(path):
    (path / "libmine.so").write_bytes(b"not a library")
    return path / "libmine.so", "file too short"


def _in_a_long_path(path):
    folder = path / ("f" * 200)
    folder.mkdir()
    return _with_text(folder)


def _with_another_library(path):
    amd = ctypes.util.find_library("amd")
    if amd is None:
        pytest.skip("libamd is not installed")
    return amd, "undefined symbol: klu_analyze"


@pytest.mark.usefixtures("search_again")
@pytest.mark.parametrize("has_wheel", [False, True])
@pytest.mark.parametrize("make", [_without_klu, _with_text, _in_a_long_path, _with_another_library])
def test_a_warning_says_why_the_named_library_is_not_used(monkeypatch, tmp_path, make, has_wheel):
    """The warning has the loader's reason and what to do, and names the library that factors."""
    if has_wheel:
        pytest.importorskip("nbklu", reason="nbklu is not installed, or not for a sanitizer")
    else:
        monkeypatch.setattr(klu_libraries, "SOURCES", (klu_shared.Shared,))
    named, reason = make(tmp_path)
    monkeypatch.setenv("BTFPERM_LIBKLU", str(named))
    advice = "set BTFPERM_LIBKLU to the path of a libklu that works, or unset it"
    other = "nbklu"
    if not has_wheel:
        advice, other = f"{advice}, or pip install 'btfperm[klu]'", "SuperLU"
    p = btfperm.preorder(A, solver="klu")
    calls = [lambda: p.factor(A), lambda: btfperm.solve(A, np.ones(2))]  # solve has "auto"
    for call in calls:
        with pytest.warns(btfperm.SolverMissingWarning) as warned:
            call()
        (text,) = (str(one.message) for one in warned)
        assert text.startswith("libklu does not work: ")
        assert text.endswith(f"{reason}; {advice}; {other} factors instead")
        assert text == one_line(text)


@pytest.mark.usefixtures("search_again")
def test_a_named_library_of_another_layout_is_reported(monkeypatch):
    system = {one.name: one for one in klu_libraries.libraries()}.get("libklu")
    if system is None:
        pytest.skip("libklu is not installed")
    klu_libraries._search.cache_clear()
    monkeypatch.setenv("BTFPERM_LIBKLU", system.location)
    monkeypatch.setattr(klu_shared.Shared, "_verified_common", lambda self, width: None)
    with pytest.warns(btfperm.SolverMissingWarning, match="libklu writes another layout; set BTF"):
        btfperm.preorder(A, solver="klu").factor(A)


@pytest.mark.usefixtures("search_again")
def test_superlu_needs_no_klu(monkeypatch, tmp_path):
    """No warning if the caller requests SuperLU."""
    monkeypatch.setenv("BTFPERM_LIBKLU", str(tmp_path / "libmine.so"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        btfperm.preorder(A, solver="superlu").factor(A)
        btfperm.solve(A, np.ones(2), solver="superlu")


@pytest.mark.usefixtures("search_again")
def test_a_comparison_says_why_no_library_works(monkeypatch, tmp_path):
    monkeypatch.setattr(klu_libraries, "SOURCES", (klu_shared.Shared,))
    monkeypatch.setenv("BTFPERM_LIBKLU", str(tmp_path / "libmine.so"))
    errors = [run.error for run in btfperm.compare_solvers(A, repeats=1) if run.solver == "klu"]
    assert len(errors) == 2
    assert all("No such file or directory; set BTFPERM_LIBKLU" in error for error in errors)


@pytest.mark.usefixtures("search_again")
def test_a_comparison_warns_of_a_named_library_that_it_leaves_out(monkeypatch, tmp_path):
    pytest.importorskip("nbklu", reason="nbklu is not installed, or not for a sanitizer")
    monkeypatch.setenv("BTFPERM_LIBKLU", str(tmp_path / "libmine.so"))
    with pytest.warns(btfperm.SolverMissingWarning, match=r"such file.*unset it; the compar") as w:
        runs = btfperm.compare_solvers(A, repeats=1)
    assert len(w) == 1
    assert [run.library.split()[0] for run in runs] == ["nbklu", "nbklu", "scipy", "scipy"]


@pytest.mark.usefixtures("search_again")
def test_a_named_library_comes_first(monkeypatch, tmp_path):
    system = {one.name: one for one in klu_libraries.libraries()}.get("libklu")
    if system is None:
        pytest.skip("libklu is not installed")
    klu_libraries._search.cache_clear()
    (tmp_path / "libmine.so").symlink_to(system.location)
    monkeypatch.setenv("BTFPERM_LIBKLU", str(tmp_path / "libmine.so"))
    assert list(klu_shared._candidates()) == [str(tmp_path / "libmine.so")]
    assert klu_libraries.find().name == btfperm.solvers()[0].library == "libklu"
    assert not any(row.reason for row in btfperm.solvers())


class _Absent:
    """A finder of modules that makes `nbklu` look as if it were not installed."""

    def find_spec(self, name, *_):
        if name == "nbklu":
            raise ModuleNotFoundError("No module named 'nbklu'", name="nbklu")


@pytest.mark.usefixtures("search_again")
def test_a_library_that_is_not_there_has_no_reason(monkeypatch):
    """The row of a missing library contains no reason, only a hint how to install it."""
    monkeypatch.setattr(klu_shared, "_candidates", lambda: iter(()))
    for name in [name for name in sys.modules if name.partition(".")[0] == "nbklu"]:
        monkeypatch.delitem(sys.modules, name)
    finders = [_Absent(), *sys.meta_path]
    monkeypatch.setattr(sys, "meta_path", finders)
    rows = [row for row in btfperm.solvers() if row.name == "klu"]
    assert [(row.library, row.hint, row.reason) for row in rows] == [
        ("", klu_libraries.MISSING, "")
    ]


@pytest.mark.parametrize("is_installed", [False, True])
def test_scikit_sparse_is_reported_as_not_used(monkeypatch, is_installed):
    def version(name):
        if not is_installed:
            raise importlib.metadata.PackageNotFoundError(name)
        return "0.5.0"

    before = btfperm.solvers()
    monkeypatch.setattr(importlib.metadata, "version", version)
    reasons = [row.reason for row in btfperm.solvers() if "scikit-sparse" in row.reason]
    text = "scikit-sparse 0.5.0 is not used: up to version 0.5, it accepts no given order"
    assert reasons == [text] * is_installed
    libraries = [row.library for row in btfperm.solvers() if row.library]
    assert libraries == [row.library for row in before if row.library]


@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="a sanitizer takes back no freed memory")
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc on this system")
def test_the_memory_of_the_factors_is_freed(library):
    """The objects of nbklu do not free their memory: a hundred factorizations of this matrix would
    keep more than 10 MB."""
    n = 500
    A = sp.csc_array(sp.diags([1.0, 4.0, 1.0, 1.0], [-1, 0, 1, 20], shape=(n, n)))
    p = btfperm.preorder(A, solver="klu")

    def memory():
        F = p.factor(A)
        for k in range(50):
            F.factors.factor((1 + k) * F._columns.values)
            p.factor(A)
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()

    memory()
    before = memory()
    assert memory() - before < 2**22
