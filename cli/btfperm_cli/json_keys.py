# SPDX-License-Identifier: BSD-3-Clause
"""The keys of the JSON object that each command prints, whether it succeeds or fails; numbers that
JSON can hold; and the command of a command line that is not parsed yet.

`exit_code` is 0 to 143, `error` is null or one sentence, `warnings` is a list of sentences. The
other keys belong to the command; a key without a value is null. A command line that names no
command runs `order`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

__all__ = [
    "JSON_KEYS",
    "command_of",
    "error_object",
    "finite",
    "finite_parts",
]

_MATRIX = ("matrix", "entries", "rows", "cols", "structural_rank")
_SEARCH = (
    "stored_zeros",
    "maximum",
    "stopped_by",
    "rank_bounds",
    "verified",
    "algorithm",
    "initializer",
    "backend",
    "choice",
    "explain",
    "counters",
    "seconds",
)
_PARTS = ("deficiency", "coarse", "fine_blocks", "singletons", "largest_block", "advice")
JSON_KEYS = {
    "order": (
        *(*_MATRIX, *_PARTS, *_SEARCH),
        *("weights", "solver", "block_ordering", "written", "replaced"),
    ),
    "rank": (
        *(*_MATRIX, "full", "unmatched_rows", "unmatched_columns"),
        *("overdetermined", "underdetermined", "truncated", *_SEARCH),
    ),
    "diagnose": (
        *(*_MATRIX, "full", "overdetermined", "underdetermined", "group_counts", "truncated"),
        *("empty_rows", "empty_columns", "repair", "diagonal", "identical_rows", *_SEARCH),
    ),
    "check": (
        *("matrix", "perm", "convention", "ok", "violations", "passed", "skipped"),
        *("weight", "size", "maximal", "locally_dominant"),
    ),
    "convert": ("in", "out", "rows", "cols", "entries", "permuted", "replaced"),
    "solve": (
        *("matrix", "entries", "rows", "cols", "right_hand_side", "right_hand_sides"),
        *("transposed", "solver", "weights", "block_ordering", "blocks", "fill", "nnz"),
        *("off_diagonal_pivots", "rcond", "backward_error", "seconds", "written", "replaced"),
        *("comparison", "measured"),
    ),
    "match": (
        *(
            "matrix",
            "vertices",
            "edges",
            "algorithm",
            "backend",
            "options",
            "weight",
            "upper_bound",
            "size",
        ),
        *("maximal", "locally_dominant", "stopped_by", "rounds", "edges_left", "matched_share"),
        *("explain", "counters", "seconds", "written", "replaced"),
    ),
    "plot": (*_MATRIX, "fine_blocks", "kind", "block", "seconds", "written", "replaced"),
    "report": (*_MATRIX, "fine_blocks", "seconds", "written", "replaced", "bytes"),
    "algorithms": ("algorithms",),
    "doctor": ("machine", "backends", "packages", "solvers"),
}


def command_of(words: Iterable[str]) -> str:
    """The first of the words that is the name of a command, or `order`: used before the command
    line is parsed.

    >>> command_of(["--json", "rank", "A.mtx"]), command_of(["A.mtx"])
    ('rank', 'order')
    """
    return next((word for word in words if word in JSON_KEYS), "order")


def error_object(
    command: str, sentence: str, code: int, warnings: Iterable[str] = ()
) -> dict[str, Any]:
    """The object that `command` prints with ``--json`` if it fails before it has a result."""
    nothing = dict.fromkeys(JSON_KEYS[command])
    return {"exit_code": code, "error": sentence, **nothing, "warnings": list(warnings)}


def finite(number: float | None) -> float | None:
    """The number, or None for NaN and infinity, which JSON does not have."""
    return number if number is not None and math.isfinite(number) else None


def finite_parts(error: Any) -> dict[str, float | None] | None:
    """The parts of a backward error under their names, or None if there is no error."""
    if error is None:
        return None
    return {name: finite(part) for name, part in error._asdict().items()}
