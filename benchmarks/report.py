# SPDX-License-Identifier: BSD-3-Clause
"""Options and result of a section, tables, and the files of a run: Markdown, JSON and figures."""

from __future__ import annotations

import importlib.util
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

Row = dict[str, Any]
Head = dict[str, Any]


@dataclass(frozen=True)
class Options:
    """The options of the command line.

    `limit`: seconds for all calls of one method on a matrix. `counts`: numbers of threads that the
    section `scaling` compares, or of ranks for `mpi-scaling`, `mpi-model` and `mpi-local-max`.
    `relabel`: relabelling strategies of g-pr in addition to those of `paper-003`. `runs`: how many
    times `scaling` measures the whole set. `within`: seconds after which sections with a store,
    `versions`, `mpi-gpu` and `mpi-local-max` start no further matrix; `scaling` starts no run that
    would probably end later. `store`: the file to which the sections `paper-000` to `paper-004`,
    `published`, `serial-codes`, `grafting-parts`, `published-choice`, `mpi-model` and those of the
    regret add each matrix.
    `rules` belongs to the two sections of the regret, `half` to `regret-gpu`, `busy` to `regret`
    and `versions`, and `other`, the interpreter of another version, to `versions`.
    """

    which: str
    matrices: Path
    repeats: int
    limit: float
    algorithms: list[str]
    threads: int | None
    say: Callable[[str], None]
    counts: tuple[int, ...] = ()
    relabel: tuple[str, ...] = ()
    runs: int = 1
    within: float = math.inf
    store: Path | None = None
    busy: bool = False
    rules: bool = False
    half: str | None = None
    other: Path | None = None

    def of_section(self, section: str) -> Options:
        """The options of one of several sections in a run, which have stores of their own: FILE
        with the section before its name."""
        if self.store is None:
            return self
        return replace(self, store=self.store.with_name(f"{section}-{self.store.name}"))


@dataclass
class Section:
    """A part of the report: Markdown for people, `data` for the JSON, and the problems found."""

    title: str
    markdown: str
    data: dict[str, Any]
    complaints: list[str] = field(default_factory=list)


# -- tables ----------------------------------------------------------------------------------------


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table: the first column to the left, the others to the right."""
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *rows))


def by_matrix(
    head: str | Sequence[str], rows: Sequence[Row], cells: Callable[[Row], Sequence[str]]
) -> str:
    """A table with one line for each of `rows`: the name of its matrix, then `cells(row)`. `head`
    holds the titles of the cells, as a sequence or as one text with commas between them."""
    body = [[f"`{row['matrix']}`", *cells(row)] for row in rows]
    return table(["matrix", *(head.split(", ") if isinstance(head, str) else head)], body)


def paragraphs(*parts: str) -> str:
    """The parts that are not empty, one below the other."""
    return "\n\n".join(part for part in parts if part).strip()


def geometric_mean(values: Sequence[float]) -> float:
    """The geometric mean of `values`; nan if there are none."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def digits(value: float) -> str:
    """Three significant digits, or the nearest whole number from 100 on; no exponent."""
    if math.isnan(value):
        return "-"
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(value)))}f}" if value > 0 else "0"


def milliseconds(seconds: float) -> str:
    """A time in seconds as text in milliseconds, as `digits` writes it."""
    return digits(seconds * 1e3)


def known(value: float | None, text: Callable[[float], str] = digits) -> str:
    """A value as text, or a dash if there is none."""
    return "-" if value is None else text(value)


def progress(name: str, times: Sequence[str], problems: Sequence[str]) -> str:
    """The line that a section prints when a matrix is done."""
    return f"{name}: {', '.join(times)} ms" + "".join(f"\n  PROBLEM {what}" for what in problems)


# -- the files of a run ----------------------------------------------------------------------------


class Report:
    """The head (machine, versions, date, command) and the sections that are done."""

    def __init__(self, head: Head, options: Options) -> None:
        self._head = head
        names = {"set": "which", "repeats": "repeats", "limit_seconds": "limit"}
        self._options = {name: getattr(options, attribute) for name, attribute in names.items()}
        self._say = options.say
        self._sections: dict[str, Section] = {}

    @property
    def complaints(self) -> list[str]:
        return [c for section in self._sections.values() for c in section.complaints]

    def add(self, name: str, section: Section) -> None:
        self._sections[name] = section

    def markdown(self) -> str:
        return _markdown(self._head, self._sections)

    def write(
        self, json_file: Path | None, markdown_file: Path | None, folder: Path | None
    ) -> None:
        """Write all sections into the two files, and the last section, dated and with its figures,
        into `folder`."""
        if json_file:
            json_file.write_text(self._json(self._sections))
        if markdown_file:
            markdown_file.write_text(self.markdown())
        if folder and self._sections:
            folder.mkdir(parents=True, exist_ok=True)
            name, section = list(self._sections.items())[-1]
            stem = folder / f"{self._head['date'][:10]}-{name}-{self._options['set']}"
            text = self._json({name: section})
            stem.with_suffix(".json").write_text(text)
            drawn = self._draw(json.loads(text), stem)
            parts = [_markdown(self._head, {name: section}).rstrip()]
            parts += [f"![{title}]({path.name})" for title, path in drawn]
            stem.with_suffix(".md").write_text("\n\n".join(parts) + "\n")

    def _draw(self, report: dict[str, Any], stem: Path) -> list[tuple[str, Path]]:
        if importlib.util.find_spec("matplotlib") is None:
            self._say("no figures: matplotlib is not installed (pip install 'btfperm[bench]')")
            return []
        from benchmarks import figures

        return figures.draw(report, stem)

    def _json(self, sections: dict[str, Section]) -> str:
        data = {name: section.data for name, section in sections.items()}
        return _lines({**self._head, "options": self._options, "sections": data}) + "\n"


def _lines(value: Any, indent: str = "") -> str:
    """JSON with one line for each row of a table, so that a difference shows in its line."""
    deeper = indent + " "
    if isinstance(value, dict) and any(isinstance(v, dict | list) for v in value.values()):
        body = [f"{deeper}{json.dumps(k)}: {_lines(v, deeper)}" for k, v in value.items()]
        return "{\n" + ",\n".join(body) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(v, dict) for v in value):
        body = [deeper + json.dumps(v) for v in value]
        return "[\n" + ",\n".join(body) + f"\n{indent}]"
    return json.dumps(value)


def _markdown(head: Head, sections: dict[str, Section]) -> str:
    note = " ".join(s.data["note"] for s in sections.values() if "note" in s.data)
    about = f"{describe(head, with_state=not note)} {note}".strip()
    lines = [f"# Benchmarks, {head['date']}", f"`{head['command']}`", about]
    for section in sections.values():
        lines += [f"## {section.title}", section.markdown]
        if section.complaints:
            lines.append("### Problems")
            lines.append("\n".join(f"- {complaint}" for complaint in section.complaints))
    return "\n\n".join(lines) + "\n"


def describe(head: Head, *, with_state: bool = True) -> str:
    """Machine and versions in two sentences; `with_state`: also whether the machine was quiet."""
    on = head["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in head["versions"].items())
    state = " (quiet)" if on["quiet"] else " (BUSY: use ratios, not times)"
    threads = "".join(f", {name}={value}" for name, value in on.get("threads", {}).items())
    return (
        f"{on['cpu']}, {on['cores']} cores, {on['memory_gib']} GiB, {on['system']}{threads}, load "
        f"{on['load_at_start']} at the start{state if with_state else ''}. {versions}."
    )
