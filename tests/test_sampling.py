# SPDX-License-Identifier: BSD-3-Clause
"""`--sample` leaves out combinations, but no value of a parameter; `--one` runs one combination
of each algorithm."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

from tests.sampling import sampled, without_one_thread

ROOT = Path(__file__).parents[1]

SETTINGS = """
from tests import sampling

def pytest_addoption(parser):
    sampling.add_option(parser)

def pytest_collection_modifyitems(config, items):
    items[:], _ = sampling.sampled(items, 1)
"""

TESTS = """
import pytest

@pytest.fixture(params=["x", "y"])
def side(request):
    return request.param

@pytest.mark.parametrize("a", range(12), ids=lambda a: f"a{a}")
@pytest.mark.parametrize("b", range(10), ids=lambda b: f"b{b}")
def test_product(a, b, side):
    pass

def test_alone():
    pass
"""


class Named:
    """An item; with a `row`, its function has the marker `every_algorithm`."""

    def __init__(self, nodeid, row=None):
        self.nodeid = nodeid
        self.callspec = SimpleNamespace(params={"row": row})

    def get_closest_marker(self, name):
        return name if self.callspec.params["row"] else None


def test_one_thread_is_left_out():
    items = [Named(f"a.py::test_it[{k}]") for k in range(4)]
    for item, threads in zip(items, (1, 2, 3), strict=False):
        item.callspec.params["threads"] = threads
    assert without_one_thread(items) == (items[1:], items[:1])
    assert without_one_thread([SimpleNamespace()])[1] == []


def test_one_combination_of_each_function():
    items = [Named(f"a.py::test_{name}") for name in ("a[0]", "b", "a[1]", "a[2]")]
    drawn = set()
    for seed in range(50):
        chosen, left_out = sampled(items, seed, one=True)
        assert len(chosen) == 2 and items[1] in chosen and len(left_out) == 2
        drawn |= {item.nodeid for item in chosen}
    assert len(drawn) == 4


def test_one_combination_of_each_algorithm():
    """With the marker `every_algorithm`, one combination of each algorithm runs, in any of its
    variants."""
    items = [
        Named(f"a.py::test_it[{name}-{form}]", SimpleNamespace(name=name))
        for name, form in [("a", 1), ("a", 2), ("b", 1), ("c", 1), ("c", 2), ("c", 3)]
    ]
    drawn = set()
    for seed in range(50):
        chosen, _ = sampled(items, seed, one=True)
        assert [item.callspec.params["row"].name for item in chosen] == ["a", "b", "c"]
        drawn |= {item.nodeid for item in chosen}
    assert len(drawn) == len(items)


def test_each_value_occurs_and_few_combinations(tmp_path):
    (tmp_path / "conftest.py").write_text(SETTINGS)
    (tmp_path / "test_it.py").write_text(TESTS)
    options = ["--collect-only", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--sample"]
    listed = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    names = [line.partition("::")[2] for line in listed.splitlines() if "::" in line]
    assert "test_alone" in names
    drawn = [name[len("test_product[") : -1].split("-") for name in names if "[" in name]
    assert {part for parts in drawn for part in parts} == {
        *(f"a{k}" for k in range(12)),
        *(f"b{k}" for k in range(10)),
        *"xy",
    }
    assert len(drawn) <= 24, "of 240 combinations, each must add a value"
