# SPDX-License-Identifier: BSD-3-Clause
"""The checks of the site detect what is wrong; CI runs them on the built site."""

from __future__ import annotations

import re
import tomllib

import btfperm
from tests.docs.links import broken, without_methods
from tests.docs.pages import PAGES, ROOT


def test_a_broken_link_is_detected(tmp_path):
    (tmp_path / "a.html").write_text(
        '<a href="b.html#there">1</a> <a href="b.html#not">2</a> <a href="c.html">3</a>'
        '<a href="https://elsewhere/">4</a> <a href="#x">5</a> <p id="x">'
    )
    (tmp_path / "b.html").write_text('<p id="there">')
    assert broken(tmp_path) == ["a.html: b.html#not", "a.html: c.html"]


def test_a_method_without_a_description_is_detected(tmp_path, monkeypatch):
    monkeypatch.setattr(btfperm, "__all__", ["Diagnosis", "diagnose", "DefectError"])
    page = tmp_path / "reference" / "generated" / "btfperm.Diagnosis.html"
    page.parent.mkdir(parents=True)
    anchors = ("to_dict", "row_name", "col_name")
    page.write_text("".join(f'<p id="btfperm.Diagnosis.{name}">' for name in anchors))
    assert without_methods(tmp_path) == ["Diagnosis.text"]


def test_every_page_has_a_title_and_a_place_in_the_site():
    """A page is in a table of contents by its name, or by a pattern with `*`."""
    listed = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert re.search(r"^# \S", text, re.MULTILINE), page
        for entries in re.findall(r"^```\{toctree\}\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            names = [line for line in entries.splitlines() if line and line[0] != ":"]
            listed += [(page.parent, name) for name in names]
    docs = ROOT / "docs"
    for page in PAGES:
        name = page.with_suffix("")
        assert page == docs / "index.md" or any(
            name == folder / entry or ("*" in entry and name.match(str(folder / entry)))
            for folder, entry in listed
        ), f"{page.relative_to(docs)} is in no table of contents"


def test_the_version_is_the_same_everywhere():
    """CITATION.cff and pyproject.toml both state the version. The newest section of the changelog
    is that of this version, or `Unreleased`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited and cited[1] == project["version"] == btfperm.__version__
    assert re.fullmatch(r"\d+\.\d+\.\d+", project["version"])
    headings = re.findall(
        r"^## \[(.*?)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE
    )
    assert headings[0] == "Unreleased" or headings[0] == project["version"]


def test_the_reference_has_every_public_name():
    page = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    words = set(re.findall(r"\w+", page))
    public = {name for name in btfperm.__all__ if not name.startswith("__")} - {"testing"}
    assert public - words - {"Decomposition"} == set()
