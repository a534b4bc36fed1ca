# SPDX-License-Identifier: BSD-3-Clause
"""Links from a page to files of the repository that are no pages of the site. If ``project.urls``
in pyproject.toml has an address of the repository under the name Source, these links lead there.
Otherwise they become plain text with the path of the file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_LINK = re.compile(r"\[([^\]]+)\]\(((?:\.\./|examples/)[^)#\s]*)(#[^)\s]*)?\)")


def resolved(text: str, page: Path, docs: Path, source: str | None) -> str:
    """The text of a page with its links to files outside the site replaced."""

    def replaced(found: re.Match[str]) -> str:
        label, target, _ = found.groups()
        path = (page.parent / target).resolve()
        if path.is_relative_to(docs) and path.suffix in (".md", ".png", ".svg"):
            return found[0]
        where = path.relative_to(docs.parent).as_posix()
        if source:
            return f"[{label}]({source}/blob/main/{where})"
        return label if label == where else f"{label} (`{where}`)"

    return _LINK.sub(replaced, text)


def setup(app: Any) -> dict[str, bool]:
    def read(app: Any, name: str, content: list[str]) -> None:
        page = Path(app.env.doc2path(name))
        links = {
            link["name"]: link["url"] for link in app.config.html_theme_options["external_links"]
        }
        content[0] = resolved(content[0], page, Path(app.srcdir), links.get("Source"))

    app.connect("source-read", read)
    return {"parallel_read_safe": True}
