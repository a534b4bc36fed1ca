# SPDX-License-Identifier: BSD-3-Clause
"""Small C++ programs that call functions of the core which Python does not."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

CORE = Path(__file__).parents[1] / "btfperm"

# A sanitizer may be loaded into this process.
_ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}


def _run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, env=_ENVIRONMENT, capture_output=True, text=True, timeout=120, check=False
    )


def built(source: Path, folder: Path) -> Callable[..., list[str]]:
    """Compiles a program into `folder`. Returns a function that runs it with the given words and
    returns the words that it prints."""
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("needs g++")
    program = str(folder / source.stem)
    flags = ("-std=c++20", "-O1", "-fopenmp", "-Wall", "-Wextra", f"-I{CORE}")
    compiled = _run(compiler, *flags, str(source), "-o", program)
    assert compiled.returncode == 0, compiled.stderr

    def printed(*words: object) -> list[str]:
        done = _run(program, *map(str, words))
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    return printed
