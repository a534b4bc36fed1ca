# SPDX-License-Identifier: BSD-3-Clause
"""Runs Python with the stand-ins in the place of CuPy and NVIDIA's driver."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.emulated_gpu.modules import CACHE, SANITIZED

HERE = Path(__file__).parent


def environment() -> dict[str, str]:
    """This one, with the stand-ins first on their paths, and AddressSanitizer if asked for."""
    CACHE.mkdir(parents=True, exist_ok=True)
    library, source = CACHE / "libcuda.so.1", HERE / "stand_in" / "driver.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    first = {"PYTHONPATH": [HERE / "stand_in", HERE.parents[1]], "LD_LIBRARY_PATH": [CACHE]}
    named = {name: os.pathsep.join(map(str, places)) for name, places in first.items()}
    for name in named:
        if os.environ.get(name):
            named[name] += os.pathsep + os.environ[name]
    if SANITIZED:
        ask = ["g++", "-print-file-name=libasan.so"]
        named["LD_PRELOAD"] = subprocess.run(ask, capture_output=True, text=True, check=True).stdout
        named["LD_PRELOAD"] = named["LD_PRELOAD"].strip()
        named["ASAN_OPTIONS"] = "detect_leaks=0"
    return {**os.environ, **named, "BTFPERM_EMULATED": "1"}


if __name__ == "__main__":
    os.execve(sys.executable, [sys.executable, *sys.argv[1:]], environment())
