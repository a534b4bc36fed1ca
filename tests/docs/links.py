# SPDX-License-Identifier: BSD-3-Clause
"""``python -m tests.docs.links SITE``: every link inside a built site leads to a page and an anchor
that exist, and the reference describes every public method. Links to other hosts need a network and
are not followed."""

from __future__ import annotations

import inspect
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import btfperm


class Links(HTMLParser):
    """The targets of the links of a page, and the anchors that it has."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.anchors = {""}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.anchors |= {found[key] or "" for key in ("id", "name") if key in found}
        for key in ("href", "src"):
            if found.get(key):
                self.targets.append(str(found[key]))


@cache
def links_of(page: Path) -> Links:
    parser = Links()
    parser.feed(page.read_text(encoding="utf-8"))
    return parser


def broken(site: Path) -> list[str]:
    """`page: target` for each link that leads nowhere."""
    failures = []
    for page in sorted(set(site.rglob("*.html")) - set(site.rglob("_static/**/*.html"))):
        for target in links_of(page).targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            path = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            path = path / "index.html" if path.is_dir() else path
            exists = path.is_file()
            if exists and parts.fragment and path.suffix == ".html":
                exists = unquote(parts.fragment) in links_of(path).anchors
            if not exists:
                failures.append(f"{page.relative_to(site)}: {target}")
    return failures


def without_methods(site: Path) -> list[str]:
    """`Class.method` for each public method that the page of its class does not describe."""
    missing = []
    for name in btfperm.__all__:
        of = getattr(btfperm, name)
        if not inspect.isclass(of) or issubclass(of, BaseException) or name == "Decomposition":
            continue
        anchors = links_of(site / "reference" / "generated" / f"btfperm.{name}.html").anchors
        for key, value in inspect.getmembers(of, callable):
            is_own = str(getattr(value, "__module__", "")).startswith("btfperm")
            if is_own and key[0] != "_" and f"btfperm.{name}.{key}" not in anchors:
                missing.append(f"{name}.{key}")
    return missing


if __name__ == "__main__":
    built = Path(sys.argv[1]).resolve()
    failures = broken(built) + without_methods(built)
    print(*failures, sep="\n")
    sys.exit(bool(failures))
