# SPDX-License-Identifier: BSD-3-Clause
"""``python -m benchmarks.figures RESULT.json [OUT_DIR]``"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks.figures import draw


def main(arguments: list[str]) -> int:
    """Draw the figures of one result beside it, or in another folder."""
    if not 1 <= len(arguments) <= 2:
        print(__doc__, file=sys.stderr)
        return 2
    source = Path(arguments[0])
    folder = Path(arguments[1]) if len(arguments) == 2 else source.parent
    folder.mkdir(parents=True, exist_ok=True)
    for title, path in draw(json.loads(source.read_text()), folder / source.stem, print):
        print(f"{path}: {title}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
