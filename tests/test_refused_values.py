# SPDX-License-Identifier: BSD-3-Clause
"""Values of arguments are refused although the file or the matrix is right, so that no other error
takes the place of this one."""

from __future__ import annotations

import numpy as np
import pytest

import btfperm
from btfperm import registry
from btfperm.backends import select
from btfperm.errors import InvalidArgumentError

D = btfperm.dulmage_mendelsohn(np.eye(3))
NO_TRUTH = [2, -1, "yes", "", None.__class__, 0.5, [True], np.array([True, False])]
NO_COUNT = [-1, 1.5, "1", [1], 2**40]
NO_FUNCTION = [3, "print", [print]]
NO_VALUE = [[1], {}, -1, -0.5, 2**31, np.nan, np.inf, None, 1j, np.array([1, 2])]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "A.mtx"
    btfperm.write_matrix(path, np.eye(3))
    return path


READING = {
    "read": btfperm.read,
    "as_pattern": btfperm.as_pattern,
    "maximum_transversal": btfperm.maximum_transversal,
    "structural_rank": btfperm.structural_rank,
    "dulmage_mendelsohn": btfperm.dulmage_mendelsohn,
    "block_triangular_form": btfperm.block_triangular_form,
    "diagnose": btfperm.diagnose,
    "preorder": btfperm.preorder,
    "as_valued": btfperm.as_valued,
    "read_valued": btfperm.read_valued,
    "solve": lambda A, **how: btfperm.solve(A, np.ones(3), **how),
    "compare_solvers": lambda A, **how: btfperm.compare_solvers(A, repeats=1, **how),
}


@pytest.mark.parametrize("name", READING)
def test_drop_zeros(file, name):
    for given in (file, np.eye(3)):
        if name in ("read", "read_valued") and given is not file:
            continue
        for value in NO_TRUTH:
            with pytest.raises(InvalidArgumentError, match="drop_zeros must be True or False"):
                READING[name](given, drop_zeros=value)
        for value in (True, False, 1, 0, np.True_):
            assert READING[name](given, drop_zeros=value) is not None


WRITING = {
    "npz": lambda path, value: btfperm.save(D, path, replace=value),
    "txt": lambda path, value: D.save(path, replace=value),
    "mtx": lambda path, value: btfperm.write_matrix(path, np.eye(2), replace=value),
    "npy": lambda path, value: btfperm.solve(np.eye(2), np.ones(2)).save(path, replace=value),
    "html": lambda path, value: btfperm.report(np.eye(2), path, solvers_within=0, replace=value),
}


@pytest.mark.parametrize("suffix", WRITING)
def test_replace(tmp_path, suffix):
    """A word such as "no" must not replace a file."""
    path = tmp_path / f"a.{suffix}"
    for value in (*NO_TRUTH, "no", None):
        with pytest.raises(InvalidArgumentError, match="replace must be True or False"):
            WRITING[suffix](path, value)
    assert not list(tmp_path.iterdir())
    path.write_bytes(b"old")
    with pytest.raises(btfperm.ResourceMissingError, match="exists already"):
        WRITING[suffix](path, False)
    assert path.read_bytes() == b"old"
    WRITING[suffix](path, True)
    assert path.read_bytes() != b"old"


@pytest.mark.parametrize("within", [0, 10])
def test_drop_zeros_of_a_report(file, tmp_path, within):
    target = tmp_path / "report.html"
    for given in (file, np.eye(3)):
        for value in NO_TRUTH:
            with pytest.raises(InvalidArgumentError, match="drop_zeros must be True or False"):
                btfperm.report(given, target, drop_zeros=value, solvers_within=within)
    assert not target.exists()


def test_the_other_arguments_of_read(file):
    for value in NO_COUNT:
        with pytest.raises(InvalidArgumentError, match="threads must be a whole number"):
            btfperm.read(file, threads=value)
    for value in NO_FUNCTION:
        with pytest.raises(InvalidArgumentError, match="progress must be a function"):
            btfperm.io.read(file, progress=value)
    steps = []
    assert btfperm.io.read(file, progress=lambda *step: steps.append(step), threads=0).nnz == 3
    assert steps


