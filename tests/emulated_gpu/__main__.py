# SPDX-License-Identifier: BSD-3-Clause
"""Runs Python with the stand-ins in place of CuPy and NVIDIA's driver."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.emulated_gpu.modules import CACHE, SANITIZED

HERE = Path(__file__).parent


def shared_library(name: str) -> str:
    """The path of one of g++'s libraries; only its name if g++ has none."""
    ask = ["g++", f"-print-file-name={name}"]
    return subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()


def environment() -> dict[str, str]:
    """The current environment with the stand-ins first on the search paths, and with
    AddressSanitizer if requested."""
    CACHE.mkdir(parents=True, exist_ok=True)
    # renamed at the end, because other processes may use the current file
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        built, source = Path(folder) / "driver.so", HERE / "stand_in" / "driver.cpp"
        subprocess.run(["g++", "-shared", "-fPIC", "-o", built, source], check=True)
        built.rename(CACHE / "libcuda.so.1")
    first = {"PYTHONPATH": [HERE / "stand_in", HERE.parents[1]], "LD_LIBRARY_PATH": [CACHE]}
    named = {name: os.pathsep.join(map(str, places)) for name, places in first.items()}
    for name in named:
        if os.environ.get(name):
            named[name] += os.pathsep + os.environ[name]
    if SANITIZED:
        # AddressSanitizer must find `__cxa_throw` when it starts, or the first C++ exception ends
        # the process. The interpreter itself does not load the library of C++.
        libraries = "libasan.so", "libstdc++.so"
        named["LD_PRELOAD"] = " ".join(map(shared_library, libraries))
        # The interpreter frees some memory only at its end. Use-after-return detection moves frames
        # off the stack, which does not work with fibers.
        named["ASAN_OPTIONS"] = "detect_leaks=0:detect_stack_use_after_return=0"
        # A report ends the process at once, so pytest must not keep what the sanitizer prints.
        named["PYTEST_ADDOPTS"] = f"--capture=sys {os.environ.get('PYTEST_ADDOPTS', '')}"
    return {**os.environ, **named, "BTFPERM_EMULATED": "1"}


if __name__ == "__main__":
    os.execve(sys.executable, [sys.executable, *sys.argv[1:]], environment())
