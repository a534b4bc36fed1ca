# SPDX-License-Identifier: BSD-3-Clause
"""The examples of the pages: blocks of Python and of a shell, in their order.

A comment on the line before a block states how it is run: ``<!-- not run: REASON -->``, ``<!-- exit
code 1 -->``, or ``<!-- needs PACKAGE -->``. The last one leaves out the block where the package is
not installed. If a block of text follows a shell block of one command, or a block of Python that
prints, it is the output of that block.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
import shlex
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from btfperm_cli.main import main
from click.testing import CliRunner

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").rglob("*.md"))

_BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>[^\n]*) -->\n)?^```(?P<language>python|sh|text)\n(?P<code>.*?)^```",
    re.DOTALL | re.MULTILINE,
)


class Example(NamedTuple):
    language: str
    code: str
    mark: str
    line: int  # of the page, from 1


def examples(text: str) -> Iterator[Example]:
    """The blocks of a page that are run, and the blocks of text."""
    for found in _BLOCK.finditer(text):
        mark = found["mark"] or ""
        if not mark.startswith("not run: "):
            line = text.count("\n", 0, found.start("code")) + 1
            yield Example(found["language"], found["code"], mark, line)


def run_page(path: Path) -> list[str]:
    """Runs every example of a page in the current folder; the first that fails raises. Returns the
    missing packages for which blocks were left out."""
    names: dict[str, Any] = {}
    missing: list[str] = []
    printed: str | None = None  # by the last block: of one command, or of Python
    for example in examples(path.read_text(encoding="utf-8")):
        where = f"{path.name}, line {example.line}"
        package = example.mark.removeprefix("needs ")
        if package != example.mark and importlib.util.find_spec(package) is None:
            missing.append(package)
            printed = None
            continue
        if example.language == "text":
            if printed is not None:
                assert without_times(example.code) == without_times(printed), where
        elif example.language == "python":
            code = compile("\n" * (example.line - 1) + example.code, str(path), "exec")
            stream = io.StringIO()
            with warnings.catch_warnings(), contextlib.redirect_stdout(stream):
                warnings.simplefilter("ignore")  # about stored zeros
                exec(code, names)
            printed = stream.getvalue() or None
            continue
        else:
            outputs = [run_line(line, example.mark, where) for line in example.code.splitlines()]
            ran = [output for output in outputs if output is not None]
            printed = ran[0] if len(ran) == 1 else None
            continue
        printed = None
    return missing


def run_line(line: str, mark: str, where: str) -> str | None:
    """The output of one line of a shell block; None if it holds no command of btfperm."""
    words = shlex.split(line, comments=True)
    if words[:1] != ["btfperm"]:
        return None
    target = None
    if ">" in words:
        target = words[words.index(">") + 1]
        words = words[: words.index(">")]
    ended = CliRunner().invoke(main, words[1:])
    code = int(mark.removeprefix("exit code ")) if mark.startswith("exit code ") else 0
    assert ended.exit_code == code, f"{where}: {line}: {ended.output}"
    if target is not None and not target.startswith("~"):
        Path(target).write_text(ended.stdout, encoding="utf-8")
    return ended.stdout


def without_times(text: str) -> list[str]:
    """The lines without those that hold times."""
    return [line.rstrip() for line in text.splitlines() if not line.startswith("  time ")]
