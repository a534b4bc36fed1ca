# SPDX-License-Identifier: BSD-3-Clause
"""The head of every result file: machine, date, command, commit and versions.

A result has to name the commit and the versions of the libraries in `REQUIRED`. `missing` lists
what a head lacks; ``benchmarks.run`` prints that as warnings, and a test applies `missing` to the
files in ``results``.
"""

from __future__ import annotations

import contextlib
import ctypes
import datetime
import importlib.metadata
import importlib.util
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

BUSY_LOAD = 0.5  # per core, when the run starts
ABSENT = "not installed"
UNKNOWN = "unknown"

# A copy of a checkout has no git folder, or one at another commit: this variable names the commit.
COMMIT_VARIABLE = "BTFPERM_COMMIT"

# Distribution names; the first of a group that is installed stands for the group.
PACKAGES = {
    "btfperm": ("btfperm",),
    "numpy": ("numpy",),
    "scipy": ("scipy",),
    "fast-matrix-market": ("fast-matrix-market",),
    "click": ("click",),
    "igraph": ("igraph",),
    "networkx": ("networkx",),
    "scikit-sparse": ("scikit-sparse",),
    "cupy": ("cupy-cuda13x", "cupy-cuda12x", "cupy"),
}

# Shared libraries of SuiteSparse: the file that the loader finds ends with the version.
LIBRARIES = {
    "SuiteSparse_config": ("libsuitesparseconfig.so.7", "libsuitesparseconfig.so.5"),
    "BTF": ("libbtf.so.1", "libbtf.so.2"),
    "CXSparse": ("libcxsparse.so.3", "libcxsparse.so.4"),
}

CUDA = ("CUDA driver", "CUDA runtime", "NVRTC", "NVIDIA driver")
REQUIRED = ("commit", "python", "compiler", *PACKAGES, *LIBRARIES, *CUDA)
_COMMIT = re.compile(r"[0-9a-f]{7,40}(-dirty)?")
_THREADS = ("OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES", "OMP_WAIT_POLICY")


def describe(arguments: list[str] | None = None, module: str = "benchmarks.run") -> dict[str, Any]:
    """Machine, versions, date and command; `arguments` if they are not those of this process."""
    own = sys.argv[1:] if arguments is None else arguments
    load = os.getloadavg()[0]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "command": shlex.join(["python", "-m", module, *without_folders(own)]),
        "machine": {
            "cpu": _cpu(),
            "cores": cores,
            "memory_gib": round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30),
            "system": f"{platform.system()} {platform.release()}",
            "load_at_start": round(load, 2),
            "quiet": load < BUSY_LOAD * (cores or 1),
            "threads": {name: os.environ[name] for name in _THREADS if name in os.environ},
        },
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    """The commit, and for everything else in `REQUIRED` the version, `ABSENT` or `UNKNOWN`."""
    return {
        "commit": _commit(),
        "python": platform.python_version(),
        "compiler": _compiler(),
        **{label: _package(names) for label, names in PACKAGES.items()},
        **_libraries(),
        **_cuda(),
    }


def missing(head: Mapping[str, Any]) -> list[str]:
    """One sentence for each thing that the head of a result lacks."""
    found = head.get("versions", {})
    absent = [name for name in REQUIRED[1:] if found.get(name, UNKNOWN) == UNKNOWN]
    problems = [f"the head does not name the version of {name}" for name in absent]
    commit = str(found.get("commit", UNKNOWN))
    if not _COMMIT.fullmatch(commit):
        problems.insert(
            0,
            f"the commit is {commit!r}: run in a git checkout, or set {COMMIT_VARIABLE} to "
            "what `git describe --always --dirty` prints there",
        )
    return problems


def warnings(head: Mapping[str, Any]) -> list[str]:
    """What restricts the use of a result with this head, one sentence each."""
    busy = [] if head["machine"]["quiet"] else ["this machine is busy; use ratios, not times"]
    return [*busy, *missing(head)]


def gpu() -> str:
    """The name of the GPU; raises OSError with the reason where none works."""
    from btfperm.backends.gpu import device

    why = device.why_not()
    if why is not None:
        raise OSError(f"there is no GPU to measure: {why}")
    return device.describe()


def without_folders(arguments: list[str]) -> list[str]:
    """Replaces each absolute path by its last part: results name no folders of the machine."""
    return [Path(part).name if Path(part).is_absolute() else part for part in arguments]


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _package(names: tuple[str, ...]) -> str:
    for name in names:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            return importlib.metadata.version(name)
    for name in names:  # imported from a folder on the path, without being installed
        if importlib.util.find_spec(name) is not None:
            return str(getattr(importlib.import_module(name), "__version__", UNKNOWN))
    return ABSENT


def _compiler() -> str:
    """The compiler of the core, with its version."""
    core = importlib.import_module("btfperm._core")
    return str(getattr(core, "compiler", UNKNOWN))


def _commit() -> str:
    """The commit of the sources. The environment variable COMMIT_VARIABLE has it for a copy without
    git; otherwise git is asked."""
    if COMMIT_VARIABLE in os.environ:
        return os.environ[COMMIT_VARIABLE]
    git = shutil.which("git")
    if git is not None:
        line = [git, "describe", "--always", "--dirty", "--exclude=*"]
        here = Path(__file__).parent
        done = subprocess.run(line, cwd=here, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return done.stdout.strip()
    return UNKNOWN


def _libraries() -> dict[str, str]:
    """The versions of SuiteSparse's libraries, from the full names of the files loaded."""
    loaded = {label for label, names in LIBRARIES.items() if any(map(_loads, names))}
    maps = Path("/proc/self/maps")
    lines = maps.read_text().splitlines() if maps.exists() else []
    files = {Path(line.split()[-1]).name for line in lines if "/" in line}
    result = {}
    for label, names in LIBRARIES.items():
        stem = names[0].partition(".so")[0]
        ends = [file.partition(".so.")[2] for file in files if file.startswith(f"{stem}.so")]
        result[label] = max(ends, default=UNKNOWN if label in loaded else ABSENT)
    return result


def _loads(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


_ASK_CUDA = """
import json
from cupy.cuda import nvrtc, runtime
dotted = lambda number: f"{number // 1000}.{number % 1000 // 10}"
print(json.dumps([
    dotted(runtime.driverGetVersion()),
    dotted(runtime.runtimeGetVersion()),
    ".".join(map(str, nvrtc.getVersion())),
]))
"""


def _cuda() -> dict[str, str]:
    """CUDA's versions, from a process of its own: workers forked from one that has started CUDA
    could not use it."""
    result = dict.fromkeys(CUDA, ABSENT)
    kernel = Path("/proc/driver/nvidia/version")
    if kernel.exists():
        found = re.search(r"\b\d+\.\d+(\.\d+)*\b", kernel.read_text())
        result["NVIDIA driver"] = found[0] if found else UNKNOWN
    if importlib.util.find_spec("cupy") is None:
        return result
    line = [sys.executable, "-c", _ASK_CUDA]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        result.update(zip(CUDA, json.loads(done.stdout), strict=False))
    return result
