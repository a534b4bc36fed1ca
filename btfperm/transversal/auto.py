# SPDX-License-Identifier: BSD-3-Clause
"""How many times slower than the best the choices of the rules of ``auto_table.py`` are.

``python -m benchmarks.run --section regret`` and ``--section regret-gpu`` measure it. With
``--rules`` they write it to ``auto_measured.json``, for each rule that held on a matrix for which
two choices were measured.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["measured"]


def measured() -> Mapping[str, Any]:
    """What was measured, by decision and rule; read from the file at each call."""
    path = Path(__file__).with_name("auto_measured.json")
    found: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
