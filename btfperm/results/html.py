# SPDX-License-Identifier: BSD-3-Clause
"""Small HTML tables of results, for notebooks."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["html_table"]

_LONGEST = 200  # characters of a cell, because the name of a file can have any length


def html_table(title: str, rows: Mapping[str, object]) -> str:
    """A table with a caption and one row for each item; all text is escaped.

    Whole numbers are written with thousands separators, and long texts are cut.

    >>> html_table("a < b", {"blocks": 2000})
    '<table><caption>a &lt; b</caption><tr><th>blocks</th><td>2,000</td></tr></table>'
    """
    lines = (
        f"<tr><th>{_text(key)}</th><td>{_text(value)}</td></tr>" for key, value in rows.items()
    )
    return f"<table><caption>{_text(title)}</caption>{''.join(lines)}</table>"


def _text(value: object) -> str:
    from html import escape

    is_number = isinstance(value, int) and not isinstance(value, bool)
    text = f"{value:,}" if is_number else str(value)
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text[:_LONGEST])
    return escape(shown + "…" * (len(text) > _LONGEST))
