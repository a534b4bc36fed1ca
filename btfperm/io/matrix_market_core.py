# SPDX-License-Identifier: BSD-3-Clause
"""Selects the build of fast_matrix_market that writes Matrix Market files.

The package of that name has no wheels for Python 3.13 and later; SciPy (>= 1.12) ships the same
core, but it requires an import of SciPy.
"""

from __future__ import annotations

from typing import Any

__all__ = ["core"]


def core() -> Any:
    """The module that holds `open_write_stream` and `write_body_coo`."""
    try:
        from fast_matrix_market import _fmm_core
    except ImportError:
        from scipy.io._fast_matrix_market import _fmm_core
    return _fmm_core
