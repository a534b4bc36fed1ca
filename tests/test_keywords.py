# SPDX-License-Identifier: BSD-3-Clause
"""A misspelt keyword is refused by the called function before it does any work. A warning names the
line of the caller."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import btfperm
from btfperm import testing
from btfperm.backends import threads
from btfperm.warn import warn
from tests.loops import looped

FUNCTIONS = [
    getattr(module, name)
    for module in (btfperm, testing)
    for name in module.__all__
    if inspect.isfunction(getattr(module, name))
]
ARGUMENTS = {
    "A": object(),
    "G": object(),
    "b": None,
    "size": 1,
    "path": "no such file",
    "result": None,
    "family": None,
}


@looped("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_the_message_names_the_function_that_was_called(function):
    needed = [
        ARGUMENTS[name]
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.default is parameter.empty and parameter.kind != parameter.VAR_KEYWORD
    ]
    with pytest.raises(TypeError) as caught:
        function(*needed, algoritm="hkdw")
    assert str(caught.value).startswith(
        f"{function.__name__}() got an unexpected keyword argument 'algoritm'"
    )


PASSING_ON = [
    function
    for function in FUNCTIONS
    if any(p.kind == p.VAR_KEYWORD for p in inspect.signature(function).parameters.values())
]


@pytest.mark.parametrize("function", PASSING_ON, ids=lambda f: f.__name__)
def test_the_keywords_of_a_search_are_passed_on(function):
    arguments = [np.eye(3), 1][: 2 if function is testing.assert_blocks_at_most else 1]
    with pytest.raises(TypeError, match="did you mean 'algorithm'"):
        function(*arguments, algoritm="hkdw")
    function(*arguments, algorithm="hkdw", seed=3, initial=[0, 1, 2], orientation="col_match")


def test_a_misspelt_keyword_is_refused_although_a_transversal_is_given():
    t = btfperm.maximum_transversal(np.eye(3))
    with pytest.raises(TypeError, match=r"^dulmage_mendelsohn\(\) got"):
        btfperm.dulmage_mendelsohn(np.eye(3), transversal=t, algoritm="hkdw")


def test_a_warning_names_the_first_frame_outside_the_package():
    with pytest.warns(UserWarning, match="once") as caught:
        warn(UserWarning("once"))
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="as an error"):
            warn(UserWarning("as an error"))


@pytest.mark.parametrize("function", [btfperm.structural_rank, btfperm.dulmage_mendelsohn])
def test_a_defect_is_reported_at_the_line_of_the_caller(function, monkeypatch):
    certificate = importlib.import_module("btfperm.transversal.certificate")
    honest, wrong = certificate.prove, iter([True])

    def prove(*arguments):
        if next(wrong, False):
            raise btfperm.DefectError("planted")
        return honest(*arguments)

    monkeypatch.setattr(certificate, "prove", prove)
    with pytest.warns(btfperm.DefectWarning, match="planted") as caught:
        function(np.eye(3))
    assert [w.filename for w in caught] == [__file__]


def test_refused_threads_are_reported_at_the_line_of_the_caller(monkeypatch):
    core = SimpleNamespace(start_threads=lambda _: 1)
    monkeypatch.setattr(threads, "_warned", False)
    monkeypatch.setattr(threads, "_core", SimpleNamespace(backends=core))
    with pytest.warns(btfperm.BackendWarning, match="refuses to start 4 threads") as caught:
        assert threads.start_threads(4) == 1
    assert [w.filename for w in caught] == [__file__]


def test_a_warning_where_all_frames_are_of_the_package_names_the_outermost():
    code = (
        "import sys, warnings, btfperm.warn as w; w._PACKAGE = '<string>';"
        "w.warn(UserWarning('inside'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.startswith("<string>:1: UserWarning: inside")


def test_a_warning_is_shown_once_for_each_line():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            warn(UserWarning("the same line"))
    assert len(caught) == 1
