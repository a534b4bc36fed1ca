# SPDX-License-Identifier: BSD-3-Clause
"""The head of a result names the commit and the version of every library."""

from __future__ import annotations

import copy
import subprocess
from types import SimpleNamespace

import numpy as np
import pytest
import scipy

import btfperm
from benchmarks import machine
from tests.loops import looped


@pytest.fixture(scope="module")
def head():
    return machine.describe(["--set", "tiny"])


def test_the_head_of_a_new_result_names_every_version(head):
    found = head["versions"]
    assert set(machine.REQUIRED) <= set(found)
    assert machine.UNKNOWN not in {found[name] for name in machine.REQUIRED[1:]}
    assert found["numpy"] == np.__version__ and found["scipy"] == scipy.__version__
    assert found["btfperm"] == btfperm.__version__
    assert any(char.isdigit() for char in found["compiler"])


@looped("name", machine.REQUIRED[1:])
@looped("value", [None, machine.UNKNOWN])
def test_a_version_that_is_not_named_is_reported(head, name, value):
    lacking = copy.deepcopy(head)
    lacking["versions"]["commit"] = "1234567-dirty"
    assert machine.missing(lacking) == []
    del lacking["versions"][name]
    if value is not None:
        lacking["versions"][name] = value
    assert machine.missing(lacking) == [f"the head does not name the version of {name}"]


@pytest.mark.parametrize("commit", [None, "", "unknown", "main", "1234567-dirty-too"])
def test_a_commit_that_is_none_is_reported(head, commit):
    lacking = copy.deepcopy(head)
    lacking["versions"].pop("commit")
    if commit is not None:
        lacking["versions"]["commit"] = commit
    (problem,) = machine.missing(lacking)
    assert problem.startswith("the commit is") and machine.COMMIT_VARIABLE in problem


def test_a_copy_without_git_takes_the_commit_from_the_environment(monkeypatch):
    monkeypatch.setattr(machine.shutil, "which", lambda _: None)
    monkeypatch.setenv(machine.COMMIT_VARIABLE, "1234567")
    assert machine._commit() == "1234567"
    monkeypatch.delenv(machine.COMMIT_VARIABLE)
    assert machine._commit() == machine.UNKNOWN


def test_a_copy_beside_another_git_folder_takes_the_commit_from_the_environment(monkeypatch):
    done = SimpleNamespace(returncode=0, stdout="89abcde-dirty\n")
    monkeypatch.setattr(machine.shutil, "which", lambda _: "git")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)
    assert machine._commit() == "89abcde-dirty"
    monkeypatch.setenv(machine.COMMIT_VARIABLE, "1234567")
    assert machine._commit() == "1234567"


def test_libraries_that_do_not_load_are_not_installed(monkeypatch):
    monkeypatch.setattr(machine, "LIBRARIES", {"BTF": ("libno_such_library.so.1",)})
    assert machine._libraries() == {"BTF": machine.ABSENT}


def test_the_variables_that_bind_threads_are_in_the_head(monkeypatch):
    monkeypatch.setenv("OMP_PROC_BIND", "close")
    assert machine.describe([])["machine"]["threads"]["OMP_PROC_BIND"] == "close"


def test_cuda_answers_in_a_process_of_its_own(monkeypatch):
    done = SimpleNamespace(returncode=0, stdout='["13.0", "12.9", "13.1"]\n')
    monkeypatch.setattr(machine.importlib.util, "find_spec", lambda _: object())
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)
    found = machine._cuda()
    assert [found[name] for name in machine.CUDA[:3]] == ["13.0", "12.9", "13.1"]
