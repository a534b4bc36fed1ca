# SPDX-License-Identifier: BSD-3-Clause
"""The README's table of algorithms, from the registry: `python -m tests.readme_table` writes it."""

from __future__ import annotations

import re
from pathlib import Path

from btfperm.registry import algorithms

README = Path(__file__).parents[1] / "README.md"
BETWEEN = re.compile(r"(?<=<!-- algorithms -->\n).*?(?=<!-- /algorithms -->)", re.DOTALL)


def table() -> str:
    """One line per row of the registry, in its order."""
    lines = [
        "| name | family | what it does | prefer it | from |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| `{row.name}` | {row.family} | {row.summary} | {row.prefer} | {row.reference} |"
        for row in algorithms()
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    text = README.read_text(encoding="utf-8")
    if not BETWEEN.search(text):
        raise SystemExit(f"{README} has no <!-- algorithms --> ... <!-- /algorithms -->")
    README.write_text(BETWEEN.sub(lambda _: table(), text), encoding="utf-8")


if __name__ == "__main__":
    main()
