# SPDX-License-Identifier: BSD-3-Clause
"""What a run leaves behind: Markdown for people, JSON with every sample, figures for print."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks import figures
from benchmarks.contest import Options, Section

Head = dict[str, Any]


class Report:
    """The head (machine, versions, date, command) and the sections that are done."""

    def __init__(self, head: Head, options: Options) -> None:
        self._head = head
        self._options = {
            "set": options.which,
            "repeats": options.repeats,
            "limit_seconds": options.limit,
        }
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
        """All sections into the two files; the last one, dated and with its figures, into
        `folder`."""
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
            drawn = figures.draw(json.loads(text), stem, self._say)
            parts = [_markdown(self._head, {name: section}).rstrip()]
            parts += [f"![{title}]({path.name})" for title, path in drawn]
            stem.with_suffix(".md").write_text("\n\n".join(parts) + "\n")

    def _json(self, sections: dict[str, Section]) -> str:
        data = {name: section.data for name, section in sections.items()}
        return _lines({**self._head, "options": self._options, "sections": data}) + "\n"


def _lines(value: Any, indent: str = "") -> str:
    """JSON with one line for each row of a table: small, and a change is seen in its line."""
    deeper = indent + " "
    if isinstance(value, dict) and any(isinstance(v, dict | list) for v in value.values()):
        body = [f"{deeper}{json.dumps(k)}: {_lines(v, deeper)}" for k, v in value.items()]
        return "{\n" + ",\n".join(body) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(v, dict) for v in value):
        body = [deeper + json.dumps(v) for v in value]
        return "[\n" + ",\n".join(body) + f"\n{indent}]"
    return json.dumps(value)


def _markdown(head: Head, sections: dict[str, Section]) -> str:
    lines = [
        f"# Benchmarks, {head['date']}",
        f"`{head['command']}`",
        describe(head),
    ]
    for section in sections.values():
        lines += [f"## {section.title}", section.markdown]
        if section.complaints:
            lines.append("### Problems")
            lines.append("\n".join(f"- {complaint}" for complaint in section.complaints))
    return "\n\n".join(lines) + "\n"


def describe(head: Head) -> str:
    """Machine and versions in two sentences."""
    on = head["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in head["versions"].items())
    state = "quiet" if on["quiet"] else "BUSY: use ratios, not times"
    threads = "".join(f", {name}={value}" for name, value in on.get("threads", {}).items())
    return (
        f"{on['cpu']}, {on['cores']} cores, {on['memory_gib']} GiB, {on['system']}{threads}, load "
        f"{on['load_at_start']} at the start ({state}). {versions}."
    )
