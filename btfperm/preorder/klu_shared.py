# SPDX-License-Identifier: BSD-3-Clause
"""KLU in a shared library of the system, called through ctypes.

The layout of the structure ``klu_common`` depends on the version of KLU. A layout is accepted only
if the values that ``klu_defaults`` writes can be read with it.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm.preorder.factors import shallow_copy
from btfperm.preorder.klu_factors import FIRST_MEMORY, Analysis, CommonFacts, checked_status

__all__ = ["PATH", "Shared"]

PATH = "BTFPERM_LIBKLU"
"""The environment variable with the path of the only libklu to be tried."""

_Array = npt.NDArray[Any]


class _Layout(NamedTuple):
    """The types of the two kinds of integer fields of ``klu_common``: flags and counts."""

    flag: Any
    count: Any

    def structure(self) -> Any:
        """The structure of KLU 1.2. Later versions have more fields at its end, for which `rest`
        has room."""
        flag, count = self
        fields = (
            *((name, ctypes.c_double) for name in ("tol", "memgrow", "initmem_amd", "initmem")),
            ("maxwork", ctypes.c_double),
            *((name, flag) for name in ("btf", "ordering", "scale")),
            ("user_order", ctypes.c_void_p),
            ("user_data", ctypes.c_void_p),
            *((name, flag) for name in ("halt_if_singular", "status", "nrealloc")),
            *((name, count) for name in ("structural_rank", "numerical_rank", "singular_col")),
            ("noffdiag", count),
            *((name, ctypes.c_double) for name in ("flops", "rcond", "condest", "rgrowth", "work")),
            ("rest", ctypes.c_char * 1024),
        )
        return type("Common", (ctypes.Structure,), {"_fields_": fields})


# The keys are a letter in the names of KLU's functions: none for counts of 32 bits, "l" for counts
# of 64 bits. In the functions with "l", flags have 32 bits since KLU 2, and 64 bits before.
_LAYOUTS = {
    "": (_Layout(ctypes.c_int, ctypes.c_int),),
    "l": (_Layout(ctypes.c_int, ctypes.c_int64), _Layout(ctypes.c_int64, ctypes.c_int64)),
}


def _numeric_fields(count: Any) -> tuple[tuple[str, Any], ...]:
    """The fields of the structure ``klu_numeric``; `count` is the type of its counts."""
    counts = ("n", "nblocks", "lnz", "unz", "max_lnz_block", "max_unz_block")
    pointers = ("Pnum", "Pinv", "Lip", "Uip", "Llen", "Ulen", "LUbx", "LUsize", "Udiag", "Rs")
    return (
        *((name, count) for name in counts),
        *((name, ctypes.c_void_p) for name in pointers),
        ("worksize", ctypes.c_size_t),
        *((name, ctypes.c_void_p) for name in ("Work", "Xwork", "Iwork")),
        *((name, ctypes.c_void_p) for name in ("Offp", "Offi", "Offx")),
        ("nzoff", count),
    )


class _Numeric(ctypes.Structure):
    _fields_ = _numeric_fields(ctypes.c_int)


class _WideNumeric(ctypes.Structure):
    _fields_ = _numeric_fields(ctypes.c_int64)


class Shared:
    name = "libklu"

    def __init__(self) -> None:
        """Loads the first library that works.

        Raises
        ------
        FileNotFoundError : there is no libklu
        OSError : none works; the text has the path and the reason of each
        """
        reasons: list[str] = []
        for path in _candidates():
            try:
                return self._load(path)
            except (OSError, AttributeError) as error:  # no library, or one without these functions
                text = str(error)
                reasons.append(text if path in text else f"{path}: {text}")
        if not reasons:
            raise FileNotFoundError("there is no libklu")
        raise OSError("; ".join(dict.fromkeys(reasons)))

    def _load(self, path: str) -> None:
        self.library = library = ctypes.CDLL(path)
        orders = "analyze", "analyze_given", "l_analyze", "l_analyze_given"
        for name in (*orders, "factor", "z_factor", "l_factor"):
            getattr(library, f"klu_{name}").restype = ctypes.c_void_p
        library.klu_zl_factor.restype = ctypes.c_void_p
        self.commons = {width: self._verified_common(width) for width in _LAYOUTS}
        if self.commons[""] is None:
            raise OSError("klu_defaults of this libklu writes another layout")
        self.location = _loaded_path(library) or path
        self.version = self.location.rpartition(".so.")[2] or "unknown"

    def _verified_common(self, width: str) -> Any:
        """The structure with which the values of ``klu_defaults`` can be read; None if there is
        none."""
        defaults = getattr(self.library, f"klu_{width}_defaults" if width else "klu_defaults")
        for layout in _LAYOUTS[width]:
            structure = layout.structure()
            common = structure()
            defaults(ctypes.byref(common))
            settings = common.tol, common.memgrow, common.btf, common.scale, common.halt_if_singular
            results = common.numerical_rank, common.noffdiag, common.rcond, common.rgrowth
            if settings == (0.001, 1.2, 1, 2, 1) and results == (-1, -1, -1.0, -1.0):
                return structure
        return None

    def analyze(
        self,
        indptr: _Array,
        indices: _Array,
        P: _Array | None,
        Q: _Array | None,
        tolerance: float,
        *,
        has_blocks: bool = True,
    ) -> Analysis:
        """Analyzes the pattern. Without `P` and `Q`, KLU computes its own order."""
        common = self.commons["l" if indptr.dtype == np.int64 else ""]
        if common is None:
            raise OverflowError
        perms = None if P is None or Q is None else (P, Q)
        return _Analysis(self.library, common(), (indptr, indices), perms, tolerance, has_blocks)


class _Symbolic:
    """KLU's analysis of a pattern, which is freed when no factors use it any more."""

    def __init__(self, common: Any, free: Any) -> None:
        self.pointer = ctypes.c_void_p()
        self._common, self._free = common, free

    def __del__(self) -> None:
        if self.pointer:
            self._free(ctypes.byref(self.pointer), ctypes.byref(self._common))


