# SPDX-License-Identifier: BSD-3-Clause
"""Where, when and with what a run was made."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

BUSY_LOAD = 0.5  # per core, when the run starts


def describe(arguments: list[str] | None = None, module: str = "benchmarks.run") -> dict[str, Any]:
    """Machine, versions, date and command; goes to the head of every result.

    `arguments` of the command, if they are not this process's own, and the `module` that it runs.
    """
    load = os.getloadavg()[0]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "command": shlex.join(["python", "-m", module, *_without_folders(arguments)]),
        "machine": {
            "cpu": _cpu(),
            "cores": cores,
            "memory_gib": round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30),
            "system": f"{platform.system()} {platform.release()}",
            "load_at_start": round(load, 2),
            "quiet": load < BUSY_LOAD * (cores or 1),
        },
        "versions": {"python": platform.python_version(), **_packages(), **_libraries()},
    }


def need_gpu() -> None:
    """Raises OSError, which says why, where there is no GPU that works."""
    from btfperm.backends.gpu.device import why_not

    why = why_not()
    if why is not None:
        raise OSError(f"there is no GPU to measure: {why}")


def _without_folders(arguments: list[str] | None) -> list[str]:
    """A result does not tell where on whose machine it was made."""
    own = sys.argv[1:] if arguments is None else arguments
    return [Path(part).name if Path(part).is_absolute() else part for part in own]


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _packages() -> dict[str, str]:
    found = {}
    for name in ("btfperm", "numpy", "scipy", "scikit-sparse", "igraph"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "not installed"
    commit = _commit()
    return {"commit": commit, **found} if commit else found


def _commit() -> str:
    """The state of the sources, where they are a checkout and git is there; "" else."""
    git = shutil.which("git")
    if git is None:
        return ""
    asked = [git, "describe", "--always", "--dirty", "--exclude=*"]
    here = Path(__file__).parent
    done = subprocess.run(asked, cwd=here, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def _libraries() -> dict[str, str]:
    """The full file names of the loaded SuiteSparse libraries carry their versions."""
    maps = Path("/proc/self/maps")
    if not maps.exists():
        return {}
    files = {Path(line.split()[-1]).name for line in maps.read_text().splitlines() if "/" in line}
    names = {"libbtf": "BTF", "libcxsparse": "CXSparse"}
    return {
        label: file.partition(".so.")[2]
        for file in sorted(files)
        for stem, label in names.items()
        if file.startswith(f"{stem}.so")
    }
