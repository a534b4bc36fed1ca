# SPDX-License-Identifier: BSD-3-Clause
"""CUDA sources as libraries for the CPU. Each source is flattened, compiled by the host's C++
compiler together with ``cuda_words.hpp``, and called with the arguments of a launch.

``python -m tests.emulated_gpu.modules`` compiles all sources for 32-bit indices in advance, for
tests that run in several processes.
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

HERE = Path(__file__).parent
HEADERS = sorted(HERE.glob("*.hpp"))
# Libraries, named by a hash of their source. A library that was not used for a week may be deleted.
CACHE = Path(
    os.environ.get("BTFPERM_EMULATED_CACHE", Path(__file__).parents[2] / "build" / "emulated_gpu")
)
SANITIZED = bool(os.environ.get("BTFPERM_EMULATED_SANITIZE"))
FLAGS = ["-std=c++20", "-fPIC", "-pthread", "-w", "-O1"]
# Libraries for another type Index define different functions with the same names.
FLAGS += ["-fvisibility=hidden", "-fno-gnu-unique"]
if SANITIZED:
    FLAGS += ["-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
SEED = int(os.environ.get("BTFPERM_SEED", "1"))

_INCLUDE = re.compile(r'^#include "(\S+)"$', re.MULTILINE)
_KERNEL = re.compile(r'extern "C" __global__ void\s+(?:__launch_bounds__\([^)]*\)\s+)?(\w+)\(')
# Accesses to words that other threads read and write, and what replaces them.
_REPLACED = [
    ("return *const_cast<const volatile Word*>(place);", "return fibers::load(place);"),
    ("*const_cast<volatile Word*>(place) = value;", "fibers::store(place, value);"),
]
# Inline assembly of the GPU, a prefetch, is removed.
_ASSEMBLY = re.compile(r"asm volatile\([^;]*;[^;]*;", re.DOTALL)


_HEADERS = "headers-{}/cuda_words.hpp.gch"


class RefusedError(Exception):
    """A device would refuse this launch, the launch failed, or g++ refused the source."""


class _Parameter(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_uint), ("pointee", ctypes.c_uint)]


class Module:
    """The kernels of a source text. `compiler_options` are those for NVRTC."""

    def __init__(self, code: str, compiler_options: tuple[str, ...]) -> None:
        self._library = ctypes.CDLL(str(self.compiled(code, compiler_options)))
        self._library.fibers_parameters.restype = ctypes.POINTER(_Parameter)
        self._library.fibers_name.restype = ctypes.c_char_p
        self._numbers = {
            self._library.fibers_name(k).decode(): k for k in range(self._library.fibers_count())
        }
        self._launches = 0

    @staticmethod
    def compiled(code: str, compiler_options: tuple[str, ...]) -> Path:
        """The path of the library, which is compiled if the cache does not hold it."""
        includes = Path(next(o for o in compiler_options if o.startswith("-I"))[2:])
        definitions = tuple(o for o in compiler_options if o.startswith("-DBTFPERM_INDEX"))
        return _built(_flat(code, "kernel.cu", includes), definitions)

    def has(self, name: str) -> bool:
        return name in self._numbers

    def launch(self, name, blocks, threads, arguments, *, at_once):
        """`arguments`: NumPy scalars, and pairs of a pointer and the itemsize of its array, which
        must be that of the kernel's parameter. `at_once`: whether all blocks run at the same time,
        as in a cooperative launch; otherwise at most two do."""
        if not 0 < threads <= 1024 or not 0 < blocks < 2**31:
            raise RefusedError(f"{name}: {blocks} x {threads} threads")
        number = self._numbers[name]
        values = [_as_bytes(argument) for argument in arguments]
        self._check(name, number, arguments, values)
        addresses = (ctypes.c_void_p * max(len(values), 1))(*map(ctypes.addressof, values))
        message = ctypes.create_string_buffer(2000)
        self._launches += 1
        seed = ctypes.c_ulonglong(SEED * 1_000_003 + self._launches)
        if self._library.fibers_launch(
            number, blocks, threads, int(at_once), addresses, seed, message, len(message)
        ):
            raise RefusedError(f"{name}: {message.value.decode()}")

    def _check(self, name, number, arguments, values):
        """Checks what CuPy does not: the number of arguments, their sizes, and the size of the
        numbers to which a pointer points."""
        count = self._library.fibers_parameter_count(number)
        if len(values) != count:
            raise RefusedError(f"{name} takes {count} arguments, not {len(values)}")
        wanted = self._library.fibers_parameters(number)
        for k, (argument, value) in enumerate(zip(arguments, values, strict=True)):
            size, pointee = wanted[k].bytes, wanted[k].pointee
            given = argument[1] if isinstance(argument, tuple) else 0
            if ctypes.sizeof(value) != size or bool(given) > bool(pointee):
                raise RefusedError(
                    f"{name}: argument {k} has {ctypes.sizeof(value)} bytes, not {size}"
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
    """The source and all its includes as one text. #line directives keep files and lines."""
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
#define EXPORT extern "C" __attribute__((visibility("default")))
static const fibers::Kernel the_kernels[] = {%s};
EXPORT unsigned fibers_count() { return %d; }
EXPORT const char* fibers_name(unsigned k) { return the_kernels[k].name; }
EXPORT unsigned fibers_parameter_count(unsigned k) { return the_kernels[k].count; }
EXPORT const fibers::Parameter* fibers_parameters(unsigned k) { return the_kernels[k].parameters; }
EXPORT int fibers_launch(unsigned k, unsigned blocks, unsigned threads, int at_once,
                         void** arguments, unsigned long long seed, char* message, unsigned size) {
  fibers::Launch launch{blocks, threads, the_kernels[k].call, arguments, seed};
  const std::string why = fibers::run(launch, at_once);
  std::snprintf(message, size, "%%s", why.c_str());
  return !why.empty();
}
"""


@cache
def _built(flat: str, definitions: tuple[str, ...]) -> Path:
    """The library of a flat source, from the cache if it is there."""
    names = _KERNEL.findall(flat)
    table = ", ".join(f'fibers::Called<&{name}>::named("{name}")' for name in names)
    source = f'#include "cuda_words.hpp"\n{flat}\n' + _CALLED % (table, len(names))
    library = CACHE / f"{_hash([source, *definitions])}.so"
    if library.exists():
        library.touch()
        return library
    CACHE.mkdir(parents=True, exist_ok=True)
    folders = [f"-I{_precompiled()}", f"-I{HERE}"]
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        text, built = Path(folder) / "flat.cpp", Path(folder) / "flat.so"
        text.write_text(source, encoding="utf-8")
        _compile("-shared", *folders, *definitions, str(text), str(_scheduler()), "-o", str(built))
        built.rename(library)
    return library


def checked(programs: list[tuple[str, str]], compiler_options: tuple[str, ...]) -> None:
    """Compiles the source texts of kernels, each followed by further C++, in one run and without
    output.

    Raises
    ------
    RefusedError : with the compiler's message, also if a static assertion fails
    """
    includes = Path(next(o for o in compiler_options if o.startswith("-I"))[2:])
    definitions = [o for o in compiler_options if o.startswith("-DBTFPERM_INDEX")]
    parts = [
        f"namespace program{k} {{\n{_flat(code, 'kernel.cu', includes)}\n{further}\n}}\n"
        for k, (code, further) in enumerate(programs)
    ]
    # Kernels with the same name in several namespaces must not be one C function.
    source = '#include "cuda_words.hpp"\n' + "".join(parts).replace('extern "C" ', "")
    # The precompiled headers if they exist; one check takes less time than their compilation.
    folders = [f"-I{(CACHE / _HEADERS.format(_hash([]))).parent}", f"-I{HERE}"]
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        text = Path(folder) / "checked.cpp"
        text.write_text(source.replace("#pragma once\n", ""), encoding="utf-8")
        _compile("-fsyntax-only", *folders, *definitions, str(text))


@cache
def _precompiled() -> Path:
    """A folder with the precompiled headers, which save time for each library. If g++ cannot use
    them, it parses the headers."""
    return _compiled_once(HERE / "cuda_words.hpp", _HEADERS.format(_hash([]))).parent


@cache
def _scheduler() -> Path:
    """The object file of the functions that do not depend on the kernels."""
    return _compiled_once(HERE / "fibers.cpp", f"fibers-{_hash([])}.o", "-c")


def _hash(texts: list[str]) -> str:
    """A hash of the texts, of all that every library contains, and of the compiler's options."""
    common = [path.read_text(encoding="utf-8") for path in (*HEADERS, HERE / "fibers.cpp")]
    return hashlib.sha256("\0".join([*texts, *common, *FLAGS]).encode()).hexdigest()[:24]


def _compiled_once(source: Path, name: str, *flags: str) -> Path:
    """The path of the compiler's output, which is renamed at the end, because other processes may
    compile the same."""
    result = CACHE / name
    if result.exists():
        result.touch()
    else:
        result.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as temporary:
            built = Path(temporary) / result.name
            _compile(*flags, str(source), "-o", str(built))
            built.rename(result)
    return result


def _compile(*arguments: str) -> None:
    done = subprocess.run(["g++", *FLAGS, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RefusedError(done.stderr[:4000])


if __name__ == "__main__":
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda compiled: compiled(), (_precompiled, _scheduler)))
        texts = [path.read_text(encoding="utf-8") for path in sources() if path.suffix == ".cu"]
        list(pool.map(lambda text: Module.compiled(text, options("int32")), texts))