class _Analysis(CommonFacts):
    def __init__(
        self,
        library: Any,
        common: Any,
        columns: tuple[_Array, _Array],
        perms: tuple[_Array, _Array] | None,
        tolerance: float,
        has_blocks: bool,
    ) -> None:
        self._library, self._common, self._columns = library, common, columns
        self._width = "l" if columns[0].dtype == np.int64 else ""
        self._numeric = ctypes.c_void_p()
        self._lock = threading.Lock()
        self._field = ""
        self._function("defaults")(ctypes.byref(common))
        common.tol, common.btf, common.initmem = tolerance, int(has_blocks), FIRST_MEMORY
        self._symbolic = _Symbolic(common, self._function("free_symbolic"))
        name = "analyze" if perms is None else "analyze_given"
        arrays = map(_pointer, (*columns, *(perms or ())))
        self._symbolic.pointer.value = self._call(name, self._count(columns[0].size - 1), *arrays)
        checked_status(common.status)

    def without_factors(self) -> _Analysis:
        other = shallow_copy(self)
        other._numeric, other._lock = ctypes.c_void_p(), threading.Lock()
        other._common = type(self._common).from_buffer_copy(self._common)
        return other

    def __del__(self) -> None:
        self._free_numeric()

    def _free_numeric(self) -> None:
        if getattr(self, "_numeric", None):
            free = self._function("free_numeric", self._field)
            free(ctypes.byref(self._numeric), ctypes.byref(self._common))

    def _count(self, value: int) -> Any:
        return ctypes.c_int64(value) if self._width else ctypes.c_int(value)

    def _function(self, name: str, field: str = "") -> Any:
        prefix = field + self._width
        return getattr(self._library, f"klu_{prefix}_{name}" if prefix else f"klu_{name}")

    def _call(self, name: str, *arguments: Any, field: str = "") -> Any:
        # ctypes releases the GIL, and KLU solves in a workspace that belongs to the factors.
        with self._lock:
            return self._function(name, field)(*arguments, ctypes.byref(self._common))

    def factor(self, values: _Array) -> int:
        self._free_numeric()
        self._field = "z" if values.dtype.kind == "c" else ""
        arrays = map(_pointer, (*self._columns, values))
        self._numeric.value = self._call(
            "factor", *arrays, self._symbolic.pointer, field=self._field
        )
        return checked_status(self._common.status)

    def refactor(self, values: _Array) -> int:
        arrays = map(_pointer, (*self._columns, values))
        self._call("refactor", *arrays, self._symbolic.pointer, self._numeric, field=self._field)
        return checked_status(self._common.status)

    def solve(self, x: _Array, trans: str) -> None:
        k, n = x.shape
        sizes = self._count(n), self._count(k)
        arguments: tuple[Any, ...] = self._symbolic.pointer, self._numeric, *sizes, _pointer(x)
        if trans != "N" and self._field:
            arguments += (ctypes.c_int(trans == "H"),)
        self._call("solve" if trans == "N" else "tsolve", *arguments, field=self._field)

    def rcond(self) -> float:
        self._call("rcond", self._symbolic.pointer, self._numeric, field=self._field)
        return float(self._common.rcond)

    def numbers(self) -> Any:
        numeric = _WideNumeric if self._width else _Numeric
        return numeric.from_address(self._numeric.value or 0)


def _pointer(array: _Array) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _candidates() -> Iterator[str]:
    """Names and paths of libklu. If ``BTFPERM_LIBKLU`` is set, this is the only one. Otherwise the
    library that the loader finds comes first, then the files in the folders of conda, of this
    Python's prefix, of ``/usr/local`` and of Homebrew."""
    named = os.environ.get(PATH)
    if named:
        yield named
        return
    found = ctypes.util.find_library("klu")
    if found is not None:
        yield found
    prefixes = (os.environ.get("CONDA_PREFIX"), sys.prefix, "/usr/local", "/opt/homebrew")
    for prefix in filter(None, prefixes):
        for folder in ("lib", "lib64"):
            for name in ("libklu.so", "libklu.so.2", "libklu.so.1", "libklu.dylib"):
                path = Path(prefix) / folder / name
                if path.is_file():
                    yield str(path)


def _loaded_path(library: Any) -> str:
    """The path of the loaded file, whose name has the version; empty if it is unknown."""
    address = ctypes.cast(library.klu_defaults, ctypes.c_void_p).value or 0
    try:
        with Path("/proc/self/maps").open(encoding="utf-8", errors="replace") as maps:
            for line in maps:
                first, _, last = line.split(" ", 1)[0].partition("-")
                if int(first, 16) <= address < int(last, 16):
                    _, slash, path = line.rstrip("\n").partition("/")
                    return slash + path
    except OSError:
        pass
    return ""
