# SPDX-License-Identifier: BSD-3-Clause
"""Makes text from files safe for messages: printable, on one line, of bounded length.

File names, names of variables and archive members, words of a header and titles may come from
anybody. They may contain terminal escapes and line ends, and may be megabytes long. The exceptions
(`btfperm.errors`) and the command line pass each of their sentences through `one_line`, so that a
file reader may quote such text unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

__all__ = [
    "LONGEST_CAUSE",
    "LONGEST_LIST",
    "LONGEST_SENTENCE",
    "LONGEST_WORD",
    "cause_text",
    "known_names",
    "listed_names",
    "one_line",
    "one_name",
    "printable",
    "quoted",
    "shortened",
]

LONGEST_WORD = 160  # characters without a space; a file name is usually one such word
# Characters of a sentence. Messages of file readers are shorter: tests allow them 300 characters
# in addition to the file's name. The longest sentences are those of the command line about a
# singular matrix, which contain names of rows and columns.
LONGEST_SENTENCE = 480
LONGEST_CAUSE = 120  # characters of another library's message
LONGEST_LIST = 140  # characters of names
_LONGEST_NAME = 60  # characters of a name in a list

_LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")
_GAP = "..."


def printable(text: str) -> str:
    r"""`text` in which an escape replaces each character that a terminal may interpret or that is
    invisible.

    Letters of all languages and the space do not change. Control characters, line ends, marks of
    the direction of writing and bytes that are no text become, for example, ``\x1b``, ``\n``,
    ``\u202e``, ``\udc80``.

    >>> print(printable("a\x1b[31m\nb"))
    a\x1b[31m\nb
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text
    )


def shortened(text: str, limit: int) -> str:
    """`text`, or its start and its end around three dots if it has more than `limit` characters.

    >>> shortened("abcdefghijklmnop", 9)
    'abc...nop'
    """
    if len(text) <= limit:
        return text
    start = (limit - len(_GAP) + 1) // 2
    end = limit - len(_GAP) - start
    return text[:start] + _GAP + text[len(text) - end :]


def one_line(text: str) -> str:
    r"""A sentence that quotes text from files, made safe for terminals and logs.

    The result is printable, no word is longer than `LONGEST_WORD`, and the sentence is not longer
    than `LONGEST_SENTENCE`. Three dots replace the middle of a longer word or sentence. Takes
    O(len(text)) time.

    >>> print(one_line("there is no variable x\x1b[2J\ny"))
    there is no variable x\x1b[2J\ny
    """
    longest = 4 * LONGEST_SENTENCE
    # Shortening first bounds the time: each character may become an escape of ten characters.
    if len(text) > longest:
        text = shortened(text, longest)
    words = _LONG_WORD.sub(lambda word: shortened(word[0], LONGEST_WORD), printable(text))
    return shortened(words, LONGEST_SENTENCE)


def one_name(name: str) -> str:
    r"""A name from a file, for a line of a report: printable, and not longer than `LONGEST_WORD`.

    >>> one_name("mass\n"), len(one_name("x" * 5000))
    ('mass\\n', 160)
    """
    return shortened(printable(shortened(name, LONGEST_WORD)), LONGEST_WORD)


def quoted(value: object) -> str:
    """The ``repr`` of a value from a file, shortened, for a message.

    >>> quoted("x" * 1000)[-5:], quoted(None)
    ("xxxx'", 'None')
    """
    return shortened(repr(value), LONGEST_CAUSE)


def listed_names(names: Iterable[str], most: int = 8) -> str:
    r"""The first of `names`, for a message: at most `most` names and about `LONGEST_LIST`
    characters. The names come from a file, for example those of archive members or variables. A
    name of more than 60 characters is shortened in its middle; three dots at the end stand for
    further names.

    >>> listed_names(["a.mtx", "b\n.mtx"]), listed_names([])
    ('a.mtx, b\\n.mtx', '')
    >>> listed_names(["x" * 5000, "A", "y" * 5000, "z" * 5000])[-40:]
    'yyyy...yyyyyyyyyyyyyyyyyyyyyyyyyyyy, ...'
    """
    listed: list[str] = []
    left = LONGEST_LIST
    for name in names:
        text = shortened(printable(shortened(name, _LONGEST_NAME)), _LONGEST_NAME)
        left -= len(text) + 2
        if len(listed) == most or (left < 0 and listed):
            listed.append(_GAP)
            break
        listed.append(text)
    return ", ".join(listed)


def known_names(name: str, names: Sequence[str], source: str) -> str:
    """The advice in a message about an unknown `name`: all `names` or, if their list is long, up to
    three similar ones and the `source` of the list.

    >>> known_names("gredy", ["auto", "greedy"], "f()")
    'there are auto, greedy'
    >>> known_names("gredy", ["auto", "greedy", *map(str, range(100))], "f()")
    'similar: greedy; f() lists all names'
    >>> known_names("x", ["auto", "greedy", *map(str, range(100))], "f()")
    'f() lists all names'
    """
    listed = ", ".join(names)
    if len(listed) <= LONGEST_LIST:
        return f"there are {listed}"
    import difflib

    similar = difflib.get_close_matches(name[:LONGEST_WORD].lower(), names)
    return f"similar: {', '.join(similar)}; " * bool(similar) + f"{source} lists all names"


def cause_text(error: BaseException) -> str:
    """The text of another library's error about damaged input, for a message.

    >>> cause_text(UnicodeDecodeError("utf-8", b"ab\\xff", 2, 3, "invalid start byte"))
    'byte 3 is no UTF-8 text'
    """
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start + 1} is no UTF-8 text"
    text = " ".join(str(error).split()) or type(error).__name__
    return shortened(printable(text), LONGEST_CAUSE)
