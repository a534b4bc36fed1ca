# SPDX-License-Identifier: BSD-3-Clause
"""Kernels from their sources: CUDA C++ files of the package, compiled by NVRTC when first used.

CuPy keeps compiled kernels on disk, under a key that depends on the source text and the options,
but not on the included headers. So one of the options is a hash of all sources of the package: when
a header changes, the key changes, too, and no outdated kernel is used.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["PACKAGE", "WIDTHS", "Kernels", "kernels", "options", "sources"]

PACKAGE = Path(__file__).parents[2]

#: The C++ type that `Index` stands for in the sources, for each index type of a pattern.
WIDTHS = {"int32": "int", "int64": "long long"}


@cache
def sources() -> tuple[Path, ...]:
    """Every CUDA source of the package: kernels (``.cu``) and what they include (``.cuh``)."""
    return tuple(sorted([*PACKAGE.rglob("*.cu"), *PACKAGE.rglob("*.cuh")]))


@cache
def _fingerprint() -> str:
    digest = hashlib.sha256()
    for path in sources():
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def options(width: str) -> tuple[str, ...]:
    """The options of NVRTC: language, include folder, index type, and a hash of all sources."""
    return (
        "-std=c++17",
        f"-I{PACKAGE}",
        f"-DBTFPERM_INDEX={WIDTHS[width]}",
        f"-DBTFPERM_SOURCES={_fingerprint()}",
    )


class Kernels:
    """The kernels of one file, for one index type, on one device.

    A Python `int` among the arguments of a launch is converted to the index type, so it is right
    for a parameter of type `Index`. Any other argument must have the exact type of its parameter.
    """

    def __init__(self, file: str, width: str) -> None:
        import cupy

        self._index = np.dtype(width).type
        self._module: Any = cupy.RawModule(
            code=(PACKAGE / file).read_text(encoding="utf-8"), options=options(width)
        )
        self._functions: dict[str, Any] = {}
        self._resident: dict[tuple[str, int, int], int] = {}

    def launch(self, name: str, blocks: int, threads: int, *arguments: Any) -> None:
        """Runs ``blocks`` x ``threads`` of the kernel on the current stream; does not wait."""
        self._function(name)((blocks,), (threads,), self._typed(arguments))

    def launch_together(self, name: str, threads: int, *arguments: Any, most: int = 32) -> None:
        """A cooperative launch: as `launch`, with as many blocks as the device can run at the same
        time, but at most `most` for each multiprocessor. So the blocks may wait for each other
        (``grid_barrier.cuh``)."""
        kernel = self._function(name).kernel
        blocks = self._blocks_at_once(name, threads, most)
        kernel((blocks,), (threads,), self._typed(arguments), enable_cooperative_groups=True)

    def totals_of_blocks(self, name: str, threads: int, each: int = 1) -> Any:
        """An array with `each` elements for each block of `launch_together` for this kernel, as
        ``running_totals.cuh`` needs it."""
        import cupy

        return cupy.empty(each * self._blocks_at_once(name, threads), dtype=self._index)

    def threads_at_once(self, name: str, threads: int) -> int:
        """The number of threads of a kernel that the device can run at the same time, in blocks of
        `threads`."""
        return self._blocks_at_once(name, threads) * threads

    def _blocks_at_once(self, name: str, threads: int, most: int = 32) -> int:
        import cupy

        if (name, threads, most) not in self._resident:
            pointer = self._function(name).kernel.ptr
            fit = cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(pointer, threads, 0)
            processors = int(cupy.cuda.Device().attributes["MultiProcessorCount"])
            self._resident[name, threads, most] = min(int(fit), most) * processors
        return self._resident[name, threads, most]

    def _function(self, name: str) -> Any:
        function = self._functions.get(name)
        if function is None:
            function = self._functions[name] = self._module.get_function(name)
        return function

    def _typed(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        index = self._index
        return tuple([index(a) if type(a) is int else a for a in arguments])


def kernels(file: str, width: str) -> Kernels:
    """The kernels of a file on CuPy's current device; `file` is a path from the package's root."""
    import cupy

    return _kernels(file, width, int(cupy.cuda.Device().id))


@cache
def _kernels(file: str, width: str, _device: int) -> Kernels:
    return Kernels(file, width)
