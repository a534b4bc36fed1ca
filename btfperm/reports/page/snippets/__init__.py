# SPDX-License-Identifier: BSD-3-Clause
"""How to use the result, as short programs. Each snippet is a file beside this one, and a test runs
it. They end in ``.txt`` because they are no modules of btfperm.

The first lines of a file are its title, and what it does. ``matrix.mtx`` stands for the matrix.
"""

from __future__ import annotations

from importlib.resources import files
from typing import NamedTuple

__all__ = ["Snippet", "snippets"]

# The snippets in the order of the page. Those in _FOR_ANY also work for rectangular and singular
# matrices.
_FOR_SQUARE = ("solve.py", "klu.sh", "splu.py", "petsc.sh")
_FOR_ANY = ("blocks.py", "matlab.sh", "check.sh")


class Snippet(NamedTuple):
    """A short program.

    Attributes
    ----------
    file : its name in this folder without ``.txt``; the suffix before is the language
    title, about : for people
    code : with ``matrix.mtx`` as the file of the matrix
    for_any_matrix : whether it also works for rectangular and singular matrices
    """

    file: str
    title: str
    about: str
    code: str
    for_any_matrix: bool

    def code_for(self, matrix: str) -> str:
        """The code with the name of a file, quoted as the language of the snippet needs it."""
        import shlex

        if self.file.endswith(".sh"):
            return self.code.replace("matrix.mtx", shlex.quote(matrix))
        return self.code.replace('"matrix.mtx"', repr(matrix))


def snippets() -> list[Snippet]:
    """All snippets, in the order of the page."""
    return [_read(name) for name in (*_FOR_SQUARE, *_FOR_ANY)]


def _read(name: str) -> Snippet:
    text = files(__name__).joinpath(f"{name}.txt").read_text(encoding="utf-8")
    _, title, about, code = text.split("\n", 3)
    marks = "# "
    return Snippet(
        name, title.removeprefix(marks), about.removeprefix(marks), code.strip(), name in _FOR_ANY
    )
