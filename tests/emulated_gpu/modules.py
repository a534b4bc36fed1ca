# SPDX-License-Identifier: BSD-3-Clause
"""CUDA sources as libraries for the CPU: flattened, compiled by the host's C++ compiler together
with ``cuda_words.hpp``, and called with the arguments of a launch.

``python -m tests.emulated_gpu.modules`` compiles all, as those that run side by side would each.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np

from btfperm.backends.gpu.compile import options, sources

HEADERS = sorted(Path(__file__).parent.glob("*.hpp"))
CACHE = Path(__file__).parents[2] / "build" / "emulated_gpu"  # libraries, by what they are made of
SANITIZED = bool(os.environ.get("BTFPERM_EMULATED_SANITIZE"))
FLAGS = ["-std=c++20", "-fPIC", "-pthread", "-w", "-O1"]
# The same names with another Index are other functions.
FLAGS += ["-fvisibility=hidden", "-fno-gnu-unique"]
if SANITIZED:
    FLAGS += ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
SEED = int(os.environ.get("BTFPERM_SEED", "1"))

_INCLUDE = re.compile(r'^#include "(\S+)"$', re.MULTILINE)
_KERNEL = re.compile(r'extern "C" __global__ void\s+(?:__launch_bounds__\([^)]*\)\s+)?(\w+)\(')
# What a device does to a word that other threads read and write, and what has no meaning here.
_REPLACED = [
    ("return *const_cast<const volatile Word*>(place);", "return fibers::load(place);"),
    ("*const_cast<volatile Word*>(place) = value;", "fibers::store(place, value);"),
]
_ASSEMBLY = re.compile(r"asm volatile\([^;]*;[^;]*;", re.DOTALL)


class RefusedError(Exception):
    """A launch that a device would refuse, or not end well."""


class _Parameter(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_uint), ("pointee", ctypes.c_uint)]


class Module:
    """The kernels of a source text, by what NVRTC would be told."""

    def __init__(self, code: str, told: tuple[str, ...]) -> None:
        self._library = ctypes.CDLL(str(self.compiled(code, told)))
        self._library.fibers_parameters.restype = ctypes.POINTER(_Parameter)
        self._library.fibers_name.restype = ctypes.c_char_p
        self._numbers = {
            self._library.fibers_name(k).decode(): k for k in range(self._library.fibers_count())
        }
        self._launches = 0

    @staticmethod
    def compiled(code: str, told: tuple[str, ...]) -> Path:
        """The library; from the cache, where the flattened source has been compiled before."""
        includes = Path(next(o for o in told if o.startswith("-I"))[2:])
        words = tuple(o for o in told if o.startswith("-DBTFPERM_INDEX"))
        return _built(_flat(code, "kernel.cu", includes), words)

    def has(self, name: str) -> bool:
        return name in self._numbers

    def launch(self, name, blocks, threads, arguments, *, at_once):
        """`arguments`: numbers of NumPy, and (pointer, itemsize) pairs."""
        if not 0 < threads <= 1024 or not 0 < blocks < 2**31:
            raise RefusedError(f"{name}: {blocks} x {threads} threads")
        number = self._numbers[name]
        words = [_as_bytes(argument) for argument in arguments]
        self._check(name, number, arguments, words)
        places = (ctypes.c_void_p * max(len(words), 1))(*[ctypes.addressof(w) for w in words])
        told = ctypes.create_string_buffer(2000)
        self._launches += 1
        seed = ctypes.c_ulonglong(SEED * 1_000_003 + self._launches)
        if self._library.fibers_launch(
            number, blocks, threads, int(at_once), places, seed, told, len(told)
        ):
            raise RefusedError(f"{name}: {told.value.decode()}")

    def _check(self, name, number, arguments, words):
        """What CuPy takes on trust: as many arguments as parameters, of their sizes and types."""
        count = self._library.fibers_parameter_count(number)
        if len(words) != count:
            raise RefusedError(f"{name} takes {count} arguments, not {len(words)}")
        wanted = self._library.fibers_parameters(number)
        for k, (argument, word) in enumerate(zip(arguments, words, strict=True)):
            size, pointee = wanted[k].bytes, wanted[k].pointee
            given = argument[1] if isinstance(argument, tuple) else 0
            if ctypes.sizeof(word) != size or bool(given) > bool(pointee):
                raise RefusedError(
                    f"{name}: argument {k} has {ctypes.sizeof(word)} bytes, not {size}"
                )
            if given and pointee > 1 and pointee >> 8 != given:
                raise RefusedError(
                    f"{name}: argument {k} points to {given} bytes, not {pointee >> 8}"
                )


def _as_bytes(argument):
    if isinstance(argument, tuple):
        return ctypes.c_void_p(argument[0])
    return ctypes.create_string_buffer(argument.tobytes(), np.dtype(type(argument)).itemsize)


def _flat(code: str, name: str, includes: Path, seen: set[str] | None = None) -> str:
    """One text with all it includes; the compiler still names files and lines."""
    seen = set() if seen is None else seen

    def included(match):
        path = match[1]
        line = code.count("\n", 0, match.start()) + 2
        if path in seen:
            return ""
        seen.add(path)
        inner = _flat((includes / path).read_text(encoding="utf-8"), path, includes, seen)
        return f'{inner}\n#line {line} "{name}"'

    flat = _INCLUDE.sub(included, code)
    for theirs, ours in _REPLACED:
        flat = flat.replace(theirs, ours)
    return f'#line 1 "{name}"\n' + _ASSEMBLY.sub(";", flat)


_CALLED = """
#line 1 "called"
#define SEEN extern "C" __attribute__((visibility("default")))
static const fibers::Kernel the_kernels[] = {%s};
SEEN unsigned fibers_count() { return %d; }
SEEN const char* fibers_name(unsigned k) { return the_kernels[k].name; }
SEEN unsigned fibers_parameter_count(unsigned k) { return the_kernels[k].count; }
SEEN const fibers::Parameter* fibers_parameters(unsigned k) { return the_kernels[k].parameters; }
SEEN int fibers_launch(unsigned k, unsigned blocks, unsigned threads, int at_once, void** arguments,
                       unsigned long long seed, char* told, unsigned room) {
  fibers::Launch launch{blocks, threads, the_kernels[k].call, arguments, seed};
  const std::string why = fibers::run(launch, at_once);
  std::snprintf(told, room, "%%s", why.c_str());
  return !why.empty();
}
"""


@cache
def _built(flat: str, words: tuple[str, ...]) -> Path:
    """The library of a flat source, from the cache where it is there."""
    names = _KERNEL.findall(flat)
    table = ", ".join(f'fibers::Called<&{name}>::named("{name}")' for name in names)
    source = f'#include "cuda_words.hpp"\n{flat}\n' + _CALLED % (table, len(names))
    headers = [path.read_text(encoding="utf-8") for path in HEADERS]
    told = "\0".join([source, *headers, *words, *FLAGS])
    library = CACHE / f"{hashlib.sha256(told.encode()).hexdigest()[:24]}.so"
    if library.exists():
        return library
    CACHE.mkdir(parents=True, exist_ok=True)
    folders = [f"-I{_precompiled()}", f"-I{Path(__file__).parent}"]
    with tempfile.TemporaryDirectory(dir=CACHE) as room:
        text, built = Path(room) / "flat.cpp", Path(room) / "flat.so"
        text.write_text(source, encoding="utf-8")
        _compile("-shared", *folders, *words, str(text), "-o", str(built))
        built.rename(library)
    return library


def checked(programs: list[tuple[str, str]], told: tuple[str, ...]) -> None:
    """Compiles source texts of kernels, each followed by further C++, all in one run and without a
    result.

    Raises
    ------
    RefusedError : the compiler's message, also where a static assertion fails
    """
    includes = Path(next(o for o in told if o.startswith("-I"))[2:])
    words = [o for o in told if o.startswith("-DBTFPERM_INDEX")]
    parts = [
        f"namespace program{k} {{\n{_flat(code, 'kernel.cu', includes)}\n{further}\n}}\n"
        for k, (code, further) in enumerate(programs)
    ]
    # Kernels of one name in several namespaces must not be one C function.
    source = '#include "cuda_words.hpp"\n' + "".join(parts).replace('extern "C" ', "")
    folders = [f"-I{_precompiled()}", f"-I{Path(__file__).parent}"]
    with tempfile.TemporaryDirectory(dir=CACHE) as room:
        text = Path(room) / "checked.cpp"
        text.write_text(source.replace("#pragma once\n", ""), encoding="utf-8")
        _compile("-fsyntax-only", *folders, *words, str(text))


@cache
def _precompiled() -> Path:
    """A folder with the headers as g++ has read them: reading them takes a second, and there are
    some thirty libraries. g++ reads the headers themselves where it cannot use this file."""
    text = "\0".join([*(path.read_text(encoding="utf-8") for path in HEADERS), *FLAGS])
    folder = CACHE / f"headers-{hashlib.sha256(text.encode()).hexdigest()[:24]}"
    header = folder / "cuda_words.hpp.gch"
    if not header.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as room:
            built = Path(room) / header.name
            _compile(str(Path(__file__).with_name("cuda_words.hpp")), "-o", str(built))
            built.rename(header)
    return folder


def _compile(*words: str) -> None:
    said = subprocess.run(["g++", *FLAGS, *words], capture_output=True, text=True, check=False)
    if said.returncode:
        raise RefusedError(said.stderr[:4000])


if __name__ == "__main__":
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        texts = [path.read_text(encoding="utf-8") for path in sources() if path.suffix == ".cu"]
        list(pool.map(lambda text: Module.compiled(text, options("int32")), texts))
