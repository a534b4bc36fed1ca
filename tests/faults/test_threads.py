# SPDX-License-Identifier: BSD-3-Clause
"""Calls side by side: the core releases the GIL and keeps no state of its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

import btfperm
from tests.known_answers import known_answers, read


def test_decompositions_side_by_side():
    names = [known.name for known in known_answers()] * 4
    matrices = {name: btfperm.as_pattern(read(name)) for name in names}
    alone = {name: btfperm.dulmage_mendelsohn(P) for name, P in matrices.items()}
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda name: btfperm.dulmage_mendelsohn(matrices[name]), names))
    for name, d in zip(names, together, strict=True):
        np.testing.assert_array_equal(d.row_match, alone[name].row_match)
        np.testing.assert_array_equal(d.row_perm, alone[name].row_perm)
        np.testing.assert_array_equal(d.col_blocks, alone[name].col_blocks)
