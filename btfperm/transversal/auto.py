# SPDX-License-Identifier: BSD-3-Clause
"""The measured worth of each rule of ``auto_table.py``.

``python -m benchmarks.run --section regret`` and ``--section regret-gpu`` measure how much slower
the choices are than the best ones, and write the result for each rule to ``auto_measured.json``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["measured"]


def measured() -> Mapping[str, Any]:
    """What was measured for each rule; read from the file at each call."""
    path = Path(__file__).with_name("auto_measured.json")
    found: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