@pytest.mark.parametrize("value", NO_VALUE, ids=repr)
def test_values_of_options(value):
    for call in (
        lambda: btfperm.maximum_transversal(
            np.eye(3), initializer="two-sided", options={"sweeps": value}
        ),
        lambda: btfperm.match(np.ones((3, 3)), algorithm="red-blue", options={"p": value}),
    ):
        with pytest.raises(InvalidArgumentError):
            call()


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [("threads", 1, 1024), ("seed", 0, 2**64 - 1), ("max_work", 1, 2**63 - 1)],
)
def test_the_ends_of_the_ranges(name, least, most):
    for value in (least, most):
        if name != "threads" or value == least:  # threads are not started needlessly
            assert btfperm.structural_rank(np.eye(3), **{name: value}) == 3
    for value in (least - 1, most + 1):
        with pytest.raises(InvalidArgumentError, match=f"{name} must be a whole number"):
            btfperm.structural_rank(np.eye(3), **{name: value})


@pytest.mark.parametrize("value", [0, -1.0, np.nan, "1", [1.0]])
def test_time_limits(value):
    with pytest.raises(InvalidArgumentError, match="time_limit"):
        btfperm.structural_rank(np.eye(3), time_limit=value)


def test_the_memory_of_a_container_is_the_smaller_one(monkeypatch):
    machine = select.memory()
    if machine[0] is None:
        pytest.skip("memory cannot be measured here")
    for total, free in ((1000, 10), (2**60, 10), (1000, 2**60), (2**60, 2**60)):
        monkeypatch.setattr(select, "_container_memory", lambda folder, t=total, f=free: (t, f))
        found = select.memory()
        assert found[0] == min(total, machine[0])
        assert found[1] == 10 if free == 10 else found[1] < 2**60
    monkeypatch.setattr(select, "_container_memory", lambda folder: None)
    assert select.memory()[0] == machine[0]


@pytest.mark.parametrize("error", [AttributeError, OSError, ValueError])
def test_a_system_that_does_not_tell_its_memory(monkeypatch, error):
    def fails(name):
        raise error(name)

    monkeypatch.setattr(select.os, "sysconf", fails)
    assert select.memory() == (None, None)


def test_versions_of_packages():
    """A package whose distribution has another name is found by the first one that is installed."""
    found = select._package("required", "numpy", ("no-such-name", "numpy", "scipy"), "")
    assert found.version == np.__version__ and found.extra == "required"
    assert select._package("x", "numpy", ("no-such-name",), "").version == "unknown"
    missing = select._package("x", "no_such_module", ("numpy",), "how")
    assert (missing.version, missing.hint) == (None, "how")


def test_functions_that_watch_and_results_that_are_gathered():
    for call in (btfperm.maximum_transversal, btfperm.dulmage_mendelsohn):
        for value in NO_FUNCTION:
            with pytest.raises(InvalidArgumentError, match="watcher must be a function"):
                call(np.eye(3), watcher=value)
    for call in (
        btfperm.maximum_transversal,
        btfperm.dulmage_mendelsohn,
        btfperm.weighted_transversal,
    ):
        for value in NO_TRUTH:
            with pytest.raises(InvalidArgumentError, match="gather must be True or False"):
                call(np.eye(3), gather=value)
        assert call(np.eye(3), gather=1).structural_rank == 3


def test_limits_of_a_diagnosis():
    d = btfperm.diagnose(np.eye(3))
    for show in (d.text, d.to_dict):
        for value in [-1, 1.5, "1", [1]]:
            with pytest.raises(InvalidArgumentError, match="limit must be a whole number"):
                show(limit=value)
        assert show(limit=0) and show(limit=None)


def test_old_words_of_options_are_accepted():
    """Scripts may give them; other words and the names of other options are refused."""
    (pairs,) = registry.find("meeting-trees", initializer=False, backend="gpu").options
    assert pairs.checked("same", "meeting-trees") == "same"
    assert pairs.checked("any", "meeting-trees") == "any"
    with pytest.raises(InvalidArgumentError, match="must be one of any, not 'other'"):
        pairs.checked("other", "meeting-trees")
