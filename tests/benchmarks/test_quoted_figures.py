# SPDX-License-Identifier: BSD-3-Clause
"""Figures quoted on pages are equal to those in the cited files.

``<!-- figures: NAME ... -->`` names results (without folder and suffix) or other files of
``benchmarks``. Within a block it counts for that block; on a line of its own it counts up to the
next heading or the next such line. ``last column`` means that the last cell of each row of the
table names them.

Every number with a unit of measurement must be in such a file, rounded as on the page. In a table,
the same holds for numbers that fill a cell; the line of the file must contain the row's first cell.
"""

from __future__ import annotations

import io
import json
import math
import re
import statistics
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from benchmarks import machine, scaling
from tests.loops import looped

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"
PAGES = [
    ROOT / "README.md",
    ROOT / "benchmarks" / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "howto").glob("*.md")),
]

# Settings and aims instead of measurements, in the words of the pages.
NOT_MEASURED = re.compile(
    r"limit 60 s|--limit \d+|at least [\d.]+ times as fast|above 0\.2 ms|[\d.]+ ms or more"
    r"|saves \d+ % of the predicted fill|no matrix after \d+ seconds"
    r"|smaller than [\d.]+ times the largest entry"
    r"|^\| [^|]*\|"  # the first column of the table of aims
)

_NUMBER = r"(?:\d[\d,]*(?:\.\d+)?|\.\d+)"
_UNIT = r"(?:ms|µs|us|ns|s|times|(?:milli|micro)?seconds?|minutes|percent)"
_MEASURED = re.compile(
    rf"(?<![\w.,:+-])({_NUMBER})(?: (?:to|and|or) ({_NUMBER}))?(?: {_UNIT}\b| ?%|-fold\b)"
)
_CELL = re.compile(rf"`?({_NUMBER})`?")
_COMMENT = re.compile(r"(?<!`)<!-- figures: (.*?) -->")
_DATED = re.compile(r"\b\d{4}-\d\d-\d\d-[a-z][a-z0-9-]*[a-z0-9]")


class Block(NamedTuple):
    """A paragraph, a list item or a row of a table, and the files that it cites."""

    text: str
    files: list[str]
    is_row: bool


def blocks(page: str) -> Iterator[Block]:
    """The blocks of a page, without code and headings."""
    page = re.sub(r"^```.*?^```", "", page, flags=re.DOTALL | re.MULTILINE)
    scope: list[str] = []
    for part in re.split(r"\n\s*\n", page):
        lines = part.strip().splitlines()
        while lines and (lines[0].startswith("#") or _COMMENT.fullmatch(lines[0].strip())):
            found = _COMMENT.fullmatch(lines.pop(0).strip())
            scope = found[1].split() if found else []
        if lines and lines[0].startswith("|"):
            for line in lines[2:]:
                last = _DATED.findall(line.rsplit("|", 2)[-2])
                yield Block(line, last if scope == ["last", "column"] else scope, True)
            continue
        for item in re.split(r"\n(?=- |\d+\. )", "\n".join(lines)):
            own = [name for names in _COMMENT.findall(item) for name in names.split()]
            yield Block(_COMMENT.sub("", item), own or scope, False)


def file_of(name: str) -> Path:
    for path in (RESULTS / f"{name}.md", RESULTS / f"{name}.json", ROOT / "benchmarks" / name):
        if path.is_file():
            return path
    raise AssertionError(f"there is no result {name}")


@cache
def lines_of(name: str) -> list[str]:
    """The lines of a file; for a result of the section scaling also a line with its speed-ups."""
    path = file_of(name)
    lines = path.read_text().splitlines()
    if "-scaling-" in name and "-mpi-" not in name:  # Markdown of results without medians
        lines.append(summary(json.loads(path.with_suffix(".json").read_text())))
    return lines


def summary(report: dict) -> str:
    """Speed-ups of a result of the section scaling, and their median."""
    section = report["sections"]["scaling"]
    rows = [{"medians": row["seconds"], **row} for row in section["rows"]]
    each = [g for g in scaling.group_by_matrix(rows, "auto") if all(map(scaling.complete, g))]
    speeds = [scaling.median(group[0]) / scaling.median(group[-1]) for group in each]
    return " ".join(f"{value:.4f}" for value in [*speeds, statistics.median(speeds)])


