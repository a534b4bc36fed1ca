# SPDX-License-Identifier: BSD-3-Clause
"""Draws the pictures of the documentation: ``python docs/figures/draw.py``.

Each picture is what one command of the shell draws; see `PICTURES`.
"""

from __future__ import annotations

from pathlib import Path

import btfperm

FOLDER = Path(__file__).parent
MATRICES = FOLDER.parents[1] / "matrices"

# The file, the matrix, and the arguments of `plot`; for the shell, `kind` is --kind.
PICTURES = {
    "west0479.png": ("west0479", {}),
    "west0479-sizes.svg": ("west0479", {"kind": "sizes"}),
    "west0479-levels.svg": ("west0479", {"kind": "levels"}),
    "west0479-block.png": ("west0479", {"block": 49}),
    "lpA_25fv47.png": ("lpA_25fv47", {}),
}


def draw(name: str, folder: Path = FOLDER) -> None:
    """Writes one of the pictures."""
    matrix, how = PICTURES[name]
    btfperm.dulmage_mendelsohn(MATRICES / f"{matrix}.mtx.gz").plot(**how).save(folder / name)


if __name__ == "__main__":
    for name in PICTURES:
        draw(name)
