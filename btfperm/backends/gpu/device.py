# SPDX-License-Identifier: BSD-3-Clause
"""The GPUs of this machine. If one cannot be used, one sentence states the reason and a remedy."""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from btfperm.errors import BackendUnavailableError

__all__ = [
    "Gpu",
    "count_unloaded",
    "describe",
    "examined",
    "facts",
    "free_memory",
    "gpus",
    "in_use",
    "on",
    "refuse_beyond_free",
    "refuse_missing",
    "why_not",
]

_LIBRARY = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
# The least compute capability with independent thread scheduling, which the kernels need. NVRTC of
# CUDA 13 needs a higher one, and reports an error for a GPU with a lower one.
_LEAST_CAPABILITY = (7, 0)
_LEAST_CHECKED = 2**26  # bytes: for smaller requests, `refuse_beyond_free` checks nothing


@dataclass(frozen=True)
class Driver:
    """The NVIDIA driver and its version, determined without CuPy."""

    cuda: tuple[int, int]
    devices: int


@dataclass(frozen=True)
class Gpu:
    """One GPU; sizes in bytes."""

    number: int
    name: str
    capability: tuple[int, int]
    memory: int
    memory_free: int


@cache
def _driver() -> Driver | str:
    """The driver, or the reason why no driver can be used."""
    try:
        cuda = _library()
    except OSError:
        return f"there is no NVIDIA driver on this machine ({_LIBRARY} does not load)"
    version, count = ctypes.c_int(), ctypes.c_int()
    code = cuda.cuInit(0) or cuda.cuDriverGetVersion(ctypes.byref(version))
    code = code or cuda.cuDeviceGetCount(ctypes.byref(count))
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    hidden = "" if visible is None else f"; CUDA_VISIBLE_DEVICES is {visible!r}"
    if code or not count.value:
        return f"the NVIDIA driver finds no GPU (code {code}{hidden})"
    return Driver((version.value // 1000, version.value % 1000 // 10), count.value)


def _how_to_install(driver: Driver | None) -> str:
    if driver is None:
        return "a GPU, its driver and pip install 'btfperm[cuda12]' or 'btfperm[cuda13]' are needed"
    extra = "cuda13" if driver.cuda >= (13, 0) else "cuda12"
    return f"pip install 'btfperm[{extra}]' (the driver is for CUDA {_dotted(driver.cuda)})"


def _dotted(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))


@cache
def _why_none() -> str | None:
    """Why no GPU can be used; None when one can."""
    driver = _driver()
    if isinstance(driver, str):
        return f"{driver}; {_how_to_install(None)}, or use backend='cpu'"
    if importlib.util.find_spec("cupy") is None:
        return f"CuPy is not installed; {_how_to_install(driver)}"
    try:
        import cupy

        cupy.cuda.runtime.getDeviceCount()
        cupy.cuda.nvrtc.getVersion()
    except Exception as error:  # three libraries are loaded, and each may raise any exception
        text = " ".join(str(error).split())[:200]
        return f"CuPy does not work here ({text}); {_how_to_install(driver)}"
    return None


def why_not(device: int | None = None) -> str | None:
    """One sentence on why this GPU (default: the current one) cannot be used; None when it can."""
    why = _why_none()
    if why is not None or device is None:
        return why
    count = _count()
    if not 0 <= device < count:
        known = "only device 0" if count == 1 else f"devices 0 to {count - 1}"
        return f"there is no GPU {device}; this machine has {known}"
    return None


@cache
def _count() -> int:
    import cupy

    return int(cupy.cuda.runtime.getDeviceCount())


@cache
def count_unloaded() -> int:
    """The number of GPUs that the driver lists; 0 if CuPy is not installed. CuPy is not loaded, and
    the GPUs are not tested."""
    driver = _driver()
    if isinstance(driver, str) or importlib.util.find_spec("cupy") is None:
        return 0
    return driver.devices


def in_use() -> bool:
    """Whether CuPy is loaded and this process uses a GPU already, so that a search starts there
    without delay."""
    if "cupy" not in sys.modules or not count_unloaded():
        return False
    flags, active = ctypes.c_uint(), ctypes.c_int()
    state = _library().cuDevicePrimaryCtxGetState
    return any(
        state(number, ctypes.byref(flags), ctypes.byref(active)) == 0 and active.value
        for number in range(count_unloaded())
    )


@cache
def _library() -> ctypes.CDLL:
    """The driver; raises OSError where there is none."""
    return ctypes.CDLL(_LIBRARY)


@cache
def facts(number: int) -> tuple[str, tuple[int, int]]:
    """Name and compute capability of a GPU. No CUDA context is created on it."""
    import cupy

    found = cupy.cuda.runtime.getDeviceProperties(number)
    return found["name"].decode(), (int(found["major"]), int(found["minor"]))


def gpus() -> tuple[Gpu, ...]:
    """Every GPU. Call it only if `why_not()` is None. It creates a CUDA context on each GPU, to
    determine its free memory."""
    return tuple(map(_gpu, range(_count())))


def _gpu(number: int) -> Gpu:
    import cupy

    with cupy.cuda.Device(number):
        free, total = cupy.cuda.runtime.memGetInfo()
    return Gpu(number, *facts(number), total, free)


def describe() -> str:
    """The GPUs, the driver, CuPy and the compiler as text. Call it only if `why_not()` is None."""
    return f"{', '.join(map(_described, gpus()))}; {_drivers()}"


def examined() -> tuple[bool, str]:
    """Whether at least one GPU runs a kernel; and a text that describes, as `describe` does, those
    that do, and states why the others do not. Call it only if `why_not()` is None.

    Only `btfperm doctor` should call it, because it takes seconds: it creates a CUDA context on
    each GPU, and compiles a kernel, unless CuPy's cache contains this kernel.
    """
    working, failing = [], []
    for number in range(_count()):
        try:
            with on(number):
                _run_a_kernel()
                working.append(_described(_gpu(number)))
        except Exception as error:  # a driver, a compiler and their loaders may raise any exception
            text = " ".join(str(error.__cause__ or error).split())[:200]
            failing.append(f"device {number} runs no kernel ({text})")
    listed = ", ".join(working + failing)
    if not working:
        listed += ": check it with nvidia-smi, or use backend='cpu'"
    return bool(working), f"{listed}; {_drivers()}"


def _run_a_kernel() -> None:
    """Transposes a small matrix on the current GPU."""
    import cupy

    from btfperm.backends.gpu.arrays import transposed

    columns = (cupy.asarray(part, dtype="int32") for part in ([0, 1, 2], [2, 0]))
    if [part.tolist() for part in transposed(3, *columns)] != [[0, 1, 1, 2], [1, 0]]:
        raise BackendUnavailableError("a kernel gave a wrong result")


def _described(gpu: Gpu) -> str:
    return (
        f"{gpu.name} (device {gpu.number}, compute capability {_dotted(gpu.capability)}, "
        f"{gpu.memory_free / 2**30:.1f} GiB free of {gpu.memory / 2**30:.1f} GiB)"
    )


def _drivers() -> str:
    import cupy

    driver = _driver()
    assert isinstance(driver, Driver)
    compiler = _dotted(cupy.cuda.nvrtc.getVersion())
    return f"driver for CUDA {_dotted(driver.cuda)}, CuPy {cupy.__version__}, NVRTC {compiler}"


def refuse_missing(device: int | None = None) -> None:
    """Raises BackendUnavailableError, with the reason, if this GPU (default: the current one)
    cannot be used."""
    why = why_not(device)
    if why is not None:
        raise BackendUnavailableError(f"the gpu backend does not work here: {why}")


@contextlib.contextmanager
def on(
    device: int | None,
    *,
    who: str = "",
    advice: str = "use backend='cpu', or backend='auto', which continues without it",
) -> Iterator[int]:
    """Runs the body of a ``with`` statement with this GPU (default: the current one) as CuPy's
    current device. `who` and `advice` are the beginning and the end of an error's message.

    Raises
    ------
    BackendUnavailableError : the GPU cannot be used, it has too little memory for the body, or one
        of the body's kernels cannot be compiled or fails
    """
    refuse_missing(device)
    import cupy

    number = int(cupy.cuda.Device().id) if device is None else device
    failures: tuple[type[Exception], ...] = (
        cupy.cuda.runtime.CUDARuntimeError,
        cupy.cuda.driver.CUDADriverError,
        cupy.cuda.nvrtc.NVRTCError,
        cupy.cuda.compiler.CompileException,
        cupy.cuda.memory.OutOfMemoryError,
    )
    try:
        with cupy.cuda.Device(number):
            _refuse_old(number)
            yield number
    except failures as error:
        text = " ".join(str(error).split())[:300]
        raise BackendUnavailableError(f"{who}device {number} failed ({text}); {advice}") from error


@cache
def _refuse_old(number: int) -> None:
    name, capability = facts(number)
    if capability < _LEAST_CAPABILITY:
        raise BackendUnavailableError(
            f"device {number} ({name}) has compute capability {_dotted(capability)}; "
            f"btfperm needs {_dotted(_LEAST_CAPABILITY)} or more: use another device or "
            "backend='cpu'"
        )


def refuse_beyond_free(needed: int, what: str) -> None:
    """Raises BackendUnavailableError if the current GPU has fewer than `needed` bytes free; memory
    that CuPy's pool keeps for reuse counts as free. `what` is the subject of the message. Small
    requests are not checked: the check may take longer than the search of a small matrix, and a
    failed allocation raises an error anyway."""
    if needed < _LEAST_CHECKED:
        return
    import cupy

    free = free_memory()
    if needed > free:
        number = int(cupy.cuda.Device().id)
        raise BackendUnavailableError(
            f"{what} needs {needed / 1e9:,.1f} GB of GPU memory and device {number} has "
            f"{free / 1e9:,.1f} GB free: free some, take another device or use backend='cpu'"
        )


def free_memory() -> int:
    """The bytes that CuPy can still allocate on the current GPU. Memory that CuPy's pool keeps for
    reuse counts as free, and a limit of the pool as the memory of the GPU."""
    import cupy

    pool: Any = cupy.get_default_memory_pool()
    free = int(cupy.cuda.runtime.memGetInfo()[0]) + int(pool.free_bytes())
    limit = int(pool.get_limit())
    return min(free, limit - int(pool.used_bytes())) if limit else free
