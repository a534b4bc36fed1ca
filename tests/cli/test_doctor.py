# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm doctor``: which backends work, and why the others do not."""

from __future__ import annotations

import importlib.util
import os
import sys

import numpy as np
import pytest

import btfperm
from btfperm.backends import select
from btfperm.backends.gpu.device import why_not
from btfperm.preorder.klu_libraries import Solver


def test_the_report(cli):
    ended = cli("doctor")
    assert ended.code == 0 and ended.err == ""
    for text in (btfperm.__version__, np.__version__, sys.executable, "cores", "threads"):
        assert text in ended.out
    assert "cpu                 works" in ended.out
    gpu = "works: " if why_not() is None else "no: "
    assert f"gpu                 {gpu}" in ended.out


def test_json(cli):
    answer = cli("doctor", "--json").json
    assert set(answer) == {
        "machine",
        "backends",
        "packages",
        "solvers",
        "exit_code",
        "error",
        "warnings",
    }
    assert answer["machine"]["cores"] >= answer["machine"]["usable_cores"] >= 1
    assert answer["machine"]["threads"] >= 1
    assert answer["machine"]["memory"] >= answer["machine"]["memory_available"] > 0
    assert [b["works"] for b in answer["backends"]][:2] == [True, why_not() is None]
    versions = {package["name"]: package["version"] for package in answer["packages"]}
    assert versions["numpy"] == np.__version__


@pytest.mark.parametrize("name", ["cupy", "nbklu", "mpi4py"])
def test_optional_packages(cli, name):
    (package,) = (p for p in cli("doctor", "--json").json["packages"] if p["name"] == name)
    assert (package["version"] is None) == (importlib.util.find_spec(name) is None)
    assert "pip install 'btfperm[" in package["hint"]


def test_a_library_of_klu_that_does_not_work(cli, monkeypatch):
    rows = (
        Solver("klu", "nbklu", "9", "here"),
        Solver("klu", reason="libklu does not work: x"),
    )
    monkeypatch.setattr(btfperm, "solvers", lambda: rows)
    lines = cli("doctor").out.splitlines()
    assert lines[-2:] == [f"  {'klu':<20}nbklu 9 in here", f"  {'klu':<20}libklu does not work: x"]
    found = cli("doctor", "--json").json["solvers"]
    assert [row["reason"] for row in found] == ["", "libklu does not work: x"]


def test_a_core_that_does_not_load(cli, monkeypatch):
    monkeypatch.setitem(sys.modules, "btfperm._core", None)
    ended = cli("doctor")
    assert ended.code == 4 and "reinstall btfperm" in ended.out
    assert cli("doctor", "--json").json["exit_code"] == 4


def test_threads_follow_the_environment(shell):
    assert shell("doctor", "--json", env={"OMP_NUM_THREADS": "1"}).json["machine"]["threads"] == 1


def test_memory_of_a_strange_system(monkeypatch):
    def refuse(_name):
        raise OSError

    monkeypatch.setattr(os, "sysconf", refuse)
    assert select.machine().memory is None


def test_backends_of_the_command_line_are_those_of_the_doctor(cli):
    text = cli("--help").out
    assert f"[auto|{'|'.join(backend.name for backend in select.backends())}]" in text