def numbers(lines: list[str]) -> list[float]:
    found = re.findall(rf"(?<![\w.]){_NUMBER}", "\n".join(lines))
    return [float(text.replace(",", "")) for text in found]


def stands(quoted: str, values: list[float]) -> bool:
    """Whether a value, rounded to the same number of digits, is the quoted number."""
    number = float(quoted.replace(",", ""))
    digits = len(quoted.partition(".")[2])
    off = 0.5 * 10.0**-digits * (1 + 1e-6)
    return any(math.isclose(value, number, rel_tol=0, abs_tol=off) for value in values)


def stands_as_share(quoted: str, values: list[float]) -> bool:
    """A percentage may also be in the file as a ratio: 1.080 for 8.0 %."""
    number = float(quoted.replace(",", ""))
    digits = len(quoted.partition(".")[2])
    return stands(quoted, values) or stands(f"{1 + number / 100:.{digits + 2}f}", values)


def wrong_figures(block: Block) -> list[str]:
    text = NOT_MEASURED.sub(" ", block.text)
    quoted = [(n, match[0]) for match in _MEASURED.finditer(text) for n in match.groups() if n]
    if not block.files:
        return [f"{whole!r} has no file" for _, whole in quoted]
    values = numbers([line for name in block.files for line in lines_of(name)])
    wrong = [
        f"{whole!r} is not in {' '.join(block.files)}"
        for number, whole in quoted
        if not (stands_as_share if whole.endswith("%") else stands)(number, values)
    ]
    if block.is_row:
        first, *cells = [cell.strip() for cell in block.text.strip("|").split("|")]
        row = re.compile(rf"(?<![\w:+]){re.escape(first.strip('`'))}(?![\w:+.])")
        own = numbers([s for name in block.files for s in lines_of(name) if row.search(s)])
        wrong += [
            f"{cell} of {first} is not in {' '.join(block.files)}"
            for cell in cells
            if (match := _CELL.fullmatch(cell)) and not stands(match[1], own)
        ]
    return wrong


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_quotes_what_its_files_have(page):
    wrong = [problem for block in blocks(page.read_text()) for problem in wrong_figures(block)]
    assert not wrong, "\n".join(wrong)


def test_wrong_figures_are_detected():
    page = """# A page

It takes 3 ms, or 5 seconds, 12-fold, with 7 percent.

<!-- figures: 2026-11-26-engine-large -->
It takes 3.55 ms to 3.69 ms, and another 77.7 ms.

| graph | ms |
| --- | --- |
| er:22:3 | 3.55 |
| er:22:3 | 5.20 |
"""
    wrong = [problem for block in blocks(page) for problem in wrong_figures(block)]
    assert wrong == [
        "'3 ms' has no file",
        "'5 seconds' has no file",
        "'12-fold' has no file",
        "'7 percent' has no file",
        "'77.7 ms' is not in 2026-11-26-engine-large",
        "5.20 of er:22:3 is not in 2026-11-26-engine-large",
    ]


def test_every_result_named_anywhere_exists():
    sources = [*PAGES, *RESULTS.glob("*.md"), *(ROOT / "btfperm").rglob("*.[hcp]*")]
    sources += [*(ROOT / "btfperm").rglob("*.cu*"), *(ROOT / "benchmarks").rglob("*.py")]
    for source in sources:
        if source.suffix in {".md", ".py", ".hpp", ".cpp", ".cu", ".cuh"}:
            for name in _DATED.findall(source.read_text()):
                assert any(RESULTS.glob(f"{name}*")), f"{source}: there is no result {name}"


def test_every_result_is_quoted_by_a_page():
    generated = (ROOT / "docs" / "papers").glob("*.md")
    pages = "\n".join(page.read_text() for page in (*PAGES, *generated))
    unquoted = {p.stem for p in RESULTS.glob("*.md") if p.stem not in set(_DATED.findall(pages))}
    assert not unquoted


def lacking(name: str, head: dict) -> list[str]:
    """The required facts that a result lacks."""
    day, dated = head["date"][:10], name[:10]
    wrong_day = [] if day == dated else [f"the name is of {dated}, the run of {day}"]
    return [*machine.missing(head), *wrong_day]


