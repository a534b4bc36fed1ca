# SPDX-License-Identifier: BSD-3-Clause
"""Two ways to run the command line: inside this process, and in a process as from a shell."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from btfperm_cli.main import main
from btfperm_cli.output import defects_are_errors
from click.testing import CliRunner

from tests.cli.forked import Helper

ROOT = Path(__file__).parents[2]


class Ended(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self):
        """The JSON object on stdout, which must hold nothing else."""
        return json.loads(self.out)

    def failed(self, code: int, *fragments: str):
        """Checks for one sentence on stderr with all `fragments`, an empty stdout and no
        traceback."""
        assert self.code == code, self
        assert self.out == "", self
        assert self.err.startswith("btfperm: ") and self.err.count("\n") == 1, self
        for fragment in fragments:
            assert fragment in self.err, self
        return self


REPAIRED = re.compile(r"went wrong, [\w-]+ finished")  # in the sentence of a `DefectWarning`
PLANTED = "default::btfperm.errors.DefectWarning"  # the filter of tests that plant a defect


def without_defect(ended: Ended) -> Ended:
    """Fails if a search gave a wrong answer that another one repaired, except in tests with the
    filter PLANTED. This process raises such a warning as an error, which ends the command with exit
    code 70; another process prints it."""
    printed = f"{ended.out}{ended.err}"
    if defects_are_errors() and (REPAIRED.search(printed) or "DefectWarning" in printed):
        raise AssertionError(f"exit code {ended.code}: {printed}")
    return ended


def runner() -> CliRunner:
    """A runner that keeps stdout and stderr apart; click 8.1 needs an option for this."""
    try:
        return CliRunner(mix_stderr=False)
    except TypeError:
        return CliRunner()


@pytest.fixture
def cli():
    """`cli("rank", path)` runs the command in this process."""

    def run(*words, stdin=None) -> Ended:
        result = runner().invoke(main, [str(word) for word in words], input=stdin)
        assert result.exception is None or isinstance(result.exception, SystemExit), result
        return without_defect(Ended(result.exit_code, result.stdout, result.stderr))

    return run


READ_LATE = {"_BTFPERM_COMPLETE", "COMP_WORDS", "COMP_CWORD"}


def command(*words) -> list[str]:
    return [sys.executable, "-m", "btfperm_cli", *map(str, words)]


@pytest.fixture(scope="session")
def helper():
    """Starts processes, see forked.py."""
    started = Helper()
    yield started
    started.close()


@pytest.fixture
def shell(helper):
    """`shell("rank", path)` runs the command in a process of its own; with options of
    `subprocess.run`, or with variables in `env` that modules read when they are imported, in a new
    interpreter."""

    def run(*words, stdin=b"", env=None, **options) -> Ended:
        if set(env or ()) <= READ_LATE and not options and helper.suits():
            done = helper.run(words, stdin, variables=env)
        else:
            options = {"capture_output": True, "timeout": 60, "input": stdin} | options
            done = subprocess.run(command(*words), env={**os.environ, **(env or {})}, **options)
        out, err = ((stream or b"").decode() for stream in (done.stdout, done.stderr))
        return without_defect(Ended(done.returncode, out, err))

    return run


HEAD = "%%MatrixMarket matrix coordinate {} general\n"
TEXTS = {
    # three diagonal blocks: rows 0 and 1, row 2, row 3
    "blocks": HEAD.format("pattern") + "4 4 7\n1 1\n1 2\n2 1\n2 2\n3 3\n4 4\n1 4\n",
    # rows 0 and 2 have entries only in column 1, so one of them is unmatched
    "singular": HEAD.format("real") + "3 3 4\n1 2 1.0\n2 1 2.0\n2 3 3.0\n3 2 4.0\n",
    "wide": HEAD.format("integer") + "2 3 4\n1 1 1\n1 2 1\n2 2 1\n2 3 1\n",
    "tall": HEAD.format("pattern") + "3 2 4\n1 1\n2 1\n2 2\n3 2\n",
    "zeros": HEAD.format("real") + "2 2 3\n1 1 1.0\n2 2 0.0\n1 2 5.0\n",
    "empty": HEAD.format("pattern") + "0 0 0\n",
    "no_entries": HEAD.format("pattern") + "2 3 0\n",
}


@pytest.fixture
def matrix(tmp_path):
    """`matrix("blocks")` writes that small matrix and returns its path."""

    def write(name: str) -> Path:
        path = tmp_path / f"{name}.mtx"
        path.write_text(TEXTS[name])
        return path

    return write


@pytest.fixture
def hard(tmp_path, run_seed):
    """A random matrix with about 2.7 entries in each column, which no initializer matches
    completely."""
    rng = np.random.default_rng(run_seed)
    n = 20_000
    pairs = rng.integers(1, n + 1, (int(2.7 * n), 2))
    path = tmp_path / "hard.mtx"
    with path.open("w") as file:
        file.write(f"%%MatrixMarket matrix coordinate pattern general\n{n} {n} {len(pairs)}\n")
        np.savetxt(file, pairs, fmt="%d")
    return path
