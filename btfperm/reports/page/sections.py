# SPDX-License-Identifier: BSD-3-Clause
"""The sections of the page as HTML. Every text is escaped by `text_of`; names come from files."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any, NamedTuple

from btfperm.printable import printable
from btfperm.reports.page.facts import SolverFacts, command_line, findings, versions
from btfperm.reports.page.groups import listed_groups, names_for
from btfperm.reports.page.packed import json_for_html
from btfperm.reports.page.snippets import snippets
from btfperm.reports.pictures.view import level_classes, size_classes
from btfperm.reports.summary import summarize

if TYPE_CHECKING:
    from btfperm.diagnosis import Diagnosis
    from btfperm.preorder import SolverRun
    from btfperm.reports.page import Subject
    from btfperm.results import BlockGraph

__all__ = ["Contents", "assembled"]

SCRIPTS = ("unpack.js", "picture.js", "tables.js", "page.js")
_LEVELS = 12  # rows of the table of levels


class Contents(NamedTuple):
    """All that the page shows."""

    subject: Subject
    graph: BlockGraph
    diagnosis: Diagnosis
    data: dict[str, Any]
    solvers: SolverFacts
    seconds: Mapping[str, float]
    options: Mapping[str, Any]


def assembled(c: Contents) -> str:
    """The whole page: the template with its parts."""
    script = "\n".join(_file(name) for name in SCRIPTS)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    data = {**c.data, **names_for(c.diagnosis), "groups": listed_groups(c.diagnosis)}
    d, pattern = c.subject.decomposition, c.subject.pattern
    parts = {
        "name": text_of(c.subject.name),
        "digest": digest,
        "style": _file("page.css"),
        "figures": _figures(c),
        "findings": _items(findings(d, pattern, c.graph)),
        "picture": text_of(_picture_in_words(c)),
        "sizes": _sizes(c),
        "levels": _levels(c),
        "diagnosis": text_of(c.diagnosis.text()),
        "seconds": _seconds(c.seconds),
        "solvers": _solvers(c.solvers),
        "snippets": _snippets(c),
        "command": text_of(command_line(_file_of(c), dict(c.options))),
        "versions": _pairs(versions() | _source(c)),
        "data": json_for_html(data),
        "script": script,
    }
    return Template(_file("page.html")).substitute(parts)


def text_of(value: object) -> str:
    """Text for HTML: printable, escaped, and whole numbers with separators."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    text = f"{value:,}" if is_number else str(value)
    return escape("\n".join(map(printable, text.split("\n"))))


def _file(name: str) -> str:
    """A file of this package without its licence line."""
    text = files("btfperm.reports.page").joinpath(name).read_text(encoding="utf-8")
    return text.partition("\n")[2]


def _items(sentences: Iterable[str]) -> str:
    return "".join(f"<li>{text_of(sentence)}</li>" for sentence in sentences)


def _pairs(facts: Mapping[str, object]) -> str:
    """The rows of a description list."""
    return "".join(
        f"<div><dt>{text_of(key)}</dt><dd>{text_of(value)}</dd></div>"
        for key, value in facts.items()
    )


