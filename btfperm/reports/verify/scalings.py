# SPDX-License-Identifier: BSD-3-Clause
"""Checks of the scalings of a weighted transversal. Their logarithms are the dual variables that
prove that it has the largest product."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from btfperm.reports.verify.reach import Flags, Index
from btfperm.reports.verify.subject import Subject, Violation, wrong

__all__ = ["SCALES", "check_scalings", "check_unmatched"]

SCALES = ("log_row_scale", "log_col_scale")

# Rounding errors of the logarithms: absolute, and relative to the largest logarithm of a scaling.
_ABSOLUTE, _RELATIVE = 1e-9, 1e-10
# Larger logarithms would hide faults behind their rounding errors. A matrix needs them only if
# values near the limits of double precision follow one another along a path of millions of rows.
_LARGEST = 1e10


def check_scalings(s: Subject) -> Iterator[Violation]:
    """There is one scaling for each row and column, whose logarithm is at most 1e10 in modulus.
    Scaled entries are 1 in modulus where they are matched, and at most 1 elsewhere, up to rounding
    errors; entries with the value zero are not matched.

    If the file admits a gap, the product of the scaled matched entries may be as small as
    exp(-gap)."""
    faults = list(_faults_of_form(s))
    yield from faults
    if faults:
        return
    assert s.values is not None
    rows, cols = (_logarithms(s, key) for key in SCALES)
    with np.errstate(over="ignore"):  # of complex values; infinity is larger than any bound
        wide = np.complex128 if s.values.dtype.kind == "c" else np.float64
        modulus = np.abs(s.values.astype(wide))
    matched = s["row_match"][s.indices] == s.entry_col
    zero = matched & (modulus == 0)
    if zero.any():
        yield _at(s, "matched entries whose value is zero: {entries}", zero)
    with np.errstate(divide="ignore"):
        scaled = np.log(modulus) + rows[s.indices] + cols[s.entry_col]
    bound = _bound(rows, cols)
    large = scaled > bound
    if large.any():
        excess = float(scaled.max())
        text = f"scaled entries are larger than 1 in modulus, by a factor of up to e^{excess:.3g}"
        yield _at(s, f"{text}: {{entries}}", large)
    small = matched & ~zero & (scaled < -bound)
    below = -float(scaled[small].sum())
    if below > s.gap:
        admitted = "" if s.gap < bound else f", more than the gap of {s.gap:.3g} admits"
        text = f"matched entries are smaller than 1 in modulus when scaled{admitted}"
        yield _at(s, f"{text}: {{entries}}", small)


def check_unmatched(s: Subject) -> Iterator[Violation]:
    """In each block, no row or column has a larger scaling than an unmatched one of the same side.
    Otherwise the scalings prove nothing: another choice of the unmatched rows or columns could give
    a larger product."""
    rows, cols = (_logarithms(s, key) for key in SCALES)
    bound = _bound(rows, cols)
    blocks = s["row_blocks"].size - 1
    for noun, key, logs, block, match in (
        ("rows", SCALES[0], rows, s.row_block, s["row_match"]),
        ("cols", SCALES[1], cols, s.col_block, s["col_match"]),
    ):
        largest = np.full(blocks, -np.inf)
        np.maximum.at(largest, block, logs)
        hit = np.flatnonzero((match < 0) & (logs < largest[block] - bound))
        if hit.size:
            text = f"unmatched, but {key} is not the largest of the block: {{{noun}}}"
            yield wrong("unmatched", text, **{noun: hit})


def _faults_of_form(s: Subject) -> Iterator[Violation]:
    for key, size in zip(SCALES, (s.m, s.n), strict=True):
        if key not in s.arrays:
            yield wrong("scalings", f"{key} is missing")
            continue
        array = np.asarray(s.arrays[key])
        if array.dtype.kind not in "fiu":
            yield wrong("scalings", f"{key} holds {array.dtype}, not real numbers")
        elif array.ndim != 1 or array.size != size:
            shape = f"the shape {array.shape}" if array.ndim != 1 else f"{array.size} elements"
            yield wrong("scalings", f"{key} has {shape} instead of {size} elements")
        elif not np.isfinite(array).all():
            hit = np.flatnonzero(~np.isfinite(array))
            noun = "rows" if key == SCALES[0] else "cols"
            yield wrong("scalings", f"{key} is not finite at {{{noun}}}", **{noun: hit})
        elif (hit := np.flatnonzero(np.abs(array) > _LARGEST)).size:
            noun = "rows" if key == SCALES[0] else "cols"
            text = f"{key} is beyond {_LARGEST:.0e}, where rounding errors hide faults: {{{noun}}}"
            yield wrong("scalings", text, **{noun: hit})


def _logarithms(s: Subject, key: str) -> npt.NDArray[np.float64]:
    return np.asarray(s.arrays[key], dtype=np.float64)


def _bound(*logs: npt.NDArray[np.float64]) -> float:
    largest = max(float(np.abs(array).max(initial=0.0)) for array in logs)
    return _ABSOLUTE + _RELATIVE * largest


def _at(s: Subject, text: str, entries: Flags) -> Violation:
    rows: Index = s.indices[entries]
    return wrong("scalings", text, rows, s.entry_col[entries])
