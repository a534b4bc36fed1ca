# SPDX-License-Identifier: BSD-3-Clause
"""Output: results on stdout, messages on stderr, one JSON object for programs.

A reader that closes its end of the pipe (``| head -1``) causes no error: the rest of the output is
discarded, and the exit code is that of the work.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, TextIO

import click

from btfperm.printable import printable
from btfperm_cli.advice import for_the_shell, on_one_line

__all__ = ["Output", "complain", "defects_are_errors", "drop", "emit", "emit_text", "flush"]
__all__ += ["is_terminal", "open_closed", "reader_may_leave"]


_LONGEST_FINDING = 1 << 16  # characters of a line that is wrapped


def open_closed() -> None:
    """Replaces a closed stream (``>&-``) by the null device. This must be the first file that is
    opened, so that no other file gets its descriptor."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123


def is_terminal(stream: TextIO) -> bool:
    """Whether a stream is a terminal that its user reads. Open MPI's launcher gives each process a
    terminal of its own and copies what it receives there to its own output, which may be a file; so
    under a launcher, no stream counts as a terminal."""
    from btfperm.backends.mpi.launch import launched_ranks

    return stream.isatty() and not launched_ranks()


def emit(line: str, *, err: bool = False) -> None:
    r"""Print one line; do nothing if the reader has closed the pipe.

    The line may contain names from files, so line ends and other control characters in it are
    printed as ``\n``, ``\x1b``.
    """
    emit_text(printable(line), err=err)


def complain(sentence: str) -> None:
    """Print an error to stderr."""
    emit_text(f"{click.style('btfperm:', fg='red', bold=True)} {printable(sentence)}", err=True)


def emit_text(text: str, *, err: bool = False) -> None:
    """Print text that holds nothing from files that could control the terminal. It may have several
    lines, as a help page has.

    What the encoding of the stream does not contain (``ő`` in ASCII) is escaped.
    """
    stream = sys.stderr if err else sys.stdout
    encoding = stream.encoding or "utf-8"
    with reader_may_leave(stream):
        colour = is_terminal(stream) and not os.environ.get("NO_COLOR")
        click.echo(
            text.encode(encoding, "backslashreplace").decode(encoding), err=err, color=colour
        )


def laid_out(text: str, label: int) -> str:
    """Return a line of the report for a terminal: the first `label` characters in colour, and the
    rest wrapped at the width of the terminal. With a label of 0, the line stays as it is.

    >>> laid_out("  rank   3", 0)
    '  rank   3'
    """
    import shutil  # imported here, because a file or a pipe does not need them
    import textwrap

    room = shutil.get_terminal_size().columns
    lines = textwrap.wrap(text[label:], max(room - label, 20), break_on_hyphens=False)
    if not label:
        return text
    return f"\n{'':{label}}".join(
        [click.style(text[:label], fg="cyan") + "".join(lines[:1]), *lines[1:]]
    )


def laid_out_finding(text: str) -> str:
    """Return a line of a diagnosis for a terminal: a heading such as `  repair:` in colour, and the
    line wrapped at the width of the terminal. A very long list stays as it is.

    >>> laid_out_finding("    row 0 is empty")
    '    row 0 is empty'
    """
    import re  # imported here for the same reason
    import shutil
    import textwrap

    if len(text) <= _LONGEST_FINDING:
        inner = " " * (len(text) - len(text.lstrip()) + 4)
        room = max(shutil.get_terminal_size().columns, 2 * len(inner), 20)
        text = "\n".join(textwrap.wrap(text, room, subsequent_indent=inner, break_on_hyphens=False))
    heading = re.match(r"  [a-z][a-z ]*:", text)
    end = heading.end() if heading else 0
    return click.style(text[:end], fg="cyan") + text[end:] if end else text


def flush() -> None:
    """Write out what is buffered, so that a full disk is noticed while it can be reported."""
    for stream in (sys.stdout, sys.stderr):
        with reader_may_leave(stream):
            stream.flush()


@contextmanager
def reader_may_leave(stream: TextIO) -> Iterator[None]:
    """Discards what the block writes to `stream` after the reader has closed the pipe."""
    try:
        yield
    except BrokenPipeError:
        drop(stream)


