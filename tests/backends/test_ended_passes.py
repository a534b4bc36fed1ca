# SPDX-License-Identifier: BSD-3-Clause
"""Long passes of the core end in the middle when their budget does, on any number of threads; with
none they are whole."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CORE = HERE.parents[1] / "btfperm"
PASSES = [
    *("fill", "copy", "select", "collect", "first_touch", "transpose", "certify"),
    *("blocks", "order"),
]

# A sanitizer may be loaded into this process.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}


@pytest.fixture(scope="module")
def passes(tmp_path_factory):
    """Runs a pass: how it ended, and how many places it left unwritten."""
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("needs g++")
    program = tmp_path_factory.mktemp("ended_passes") / "ended_passes"

    def ended(*words):
        return subprocess.run(
            words, env=ENVIRONMENT, capture_output=True, text=True, timeout=120, check=False
        )

    flags = ("-std=c++20", "-O1", "-fopenmp", "-Wall", "-Wextra", f"-I{CORE}")
    built = ended(compiler, *flags, str(HERE / "ended_passes.cpp"), "-o", str(program))
    assert built.returncode == 0, built.stderr

    def run(name, threads, seconds):
        done = ended(str(program), name, str(threads), str(seconds))
        assert done.returncode == 0, done.stderr
        how, left = done.stdout.split()
        return how, int(left)

    return run


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", PASSES)
def test_a_pass_ends_with_its_budget(passes, name, threads):
    if name == "first_touch" and threads == 1:
        pytest.skip("one thread touches nothing beforehand")
    whole, never = passes(name, threads, 0)
    ended, left = passes(name, threads, 1e-9)
    assert (whole, ended) == ("whole", "ended")
    assert left > never
