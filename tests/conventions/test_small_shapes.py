# SPDX-License-Identifier: BSD-3-Clause
"""The smallest matrices, and those with empty rows and columns, in every convention and format that
takes them: `check` accepts the file."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import btfperm
from btfperm.conventions.rows import conventions
from btfperm.io.formats import result_formats
from tests.cli.conftest import cli

__all__ = ["cli"]

MATRICES = {
    "1 x 1": np.ones((1, 1)),
    "0 x 0": np.zeros((0, 0)),
    "0 x 3": np.zeros((0, 3)),
    "3 x 0": np.zeros((3, 0)),
    "1 x 4": np.array([[0.0, 1, 0, 1]]),
    "empty row": np.array([[1.0, 1, 0], [0, 0, 0], [0, 1, 1]]),
    "antidiagonal": np.array([[0.0, 0, 2], [0, 3, 0], [4, 0, 0]]),
}
RECTANGULAR = {"btfperm", "matlab", "csparse", "casadi", "scipy"}


@pytest.mark.parametrize("matrix", MATRICES)
def test_every_convention_in_every_format(cli, tmp_path, matrix):
    A = MATRICES[matrix]
    m, n = A.shape
    file = tmp_path / "A.mtx"
    btfperm.write_matrix(file, A)
    d = btfperm.dulmage_mendelsohn(A)
    form = btfperm.block_triangular_form(A) if m == n else None
    is_full = d.structural_rank == m == n
    written = 0
    for name, (suffix, row) in itertools.product(conventions, result_formats.items()):
        if not row.any_convention and row.convention != name:
            continue
        perm = tmp_path / f"{name}.{suffix}"
        if name in RECTANGULAR:
            d.save(perm, convention=name, format=suffix)
        elif is_full or (form is not None and name != "superlu"):
            form.save(perm, convention=name, format=suffix)
        else:
            with pytest.raises(btfperm.InvalidArgumentError):
                d.save(perm, convention=name, format=suffix)
            continue
        written += 1
        ended = cli("check", file, perm)
        assert ended.code == 0, (name, suffix, ended)
        if name == "btfperm" and suffix in ("npz", "json", "txt"):  # the formats of `load`
            assert btfperm.load(perm) == d
    assert written >= 15
