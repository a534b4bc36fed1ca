# SPDX-License-Identifier: BSD-3-Clause
"""`ValuedPattern`: a pattern, and the value of each of its entries in the same order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from btfperm.errors import InvalidArgumentError, InvalidMatrixError
from btfperm.pattern.arrays import (
    device_context,
    is_device_array,
    is_on_device_of,
    prefix,
    refuse_masked,
)
from btfperm.pattern.canonical import frozen
from btfperm.pattern.pattern import Pattern

__all__ = ["ValuedPattern", "as_values", "position_of"]

_FIELDS = {"f": "real", "c": "complex", "i": "integer", "u": "integer"}


@dataclass(frozen=True, eq=False, repr=False)
class ValuedPattern:
    """A `Pattern` with the values of its entries. Make one with `as_valued` or `read_valued`.

    Every function that takes a matrix also takes a `ValuedPattern`. The constructor checks and
    copies the values; it shares arrays on a GPU, as `DevicePattern` does.

    Attributes
    ----------
    pattern : the positions, on the host or on a GPU
    values : (nnz,) ``values[p]`` is the value at row ``pattern.indices[p]``, in the memory that
        holds the pattern: float64, complex128, or the integer type of the matrix. Duplicates are
        added up. NumPy arrays are read-only. NaN and infinity are accepted; see `require_finite`

    Examples
    --------
    >>> import numpy as np
    >>> from btfperm import as_valued
    >>> V = as_valued(np.array([[4.0, 0.0, 1.0], [0.0, 2.0, 0.0]]))
    >>> V
    <ValuedPattern 2 x 3, 3 real entries>
    >>> V.pattern.indices.tolist(), V.values.tolist()
    ([0, 1, 0], [4.0, 2.0, 1.0])
    """

    pattern: Pattern
    values: Any

    def __post_init__(self) -> None:
        pattern, values = self.pattern, self.values
        if not isinstance(pattern, Pattern):
            raise InvalidArgumentError(f"{type(pattern).__name__} is no Pattern")
        on_device = pattern.backend != "cpu"
        if on_device and is_device_array(values):
            from btfperm.backends.gpu.arrays import as_device_array

            values = as_device_array(values)
        if on_device and not is_on_device_of(pattern, values):
            raise InvalidMatrixError("the values of a DevicePattern must be on its GPU")
        if not on_device and is_device_array(values):
            raise InvalidMatrixError("the values of a Pattern on the host must be there, too")
        values = as_values(values, pattern.nnz, pattern.name)
        vars(self)["values"] = values if on_device else frozen(values.copy())

    @classmethod
    def _unchecked(cls, pattern: Pattern, values: Any) -> Self:
        """The constructor for code of this package, which has checked the values and keeps
        no other reference to them. O(1)."""
        valued = object.__new__(cls)
        on_host = isinstance(values, np.ndarray)
        vars(valued).update(pattern=pattern, values=frozen(values) if on_host else values)
        return valued

    def __copy__(self) -> Self:
        return self  # frozen, with read-only arrays

    def __eq__(self, other: object) -> bool:
        """Whether both have equal patterns and values, on the host or on a device. O(n + nnz)."""
        if not isinstance(other, ValuedPattern):
            return NotImplemented
        if self is other:
            return True
        if self.pattern != other.pattern:
            return False
        one, two = self.on_host().values, other.on_host().values
        return np.array_equal(one, two, equal_nan=one.dtype.kind in "fc" and two.dtype.kind in "fc")

    def __hash__(self) -> int:
        return hash(("ValuedPattern", self.pattern))

    def _repr_html_(self) -> str:
        from btfperm.results.html import html_table

        (m, n), title = self.shape, f"ValuedPattern {self.pattern.name or ''}".rstrip()
        facts = {"shape": f"{m:,} x {n:,}", "entries": self.nnz, "values": self.field}
        return html_table(title, facts)

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Unpickled arrays are writeable and may be shared, so they go through the constructor."""
        self.__init__(**{f.name: state[f.name] for f in fields(self)})  # type: ignore[misc]

    @property
    def shape(self) -> tuple[int, int]:
        """(m, n)"""
        return self.pattern.shape

    @property
    def nnz(self) -> int:
        """Number of entries."""
        return self.pattern.nnz

    @property
    def field(self) -> str:
        """The kind of the values: "real", "complex" or "integer"."""
        return _FIELDS[self.values.dtype.kind]

    def __repr__(self) -> str:
        head, entries, rest = repr(self.pattern).rpartition(" entr")
        return f"<Valued{head[1:]} {self.field}{entries}{rest}"

    def require_finite(self) -> Self:
        """The object itself, if each value is finite. O(nnz).

        Functions that compute with values call this first. Functions that need only the positions
        accept NaN and infinity.

        Raises
        ------
        InvalidMatrixError : a value is NaN or infinite; the message names the row and the column of
            the first one in canonical order
        """
        if self.field == "integer":
            return self
        with device_context(self.values):
            wrong = ~np.isfinite(self.values)
            if not bool(wrong.any()):
                return self
            p = int(wrong.argmax())
            value = self.values[p].item()
        i, j = position_of(self.pattern, p)
        raise InvalidMatrixError(
            f"{prefix(self.pattern.name)}the entry in row {i}, column {j} (counted from 0) is "
            f"{value}; every value must be finite"
        )

    def on_host(self) -> ValuedPattern:
        """The same matrix with NumPy arrays: itself, unless a GPU holds it."""
        if self.pattern.backend == "cpu":
            return self
        return ValuedPattern._unchecked(self.pattern.on_host(), self.values.get())

    def transpose(self) -> ValuedPattern:
        """Rows and columns exchanged; complex values are not conjugated."""
        from btfperm.pattern.values import carried

        pattern = self.pattern
        turned = pattern.transpose()
        return carried(turned, pattern.cols(), pattern.indices, self.values)

    @property
    def T(self) -> ValuedPattern:
        """The same as `transpose()`."""
        return self.transpose()

    def to_scipy(self) -> Any:
        """A ``scipy.sparse.csc_array`` on the host, with copies of the arrays."""
        import scipy.sparse

        here = self.on_host()
        starts, rows = here.pattern.indptr.copy(), here.pattern.indices.copy()
        return scipy.sparse.csc_array((here.values.copy(), rows, starts), shape=self.shape)