def _table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; the cells of `rows` are HTML, the first one is the head of its row."""
    titles = "".join(f'<th scope="col">{text_of(title)}</th>' for title in head)
    lines = "".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>'
        for first, *rest in rows
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{text_of(caption)}"><table>'
        f"<caption>{text_of(caption)}</caption><thead><tr>{titles}</tr></thead>"
        f"<tbody>{lines}</tbody></table></div>"
    )


def _share(part: float, whole: float) -> str:
    """A bar and its percentage."""
    share = part / whole if whole else 0.0
    bar = f'<meter min="0" max="1" value="{share:.4f}">{share:.1%}</meter>'
    return f'{bar} <span class="share">{share:.1%}</span>'


def _figures(c: Contents) -> str:
    d = c.subject.decomposition
    m, n = d.shape
    rank = d.structural_rank
    largest = summarize(d)["largest_block"]
    return _pairs(
        {
            "rows": m,
            "columns": n,
            "entries": c.subject.pattern.nnz,
            "structural rank": f"{rank:,} {'(full)' if rank == min(m, n) else '(deficient)'}",
            "fine blocks": d.n_blocks,
            "largest block": f"{largest['rows']:,} x {largest['cols']:,}",
            "levels": c.graph.n_levels,
        }
    )


def _picture_in_words(c: Contents) -> str:
    """What a reader who does not see the picture needs to know about it."""
    d = c.subject.decomposition
    parts = [
        f"the {part.name} part has {part.shape[0]:,} rows and {part.shape[1]:,} columns"
        for part in (d.horizontal, d.square, d.vertical)
        if any(part.shape)
    ]
    return (
        f"The entries of the matrix, permuted to block triangular form: {'; '.join(parts)}. All "
        "entries lie in or above the diagonal blocks."
    )


def _sizes(c: Contents) -> str:
    classes = [s for s in size_classes(c.subject.decomposition) if s.blocks]
    total = sum(c.subject.decomposition.shape)
    rows = (
        (
            text_of(s.smallest) + ("" if s.smallest == s.largest else f" to {s.largest:,}"),
            text_of(s.blocks),
            _share(s.lines, total),
        )
        for s in classes
    )
    head = ("rows or columns", "blocks", "share of the matrix")
    return _table("Blocks by size", head, rows)


def _levels(c: Contents) -> str:
    classes = level_classes(c.graph, _LEVELS)
    total = sum(work for *_, work in classes)
    rows = (
        (
            text_of(first) if first == last else f"{first:,} to {last:,}",
            text_of(blocks),
            _share(work, total),
        )
        for first, last, blocks, work in classes
    )
    head = ("level", "blocks", "share of the entries in blocks")
    return _table("Blocks by level; level 0 is solved first", head, rows)


def _seconds(seconds: Mapping[str, float]) -> str:
    total = sum(seconds.values())
    rows = [(text_of(stage), _time(s), _share(s, total)) for stage, s in seconds.items()]
    rows.append(("total", _time(total), ""))
    return _table("Time of each stage", ("stage", "time", "share"), rows)


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:,.1f} ms" if seconds < 1 else f"{seconds:,.2f} s"


_STEPS = ("order", "factor", "solve", "total")


def _solvers(facts: SolverFacts) -> str:
    parts = []
    if facts.advice is not None:
        parts.append(f"<p>{text_of(facts.advice)}</p>")
    if facts.missing is not None:
        parts.append(f"<p>Solvers were not measured: {text_of(facts.missing)}.</p>")
    if facts.runs:
        rows = ((_title(run, facts.runs), *_run_cells(run)) for run in facts.runs)
        head = ("solver", "entries of L + U", *(f"{step}, ms" for step in _STEPS), "error")
        parts.append(_table("Solvers with their own order and with that of btfperm", head, rows))
        parts.append(
            "<p>Times are medians. The error is the componentwise backward error without "
            "refinement. SuperLU orders inside the factorization.</p>"
        )
    return "".join(parts)


def _title(run: SolverRun, runs: tuple[SolverRun, ...]) -> str:
    """The solver, whose order it uses, and the library if `runs` have several for the solver."""
    from btfperm.preorder.compare import ambiguous_library

    name = {"klu": "KLU", "superlu": "SuperLU"}[run.solver]
    how = "btfperm" if run.ordering == "btfperm" else "own order"
    library = ambiguous_library(run, runs)
    return f"{name}, {how}" + (f" ({text_of(library)})" if library else "")


def _run_cells(run: SolverRun) -> list[str]:
    if run.error is not None:
        reason = text_of(run.error.partition("\n")[0])
        return [f'<span class="reason">{reason}</span>', *["-"] * (len(_STEPS) + 1)]
    times = (getattr(run, f"{step}_seconds") for step in _STEPS)
    error = run.backward_error
    return [
        text_of(run.nnz if run.nnz is not None else "-"),
        *("-" if t is None else f"{t * 1e3:,.2f}" for t in times),
        "-" if error is None else f"{error.componentwise:.1e}",
    ]


def _snippets(c: Contents) -> str:
    """The section on how to use the result, with the snippets that work for this matrix."""
    d = c.subject.decomposition
    is_regular = d.shape[0] == d.shape[1] == d.structural_rank > 0
    file = _file_of(c) or "matrix.mtx"
    chosen = [s for s in snippets() if is_regular or s.for_any_matrix]
    return "".join(
        f"<details{' open' if k == 0 else ''}><summary>{text_of(s.title)}</summary>"
        f"<p>{text_of(s.about)}</p>"
        f'<pre tabindex="0"><code>{text_of(s.code_for(file))}</code></pre></details>'
        for k, s in enumerate(chosen)
    )


def _file_of(c: Contents) -> str | None:
    """The file of the matrix, if it came from one."""
    is_file = bool(c.subject.pattern.source) and c.subject.name != "-"
    return c.subject.name if is_file else None


def _source(c: Contents) -> dict[str, str]:
    """The file, with the hash that identifies it."""
    return {
        key: str(value) for key, value in c.subject.pattern.source.items() if key in ("sha256",)
    }