def drop(stream: TextIO) -> None:
    """Discard all later writes to `stream`, including the interpreter's last flush."""
    try:
        descriptor = stream.fileno()
    except (OSError, ValueError):  # not a real file: a test's buffer
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def defects_are_errors() -> bool:
    """Whether a filter of the caller makes `DefectWarning` an error, as the tests' own filter does.
    A filter for all warnings (``-W error``) does not count."""
    from btfperm.errors import DefectWarning

    for action, text, category, module, _ in warnings.filters:
        names_it = category in (DefectWarning, RuntimeWarning)
        if names_it and text is None and module is None:
            return action == "error"
    return False


class Output:
    """What one command prints; as a context it also turns the library's warnings into lines.

    `say` is the report for a person, `note` a message beside it (on stderr), `answer` the result
    for scripts: `quiet` does not suppress it, and with `as_json` only the answer is printed. Report
    and answer go to stdout, or to stderr if `to_stderr`. Warnings go to stderr at once unless
    `quiet`, or into the JSON object. `subject` is the file that an error without a file name is
    about. `current` is the last `Output` that was entered.
    """

    current: ClassVar[Output | None] = None

    def __init__(self, *, as_json: bool, quiet: bool) -> None:
        self.as_json = as_json
        self.quiet = quiet
        self.to_stderr = False  # if stdout holds a file (`-o -`): report and answer go to stderr
        self.subject: str | None = None
        self.warnings: list[str] = []
        self.expects_zeros = False  # whether the report has a line for stored zeros
        self.zeros: dict[str, Any] = {}  # the library's last warning about them
        self._restore = warnings.catch_warnings()

    def __enter__(self) -> Output:
        self._restore.__enter__()
        Output.current = self
        strict = defects_are_errors()
        warnings.simplefilter("always", UserWarning)
        warnings.simplefilter("always", RuntimeWarning)  # failed certificates of our own results
        if strict:
            from btfperm.errors import DefectWarning

            warnings.simplefilter("error", DefectWarning)
        warnings.showwarning = self._show_warning
        return self

    def __exit__(self, *error: Any) -> None:
        self._restore.__exit__(*error)

    def _show_warning(self, message: Warning | str, *_: object, **__: object) -> None:
        from btfperm.errors import StoredZerosWarning

        text = for_the_shell(on_one_line(str(message)))
        if isinstance(message, StoredZerosWarning):
            self.zeros = {"note": text, "other_rank": message.other_rank}
            if self.expects_zeros:
                return
        self.warn(text)

    def warn(self, text: str) -> None:
        self.warnings.append(text)
        self.note(f"warning: {text}")

    def say(self, text: str = "", *, label: int = 0) -> None:
        """One line of the report. On a terminal, the first `label` characters are in colour, and a
        long line is wrapped below the text after them."""
        if not self.as_json and not self.quiet:
            stream = sys.stderr if self.to_stderr else sys.stdout
            text = printable(text)
            emit_text(laid_out(text, label) if is_terminal(stream) else text, err=self.to_stderr)

    def finding(self, text: str, *, beside: bool = False) -> None:
        """One line of a diagnosis, as the report or beside it: on stderr."""
        if not self.as_json and not self.quiet:
            err = beside or self.to_stderr
            text = printable(text)
            is_shown = is_terminal(sys.stderr if err else sys.stdout)
            emit_text(laid_out_finding(text) if is_shown else text, err=err)

    def fail(self, text: str) -> None:
        """The last sentence of a report about a failure. With `quiet` it is printed to stderr; with
        `as_json` not at all."""
        if self.quiet and not self.as_json:
            complain(text)
        else:
            self.say(text)

    def note(self, text: str) -> None:
        if not self.as_json and not self.quiet:
            before, colon, after = printable(text).partition("warning: ")
            mark = click.style(colon, fg="yellow", bold=True) if not before else colon
            emit_text(f"{before}{mark}{after}", err=True)

    def begin(self, subject: str) -> None:
        """Forgets the warnings about the last file, before the next one."""
        self.subject, self.warnings, self.zeros = subject, [], {}

    def answer(
        self, facts: Mapping[str, Any], text: str | None = None, *, escaped: bool = False
    ) -> None:
        """Prints `facts` as JSON, or else `text` if there is one, also with `quiet`. `escaped`:
        `text` holds nothing of a file that could control the terminal."""
        if self.as_json:
            whole = {"exit_code": 0, "error": None, **facts, "warnings": self.warnings}
            emit(json.dumps(whole), err=self.to_stderr)
        elif text is not None:
            (emit_text if escaped else emit)(text, err=self.to_stderr)