def as_values(values: Any, count: int, name: str | None) -> Any:
    """The values of `count` entries in a type that a `ValuedPattern` has: a contiguous NumPy or
    CuPy array, which may share the memory of `values`.

    Raises
    ------
    InvalidMatrixError : they are no numbers, or their number is not `count`
    """
    refuse_masked(values)
    array = values
    if not is_device_array(values):
        try:
            array = np.asarray(values)
        except (TypeError, ValueError):  # lists of unequal lengths
            array = np.empty((), dtype=object)
    if array.dtype.kind == "b":
        raise InvalidMatrixError(
            f"{prefix(name)}the entries hold truth values, which are not added up: convert "
            "them to numbers"
        )
    if array.dtype.kind not in _FIELDS:
        raise InvalidMatrixError(f"{prefix(name)}values of type {array.dtype} are no numbers")
    if array.shape != (count,):
        raise InvalidMatrixError(
            f"{prefix(name)}{count} positions, but the values have the shape {array.shape}"
        )
    wide = {"f": np.dtype(np.float64), "c": np.dtype(np.complex128)}
    dtype = wide.get(array.dtype.kind, array.dtype.newbyteorder("="))
    with np.errstate(all="ignore"):  # a long double beyond float64 becomes infinite
        array = array.astype(dtype, copy=False)
    return array if array.flags.c_contiguous else array.copy()


def position_of(pattern: Pattern, p: int) -> tuple[int, int]:
    """Row and column of entry `p`, for a message. O(n)."""
    with device_context(pattern.indptr):
        return int(pattern.indices[p]), int((pattern.indptr <= p).sum()) - 1
