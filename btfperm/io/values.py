# SPDX-License-Identifier: BSD-3-Clause
"""The values of matrices in files: their field, and the reflection of a stored triangle."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm.errors import InvalidArgumentError

__all__ = ["NO_VALUES", "as_double", "field_of", "reflected", "writable"]

NO_VALUES = "it holds no values, only the positions of the entries"

_TYPES: dict[str, npt.DTypeLike] = {
    "f": np.float64,
    "c": np.complex128,
    "i": np.int64,
    "u": np.uint64,
    "b": np.int64,
}
_FIELDS = {"f": "real", "c": "complex", "i": "integer", "u": "integer", "b": "pattern"}


def field_of(dtype: np.dtype[Any]) -> str:
    """The field of an array of values; truth values stand for a pattern.

    >>> field_of(np.dtype(np.uint8)), field_of(np.dtype(bool))
    ('integer', 'pattern')
    """
    return _FIELDS.get(dtype.kind, "real")


def writable(values: npt.NDArray[Any]) -> tuple[str, npt.NDArray[Any]]:
    """The field of these values in a text file, and the values in a type of that field.

    If all values are True, the field is pattern, for which no values are written. Other truth
    values are written as 0 and 1.

    >>> writable(np.array([True, True]))[0], writable(np.array([True, False]))[0]
    ('pattern', 'integer')
    """
    if values.dtype.kind == "b" and values.all():
        return "pattern", values
    written = values.astype(_TYPES.get(values.dtype.kind, np.float64), copy=False)
    return field_of(written.dtype), written


def as_double(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Integers and real numbers as float64, complex ones as complex128; truth values stay.

    Raises InvalidArgumentError for an integer that is no float64.

    >>> as_double(np.array([2**53, -(2**62)]))
    array([ 9.00719925e+15, -4.61168602e+18])
    >>> as_double(np.array([2**53 + 1]))
    Traceback (most recent call last):
    ...
    btfperm.errors.InvalidArgumentError: the value 9007199254740993 is no floating point number of
    64 bits: write a format that has integers (.mtx or .npz)
    """
    if values.dtype.kind == "b":
        return values
    if values.dtype.kind in "iu" and values.dtype.itemsize == 8:
        size = np.where(values < 0, np.negative(values), values).astype(np.uint64)
        lowest_bit = np.maximum(size & (~size + np.uint64(1)), np.uint64(1))
        changed = np.flatnonzero(size // lowest_bit > np.uint64(2**53))
        if changed.size:
            raise InvalidArgumentError(
                f"the value {values[changed[0]]} is no floating point number of 64 bits: write a "
                "format that has integers (.mtx or .npz)"
            )
    return values.astype(np.complex128 if values.dtype.kind == "c" else np.float64, copy=False)


def reflected(values: npt.NDArray[Any], symmetry: str) -> npt.NDArray[Any]:
    """The values on the other side of the diagonal.

    >>> reflected(np.array([2.0]), "skew-symmetric"), reflected(np.array([1j]), "hermitian")
    (array([-2.]), array([0.-1.j]))
    """
    if symmetry == "skew-symmetric":
        return -values
    return values.conj() if symmetry == "hermitian" else values
