# SPDX-License-Identifier: BSD-3-Clause
"""By messages, no rank allocates an array with a place for each row, column or entry."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from tests.mpi.launcher import on_ranks

RANKS, OWN = 8, 280_000  # ranks; rows and columns of each
COMPILER = shutil.which("g++")


@pytest.mark.skipif(
    sys.platform != "linux" or COMPILER is None or "LD_PRELOAD" in os.environ,
    reason="needs a library in LD_PRELOAD",
)
def test_no_rank_allocates_an_array_as_long_as_the_matrix(tmp_path):
    """An array with 32 bits for each row of the matrix has 9 MB. The arrays of a rank are shorter:
    each of them is for the rows, columns and entries of this rank."""
    library, file, n = tmp_path / "largest_request.so", tmp_path / "matrix.mtx", RANKS * OWN
    source = Path(__file__).with_name("largest_request.cpp")
    subprocess.run([COMPILER, "-shared", "-fPIC", "-O1", source, "-o", library, "-ldl"], check=True)
    blocks = [np.ones(shape) for shape in ((3, 2), (2, 3), (2, 2))]  # all parts are large
    A = sp.kron(sp.eye_array(n // 7), sp.block_diag(blocks), format="coo")
    A.resize((n, n))
    scipy.io.mmwrite(file, A, field="pattern", symmetry="general")

    def largest(*waste):
        program = sys.executable, "-m", "tests.mpi.memory", file, *waste
        ended = on_ranks(RANKS, *program, env={"LD_PRELOAD": str(library)})
        assert ended.returncode == 0, ended.stderr
        return int(ended.stdout.split()[-1])

    assert largest() < 4 * n
    assert largest("waste") >= 4 * n
