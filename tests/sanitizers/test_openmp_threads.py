# SPDX-License-Identifier: BSD-3-Clause
"""The OpenMP runtime of the ThreadSanitizer build does its work, causes no report for correct
programs, and hides no race."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

if os.environ.get("BTFPERM_CI"):
    pytest.skip("runs in the step threads of .ci/run", allow_module_level=True)

HERE = Path(__file__).parent
RUNTIME = HERE.parents[1] / "btfperm" / "backends" / "cpu" / "openmp_threads.cpp"
REPORTED = 66  # ThreadSanitizer's own exit code

IN_ORDER = ["fork_and_join", "barriers", "loops", "singles", "reductions", "regions_inside"]
RACES = ["no_barrier", "plain_counter", "single_nowait", "loop_nowait", "chunks_in_turn"]

# Another sanitizer may be loaded into this process.
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "TSAN_OPTIONS")
}


def ended(*words, **how):
    return subprocess.run(
        words, env=ENVIRONMENT, capture_output=True, text=True, timeout=120, check=False, **how
    )


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """Runs the planted case of this name."""
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("needs g++")
    folder = tmp_path_factory.mktemp("planted_races")
    flags = ("-std=c++20", "-O1", "-g1", "-fopenmp", "-fsanitize=thread", "-Wall", "-Wextra")
    for source in (HERE / "planted_races.cpp", RUNTIME):
        done = ended(compiler, *flags, "-c", str(source), cwd=folder)
        assert done.returncode == 0, done.stderr
    linked = ended(
        *(compiler, "-fsanitize=thread", "planted_races.o", "openmp_threads.o", "-o", "planted"),
        cwd=folder,
    )
    if "tsan" in linked.stderr:
        pytest.skip("g++ has no libtsan")
    assert linked.returncode == 0, linked.stderr
    # Shadow memory has a fixed address, which address space randomization may use.
    fixed = ("setarch", "-R") if shutil.which("setarch") else ()
    if fixed and ended(*fixed, "true").returncode != 0:
        fixed = ()
    return lambda name: ended(*fixed, str(folder / "planted"), name)


@pytest.mark.parametrize("name", IN_ORDER)
def test_correct_regions_pass(planted, name):
    done = planted(name)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", RACES)
def test_races_are_detected(planted, name):
    done = planted(name)
    assert done.returncode == REPORTED
    assert "data race" in done.stderr and name in done.stderr