@looped("path", sorted(RESULTS.glob("*.json")), ids=lambda path: path.stem)
def test_a_result_names_its_commit_and_all_versions(path):
    problems = lacking(path.stem, json.loads(path.read_text()))
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize(("named", "run"), [("23", "23"), ("22", "23"), ("23", "22")])
def test_a_result_without_versions_or_of_another_day_is_an_error(named, run):
    old = {"commit": "1234567", "python": "3.12.3"}
    head = {"date": f"2026-11-{run} 12:00 UTC", "versions": old}
    name = f"2026-11-{named}-gpu-answers-quick"
    assert "the head does not name the version of compiler" in lacking(name, head)
    new = {**head, "versions": dict.fromkeys(machine.REQUIRED, "1") | {"commit": "1234567-dirty"}}
    assert (lacking(name, new) == []) == (named == run)


def test_each_result_has_samples():
    for path in RESULTS.glob("*.md"):
        assert path.with_suffix(".json").exists(), path


def _is_dirty(head: dict) -> bool:
    return str(head["versions"].get("commit")).endswith("-dirty")


def test_the_page_lists_results_with_uncommitted_changes():
    page = (ROOT / "benchmarks" / "README.md").read_text()
    heads = {path.stem: json.loads(path.read_text()) for path in RESULTS.glob("*.json")}
    passage = page.partition("Two results name a commit")[2].partition("\n\n")[0]
    assert set(_DATED.findall(passage)) == {n for n, head in heads.items() if _is_dirty(head)}


def comments_of(path: Path) -> Iterator[tuple[int, str]]:
    """Line number and text of each comment line; of Python files, also of docstrings."""
    text = path.read_text()
    if path.suffix != ".py":
        for number, line in enumerate(text.splitlines(), 1):
            yield number, line.partition("//")[2]
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            for offset, line in enumerate(token.string.splitlines()):
                yield token.start[0] + offset, line


def test_comments_quote_no_times():
    """A measured time in the sources has no machine, no commit and no file, and it is outdated
    soon."""
    time = re.compile(rf"(?<![\w.]){_NUMBER} ?(?:ms|us|µs|ns|(?:micro|milli|nano)seconds)\b")
    found = [
        f"{path.relative_to(ROOT)}:{number}: {match[0]}"
        for folder in ("btfperm", "benchmarks")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in {".py", ".hpp", ".cpp", ".cu", ".cuh"} and time.search(path.read_text())
        for number, text in comments_of(path)
        if (match := time.search(text)) and not _DATED.search(text)
    ]
    assert not found, "\n".join(found)


def engine_table() -> dict[str, dict[str, float]]:
    """The table of the GPU engine on its page."""
    lines = (ROOT / "docs" / "gpu-engine.md").read_text().splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("| graph | ms |"))
    head = [cell.strip() for cell in lines[start].strip("|").split("|")]
    table = {}
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        cells = dict(zip(head, (cell.strip() for cell in line.strip("|").split("|")), strict=True))
        table[cells["graph"]] = {k: float(v) for k, v in cells.items() if _CELL.fullmatch(v)}
    return table


@pytest.mark.parametrize(("column", "graphs"), [("ECL-MM", 11), ("published", 17)])
def test_the_engine_page_has_the_ratios_of_its_table(column, graphs):
    table = engine_table()
    gains = [row[column] / row["ms"] for row in table.values() if column in row]
    mean = math.exp(sum(map(math.log, gains)) / len(gains))
    assert len(gains) == graphs
    text = (ROOT / "docs" / "gpu-engine.md").read_text()
    text = " ".join(text.split())
    assert f"{column}: {mean:.0f}-fold" in text and f"least {min(gains):.1f}-fold" in text


def test_the_engine_page_counts_the_aims_that_its_table_meets():
    table = engine_table()
    met = [name for name, row in table.items() if "aim" in row and row["ms"] <= row["aim"]]
    aims = [name for name, row in table.items() if "aim" in row]
    text = (ROOT / "docs" / "gpu-engine.md").read_text()
    assert f"{len(met)} of the {len(aims)} aims are met" in text
