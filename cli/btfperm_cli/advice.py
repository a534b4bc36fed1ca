# SPDX-License-Identifier: BSD-3-Clause
"""The library's advice for Python, translated for the shell.

Many messages of the library end in a remedy for Python callers: ``use backend='cpu'``. The command
line prints them with the remedy for its users: ``use --backend cpu``. A test applies this table to
the texts of most modules, and requires that no advice for Python is left.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from btfperm.printable import LONGEST_SENTENCE

if TYPE_CHECKING:
    from btfperm.diagnosis import Diagnosis

__all__ = ["for_the_shell", "on_one_line", "singular_sentence"]

# The numbers of groups and of names in a list that `singular_sentence` tries, the most first.
_LISTS = ((10, 5), (3, 5), (2, 3), (1, 3), (1, 2), (1, 1), (0, 5), (0, 1))
_WHOLE = "`btfperm diagnose` explains it, with a repair"

# Replacements in texts for Python. They are applied in this order, each at every match.
_TABLE = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        (
            r"use backend='cpu', or backend='auto', which",
            "use --backend cpu, or --backend auto, which",
        ),
        (r"backend='(\w+)' or '(\w+)'", r"--backend \1 or --backend \2"),
        (r"backend='(\w+)'", r"--backend \1"),
        (r"device= names", "--device names"),
        (r"leave out device=", "leave out --device"),
        (r"device='gpu'", "--device gpu"),
        (r"drop_zeros=True(, --drop-zeros)?", "--drop-zeros"),
        (r"drop_zeros=False", "leaving out --drop-zeros"),
        (r"time_limit= ?", "--time-limit "),
        (r"max_work= ?", "--max-work "),
        (r"stopped by time_limit", "stopped by --time-limit"),
        (r"stopped by max_work", "stopped by --max-work"),
        (r'weights="moduli" or "ones"', "--weights moduli or --weights ones"),
        (r"weights='(\w+)'", r"--weights \1"),
        (r"weights=", "--weights"),
        (r"bipartite(=True|(?= does not go))", "--bipartite"),
        (r"temporary=", "--temporary"),
        (
            r"use solver='klu', or give \.klu or \.apply\(A\) to another solver",
            "use --solver klu",
        ),
        (r"try another block_ordering", "try another --block-ordering"),
        (r"give preorder\(A\) instead", "use --solver in one process instead"),
        (r"write it as_csparse or as_matlab", "write it with --convention csparse or matlab"),
        (
            r"dulmage_mendelsohn takes any shape",
            "without --solver, or with --convention csparse or matlab, any shape is possible",
        ),
        (
            r"call block_triangular_form\(A\), which completes the permutation as BTF does",
            "--convention csparse or matlab takes any matrix",
        ),
        (
            r"call block_triangular_form\(A\) without comm=",
            "start btfperm without a launcher, or use --convention csparse or matlab",
        ),
    )
)


def on_one_line(message: str) -> str:
    """The lines of a message, joined by semicolons; by a space after a line that ends in a colon, a
    semicolon or a comma.

    >>> on_one_line("the matrix is singular:\\n  row 2 is empty\\n  row 3 is empty")
    'the matrix is singular: row 2 is empty; row 3 is empty'
    """
    text = ""
    for line in (" ".join(line.split()) for line in message.splitlines()):
        between = "" if not text else " " if text.endswith((":", ";", ",")) else "; "
        text += between + line if line else ""
    return text


def singular_sentence(message: str, found: Diagnosis) -> str:
    """The first line of `message` and the groups of rows and columns of `found`, on one line. The
    lists have fewer names until the sentence has at most `LONGEST_SENTENCE` characters, because
    `one_line` would cut a longer one in its middle. If even one group of each kind is too long, the
    sentence names rows to remove and columns to fix."""
    from btfperm.diagnosis.text import changes, group_lines

    head, *_ = message.splitlines()
    for groups, members in _LISTS:
        lines = group_lines(found, groups, members) if groups else [changes(found, members)]
        sentence = on_one_line("\n".join([head, *lines, _WHOLE]))
        if len(sentence) <= LONGEST_SENTENCE:
            break
    return sentence


def for_the_shell(sentence: str) -> str:
    """`sentence` with options of the command line in the place of Python's arguments.

    >>> for_the_shell("it needs 5 GB: use backend='cpu'")
    'it needs 5 GB: use --backend cpu'
    """
    for pattern, text in _TABLE:
        sentence = pattern.sub(text, sentence)
    return sentence
