# SPDX-License-Identifier: BSD-3-Clause
"""Runs Python with the stand-ins in the place of CuPy and NVIDIA's driver."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.emulated_gpu.modules import CACHE, SANITIZED

HERE = Path(__file__).parent


def sanitizer() -> str:
    """Where g++ has AddressSanitizer's library; its bare name, where it has none."""
    ask = ["g++", "-print-file-name=libasan.so"]
    return subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()


def environment() -> dict[str, str]:
    """This one, with the stand-ins first on their paths, and AddressSanitizer if asked for."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as room:  # others may be reading the one there is
        built, source = Path(room) / "driver.so", HERE / "stand_in" / "driver.cpp"
        subprocess.run(["g++", "-shared", "-fPIC", "-o", built, source], check=True)
        built.rename(CACHE / "libcuda.so.1")
    first = {"PYTHONPATH": [HERE / "stand_in", HERE.parents[1]], "LD_LIBRARY_PATH": [CACHE]}
    named = {name: os.pathsep.join(map(str, places)) for name, places in first.items()}
    for name in named:
        if os.environ.get(name):
            named[name] += os.pathsep + os.environ[name]
    if SANITIZED:
        named["LD_PRELOAD"] = sanitizer()
        # The interpreter keeps memory to its end; frames beside the stack are not made for fibers.
        named["ASAN_OPTIONS"] = "detect_leaks=0:detect_stack_use_after_return=0"
    return {**os.environ, **named, "BTFPERM_EMULATED": "1"}


if __name__ == "__main__":
    os.execve(sys.executable, [sys.executable, *sys.argv[1:]], environment())
