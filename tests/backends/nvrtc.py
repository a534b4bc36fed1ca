# SPDX-License-Identifier: BSD-3-Clause
"""NVIDIA's run-time compiler without CuPy and without a GPU. CI compiles the kernels with it."""

from __future__ import annotations

import ctypes
import re
import site
import sys
from pathlib import Path
from typing import NamedTuple

WHEELS = (
    "nvidia/*/lib/libnvrtc.so.*",  # wheels: nvidia-cuda-nvrtc-cu12, nvidia-cuda-nvrtc
    "nvidia/*/bin/nvrtc64_*.dll",
)
OF_THE_TARGET = "nvrtc: warning: Architectures prior to"  # this warning is not about the code
SYSTEM = ("cuda*/lib64/libnvrtc.so.*",)


class Nvrtc(NamedTuple):
    """One libnvrtc, its version, and the compute capabilities it knows (90 is 9.0)."""

    library: ctypes.CDLL
    version: str
    known: tuple[int, ...]

    def log_of(self, source: str, name: str, options: tuple[str, ...]) -> tuple[int, str]:
        """Compiles a source. Returns NVRTC's error code (0 is success) and its log."""
        program = ctypes.c_void_p()
        size = ctypes.c_size_t()
        given = [option.encode() for option in options]
        self.library.nvrtcCreateProgram(
            ctypes.byref(program), source.encode(), name.encode(), 0, None, None
        )
        code = self.library.nvrtcCompileProgram(
            program, len(given), (ctypes.c_char_p * len(given))(*given)
        )
        self.library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        self.library.nvrtcGetProgramLog(program, log)
        self.library.nvrtcDestroyProgram(ctypes.byref(program))
        lines = log.value.decode().splitlines()
        return code, "\n".join(line for line in lines if not re.match(OF_THE_TARGET, line)).strip()


def found() -> list[Nvrtc]:
    """One library of each major version. Wheels take precedence over the system's libraries."""
    roots = [Path(p) for p in (*site.getsitepackages(), site.getusersitepackages(), *sys.path)]
    wheels = [file for root in dict.fromkeys(roots) for p in WHEELS for file in root.glob(p)]
    system = [file for p in SYSTEM for file in Path("/usr/local").glob(p)]
    by_major: dict[str, Nvrtc] = {}
    for file in (*wheels, *system):
        nvrtc = None if re.search("builtins|alt", file.name) else _opened(file)
        if nvrtc:
            by_major.setdefault(nvrtc.version.split(".")[0], nvrtc)
    return list(by_major.values())


def _opened(file: Path) -> Nvrtc | None:
    try:
        library = ctypes.CDLL(str(file))
    except OSError:
        return None
    major, minor, count = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    library.nvrtcGetNumSupportedArchs(ctypes.byref(count))
    known = (ctypes.c_int * count.value)()
    library.nvrtcGetSupportedArchs(known)
    return Nvrtc(library, f"{major.value}.{minor.value}", tuple(known))
