# SPDX-License-Identifier: BSD-3-Clause
"""``python -m tests.docs.requirements EXTRA`` prints the packages of an extra, one a line."""

from __future__ import annotations

import sys
import tomllib

from tests.docs.pages import ROOT

if __name__ == "__main__":
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    print(*settings["project"]["optional-dependencies"][sys.argv[1]], sep="\n")
