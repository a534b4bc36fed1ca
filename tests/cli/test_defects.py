# SPDX-License-Identifier: BSD-3-Clause
"""The fixtures `cli` and `shell` fail if a search gave a wrong answer that another one repaired."""

from __future__ import annotations

import os

import pytest

from btfperm import _core
from tests.cli.conftest import PLANTED

LYING = ("--algorithm", "ss-bfs", "--initializer", "none")
MESSAGE = "ss-bfs went wrong, hopcroft-karp finished"
LIE = """
from btfperm import _core
_core.transversal.ss_bfs = lambda *_: (0, False, {})
"""


@pytest.fixture
def lies(monkeypatch):
    """ss-bfs returns the matching that it was given."""
    monkeypatch.setattr(_core.transversal, "ss_bfs", lambda *_: (0, False, {}))


@pytest.mark.usefixtures("lies")
@pytest.mark.parametrize("words", [(), ("--quiet",), ("--json",)], ids=["", "quiet", "json"])
def test_the_command_fails_in_this_process(cli, matrix, words):
    with pytest.raises(AssertionError, match=f"exit code 70: .*DefectWarning.*{MESSAGE}"):
        cli("rank", matrix("blocks"), *LYING, *words)


@pytest.mark.usefixtures("lies")
@pytest.mark.filterwarnings(PLANTED)
def test_a_user_gets_the_answer_and_a_warning(cli, matrix):
    ended = cli("rank", matrix("blocks"), *LYING)
    assert ended.code == 0 and ended.err.startswith("warning: ") and MESSAGE in ended.err
    assert cli("rank", matrix("blocks"), "--quiet", *LYING) == (0, "4\n", "")


@pytest.fixture
def elsewhere(tmp_path):
    """The environment of a process in which ss-bfs does the same."""
    (tmp_path / "sitecustomize.py").write_text(LIE)
    return {"PYTHONPATH": f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}


def test_the_warning_of_another_process_is_a_failure(shell, matrix, elsewhere):
    with pytest.raises(AssertionError, match=f"(?s)exit code 0: .*{MESSAGE}"):
        shell("rank", matrix("blocks"), *LYING, env=elsewhere)


@pytest.mark.filterwarnings(PLANTED)
def test_another_process_gives_the_answer_and_a_warning(shell, matrix, elsewhere):
    ended = shell("rank", matrix("blocks"), *LYING, env=elsewhere)
    assert ended.code == 0 and MESSAGE in ended.err
