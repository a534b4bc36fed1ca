# SPDX-License-Identifier: BSD-3-Clause
"""The tables of the documentation: algorithms, counters, conventions, formats, fields, scalings.

`python -m tests.readme_table` writes each table between its two marks, ``<!-- NAME -->`` and
``<!-- /NAME -->``, in the one page that has them: README.md or a page in docs/.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from btfperm.conventions.rows import conventions
from btfperm.fields import FIELDS, SCALINGS, Field
from btfperm.io.formats import matrix_formats
from btfperm.registry import algorithms
from btfperm.registry.counters import COUNTERS

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))


def markdown(head: str, rows: Iterable[tuple[str, ...]]) -> str:
    columns = head.count("|") + 1
    lines = [f"| {head} |", "|" + " --- |" * columns]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def table_of_algorithms() -> str:
    """One line per row of the registry, in its order."""
    return markdown(
        "name | family | what it does | prefer it | from",
        (
            (f"`{row.name}`", row.family, row.summary, row.prefer, row.reference)
            for row in algorithms()
        ),
    )


def table_of_conventions() -> str:
    """One line per convention."""
    return markdown(
        "adapter | whose | fields | direction | first number | block triangular | unmatched "
        "| accepts",
        (
            (
                f"`as_{row.stem}`",
                row.summary,
                f"`{', '.join(row.arrays)}`",
                row.direction,
                str(row.base),
                row.triangle,
                row.unmatched,
                row.accepts,
            )
            for row in conventions.values()
        ),
    )


def table_of_formats() -> str:
    """One line per format of matrix files."""

    def listed(suffixes: Iterable[str]) -> str:
        return " ".join(f"`{suffix}`" for suffix in suffixes)

    return markdown(
        "format | suffixes | written as | values | what is read",
        (
            (
                row.title,
                listed(row.suffixes),
                listed(row.writes),
                ", ".join(row.values),
                row.summary,
            )
            for row in matrix_formats.values()
        ),
    )


def table_of_fields(fields: Iterable[Field] = FIELDS) -> str:
    """One line per field of a decomposition."""
    return markdown(
        "key | shape | content",
        (
            (f"`{field.name}`", f"({field.length},)" if field.length else "()", field.summary)
            for field in fields
        ),
    )


def table_of_scalings() -> str:
    """One line per scaling."""
    return table_of_fields(SCALINGS)


def table_of_counters() -> str:
    """One line per counter."""
    return markdown("counter | what it counts", ((f"`{c.name}`", c.summary) for c in COUNTERS))


TABLES: dict[str, Callable[[], str]] = {
    "algorithms": table_of_algorithms,
    "conventions": table_of_conventions,
    "counters": table_of_counters,
    "fields": table_of_fields,
    "formats": table_of_formats,
    "scalings": table_of_scalings,
}


def between(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- /{name} -->)", re.DOTALL)


def page_of(name: str) -> Path:
    """The page that shows this table."""
    pages = [page for page in PAGES if between(name).search(page.read_text(encoding="utf-8"))]
    if len(pages) != 1:
        raise SystemExit(f"{len(pages)} pages have <!-- {name} --> ... <!-- /{name} -->, not one")
    return pages[0]


def shown(name: str) -> str:
    """The table as its page shows it."""
    match = between(name).search(page_of(name).read_text(encoding="utf-8"))
    assert match
    return match[0]


def main() -> None:
    for name, table in TABLES.items():
        page, text = page_of(name), table()
        whole = between(name).sub(lambda _, text=text: text, page.read_text(encoding="utf-8"))
        page.write_text(whole, encoding="utf-8")


if __name__ == "__main__":
    main()
