# SPDX-License-Identifier: BSD-3-Clause
"""The rows of a convention and of a file format that CONTRIBUTING.md shows, and their matrix."""

from __future__ import annotations

import contextlib
import dataclasses
import re
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

__all__ = ["A", "added", "registered", "section"]

GUIDE = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
# Four blocks of one row each, a matching that is not the diagonal, and orders of rows and columns
# for which no other choice of gather or scatter for each of them is block triangular.
A = scipy.sparse.coo_array(
    np.array([[0, 1, 2.5, 0], [1, 0, 0, 3], [0, 4, 0, 0], [-2.0, 1, 0, 0]])
).tocsc()


def section(title):
    """A section of CONTRIBUTING.md and its Python examples: the module and the row."""
    text = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", GUIDE, re.DOTALL | re.MULTILINE)[1]
    return text, re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def added(title, kind, module, folder):
    """The row of the example. Its module is a file outside btfperm."""
    _, (source, row) = section(title)
    (folder / f"{module}.py").write_text(source, encoding="utf-8")
    return dataclasses.replace(eval(row, {kind.__name__: kind}), module=module)


@contextlib.contextmanager
def registered(title, kind, module, folder, table):
    """The row of the example, in its `table` (the module with `register` and `unregister`) within
    the block."""
    row = added(title, kind, module, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        table.register(row)
        yield row
        table.unregister(row.name)
        sys.modules.pop(row.module, None)
