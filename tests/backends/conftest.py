# SPDX-License-Identifier: BSD-3-Clause
"""The command line's fixtures, for what it says about backends."""

from __future__ import annotations

from tests.cli.conftest import cli, matrix

__all__ = ["cli", "matrix"]
