# SPDX-License-Identifier: BSD-3-Clause
"""Help pages, the manual page, colours on a terminal, and `python -m btfperm`."""

from __future__ import annotations

import io
import re
import shlex
import subprocess
import sys

import click
import pytest
from btfperm_cli import output
from btfperm_cli.help import groups_of
from btfperm_cli.main import all_commands, command_of


@pytest.mark.parametrize("command", all_commands(), ids=lambda command: command.name)
def test_examples_are_lines_that_click_parses(command, tmp_path):
    """Every example names the command, and its options exist."""
    assert command.examples
    for example in command.examples:
        words = shlex.split(
            example.partition("  # ")[0].partition("|")[2] or example, comments=True
        )
        words = words[: words.index("&&")] if "&&" in words else words
        assert words[0] == "btfperm"
        rest = words[1:] if command.hidden else words[2:]
        assert command.hidden or words[1] == command.name
        command.make_context("btfperm", list(rest)).close()


def test_a_wrong_example_is_detected():
    with pytest.raises(click.UsageError):
        command_of("rank").make_context("btfperm", ["A.mtx", "--no-such-option"])


def test_options_are_in_groups(cli):
    page = cli("rank", "-h").out
    titles = re.findall(r"^(\w[\w ]*):$", page, re.MULTILINE)
    assert titles == ["Options", "Files", "Search", "Messages", "Information", "Examples"]
    assert page.index("Search:") < page.index("--algorithm") < page.index("Messages:")


@pytest.mark.parametrize(
    ("command", "title"),
    [("match", "Options"), ("order", "Order for a solver"), ("solve", "Order for a solver")],
)
def test_weights_of_edges_are_not_those_of_an_order(command, title):
    (found,) = (
        group
        for group, params in groups_of(command_of(command).params)
        if "--weights" in [word for param in params for word in param.opts]
    )
    assert found == title


@pytest.mark.parametrize("command", all_commands(), ids=lambda command: command.name)
def test_examples_fit_the_width_of_the_page(command):
    with command.make_context("btfperm", [], resilient_parsing=True) as context:
        page = click.unstyle(command.get_help(context))
        width = context.make_formatter().width
    lines = page.partition("Examples:\n")[2].splitlines()
    for words, _, comment in (example.partition("  # ") for example in command.examples):
        (at,) = (
            k for k, line in enumerate(lines) if line.strip().partition("  # ")[0].strip() == words
        )
        assert not comment or comment in lines[at] + lines[at - 1]
    commands = {example.partition("  # ")[0] for example in command.examples}
    assert all(len(line) <= width or line.strip() in commands for line in lines)


def test_the_manual_page_has_every_command_and_option(cli):
    page = cli("--show-manual").out
    assert page.startswith(".TH BTFPERM 1")
    for command in all_commands():
        title = "BTFPERM MATRIX" if command.hidden else f"BTFPERM {command.name.upper()}"
        assert f".SH {title}\n" in page
        for param in command.params:
            if isinstance(param, click.Option):
                assert all(name.replace("-", "\\-") in page for name in param.opts)
    assert "FORMATS" not in page and "\b" not in page
    assert not re.search(r"^\.(?!TH|SH|SS|TP|PP|B |br|nf|fi)", page, re.MULTILINE)


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


@pytest.mark.parametrize("is_terminal", [True, False])
def test_colour_and_wrapped_lines_only_on_a_terminal(monkeypatch, is_terminal):
    stream = Terminal() if is_terminal else io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.delenv("NO_COLOR", raising=False)
    text = "  label  " + "many words " * 8
    with output.Output(as_json=False, quiet=False) as out:
        out.say(text, label=9)
    lines = stream.getvalue().splitlines()
    assert ("\x1b[" in stream.getvalue()) == is_terminal
    if is_terminal:
        assert len(lines) == 4 and all(line.startswith(" " * 9) for line in lines[1:])
        assert all(len(click.unstyle(line)) <= 40 for line in lines)
        assert " ".join(click.unstyle(" ".join(lines)).split()) == " ".join(text.split())
    else:
        assert lines == [text]


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_diagnosis_is_coloured_and_wrapped_only_on_a_terminal(cli, monkeypatch, is_terminal):
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.delenv("NO_COLOR", raising=False)
    texts = (
        "a.mtx: 3 x 3, 4 entries, structural rank 2 of 3: structurally singular",
        "  overdetermined: 1 row too many, in 1 independent group:",
        "    rows all: " + "a-name, " * 20 + "b have entries only in column: 2",
        "  identical patterns: rows 1, 2",
    )
    for beside in (False, True):
        stream = Terminal() if is_terminal else io.StringIO()
        monkeypatch.setattr(sys, "stderr" if beside else "stdout", stream)
        with output.Output(as_json=False, quiet=False) as out:
            for text in texts:
                out.finding(text, beside=beside)
        lines = stream.getvalue().splitlines()
        if not is_terminal:
            assert lines == list(texts)
            continue
        plain = [click.unstyle(line) for line in lines]
        assert max(map(len, plain)) <= 60 and " ".join(" ".join(plain).split()) == " ".join(
            " ".join(texts).split()
        )
        assert plain[1] == "    structurally singular" and plain[2] == texts[1]
        assert all(line.startswith(" " * 8 + "a-name") for line in plain[4:6])
        coloured = [line for line in lines if "\x1b" in line]
        assert coloured == [
            click.style("  overdetermined:", fg="cyan")
            + texts[1].removeprefix("  overdetermined:"),
            click.style("  identical patterns:", fg="cyan") + " rows 1, 2",
        ]


def test_no_color_is_respected(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("NO_COLOR", "1")
    output.complain("a sentence")
    assert stream.getvalue() == "btfperm: a sentence\n"


def test_a_name_cannot_control_the_terminal(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.delenv("NO_COLOR", raising=False)
    output.complain("a\x1b[31m.mtx")
    assert stream.getvalue().count("\x1b") == click.style("btfperm:", fg="red", bold=True).count(
        "\x1b"
    )


def test_python_m_btfperm():
    words = [sys.executable, "-m", "btfperm", "--version"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("btfperm ")
