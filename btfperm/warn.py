# SPDX-License-Identifier: BSD-3-Clause
"""Warnings that name the line in the caller's code, not the line in this package that issues
them."""

from __future__ import annotations

import os
import sys
import warnings

__all__ = ["warn"]

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep  # noqa: PTH100, PTH120


def warn(warning: Warning) -> None:
    """Issues the warning for the innermost stack frame outside the package. O(depth of the stack).

    A fixed ``stacklevel`` cannot name that frame, because the public functions call one another.
    Python 3.12 has ``skip_file_prefixes`` for this purpose, but Python 3.11 has not.
    """
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    warnings.warn_explicit(
        warning,
        type(warning),
        frame.f_code.co_filename,
        frame.f_lineno,
        frame.f_globals.get("__name__", "<unknown>"),
        frame.f_globals.setdefault("__warningregistry__", {}),
    )
