# SPDX-License-Identifier: BSD-3-Clause
"""What works on this machine, and why the rest does not: the facts behind `btfperm doctor`.

Packages are not imported to list them; their metadata is read. To test the backends, the compiled
core and mpi4py are loaded, and CuPy runs a kernel on each GPU if there is one.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

from btfperm import __version__

__all__ = ["Backend", "Machine", "Package", "backends", "machine", "packages"]

#: The packages, and the feature that needs each. Several distributions may provide a package: the
#: first one that is installed gives the version.
_PACKAGES: tuple[tuple[str, str, tuple[str, ...], str], ...] = (
    # feature, import name, distributions, how to install
    ("required", "numpy", ("numpy",), "pip install numpy"),
    ("required", "scipy", ("scipy",), "pip install scipy"),
    ("required", "click", ("click",), "pip install click"),
    ("required", "rich", ("rich",), "pip install rich"),
    ("reader", "fast_matrix_market", ("fast-matrix-market",), "pip install fast-matrix-market"),
    (
        "gpu",
        "cupy",
        ("cupy-cuda12x", "cupy-cuda13x", "cupy"),
        "pip install 'btfperm[cuda12]' or 'btfperm[cuda13]', whichever the driver supports",
    ),
    ("klu", "nbklu", ("nbklu",), "pip install 'btfperm[klu]'"),
    ("mpi", "mpi4py", ("mpi4py",), "pip install 'btfperm[mpi]'"),
)


@dataclass(frozen=True)
class Package:
    """A package that btfperm needs or can use.

    Attributes
    ----------
    name : import name
    extra : ``"required"``, or the name of the feature that uses it
    version, location : of the installed one; None when it is not installed
    hint : how to install it
    """

    name: str
    extra: str
    version: str | None
    location: str | None
    hint: str


@dataclass(frozen=True)
class Backend:
    """A backend: whether it works here, and the reason in one sentence."""

    name: str
    works: bool
    reason: str


@dataclass(frozen=True)
class Machine:
    """The machine; sizes are in bytes, None if the system does not report them.

    Attributes
    ----------
    cores : processors of the machine; usable_cores: those this process may run on
    threads : default number of threads of OpenMP
    """

    system: str
    python: str
    btfperm: str
    location: str
    cores: int
    usable_cores: int
    threads: int
    memory: int | None
    memory_available: int | None


def packages() -> tuple[Package, ...]:
    """The packages that `btfperm doctor` lists, installed or not.

    >>> [p.extra for p in packages() if p.name == "numpy"]
    ['required']
    """
    return tuple(_package(*row) for row in _PACKAGES)


def _package(extra: str, name: str, distributions: tuple[str, ...], hint: str) -> Package:
    spec = importlib.util.find_spec(name)
    if spec is None:
        return Package(name, extra, None, None, hint)
    version = "unknown"
    for distribution in distributions:
        try:
            version = importlib.metadata.version(distribution)
            break
        except importlib.metadata.PackageNotFoundError:
            continue
    places = list(spec.submodule_search_locations or ())
    return Package(name, extra, version, places[0] if places else spec.origin, hint)


def backends() -> tuple[Backend, ...]:
    """Each backend: whether it works on this machine, and why or why not.

    >>> [b.name for b in backends()]
    ['cpu', 'gpu', 'mpi']
    """
    return _cpu(), _gpu(), _mpi()


def _cpu() -> Backend:
    try:
        core = importlib.import_module("btfperm._core")
    except ImportError as error:
        return Backend(
            "cpu", False, f"the compiled core does not load ({error}); reinstall btfperm"
        )
    return Backend("cpu", True, f"compiled core {Path(str(core.__file__)).name}")


def _gpu() -> Backend:
    from btfperm.backends.gpu.device import examined, why_not

    why = why_not()
    return Backend("gpu", *(examined() if why is None else (False, why)))


def _mpi() -> Backend:
    from btfperm.backends.mpi.launch import library
    from btfperm.errors import BackendUnavailableError

    try:
        return Backend("mpi", True, f"{library()}; used where mpiexec starts btfperm")
    except BackendUnavailableError as error:
        return Backend("mpi", False, str(error))


def machine() -> Machine:
    """The machine and the interpreter.

    >>> machine().cores >= 1
    True
    """
    cores = os.cpu_count() or 1
    usable = _of_core("usable_cores", cores)
    total, available = memory()
    return Machine(
        system=platform.platform(),
        python=f"{platform.python_version()} ({sys.executable})",
        btfperm=__version__,
        location=str(Path(__file__).parents[1]),
        cores=cores,
        usable_cores=usable,
        threads=_of_core("max_threads", usable),
        memory=total,
        memory_available=available,
    )


def _of_core(question: str, without: int) -> int:
    """The number that OpenMP reports in the core, or `without` if the core cannot be loaded."""
    try:
        return int(getattr(importlib.import_module("btfperm._core").backends, question)())
    except ImportError:
        return without


def memory() -> tuple[int | None, int | None]:
    """The bytes of memory of the machine, and how many of them are free. In a container with a
    memory limit (cgroup v2), both numbers are at most those of the container."""
    try:
        page = os.sysconf("SC_PAGE_SIZE")
        total, available = os.sysconf("SC_PHYS_PAGES") * page, os.sysconf("SC_AVPHYS_PAGES") * page
    except (AttributeError, OSError, ValueError):
        return None, None
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                available = int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    container = _container_memory(Path("/sys/fs/cgroup"))
    if container is not None:
        total, available = min(total, container[0]), min(available, container[1])
    return total, available


def memory_left() -> int | None:
    """The number of bytes that this process can still allocate: the smaller of the free memory of
    the machine or container and the address space left below the limit `RLIMIT_AS`. None if
    neither is known."""
    known = [left for left in (memory()[1], _address_space_left()) if left is not None]
    return min(known, default=None)


def _address_space_left() -> int | None:
    """The bytes of address space below the limit of this process; None without a limit."""
    try:
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit == resource.RLIM_INFINITY:
            return None
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        return max(limit - pages * resource.getpagesize(), 0)
    except (ImportError, OSError, ValueError, IndexError):
        return None


def _container_memory(folder: Path) -> tuple[int, int] | None:
    """The memory limit of a container and its free bytes; None if there is no limit. Pages of files
    that were not used recently count as free, because the kernel releases them first."""

    def text(name: str) -> str:
        try:
            return (folder / name).read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            return ""

    limit, used = text("memory.max"), text("memory.current")
    if not limit.isdigit():
        return None
    in_use = int(used) if used.isdigit() else 0
    for line in text("memory.stat").splitlines():
        name, _, size = line.partition(" ")
        if name == "inactive_file" and size.isdigit():
            in_use -= int(size)
    return int(limit), max(int(limit) - max(in_use, 0), 0)
