# SPDX-License-Identifier: BSD-3-Clause
"""Measurements of the rules of ``auto_table.py``: how many times slower the choice of a rule is
than the best choice.

``python -m benchmarks.run --section regret`` and ``--section regret-gpu`` measure this. With the
option ``--rules``, they write the results to ``auto_measured.json``, for each rule that was applied
to a matrix on which at least two choices were measured.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["measured"]


def measured() -> Mapping[str, Any]:
    """The content of ``auto_measured.json``: measurements by decision and rule."""
    path = Path(__file__).with_name("auto_measured.json")
    found: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
